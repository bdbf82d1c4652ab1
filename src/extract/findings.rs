//! The problems of one source, collected under its path.

use crate::diagnostic::{Code, Diagnostic, Fix, Span};
use std::ops::Range;

/// Collects diagnostics about one source. Ranges are byte offsets in the text that was parsed; `shift` is what
/// stands before that text in the file (a byte order mark).
pub(super) struct Findings<'p> {
    path: &'p str,
    shift: usize,
    list: Vec<Diagnostic>,
}

impl<'p> Findings<'p> {
    pub(super) fn new(path: &'p str, shift: usize) -> Self {
        Self { path, shift, list: Vec::new() }
    }

    /// The place of `range` in the file.
    pub(super) fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.path, range.start + self.shift..range.end + self.shift)
    }

    /// Adds a finding at `range` with the help that its code carries.
    pub(super) fn add(&mut self, code: Code, range: &Range<usize>, message: impl Into<String>) {
        let span = self.span(range);
        self.list.push(Diagnostic::new(code, message).with_span(Some(span)));
    }

    /// Adds a finding at `range` with help of its own.
    pub(super) fn add_with_help(
        &mut self,
        code: Code,
        range: &Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let span = self.span(range);
        self.list.push(Diagnostic::new(code, message).with_span(Some(span)).help(help));
    }

    /// Adds a finding at `range` with help of its own and the edit that mends it.
    pub(super) fn add_with_fix(
        &mut self,
        code: Code,
        range: &Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
        fix: Fix,
    ) {
        let span = self.span(range);
        self.list.push(Diagnostic::new(code, message).with_span(Some(span)).help(help).fix(fix));
    }

    /// Gives another code to all findings after the first `count`.
    pub(super) fn recode(&mut self, count: usize, code: &Code) {
        for finding in &mut self.list[count..] {
            finding.code = code.clone();
        }
    }

    /// Drops the findings with that code.
    pub(super) fn forget(&mut self, code: &Code) {
        self.list.retain(|finding| finding.code != *code);
    }

    /// How many findings there are so far; a later, greater count tells that a step failed.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    pub(super) fn into_list(self) -> Vec<Diagnostic> {
        self.list
    }
}
