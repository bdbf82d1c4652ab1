//! Imports that a compiled module must not have.

use super::scope::range;
use super::value::ROUTES_MODULE;
use crate::diagnostic::{Code, Fix, nearest};
use crate::extract::findings::Findings;
use oxc::ast::ast::{ImportDeclaration, ImportDeclarationSpecifier, Statement};
use oxc::parser::ParserReturn;
use oxc::span::Span;
use std::collections::BTreeSet;

/// Specifiers that stand for build-time code.
const BUILD_TIME: [&str; 5] =
    ["agent-bundle", "agent-bundle/config", "agent-bundle/api", "agent-bundle/eval", "agent-bundle/test"];

/// Finds value imports of build-time code: `import`, `export … from` and `import('…')`.
pub(super) fn check(parsed: &ParserReturn<'_>, findings: &mut Findings<'_>) {
    for statement in &parsed.program.body {
        let source = match statement {
            Statement::ImportDeclaration(import) if imports_value(import) => &import.source,
            Statement::ExportFromDeclaration(from)
                if from.export_kind.is_value()
                    && (from.specifiers.is_empty()
                        || from.specifiers.iter().any(|found| found.export_kind.is_value())) =>
            {
                &from.source
            }
            Statement::ExportAllDeclaration(all) if all.export_kind.is_value() => &all.source,
            _ => continue,
        };
        check_specifier(source.value.as_str(), source.span, findings);
    }
    let text = parsed.program.source_text;
    for import in &parsed.module_record.dynamic_imports {
        let written = text.get(range(import.module_request)).unwrap_or("");
        let specifier = written.trim_matches(['\'', '"', '`']);
        if specifier.len() + 2 == written.len() {
            check_specifier(specifier, import.module_request, findings);
        }
    }
}

fn check_specifier(specifier: &str, span: Span, findings: &mut Findings<'_>) {
    if BUILD_TIME.contains(&specifier) {
        let message = format!("`{specifier}` is build-time code and cannot run in the plugin");
        let help = "Write `import type` where only types are needed, or remove the import";
        findings.add_with_help(Code::AB4837, &range(span), message, help);
    }
}

fn imports_value(import: &ImportDeclaration<'_>) -> bool {
    let is_value = |specifier: &ImportDeclarationSpecifier<'_>| match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(named) => named.import_kind.is_value(),
        _ => true,
    };
    import.import_kind.is_value()
        && import.specifiers.as_ref().is_none_or(|found| found.is_empty() || found.iter().any(is_value))
}

/// The names that a specifier exports, where that is known.
pub type Exports<'e> = &'e (dyn Fn(&str) -> Option<&'static BTreeSet<String>> + Sync);

/// Finds names that a module of known exports does not have.
pub(super) fn check_names(parsed: &ParserReturn<'_>, exports: Exports<'_>, findings: &mut Findings<'_>) {
    for statement in &parsed.program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        if !import.import_kind.is_value() {
            continue;
        }
        let specifier = import.source.value.as_str();
        let Some(known) = exports(specifier) else { continue };
        for named in import.specifiers.iter().flatten() {
            let ImportDeclarationSpecifier::ImportSpecifier(named) = named else { continue };
            let name = named.imported.name();
            if named.import_kind.is_value() && !known.contains(name.as_str()) {
                // A helper by another name makes the definition unreadable, which is a consequence.
                if specifier == ROUTES_MODULE {
                    findings.forget(&Code::AB4810);
                }
                missing_name(name.as_str(), specifier, named.span, known, findings);
            }
        }
    }
}

fn missing_name(
    name: &str,
    specifier: &str,
    span: Span,
    known: &BTreeSet<String>,
    findings: &mut Findings<'_>,
) {
    let message = format!("`{specifier}` has no `{name}` in a server");
    let at = range(span);
    if let Some(near) = nearest(name, known.iter().map(String::as_str)) {
        let fix = Fix::exact(&findings.span(&(at.start..at.start + name.len())), near);
        return findings.add_with_fix(Code::AB2011, &at, message, format!("Did you mean `{near}`?"), fix);
    }
    let help = match (specifier, name.starts_with("use")) {
        ("react", true) => {
            "A server renders once and keeps no state between renders: move what needs the hook into an App"
        }
        ("react", false) => {
            "The React of servers is smaller than that of browsers: move the code into an App"
        }
        _ => "Import something that the module exports",
    };
    findings.add_with_help(Code::AB2011, &at, message, help);
}
