//! Imports that a compiled module must not have.

use super::scope::range;
use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use oxc::ast::ast::{ImportDeclaration, ImportDeclarationSpecifier, Statement};
use oxc::parser::ParserReturn;
use oxc::span::Span;

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
