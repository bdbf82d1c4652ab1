//! What an emitted module imports, read from its syntax.

use oxc::allocator::Allocator;
use oxc::parser::Parser;
use oxc::span::SourceType;
use std::collections::BTreeSet;
use std::ops::Range;

/// Requests of all static imports, re-exports and literal dynamic imports of an ES module; the error says what cannot
/// be known from the text.
pub fn imports(code: &str) -> Result<BTreeSet<String>, String> {
    let allocator = Allocator::default();
    let parsed = Parser::new(&allocator, code, SourceType::mjs()).parse();
    if parsed.panicked || !parsed.diagnostics.is_empty() {
        let reason = parsed.diagnostics.first().map(|error| error.message.to_string()).unwrap_or_default();
        return Err(format!("a syntax error: {reason}"));
    }
    let mut requests: BTreeSet<String> =
        parsed.module_record.requested_modules.keys().map(|request| request.to_string()).collect();
    for dynamic in &parsed.module_record.dynamic_imports {
        let text = &code[dynamic.module_request.start as usize..dynamic.module_request.end as usize];
        if !is_literal(text) {
            return Err(format!("a dynamic import of something that is not a literal: import({text})"));
        }
        requests.insert(text[1..text.len() - 1].to_owned());
    }
    Ok(requests)
}

/// Where the source `code` imports something that is known only while it runs.
pub fn computed_imports(path: &str, code: &str) -> Vec<Range<usize>> {
    let allocator = Allocator::default();
    let source_type = SourceType::from_path(path).unwrap_or_else(|_| SourceType::mjs());
    let parsed = Parser::new(&allocator, code, source_type).parse();
    let dynamic = parsed.module_record.dynamic_imports.iter();
    dynamic
        .map(|import| import.module_request.start as usize..import.module_request.end as usize)
        .filter(|range| !is_literal(&code[range.clone()]))
        .collect()
}

/// Whether an emitted module may keep this import: what Node.js brings along.
pub fn is_builtin(request: &str) -> bool {
    nodejs_built_in_modules::is_nodejs_builtin_module(request)
}

fn is_literal(text: &str) -> bool {
    text.len() >= 2 && text.starts_with(['"', '\'', '`']) && !text.contains("${")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_import_is_seen() {
        let code = "import a from 'node:fs'; export * from './b.mjs'; import('c'); import './d.mjs';";
        let found: Vec<String> = imports(code).unwrap().into_iter().collect();
        assert_eq!(found, ["./b.mjs", "./d.mjs", "c", "node:fs"]);
    }

    #[test]
    fn what_cannot_be_known_is_an_error() {
        assert!(imports("import(x)").unwrap_err().contains("import(x)"));
        assert!(imports("import {").unwrap_err().contains("syntax"));
        let code = "const a: string = b;\nimport(a);\nimport('c');";
        assert_eq!(computed_imports("x.ts", code), std::slice::from_ref(&(28..29)));
    }
}
