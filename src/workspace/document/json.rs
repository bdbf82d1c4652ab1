//! Where JSON is not YAML: escapes of characters beyond the basic plane.

use std::borrow::Cow;

/// JSON writes such a character as two escapes (`\ud83d\ude00`), YAML as one (`\U0001F600`). Text that is JSON is
/// brought into the form that the one loader reads; everything else stays as it is. Lines and columns before the
/// escape do not move, and the new escape is two characters shorter than the old one.
pub fn yaml_escapes(text: &str) -> Cow<'_, str> {
    let json = text.trim_start().starts_with(['{', '[']);
    if !json || !text.contains("\\u") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let pair = unit(rest).zip(rest.get(6..).and_then(unit));
        let character = pair.and_then(|(high, low)| {
            char::decode_utf16([high, low])
                .next()
                .and_then(Result::ok)
                .filter(|_| (0xD800..0xDC00).contains(&high))
        });
        if let Some(character) = character {
            out.push_str(&format!("\\U{:08X}", u32::from(character)));
            rest = &rest[12..];
        } else {
            let length = 1 + rest[1..].chars().next().map_or(0, char::len_utf8);
            out.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The code unit of an escape `\uXXXX` at the head of `text`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::yaml_escapes;

    #[test]
    fn pairs_become_one_escape_and_escaped_backslashes_stay() {
        assert_eq!(yaml_escapes(r#"{"a":"\ud83d\ude00\n"}"#), r#"{"a":"\U0001F600\n"}"#);
        assert_eq!(yaml_escapes(r#"{"a":"\\ud83d\\ude00\u00e9"}"#), r#"{"a":"\\ud83d\\ude00\u00e9"}"#);
        assert_eq!(yaml_escapes(r"a: \ud83d\ude00"), r"a: \ud83d\ude00");
    }
}
