//! Findings as text for people. Sources are quoted through a function, so this room reads no file.

use super::{Diagnostic, Severity, Span, line_column};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use std::fmt::Write;
use std::ops::Range;

/// Lines quoted above and below a span.
const CONTEXT: usize = 1;

/// Longest quoted line, in bytes; a place in a longer one is named without a quotation.
const LINE_LIMIT: usize = 400;

/// How to render.
pub struct Rendering<'a> {
    /// Whether escape sequences may be used.
    pub color: bool,
    /// The text of a source by project-relative path.
    pub source: &'a dyn Fn(&str) -> Option<String>,
}

impl Rendering<'_> {
    /// One finding, with a quotation where there is a place to quote.
    pub fn text(&self, diagnostic: &Diagnostic) -> String {
        let renderer = if self.color { Renderer::styled() } else { Renderer::plain() };
        let code = diagnostic.code.to_string();
        let level = match diagnostic.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Info => Level::INFO,
        };
        let mut group =
            level.primary_title(diagnostic.message.as_str()).id(code.as_str()).elements([] as [Origin; 0]);
        let mut quotes: Vec<Quote> = Vec::new();
        if let Some(span) = &diagnostic.span {
            quotes.push(self.quote(span, ""));
        }
        quotes.extend(diagnostic.labels.iter().map(|label| self.quote(&label.span, &label.text)));
        for (at, quote) in quotes.iter().enumerate() {
            group = quote.add(group, at == 0 && diagnostic.span.is_some());
        }
        if diagnostic.span.is_none()
            && let Some(path) = &diagnostic.generated_path
        {
            group = group.element(Origin::path(path.as_str()));
        }
        // A message that names the host has said so already.
        let named = |host: &&String| diagnostic.message.contains(&format!("`{host}`"));
        if let Some(host) = diagnostic.target.as_ref().filter(|host| !named(host)) {
            group = group.element(Level::NOTE.message(format!("for {host}")));
        }
        if let Some(help) = &diagnostic.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        let text = renderer.render(&[group]);
        // Where no line is quoted there are no line numbers either, and the renderer leaves no room for them.
        if quotes.iter().all(|quote| quote.window.is_none()) { indented(&text) } else { text }
    }

    fn quote(&self, span: &Span, label: &str) -> Quote {
        let window = (self.source)(&span.path).and_then(|text| Window::around(&text, span));
        Quote { path: span.path.clone(), window, label: label.to_owned() }
    }
}

/// All lines but the first, one column to the right.
fn indented(text: &str) -> String {
    let mut lines = text.lines();
    let mut indented = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let _ = write!(indented, "\n {line}");
    }
    indented
}

struct Quote {
    path: String,
    window: Option<Window>,
    label: String,
}

impl Quote {
    fn add<'a>(&'a self, group: Group<'a>, primary: bool) -> Group<'a> {
        let Some(window) = &self.window else {
            let group = group.element(Origin::path(self.path.as_str()));
            return if self.label.is_empty() {
                group
            } else {
                group.element(Level::NOTE.message(self.label.as_str()))
            };
        };
        if window.text.is_empty() {
            return group
                .element(Origin::path(self.path.as_str()).line(window.line).char_column(window.column));
        }
        let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let mut annotation = kind.span(window.range.clone());
        if !self.label.is_empty() {
            annotation = annotation.label(self.label.as_str());
        }
        let snippet = Snippet::source(window.text.as_str())
            .path(self.path.as_str())
            .line_start(window.start_line)
            .fold(false);
        group.element(snippet.annotation(annotation))
    }
}

/// The lines around a span.
struct Window {
    text: String,
    start_line: usize,
    range: Range<usize>,
    line: usize,
    column: usize,
}

impl Window {
    /// `None` for a span that means the whole file.
    fn around(text: &str, span: &Span) -> Option<Self> {
        if span.start == 0 && span.end == 0 {
            return None;
        }
        let start = floor(text, span.start);
        let end = floor(text, span.end.max(span.start)).max(start);
        let (line, column) = line_column(text, start);
        let mut from = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let mut start_line = line;
        for _ in 0..CONTEXT.min(line - 1) {
            from = text[..from - 1].rfind('\n').map_or(0, |at| at + 1);
            start_line -= 1;
        }
        let line_end = |at: usize| text[at..].find('\n').map_or(text.len(), |length| at + length);
        // A construct of many lines is shown by its first one.
        let end = end.min(line_end(start));
        let mut to = line_end(end);
        for _ in 0..CONTEXT {
            if to < text.len() {
                to = line_end(to + 1);
            }
        }
        let quoted = &text[from..to];
        let too_long = quoted.lines().any(|line| line.len() > LINE_LIMIT);
        let text = if too_long { String::new() } else { quoted.to_owned() };
        Some(Self { text, start_line, range: start - from..(end - from).max(start - from), line, column })
    }
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// `2 errors, 1 warning`; `None` where there is nothing to count.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let mut text = String::new();
    for (severity, word) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        let count = diagnostics.iter().filter(|one| one.severity == severity).count();
        if count > 0 {
            let separator = if text.is_empty() { "" } else { ", " };
            let plural = if count == 1 { "" } else { "s" };
            let _ = write!(text, "{separator}{count} {word}{plural}");
        }
    }
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::Code;
    use super::*;

    fn render(text: &'static str, range: Range<usize>) -> String {
        let source = move |_: &str| Some(text.to_owned());
        let rendering = Rendering { color: false, source: &source };
        rendering.text(&Diagnostic::new(Code::AB4806, "not static").at("a.ts", range))
    }

    #[test]
    fn the_place_is_quoted() {
        let text = render("one\ntwo\nthree x\nfour\nfive", 14..15);
        assert!(text.starts_with("error[AB4806]: not static"), "{text}");
        assert!(text.contains("a.ts:3:7"), "{text}");
        assert!(text.contains("three x") && text.contains("two") && text.contains("four"), "{text}");
        assert!(!text.contains("one") && !text.contains("five"), "{text}");
    }

    #[test]
    fn a_file_as_a_whole_is_named_where_a_quotation_would_be() {
        let text = render("text", 0..0);
        assert!(text.contains("\n --> a.ts\n  = help: "), "{text}");
    }

    #[test]
    fn odd_places_do_no_harm() {
        for range in [0..0, 0..1, 3..3, 4..900, 900..901] {
            drop(render("ünïcode\r\ntext", range));
        }
        drop(render("", 0..1));
    }

    #[test]
    fn a_line_without_end_is_not_quoted() {
        static LONG: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "x".repeat(10_000));
        let text = render(&LONG, 5000..5001);
        assert!(text.len() < 400 && text.contains("a.ts:1:5001"), "{text}");
    }
}
