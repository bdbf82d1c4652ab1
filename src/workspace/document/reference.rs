//! `${setup.<key>}`: text with places for setup values.

const OPEN: &str = "${setup.";

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(String),
    /// The value of a field.
    Field(String),
}

/// Text that begins like a reference and is none, from here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Malformed(pub String);

/// Splits text of a live place. `$${setup.` stands for a literal `${setup.`.
pub fn template(text: &str) -> Result<Vec<Piece>, Malformed> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(OPEN) {
        let after = &rest[at + OPEN.len()..];
        if rest[..at].ends_with('$') {
            plain.push_str(&rest[..at - 1]);
            plain.push_str(OPEN);
            rest = after;
            continue;
        }
        plain.push_str(&rest[..at]);
        let length = after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        if length == 0 || !after[length..].starts_with('}') {
            let shown: String = rest[at..].chars().take(24).collect();
            return Err(Malformed(shown));
        }
        if !plain.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(Piece::Field(after[..length].to_owned()));
        rest = &after[length + 1..];
    }
    plain.push_str(rest);
    if !plain.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    Ok(pieces)
}

/// The fields that a template names; nothing when it is malformed.
pub fn fields(text: &str) -> Vec<String> {
    let pieces = template(text).unwrap_or_default();
    pieces
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Field(key) => Some(key),
            Piece::Text(_) => None,
        })
        .collect()
}

/// The field, when the text is one reference and nothing else.
pub fn single(text: &str) -> Option<String> {
    match template(text).ok()?.as_slice() {
        [Piece::Field(key)] => Some(key.clone()),
        _ => None,
    }
}

/// Whether text holds something that a reader may take for a reference, such as `${ setup.a }`.
pub fn resembles(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| text[at + 2..].trim_start().starts_with("setup."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_split_at_references() {
        let pieces = template("Bearer ${setup.tok}!").unwrap();
        let expected = [Piece::Text("Bearer ".into()), Piece::Field("tok".into()), Piece::Text("!".into())];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn doubled_dollars_are_literal() {
        assert_eq!(template("$${setup.x}"), Ok(vec![Piece::Text("${setup.x}".into())]));
    }

    #[test]
    fn near_misses_are_malformed_and_spaces_are_text() {
        for text in ["${setup.}", "${setup.a-b}", "${setup.a", "x${setup.ключ}"] {
            assert!(template(text).is_err(), "{text}");
        }
        assert_eq!(fields("${ setup.a }"), Vec::<String>::new());
        assert!(resembles("${ setup.a }"));
    }
}
