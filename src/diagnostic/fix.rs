//! Applying the edits that findings carry. Text in, text out.

use super::{Diagnostic, Fix, Shape};
use std::collections::BTreeMap;
use std::ops::Range;

/// The edits of one file, by where they stand. Of edits that overlap, the first is kept.
pub fn fixes_by_path(diagnostics: &[Diagnostic]) -> BTreeMap<&str, Vec<&Fix>> {
    let mut files: BTreeMap<&str, Vec<&Fix>> = BTreeMap::new();
    for fix in diagnostics.iter().flat_map(|one| &one.fixes) {
        files.entry(&fix.span.path).or_default().push(fix);
    }
    for fixes in files.values_mut() {
        fixes.sort_by_key(|fix| (fix.span.start, fix.span.end));
        let mut end = 0;
        fixes.retain(|fix| {
            let free = fix.span.start >= end;
            if free {
                end = fix.span.end;
            }
            free
        });
    }
    files
}

/// `text` with the edits, which are sorted and do not overlap. Edits that a text alone cannot place (see
/// [`Shape::is_textual`]) are left to the manifest's room.
pub fn apply(text: &str, fixes: &[&Fix]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for fix in fixes.iter().filter(|fix| fix.shape.is_textual()) {
        let Some(range) = place(text, fix).filter(|range| range.start >= at) else { continue };
        out.push_str(&text[at..range.start]);
        out.push_str(&fix.text);
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

/// The bytes that an edit replaces; `None` when they are not what the edit was made for.
fn place(text: &str, fix: &Fix) -> Option<Range<usize>> {
    let range = fix.span.start..fix.span.end;
    let written = text.get(range.clone())?;
    match fix.shape {
        Shape::Exact => Some(range),
        Shape::Quoted => Some(inside(written).map_or(range.clone(), |inner| shifted(inner, range.start))),
        Shape::Argument => {
            let open = written.find('(')? + 1;
            let argument = written.get(open..written.rfind(')')?)?;
            let start = argument.len() - argument.trim_start().len();
            let inner = inside(argument.trim())?;
            Some(shifted(inner, range.start + open + start))
        }
        Shape::Remove | Shape::Member => None,
    }
}

fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// What lies between the quotation marks of a text.
fn inside(text: &str) -> Option<Range<usize>> {
    let mark = text.chars().next().filter(|mark| matches!(mark, '"' | '\'' | '`'))?;
    (text.len() >= 2 && text.ends_with(mark)).then(|| 1..text.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Span};
    use super::*;

    fn fixed(text: &str, needle: &str, make: impl Fn(&Span) -> Fix) -> String {
        let at = text.find(needle).unwrap();
        apply(text, &[&make(&Span::new("a", at..at + needle.len()))])
    }

    #[test]
    fn edits_fit_what_stands_there() {
        assert_eq!(fixed("a: 'x', b", "'x'", |span| Fix::inside_quotes(span, "yy")), "a: 'yy', b");
        assert_eq!(
            fixed("tragets = 1", "tragets", |span| Fix::inside_quotes(span, "targets")),
            "targets = 1"
        );
        assert_eq!(fixed("f( \"x\" )", "f( \"x\" )", |span| Fix::inside_call(span, "y")), "f( \"y\" )");
        assert_eq!(fixed("f(X)", "f(X)", |span| Fix::inside_call(span, "y")), "f(X)", "a name is left alone");
        assert_eq!(fixed("é.b", "é.b", |span| Fix::exact(span, "c")), "c");
    }

    #[test]
    fn overlapping_edits_are_applied_once() {
        let with = |range: Range<usize>| {
            Diagnostic::new(Code::AB1002, "x").fix(Fix::exact(&Span::new("a", range), "Z"))
        };
        let found = [with(2..3), with(0..2), with(1..3)];
        let fixes = fixes_by_path(&found);
        assert_eq!(apply("abcd", &fixes["a"]), "ZZd");
    }

    #[test]
    fn places_that_are_gone_do_no_harm() {
        let fix = |range: Range<usize>| Fix::exact(&Span::new("a", range), "Z");
        for range in [5..9, 1..2, 9..9] {
            assert_eq!(apply("é", &[&fix(range)]), "é");
        }
    }
}
