//! Surfaces that are recognised, checked as far as names go, and not emitted.

use super::inventory::Unsupported;
use super::names::{MODULES, is_private, split};
use super::servers::twice;
use super::tree::{Item, Tree};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::world::Kind;
use std::collections::BTreeMap;

/// The events that a route can be written for.
const EVENTS: [&str; 22] = [
    "session/start",
    "session/end",
    "prompt/submit",
    "tool/before",
    "tool/after",
    "tool/failure",
    "stop",
    "stop/failure",
    "agent/start",
    "agent/stop",
    "agent/idle",
    "workspace/open",
    "compact/before",
    "compact/after",
    "permission/request",
    "permission/denied",
    "file/change",
    "config/change",
    "task/create",
    "task/complete",
    "model-switch/before",
    "model-switch/after",
];

/// Extensions of script modules.
const SCRIPTS: &[&str] = &["ts", "tsx", "jsx"];

fn unsupported(source: String, surface: &str) -> Unsupported {
    Unsupported { source, surface: surface.to_owned() }
}

/// What the items of `src` hold.
pub(super) fn find(tree: &mut Tree<'_>, items: &[Item]) -> Vec<Unsupported> {
    let mut found = Vec::new();
    let mut entry = None;
    let mut commands = false;
    for item in items {
        let is_file = item.kind == Kind::File && !tree.is_claimed(&item.path);
        match item.name.as_str() {
            "cli.ts" | "cli.tsx" if is_file => {
                entry.get_or_insert_with(|| item.path.clone());
                found.push(unsupported(item.path.clone(), "CLI entry"));
            }
            "state.ts" if is_file => found.push(unsupported(item.path.clone(), "project state")),
            "index.ts" | "index.tsx" if is_file => {
                found.push(unsupported(item.path.clone(), "library entry"));
            }
            "cli" if item.kind == Kind::Dir => {
                let before = found.len();
                for path in modules_below(tree, &item.path, MODULES) {
                    found.push(unsupported(path, "CLI command"));
                }
                commands = found.len() > before;
            }
            "events" if item.kind == Kind::Dir => events(tree, &item.path, &mut found),
            "scripts" if item.kind == Kind::Dir => scripts(tree, &item.path, &mut found),
            _ => {}
        }
    }
    if let Some(entry) = entry.filter(|_| commands) {
        let message = format!("`{entry}` and `src/cli/` both give the command line");
        let help = "Remove one of them, or begin its name with `_`";
        tree.report(Diagnostic::new(Code::AB4801, message).in_file(entry).help(help));
    }
    found
}

/// Modules below `directory` on no private path, in order.
fn modules_below(tree: &mut Tree<'_>, directory: &str, extensions: &[&str]) -> Vec<String> {
    let mut paths = Vec::new();
    let mut pending = vec![directory.to_owned()];
    while let Some(directory) = pending.pop() {
        let items = tree.list(&directory);
        paths.extend(tree.modules(&items, extensions).into_iter().map(|found| found.path));
        let below = items.into_iter().filter(|item| {
            item.kind == Kind::Dir && !is_private(&item.name) && split(&item.name, extensions).is_none()
        });
        pending.extend(below.map(|item| item.path));
    }
    paths.sort();
    paths
}

fn events(tree: &mut Tree<'_>, directory: &str, found: &mut Vec<Unsupported>) {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for path in modules_below(tree, directory, MODULES) {
        if path.ends_with(".view.tsx") {
            continue;
        }
        let inner = &path[directory.len() + 1..];
        let event = inner.rsplit_once('.').map_or(inner, |(event, _)| event).to_owned();
        if !EVENTS.contains(&event.as_str()) {
            let message = format!("`{event}` is no event; the events are {}", EVENTS.join(", "));
            let help = match nearest(&event, EVENTS) {
                Some(candidate) => {
                    format!("Did you mean `{candidate}`? A helper module's name begins with `_`")
                }
                None => "Use one of these events; a helper module's name begins with `_`".to_owned(),
            };
            tree.report(Diagnostic::new(Code::AB4823, message).in_file(&path).help(help));
        } else if let Some(first) = sources.get(&event) {
            tree.report(twice(Code::AB4802, &format!("the route `event:{event}`"), first, &path));
        } else {
            sources.insert(event, path.clone());
            found.push(unsupported(path, "event route"));
        }
    }
}

fn scripts(tree: &mut Tree<'_>, directory: &str, found: &mut Vec<Unsupported>) {
    for path in modules_below(tree, directory, SCRIPTS) {
        if path[directory.len() + 1..].contains('/') {
            let message = format!("the script `{path}` lies in a subdirectory of `{directory}`");
            let help = format!("Move it to `{directory}/`, or begin the directory's name with `_`");
            tree.report(Diagnostic::new(Code::AB4808, message).in_file(&path).help(help));
        } else {
            found.push(unsupported(path, "script"));
        }
    }
}
