//! What one TypeScript module declares.

mod config;
mod definition;
mod imports;
mod input_schema;
mod keys;
mod nesting;
mod scope;
mod syntax;
mod value;

pub use nesting::{MAX_CHAIN, MAX_NESTING};

use super::facts::{Extraction, Facts};
use super::findings::Findings;
use super::node::{Node, to_object};
use super::source;
use crate::diagnostic::{Code, Span};
use crate::model::ModuleKind;
use oxc::parser::ParserReturn;
use scope::Scope;

/// What the module at project-relative `path` declares, read from its syntax alone.
///
/// The facts of a module whose metadata cannot be read are empty beside the findings. A text that is not a module at
/// all (not UTF-8, larger than [`MAX_MODULE_BYTES`](super::MAX_MODULE_BYTES), nested deeper than [`MAX_NESTING`], or
/// with a syntax error) yields the findings about that and no others.
pub fn extract_module(kind: ModuleKind, path: &str, bytes: &[u8]) -> Extraction {
    let (text, mut findings) = match source::text(path, bytes) {
        Ok(source) => source,
        Err(problem) => return Extraction { facts: Facts::default(), diagnostics: vec![*problem] },
    };
    let config =
        syntax::with_tree(path, text, &mut findings, |parsed, findings| metadata(kind, parsed, findings));
    let config = config.flatten().as_ref().and_then(Node::as_object).map(to_object).unwrap_or_default();
    Extraction { facts: Facts { config }, diagnostics: findings.into_list() }
}

/// The place of the metadata value at a JSON pointer (`/_meta/ui/resourceUri`), for findings that only the whole
/// project shows. `None` when the module has no such value or cannot be read.
pub fn config_span(kind: ModuleKind, path: &str, bytes: &[u8], pointer: &str) -> Option<Span> {
    let (text, mut findings) = source::text(path, bytes).ok()?;
    let config =
        syntax::with_tree(path, text, &mut findings, |parsed, findings| metadata(kind, parsed, findings));
    let found = config.flatten()?.at_pointer(pointer)?.range.clone();
    Some(findings.span(&found))
}

/// The metadata of a parsed module; `None` when it has none, or none that can be used.
fn metadata(kind: ModuleKind, parsed: &ParserReturn<'_>, findings: &mut Findings<'_>) -> Option<Node> {
    let scope = Scope::of(&parsed.program);
    if let Some(second) = scope.exports.iter().filter(|export| export.name == "default").nth(1) {
        findings.add(Code::AB2000, &second.range, "this module has two default exports");
        return None;
    }
    imports::check(parsed, findings);
    let config = match kind {
        ModuleKind::Tool => {
            definition::forbid_gates(kind, &scope, findings);
            definition::tool(&scope, findings)
        }
        ModuleKind::Resource | ModuleKind::Prompt => {
            definition::forbid_gates(kind, &scope, findings);
            definition::named(kind, &scope, findings)
        }
        ModuleKind::App => config::read(&scope, findings),
        ModuleKind::Layout => {
            layout(&scope, findings);
            return None;
        }
        ModuleKind::Provider => {
            provider(&scope, findings);
            return None;
        }
        ModuleKind::Entry => {
            entry(&scope, findings);
            return None;
        }
    };
    let before = findings.count();
    match &config {
        Ok(Some(node)) => keys::check(kind, node, findings),
        Ok(None) if kind == ModuleKind::App => keys::missing_app_uri(&(0..0), findings),
        Ok(None) if kind == ModuleKind::Resource => keys::missing_resource_uri(&(0..0), findings),
        _ => {}
    }
    config.ok().flatten().filter(|_| findings.count() == before)
}

fn layout(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) {
    const FORBIDDEN: [&str; 5] = ["config", "inputSchema", "resultSchema", "execute", "render"];
    if scope.export("default").is_none() {
        let help = "Export the component that wraps its `children` as the default export";
        findings.add_with_help(Code::AB4830, &(0..0), "this layout has no default export", help);
    }
    for export in scope.exports.iter().filter(|export| FORBIDDEN.contains(&export.name)) {
        let message = format!("a layout exports `{}`, which belongs to routes", export.name);
        findings.add_with_help(Code::AB4830, &export.range, message, "Remove the export");
    }
}

fn provider(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) {
    if scope.export("default").is_none() {
        findings.add(Code::AB4940, &(0..0), "this provider has no default export");
    }
}

fn entry(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) {
    if scope.export("default").is_none() {
        let help = "Export a function that returns the server as the default export. A program that connects by itself is \
                    started with `command` instead";
        findings.add_with_help(Code::AB4730, &(0..0), "this stdio entry exports no factory", help);
    }
}

#[cfg(test)]
mod tests;
