//! Files that the manifest names for servers and their Apps.

use super::names::pointer;
use super::plain;
use super::tree::Tree;
use crate::diagnostic::{Code, Diagnostic};
use crate::manifest::{AppData, Manifest};
use crate::model::is_app_address;
use crate::world::Kind;
use std::collections::BTreeSet;

/// Reports what the manifest names and is not there, and yields the paths of entries that cannot be read.
pub(super) fn check(tree: &mut Tree<'_>, manifest: &Manifest) -> BTreeSet<String> {
    let mut missing = BTreeSet::new();
    for (name, server) in &manifest.data.mcp.servers {
        let place = pointer("/mcp/servers", name);
        if let Some(entry) = server.module().filter(|entry| !entry.trim().is_empty())
            && let Some(problem) = absent(tree, entry)
        {
            let span = manifest.span(&format!("{place}/entry"));
            let message = format!("the entry of server `{name}` {problem}");
            tree.report(Diagnostic::new(Code::AB4307, message).with_span(span));
            missing.insert(plain(entry));
        }
        for (name, app) in &server.apps {
            check_app(tree, manifest, name, app, &pointer(&format!("{place}/apps"), name));
        }
    }
    missing
}

/// Why `path` is no file of the project, in words that follow its name.
fn absent(tree: &Tree<'_>, path: &str) -> Option<String> {
    let plain = plain(path);
    match tree.kind(&plain) {
        _ if path.starts_with('/') || plain.split('/').any(|part| part == "..") => {
            Some(format!("lies outside the project: `{path}`"))
        }
        Some(Kind::File | Kind::Link) => None,
        Some(Kind::Dir) => Some(format!("is a directory: `{path}`")),
        Some(Kind::Other) => Some(format!("is a special file: `{path}`")),
        None => Some(format!("does not exist: `{path}`")),
    }
}

fn check_app(tree: &mut Tree<'_>, manifest: &Manifest, name: &str, app: &AppData, place: &str) {
    let mut report = |code: Code, span, message: String| {
        tree.report(Diagnostic::new(code, message).with_span(span));
    };
    if !is_app_name(name) {
        report(Code::AB4324, manifest.key_span(place), format!("`{name}` cannot be the name of an App"));
    }
    if !is_app_address(&app.resource_uri) {
        let message = format!("`{}` is not an App address", app.resource_uri);
        report(Code::AB4329, manifest.span(&format!("{place}/resource-uri")), message);
    }
    if app.entry.trim().is_empty() {
        let message = format!("the entry of the App `{name}` is blank");
        report(Code::AB4327, manifest.span(&format!("{place}/entry")), message);
    } else if let Some(problem) = absent(tree, &app.entry) {
        let span = manifest.span(&format!("{place}/entry"));
        let message = format!("the entry of the App `{name}` {problem}");
        tree.report(Diagnostic::new(Code::AB4328, message).with_span(span));
    }
    let Some(template) = &app.template else { return };
    if template.trim().is_empty() {
        let message = format!("the template of the App `{name}` is blank");
        let span = manifest.span(&format!("{place}/template"));
        return tree.report(Diagnostic::new(Code::AB4331, message).with_span(span));
    }
    let page = template.to_ascii_lowercase();
    let problem = match page.ends_with(".html") || page.ends_with(".htm") {
        true => absent(tree, template),
        false => Some(format!("is not an `.html` or `.htm` file: `{template}`")),
    };
    if let Some(problem) = problem {
        let span = manifest.span(&format!("{place}/template"));
        let message = format!("the template of the App `{name}` {problem}");
        tree.report(Diagnostic::new(Code::AB4332, message).with_span(span));
    }
}

/// Kebab-case that begins with a letter.
fn is_app_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.split('-').all(part)
}
