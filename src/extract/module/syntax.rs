//! From text to a syntax tree, whatever the text is.

use super::nesting::{self, MAX_CHAIN, MAX_NESTING, MAX_WORK};
use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use oxc::allocator::Allocator;
use oxc::diagnostics::OxcDiagnostic;
use oxc::parser::{Parser, ParserReturn};
use oxc::span::SourceType;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

/// Syntax errors told of one module; what follows them is mostly consequence.
const MAX_ERRORS: usize = 20;

/// Up to here a text is parsed on the caller's stack, which may be as small as 2 MiB.
const SHALLOW: usize = 60;

/// Stack for texts that nest deeper, in bytes; only what is used becomes real memory.
const DEEP_STACK: usize = 512 * 1024 * 1024;

const HELP: &str = "Split the code into parts, or load it as data at run time";

/// Parses `text` and hands the tree to `read`. A text that cannot be parsed yields findings and `None`.
pub(super) fn with_tree<T: Send>(
    path: &str,
    text: &str,
    findings: &mut Findings<'_>,
    read: impl FnOnce(&ParserReturn<'_>, &mut Findings<'_>) -> T + Send,
) -> Option<T> {
    let depth = nesting::depth(text);
    if depth.brackets > MAX_NESTING {
        let message = format!("brackets are nested deeper than {MAX_NESTING} levels");
        let at = depth.brackets_at..depth.brackets_at + 1;
        findings.add_with_help(Code::AB2003, &at, message, HELP);
        return None;
    }
    if depth.open > MAX_CHAIN {
        let message = format!("more than {MAX_CHAIN} brackets, operators and tags are open here");
        findings.add_with_help(Code::AB2003, &(depth.open_at..depth.open_at + 1), message, HELP);
        return None;
    }
    if depth.work > MAX_WORK {
        let message = "so many brackets stand behind an open `<` that reading this would take for ever";
        let help =
            "Close the brackets; put a comparison into parentheses of its own, or give its parts names";
        findings.add_with_help(Code::AB2003, &(depth.work_at..depth.work_at + 1), message, help);
        return None;
    }
    if depth.open <= SHALLOW {
        return parse(path, text, findings, read);
    }
    let parsed = thread::scope(|scope| {
        let work = || parse(path, text, findings, read);
        let thread = thread::Builder::new().stack_size(DEEP_STACK).spawn_scoped(scope, work)?;
        Ok(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    parsed.unwrap_or_else(|error: io::Error| {
        let at = depth.open_at..depth.open_at + 1;
        let message = format!("the system gives no stack for code that nests this deep: {error}");
        findings.add_with_help(Code::AB2003, &at, message, HELP);
        None
    })
}

fn parse<T>(
    path: &str,
    text: &str,
    findings: &mut Findings<'_>,
    read: impl FnOnce(&ParserReturn<'_>, &mut Findings<'_>) -> T,
) -> Option<T> {
    let allocator = Allocator::default();
    let source_type = source_type(path);
    // A defect of the parser must not end the whole run: it becomes a finding about this one module.
    let parsed = catch_unwind(AssertUnwindSafe(|| Parser::new(&allocator, text, source_type).parse()));
    let Ok(parsed) = parsed else {
        findings.add(Code::AB2000, &(0..0), format!("`{path}` cannot be parsed: the parser gave up"));
        return None;
    };
    if parsed.panicked || parsed.diagnostics.has_errors() {
        let jsx = source_type.is_typescript() && !source_type.is_jsx() && parses_as_jsx(text, source_type);
        // One missing letter in the extension makes every tag an error.
        let count = if jsx { 1 } else { MAX_ERRORS };
        for error in parsed.diagnostics.errors().take(count) {
            report(error, jsx, text, findings);
        }
        if parsed.diagnostics.errors().next().is_none() {
            findings.add(Code::AB2000, &(0..0), format!("`{path}` cannot be parsed"));
        }
        return None;
    }
    Some(read(&parsed, findings))
}

/// Modules under `src/` are ES modules, except for handwritten `.js` and `.cjs` entries.
fn source_type(path: &str) -> SourceType {
    let found = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
    if found.is_typescript() { found.with_module(true) } else { found }
}

fn parses_as_jsx(text: &str, source_type: SourceType) -> bool {
    let allocator = Allocator::default();
    let again = || Parser::new(&allocator, text, source_type.with_jsx(true)).parse().diagnostics.has_errors();
    matches!(catch_unwind(AssertUnwindSafe(again)), Ok(false))
}

fn report(error: &OxcDiagnostic, jsx: bool, text: &str, findings: &mut Findings<'_>) {
    let range = error.labels.first().map_or(0..0, |label| {
        let start = label.offset() as usize;
        clip(start..start + label.len() as usize, text)
    });
    let mut message = error.message.to_string();
    if let Some(label) = error.labels.first().and_then(|label| label.label()) {
        message = format!("{message}: {label}");
    }
    if jsx {
        let help = "JSX needs the extension `.tsx`: rename the file";
        findings.add_with_help(Code::AB2000, &range, message, help);
    } else if let Some(help) = &error.help {
        findings.add_with_help(Code::AB2000, &range, message, help.to_string());
    } else {
        findings.add(Code::AB2000, &range, message);
    }
}

fn clip(range: Range<usize>, text: &str) -> Range<usize> {
    let end = range.end.min(text.len());
    range.start.min(end)..end
}
