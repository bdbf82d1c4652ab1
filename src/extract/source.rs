//! From bytes to text.

use super::findings::Findings;
use crate::diagnostic::{Code, Diagnostic};

/// The largest module that is read, in bytes. Larger files are data, and data belongs in an asset that is loaded
/// at run time.
pub const MAX_MODULE_BYTES: usize = 10 * 1024 * 1024;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The text of a source without its byte order mark, and the findings that are to be made about it.
pub(super) fn text<'s>(path: &'s str, bytes: &'s [u8]) -> Result<(&'s str, Findings<'s>), Box<Diagnostic>> {
    if bytes.len() > MAX_MODULE_BYTES {
        let message = format!("`{path}` has {} bytes; at most {MAX_MODULE_BYTES} are read", bytes.len());
        return Err(Box::new(Diagnostic::new(Code::AB2003, message).in_file(path)));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| Box::new(not_utf8(path, bytes, error.valid_up_to())))?;
    Ok(match text.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (rest, Findings::new(path, BYTE_ORDER_MARK.len())),
        None => (text, Findings::new(path, 0)),
    })
}

fn not_utf8(path: &str, bytes: &[u8], offset: usize) -> Diagnostic {
    let byte = bytes[offset];
    let message =
        format!("`{path}` is not UTF-8 text: byte {byte:#04x} at offset {offset} begins no character");
    Diagnostic::new(Code::AB2001, message).at(path, offset..offset + 1)
}
