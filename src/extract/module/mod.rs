//! What one TypeScript module declares.

mod config;
mod config_file;
mod definition;
mod imports;
mod input_schema;
mod keys;
mod nesting;
mod schema_root;
mod scope;
mod surface_keys;
mod surfaces;
mod syntax;
mod value;

pub use config_file::config_file;
pub use imports::Exports;
pub use nesting::{MAX_CHAIN, MAX_NESTING, MAX_WORK};

use super::facts::{Extraction, Facts};
use super::findings::Findings;
use super::node::{Node, to_object};
use super::source;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::model::ModuleKind;
use oxc::parser::ParserReturn;
use scope::Scope;

/// What the module at project-relative `path` declares, read from its syntax alone.
///
/// The facts of a module whose metadata cannot be read are empty beside the findings. A text that is not a module at
/// all (not UTF-8, larger than [`MAX_MODULE_BYTES`](super::MAX_MODULE_BYTES), nested deeper than [`MAX_NESTING`], or
/// with a syntax error) yields the findings about that and no others.
pub fn extract_module(kind: ModuleKind, path: &str, bytes: &[u8]) -> Extraction {
    extract_with(kind, path, bytes, &|_| None)
}

/// As [`extract_module`], and checks the names that are imported from modules of a known list of exports.
pub fn extract_with(kind: ModuleKind, path: &str, bytes: &[u8], exports: Exports<'_>) -> Extraction {
    let (text, mut findings) = match source::text(path, bytes) {
        Ok(source) => source,
        Err(problem) => return Extraction { facts: Facts::default(), diagnostics: vec![*problem] },
    };
    let config = syntax::with_tree(path, text, &mut findings, |parsed, findings| {
        let config = metadata(kind, path, parsed, findings);
        // Apps run in browsers, with the React that the project installs.
        if kind != ModuleKind::App {
            imports::check_names(parsed, exports, findings);
        }
        config
    });
    let config = config.flatten().as_ref().and_then(Node::as_object).map(to_object).unwrap_or_default();
    Extraction { facts: Facts { config }, diagnostics: findings.into_list() }
}

/// The place of the metadata value at a JSON pointer (`/_meta/ui/resourceUri`), for findings that only the whole
/// project shows. `None` when the module has no such value or cannot be read.
pub fn config_span(kind: ModuleKind, path: &str, bytes: &[u8], pointer: &str) -> Option<Span> {
    let (text, mut findings) = source::text(path, bytes).ok()?;
    let config = syntax::with_tree(path, text, &mut findings, |parsed, findings| {
        metadata(kind, path, parsed, findings)
    });
    let found = config.flatten()?.at_pointer(pointer)?.range.clone();
    Some(findings.span(&found))
}

/// What a script lacks that the package has as a command as well.
pub fn command_script(path: &str, bytes: &[u8]) -> Vec<Diagnostic> {
    // What cannot be read is told where the script is extracted.
    let Ok((text, mut findings)) = source::text(path, bytes) else { return Vec::new() };
    let mut syntax = Vec::new();
    syntax::with_tree(path, text, &mut findings, |parsed, _| {
        let mut findings = Findings::new(path, bytes.len() - text.len());
        surfaces::command_script(path, &Scope::of(&parsed.program), &mut findings);
        syntax = findings.into_list();
    });
    syntax
}

/// The metadata of a parsed module; `None` when it has none, or none that can be used.
fn metadata(
    kind: ModuleKind,
    path: &str,
    parsed: &ParserReturn<'_>,
    findings: &mut Findings<'_>,
) -> Option<Node> {
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
        ModuleKind::Command => definition::named(kind, &scope, findings),
        ModuleKind::Projection => surfaces::projection(&scope, findings),
        ModuleKind::Event => surfaces::event(path, &scope, findings),
        ModuleKind::State => surfaces::state(&scope, findings),
        ModuleKind::View => {
            surfaces::default_export("view", Code::AB4840, &scope, findings);
            return None;
        }
        ModuleKind::Script => {
            // A plain script may do its work when it is loaded.
            if !path.ends_with(".ts") {
                surfaces::default_export("rendered script", Code::AB4810, &scope, findings);
            }
            return None;
        }
    };
    let before = findings.count();
    match &config {
        Ok(Some(node)) => keys::check(kind, path, node, findings),
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
