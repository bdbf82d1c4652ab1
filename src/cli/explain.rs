//! `agent-bundle explain <CODE>`

use super::{Exit, Printer};
use crate::diagnostic::{Code, Diagnostic, explanation, nearest, reference};
use std::path::Path;

/// Whether `word` is written like a code.
pub(super) fn is_code(word: &str) -> bool {
    let rest = word.strip_prefix("AB").or_else(|| word.strip_prefix("ab"));
    rest.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Prints the page of one code.
pub(super) fn code(word: &str, printer: &Printer) -> Exit {
    let name = word.to_ascii_uppercase();
    if let Some(text) = Code::named(&name).as_ref().and_then(explanation) {
        printer.raw(text.as_bytes());
        return Exit::Success;
    }
    let help = match nearest(&name, Code::ALL.iter().map(|info| info.name)) {
        Some(near) => format!("did you mean {near}?"),
        None => "`agent-bundle explain --codes` lists all codes".to_owned(),
    };
    let found = Diagnostic::new(Code::AB5005, format!("`{word}` is not the code of a finding")).help(help);
    printer.diagnostics(Path::new("."), &[found]);
    Exit::Failure
}

/// Prints the pages of all codes.
pub(super) fn codes(printer: &Printer) -> Exit {
    printer.raw(reference().as_bytes());
    Exit::Success
}
