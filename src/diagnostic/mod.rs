//! Findings: what happened, where, and what to do about it.
//!
//! A [`Diagnostic`] is plain data. It decides neither exit codes nor output; `render` turns it into
//! text and `cli` decides what a run with errors exits with.

mod codes;
pub mod fix;
pub mod format;
mod pages;
pub mod render;

pub use codes::{Code, CodeInfo};
pub use pages::{explanation, page, reference};

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// How grave a finding is. Only [`Severity::Error`] stops a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Gates the build; nothing is published.
    Error,
    /// Worth fixing; gates nothing.
    Warning,
    /// Worth knowing.
    Info,
}

/// A range of bytes in one source file of the project.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// Project-relative path with `/` separators.
    pub path: String,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The bytes `range` of `path`.
    pub fn new(path: impl Into<String>, range: Range<usize>) -> Self {
        Self { path: path.into(), start: range.start, end: range.end }
    }

    /// A file as a whole: the report names the path and quotes no line.
    pub fn file(path: impl Into<String>) -> Self {
        Self::new(path, 0..0)
    }
}

/// A second place that explains the first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// The right text where it is known: what to put in a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fix {
    /// What is replaced.
    pub span: Span,
    /// By what.
    pub text: String,
    /// How the text is laid into the source.
    #[serde(default, skip_serializing_if = "Shape::is_exact")]
    pub shape: Shape,
}

/// How a fix fits into what stands in its place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// The text as it is.
    #[default]
    Exact,
    /// Between the quotation marks that stand there; without any, the text as it is.
    Quoted,
    /// Between the quotation marks of the call that stands there.
    Argument,
    /// The member of the manifest whose key stands there goes.
    Remove,
    /// A member `key = value` is added to the manifest's table in which the key stands.
    Member,
}

impl Shape {
    fn is_exact(&self) -> bool {
        *self == Self::Exact
    }

    /// Whether the text of the place is all that is needed.
    pub fn is_textual(self) -> bool {
        !matches!(self, Self::Remove | Self::Member)
    }
}

impl Fix {
    /// Replaces exactly `span`.
    pub fn exact(span: &Span, text: impl Into<String>) -> Self {
        Self { span: span.clone(), text: text.into(), shape: Shape::Exact }
    }

    /// Replaces what stands between the quotation marks of `span`.
    pub fn inside_quotes(span: &Span, text: impl Into<String>) -> Self {
        Self { shape: Shape::Quoted, ..Self::exact(span, text) }
    }

    /// Replaces what stands between the quotation marks inside the call at `span`.
    pub fn inside_call(span: &Span, text: impl Into<String>) -> Self {
        Self { shape: Shape::Argument, ..Self::exact(span, text) }
    }

    /// Removes the member of the manifest whose key stands at `span`.
    pub fn remove_member(span: &Span) -> Self {
        Self { shape: Shape::Remove, ..Self::exact(span, "") }
    }

    /// Adds `key = value` to the manifest's table in which the key at `span` stands.
    pub fn add_member(span: &Span, member: impl Into<String>) -> Self {
        Self { shape: Shape::Member, ..Self::exact(span, member) }
    }
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Diagnostic {
    /// The primary place, if the finding has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// Stable code.
    pub code: Code,
    /// Gravity; the code's own unless a caller changed it.
    pub severity: Severity,
    /// What happened, in one sentence.
    pub message: String,
    /// Further places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Label>,
    /// What to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The edits that mend it, where they are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixes: Vec<Fix>,
    /// The host the finding is about, when it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The emitted file the finding is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generated_path: Option<String>,
}

impl Diagnostic {
    /// A finding with the severity and the recovery that its code carries.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            span: None,
            severity: code.severity(),
            help: code.recovery().map(str::to_owned),
            code,
            message: message.into(),
            labels: Vec::new(),
            fixes: Vec::new(),
            target: None,
            generated_path: None,
        }
    }

    /// Points at `range` of `path`.
    pub fn at(mut self, path: impl Into<String>, range: Range<usize>) -> Self {
        self.span = Some(Span::new(path, range));
        self
    }

    /// Points at a whole file.
    pub fn in_file(mut self, path: impl Into<String>) -> Self {
        self.span = Some(Span::file(path));
        self
    }

    /// Points at `span` when there is one.
    pub fn with_span(mut self, span: Option<Span>) -> Self {
        self.span = span;
        self
    }

    /// Adds a second place.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Replaces the recovery with one that fits the case.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Adds an edit that mends it, when there is one.
    pub fn with_fix(mut self, fix: Option<Fix>) -> Self {
        self.fixes.extend(fix);
        self
    }

    /// Adds an edit that mends it.
    pub fn fix(mut self, fix: Fix) -> Self {
        self.fixes.push(fix);
        self
    }

    /// Names the host.
    pub fn target(mut self, host: impl Into<String>) -> Self {
        self.target = Some(host.into());
        self
    }

    /// Names the emitted file.
    pub fn generated(mut self, path: impl Into<String>) -> Self {
        self.generated_path = Some(path.into());
        self
    }

    /// The same finding seen from a directory further up: every place lies below `directory`.
    pub fn below(mut self, directory: &str) -> Self {
        for span in self.places_mut() {
            span.path = format!("{directory}/{}", span.path);
        }
        for fix in &mut self.fixes {
            fix.span.path = format!("{directory}/{}", fix.span.path);
        }
        self
    }

    /// The places that are shown: its own and those of its labels.
    pub fn places_mut(&mut self) -> impl Iterator<Item = &mut Span> {
        self.span.iter_mut().chain(self.labels.iter_mut().map(|label| &mut label.span))
    }

    /// Says which word was meant, and mends the one that stands at `span`, inside of its quotation marks.
    pub fn did_you_mean(self, near: &str, span: &Span) -> Self {
        self.help(format!("Did you mean `{near}`?")).fix(Fix::inside_quotes(span, near))
    }

    /// Whether this finding stops a build.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any of `diagnostics` stops a build.
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Sorts by place and removes repetitions, so that a report never depends on the order of work.
pub fn normalize(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort();
    diagnostics.dedup();
}

/// One-based line and column (in characters) of byte `offset` of `text`.
pub fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The candidate nearest to `word`, if one is near enough to be a slip of the keyboard.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len().min(word.len()) / 4)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        assert_eq!(line_column("ab\nçd", 0), (1, 1));
        assert_eq!(line_column("ab\nçd", 5), (2, 2));
        assert_eq!(line_column("ab\nçd", 99), (2, 3));
    }

    #[test]
    fn nearest_finds_slips_only() {
        assert_eq!(nearest("tragets", ["targets", "plugin"]), Some("targets"));
        assert_eq!(nearest("webhooks", ["targets", "plugin"]), None);
    }

    #[test]
    fn host_codes_survive_json() {
        let code = Code::host("codex", "mcp.token.env.key");
        let text = serde_json::to_string(&code).unwrap();
        assert_eq!(text, "\"codex.mcp.token.env.key\"");
        assert_eq!(serde_json::from_str::<Code>(&text).unwrap(), code);
        assert_eq!(serde_json::from_str::<Code>("\"AB4810\"").unwrap(), Code::AB4810);
    }
}
