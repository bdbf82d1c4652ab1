//! How deep a text would send a recursive-descent parser, found in one pass over its bytes.
//!
//! The parser recurses on nested brackets and on chains that open no bracket (`!!!x`, `a => b => c`, `else if`,
//! nested tags, …). A chain is counted until something ends the expression or statement it stands in; `else` and tags
//! are counted until their bracket closes. The measure knows strings, templates and comments, but not regular
//! expressions and text between tags; it may be off by what those hold, not by orders of magnitude.
//!
//! A `<` may begin type arguments or compare. The parser tries the one and then the other, so what stands in a bracket
//! behind an open `<` is parsed once more for each of them, and each such bracket around it multiplies that. A `<` is
//! open until something follows that no type holds. The work is estimated as the bytes of the text, each as often as
//! it may be parsed.

/// Most nested brackets that a module may have.
pub const MAX_NESTING: usize = 1_000;

/// Most brackets, operators and tags that may be open at one place of a module.
pub const MAX_CHAIN: usize = 20_000;

/// Most bytes that the parser may go over, each counted as often as it may be parsed: about a second.
pub const MAX_WORK: u64 = 1 << 27;

/// The deepest place of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Depth {
    /// Nested brackets, and the offset of the innermost one.
    pub(super) brackets: usize,
    pub(super) brackets_at: usize,
    /// Brackets, operators and tags open at one place, and the offset of the last of them.
    pub(super) open: usize,
    pub(super) open_at: usize,
    /// Bytes to parse, and the offset where they become more than [`MAX_WORK`].
    pub(super) work: u64,
    pub(super) work_at: usize,
}

/// What a word means to the measure.
enum Word {
    /// The parser goes one level down after it.
    Prefix,
    /// Like a prefix, until the bracket closes.
    Else,
    /// Wants an operand after it.
    Operator,
    /// Begins a statement when it follows a whole expression.
    Statement,
    /// A name, or any other word.
    Other,
}

fn word(text: &[u8]) -> Word {
    match text {
        b"if" | b"for" | b"while" | b"do" | b"with" | b"new" | b"typeof" | b"void" | b"delete" | b"await"
        | b"yield" | b"keyof" | b"readonly" | b"unique" | b"infer" | b"extends" | b"async" => Word::Prefix,
        b"else" => Word::Else,
        b"in" | b"of" | b"instanceof" | b"as" | b"satisfies" | b"throw" | b"case" | b"default" | b"is" => {
            Word::Operator
        }
        b"const" | b"var" | b"function" | b"class" | b"export" | b"return" => Word::Statement,
        _ => Word::Other,
    }
}

/// Whether the word may stand between two types.
fn joins_types(text: &[u8]) -> bool {
    matches!(text, b"extends" | b"is" | b"in" | b"as" | b"infer" | b"asserts")
}

/// One open bracket.
#[derive(Debug, Clone, Copy, Default)]
struct Level {
    /// Whether it is the `${` of a template.
    template: bool,
    /// Links since the last end of an expression.
    chain: usize,
    /// Links that stay until the bracket closes.
    sticky: usize,
    /// `<` without a `>` so far.
    angles: usize,
    /// How often the parser may come by the bracket itself.
    outside: u64,
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    levels: Vec<Level>,
    /// Sum over the open levels.
    open: usize,
    /// How often the parser may come to `at`: the product over the open levels.
    repeats: u64,
    /// Whether an operand ends just before `at`.
    after_operand: bool,
    deepest: Depth,
}

/// Measures `text`.
pub(super) fn depth(text: &str) -> Depth {
    let mut scan = Scan {
        bytes: text.as_bytes(),
        at: 0,
        levels: vec![Level { outside: 1, ..Level::default() }],
        open: 0,
        repeats: 1,
        after_operand: false,
        deepest: Depth::default(),
    };
    while scan.at < scan.bytes.len() {
        let (start, repeats) = (scan.at, scan.repeats);
        scan.step();
        scan.work(start, repeats);
    }
    scan.deepest
}

impl Scan<'_> {
    fn peek(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    fn work(&mut self, start: usize, repeats: u64) {
        let deepest = &mut self.deepest;
        let was_less = deepest.work <= MAX_WORK;
        deepest.work = deepest.work.saturating_add(repeats.saturating_mul((self.at - start) as u64));
        if was_less && deepest.work > MAX_WORK {
            deepest.work_at = start;
        }
    }

    fn step(&mut self) {
        let next = self.peek(1);
        self.angle(next);
        match self.peek(0) {
            byte if byte.is_ascii_whitespace() => self.at += 1,
            // The parser passes over whatever follows, a quotation mark as well.
            b'\\' => self.skip(2),
            quote @ (b'"' | b'\'') => self.string(quote),
            b'`' => {
                self.at += 1;
                self.template();
            }
            b'/' if next == b'/' => self.at += self.until(b"\n"),
            b'/' if next == b'*' => self.at += self.until(b"*/") + 2,
            b'(' | b'[' | b'{' => self.push(false, 1),
            b')' | b']' | b'}' => self.pop(),
            b';' | b',' => {
                self.reset();
                self.skip(1);
            }
            b'?' if next == b'.' || next == b'?' => self.skip(2),
            b'=' if next == b'=' => self.skip(2),
            b'*' if next == b'*' => self.link(2),
            b'+' | b'-' if self.after_operand => self.skip(1),
            b'!' | b'~' | b'+' | b'-' | b'=' | b'?' | b':' => self.link(1),
            b'<' if is_word(next) || next == b'>' => self.stick(1),
            byte if is_word(byte) => self.word(),
            _ => self.skip(1),
        }
    }

    /// Notes what begins or ends type arguments, or may.
    fn angle(&mut self, next: u8) {
        let Some(level) = self.levels.last() else { return };
        let angles = match (self.peek(0), next) {
            (b'<', b'=') => 0,
            (b'<', _) => level.angles + 1,
            // The head of an arrow is no end.
            (b'>', _) if self.at > 0 && self.bytes[self.at - 1] == b'=' => return,
            (b'>', _) => level.angles.saturating_sub(1),
            (b'=', b'>') => return,
            (b'&', b'&') | (b'|', b'|') | (b'?', b'?') | (b'!', b'=') => 0,
            (b';' | b'=' | b'+' | b'*' | b'%' | b'^' | b'~', _) => 0,
            (b'-', _) if self.after_operand => 0,
            _ => return,
        };
        self.set_angles(angles);
    }

    fn set_angles(&mut self, angles: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.angles = angles;
            // Seen are up to one and a half times the number of `<`, and one.
            let own = if angles == 0 { 1 } else { 2 * angles as u64 + 2 };
            self.repeats = level.outside.saturating_mul(own);
        }
    }

    /// Bytes up to `end`, or to the end of the text.
    fn until(&self, end: &[u8]) -> usize {
        let rest = &self.bytes[self.at..];
        rest.windows(end.len()).position(|window| window == end).unwrap_or(rest.len())
    }

    fn skip(&mut self, width: usize) {
        self.at += width;
        self.after_operand = false;
    }

    fn string(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'\n' => break,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        break;
                    }
                }
            }
        }
        self.after_operand = true;
    }

    /// The text of a template, up to its end or the next substitution.
    fn template(&mut self) {
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => self.at += 2,
                b'`' => {
                    self.at += 1;
                    self.after_operand = true;
                    return;
                }
                b'$' if self.peek(1) == b'{' => return self.push(true, 2),
                _ => self.at += 1,
            }
        }
    }

    fn push(&mut self, template: bool, width: usize) {
        self.levels.push(Level { template, outside: self.repeats, ..Level::default() });
        let brackets = self.levels.len() - 1;
        if brackets > self.deepest.brackets {
            self.deepest.brackets = brackets;
            self.deepest.brackets_at = self.at;
        }
        self.count();
        self.skip(width);
    }

    fn pop(&mut self) {
        self.at += 1;
        self.after_operand = true;
        if self.levels.len() > 1
            && let Some(level) = self.levels.pop()
        {
            self.open -= 1 + level.chain + level.sticky;
            self.repeats = level.outside;
            if level.template {
                self.template();
            }
        }
    }

    /// One more thing is open.
    fn count(&mut self) {
        self.open += 1;
        if self.open > self.deepest.open {
            self.deepest.open = self.open;
            self.deepest.open_at = self.at;
        }
    }

    fn link(&mut self, width: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.chain += 1;
        }
        self.count();
        self.skip(width);
    }

    fn stick(&mut self, width: usize) {
        if let Some(level) = self.levels.last_mut() {
            level.sticky += 1;
        }
        self.count();
        self.skip(width);
    }

    fn reset(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            self.open -= std::mem::take(&mut level.chain);
        }
    }

    fn word(&mut self) {
        let width = self.bytes[self.at..].iter().take_while(|byte| is_word(**byte)).count();
        let is_property = self.at > 0 && self.bytes[self.at - 1] == b'.';
        let meaning = if is_property { Word::Other } else { word(&self.bytes[self.at..self.at + width]) };
        if self.after_operand && !joins_types(&self.bytes[self.at..self.at + width]) {
            self.set_angles(0);
        }
        match meaning {
            Word::Prefix => self.link(width),
            Word::Else => self.stick(width),
            Word::Operator => self.skip(width),
            Word::Statement => {
                if self.after_operand {
                    self.reset();
                }
                self.skip(width);
            }
            Word::Other => {
                self.at += width;
                self.after_operand = true;
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_and_chains_are_counted() {
        assert_eq!(depth("f([{a: 1}])").brackets, 3);
        for link in [
            "!",
            "a => ",
            "await ",
            "<a>",
            "<a>;",
            "A<x, A",
            "if (a) b; else ",
            "a ? class {} : ",
            "x.const = ",
        ] {
            assert!(depth(&link.repeat(50)).open >= 50, "{link}");
        }
        assert_eq!(depth("(!(!(!(!x))))").open, 8);
        assert_eq!(depth("`${`${[`x`]}`}`").brackets, 3);
    }

    #[test]
    fn what_is_parsed_again_and_again_is_counted() {
        for unit in ["({[a<", "{[a<", "(a=b<", "[(a=b<", "a<b<(", "f<{x:(", "[({[ez<s2ee<"] {
            assert!(depth(&unit.repeat(24)).work > MAX_WORK, "{unit}");
        }
        let text = "f<T>(x => { if (a < b) { g<{ a: Map<string, U> }>(c, () => d) } });\n";
        assert!(depth(text).work < 200 * text.len() as u64, "{:?}", depth(text));
        // Comparisons side by side cost nothing, nor do those of statements that have ended.
        assert!(depth(&"if (a < b) c = d < e;\n".repeat(10_000)).work < 2_000_000);
        assert!(
            depth(&format!("a\\\"{}", "{[a<b<c<".repeat(24))).work > MAX_WORK,
            "an escape opens no string"
        );
        let deepest = "({[a<".repeat(24);
        let place = depth(&deepest);
        assert!(place.work_at > 40 && place.work_at < deepest.len());
    }

    #[test]
    fn strings_and_comments_are_not_counted() {
        for text in ["'((('", "\"(\\\"((\"", "// (((\n", "/* ((( */", "`((( \\` (((`"] {
            assert_eq!(depth(&format!("f({text})")).brackets, 1, "{text}");
        }
        assert_eq!(depth("[\")\", [\")\", [\")\"").brackets, 3);
        assert_eq!(depth("`${a}` + '('").brackets, 1);
    }

    #[test]
    fn ordinary_code_stays_shallow() {
        let statements =
            "const a = x ? 1 : 2\nif (a) { b = -1 }\nexport function f() { return !a }\n".repeat(500);
        assert!(depth(&statements).open < 20, "{:?}", depth(&statements));
        assert_eq!(depth(&"}".repeat(5_000)).brackets, 0);
    }
}
