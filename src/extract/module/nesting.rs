//! How deep a text would send a recursive-descent parser, found in one pass over its bytes.
//!
//! The parser recurses on nested brackets and on chains that open no bracket (`!!!x`, `a => b => c`, `else if`,
//! nested tags, …). A chain is counted until something ends the expression or statement it stands in. Strings and
//! comments are counted like code: telling them apart needs the parser itself, and text with a thousand unclosed
//! brackets is not a module that anyone wrote.

/// Most nested brackets that a module may have.
pub const MAX_NESTING: usize = 1_000;

/// Most links that a chain without brackets may have.
pub const MAX_CHAIN: usize = 20_000;

/// The deepest nesting of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Depth {
    /// Nested brackets, and the offset of the innermost one.
    pub(super) brackets: usize,
    pub(super) at: usize,
    /// Links of the longest chain, and the offset of its last link.
    pub(super) chain: usize,
    pub(super) chain_at: usize,
}

const ENDS_CHAIN: &[&[u8]] =
    &[b"const", b"let", b"var", b"function", b"class", b"import", b"export", b"interface", b"enum"];
const LINKS: &[&[u8]] = &[
    b"if",
    b"else",
    b"for",
    b"while",
    b"do",
    b"with",
    b"new",
    b"typeof",
    b"void",
    b"delete",
    b"await",
    b"yield",
    b"keyof",
    b"readonly",
    b"unique",
    b"infer",
    b"extends",
    b"asserts",
    b"async",
    b"abstract",
];

/// Measures `text`.
pub(super) fn depth(text: &str) -> Depth {
    let bytes = text.as_bytes();
    let mut deepest = Depth::default();
    // Chain length at each open bracket; the last is the current one.
    let mut chains = vec![0usize];
    let mut last = 0;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let mut links = 0isize;
        let mut width = 1;
        match byte {
            b'(' | b'[' | b'{' => {
                chains.push(0);
                if chains.len() - 1 > deepest.brackets {
                    deepest.brackets = chains.len() - 1;
                    deepest.at = at;
                }
            }
            b')' | b']' | b'}' => {
                if chains.len() > 1 {
                    chains.pop();
                }
            }
            b';' | b',' => links = isize::MIN,
            b'=' if next == b'=' => width = 2,
            b'*' if next == b'*' => (links, width) = (1, 2),
            b'?' if next == b'.' || next == b'?' => width = 2,
            b'+' | b'-' if ends_operand(last) => {}
            b'!' | b'~' | b'+' | b'-' | b'=' | b'?' | b':' => links = 1,
            b'/' if next == b'>' => (links, width) = (-1, 2),
            b'<' if next == b'/' => (links, width) = (-1, 2),
            b'<' => links = 1,
            _ if is_word(byte) => {
                width = bytes[at..].iter().take_while(|byte| is_word(**byte)).count();
                let word = &bytes[at..at + width];
                if width <= 9 && ENDS_CHAIN.contains(&word) {
                    links = isize::MIN;
                } else if width <= 9 && LINKS.contains(&word) {
                    links = 1;
                }
            }
            _ => {}
        }
        if let Some(chain) = chains.last_mut() {
            *chain = if links == isize::MIN { 0 } else { chain.saturating_add_signed(links) };
            if *chain > deepest.chain {
                deepest.chain = *chain;
                deepest.chain_at = at;
            }
        }
        if !byte.is_ascii_whitespace() {
            last = bytes[at + width - 1];
        }
        at += width;
    }
    deepest
}

/// Whether an operator after this byte stands between two operands (and is not a prefix).
fn ends_operand(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b')' | b']' | b'}' | b'"' | b'\'' | b'`')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_chains_are_told_apart() {
        assert_eq!(depth("f([{a: 1}])").brackets, 3);
        assert_eq!(depth(&"!".repeat(50)).chain, 50);
        assert_eq!(depth(&"a => ".repeat(50)).chain, 50);
        assert_eq!(depth(&"await ".repeat(50)).chain, 50);
        assert_eq!(depth(&"<a>".repeat(50)).chain, 50);
    }

    #[test]
    fn ordinary_code_stays_shallow() {
        let statements =
            "const a = x ? 1 : 2\nif (a) { b = -1 }\nexport function f() { return !a }\n".repeat(500);
        assert!(depth(&statements).chain < 20, "{:?}", depth(&statements));
        let tags = "<ul>".to_owned() + &"<li>x</li><br/>".repeat(500) + "</ul>";
        assert!(depth(&tags).chain < 5, "{:?}", depth(&tags));
        assert!(depth(&"}".repeat(5_000)).brackets == 0);
    }
}
