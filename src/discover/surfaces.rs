//! Surfaces beside servers and documents: commands, events, scripts and state, and files that are only named.

use super::inventory::{ModuleFile, Unsupported};
use super::names::{MODULES, is_identity, is_private, split, unsafe_identity};
use super::servers::twice;
use super::tree::{Item, Tree};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::manifest::{Bin, Lib, Manifest};
use crate::model::ModuleKind;
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

/// What was found.
#[derive(Default)]
pub(super) struct Surfaces {
    /// Modules that are extracted.
    pub(super) modules: Vec<ModuleFile>,
    /// Files that are only named.
    pub(super) others: Vec<Unsupported>,
}

impl Surfaces {
    fn module(&mut self, kind: ModuleKind, name: &str, source: String) {
        let id = format!("{}:{name}", kind.word());
        self.modules.push(ModuleFile { id, kind, name: name.to_owned(), source });
    }

    fn other(&mut self, source: &str, surface: &str) {
        self.others.push(Unsupported { source: source.to_owned(), surface: surface.to_owned() });
    }
}

/// What the items of `src` hold, but for what the manifest turns off or replaces.
pub(super) fn find(tree: &mut Tree<'_>, items: &[Item], manifest: &Manifest) -> Surfaces {
    let data = &manifest.data;
    let mut found = Surfaces::default();
    let mut entry = None;
    let mut commands = false;
    for item in items {
        let is_file = item.kind == Kind::File && !tree.is_claimed(&item.path);
        match item.name.as_str() {
            "cli.ts" | "cli.tsx" if is_file => match &data.bin {
                Some(Bin::Off(_)) => {}
                Some(Bin::Named(_)) => shadowed(tree, Code::AB4731, &item.path, "bin"),
                None => {
                    entry.get_or_insert_with(|| item.path.clone());
                    found.other(&item.path, "CLI entry");
                }
            },
            "state.ts" if is_file && data.state.is_none() => {
                found.module(ModuleKind::State, "project", item.path.clone());
            }
            "index.ts" | "index.tsx" if is_file => match &data.lib {
                Some(Lib::Off(_)) => {}
                Some(_) => shadowed(tree, Code::AB4732, &item.path, "lib"),
                None => found.other(&item.path, "library entry"),
            },
            "cli" if item.kind == Kind::Dir && !matches!(data.bin, Some(Bin::Off(_))) => {
                cli(tree, &item.path, &mut found);
                commands = found.modules.iter().any(|module| module.kind == ModuleKind::Command);
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

/// A conventional file that counts for nothing, since the manifest names others.
fn shadowed(tree: &mut Tree<'_>, code: Code, path: &str, key: &str) {
    let message = format!("`{path}` is not used: `{key}` in the manifest names others");
    tree.report(Diagnostic::new(code, message).in_file(path));
}

/// The name of the script at `path`; `None` where no script can lie.
pub(super) fn script_name(path: &str) -> Option<&str> {
    let file = path.strip_prefix("src/scripts/")?;
    let (stem, _) = split(file, SCRIPTS)?;
    is_identity(stem).then_some(stem)
}

/// Commands by their path below `directory`.
fn cli(tree: &mut Tree<'_>, directory: &str, found: &mut Surfaces) {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for path in modules_below(tree, directory, MODULES) {
        let inner = &path[directory.len() + 1..];
        let name = inner.rsplit_once('.').map_or(inner, |(name, _)| name).to_owned();
        if let Some(segment) = name.split('/').find(|segment| !is_identity(segment)) {
            tree.report(unsafe_identity(segment, "a command", &path));
        } else if let Some(first) = sources.get(&name) {
            tree.report(twice(Code::AB4802, &format!("the command `cli:{name}`"), first, &path));
        } else {
            sources.insert(name.clone(), path.clone());
            found.module(ModuleKind::Command, &name, path);
        }
    }
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

fn events(tree: &mut Tree<'_>, directory: &str, found: &mut Surfaces) {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    let paths = modules_below(tree, directory, MODULES);
    for path in &paths {
        let inner = &path[directory.len() + 1..];
        if let Some(handler) = inner.strip_suffix(".view.tsx") {
            found.module(ModuleKind::View, handler, path.clone());
            continue;
        }
        let event = inner.rsplit_once('.').map_or(inner, |(event, _)| event).to_owned();
        if !EVENTS.contains(&event.as_str()) {
            tree.report(unknown_event(&event, path));
        } else if let Some(first) = sources.get(&event) {
            tree.report(twice(Code::AB4802, &format!("the route `event:{event}`"), first, path));
        } else {
            sources.insert(event.clone(), path.clone());
            found.module(ModuleKind::Event, &event, path.clone());
        }
    }
}

fn unknown_event(event: &str, path: &str) -> Diagnostic {
    let message = format!("`{event}` is no event; the events are {}", EVENTS.join(", "));
    let help = match nearest(event, EVENTS) {
        Some(candidate) => format!("Did you mean `{candidate}`? A helper module's name begins with `_`"),
        None => "Use one of these events; a helper module's name begins with `_`".to_owned(),
    };
    Diagnostic::new(Code::AB4823, message).in_file(path).help(help)
}

fn scripts(tree: &mut Tree<'_>, directory: &str, found: &mut Surfaces) {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for path in modules_below(tree, directory, SCRIPTS) {
        let inner = &path[directory.len() + 1..];
        let name = inner.rsplit_once('.').map_or(inner, |(name, _)| name).to_owned();
        if inner.contains('/') {
            let message = format!("the script `{path}` lies in a subdirectory of `{directory}`");
            let help = format!("Move it to `{directory}/`, or begin the directory's name with `_`");
            tree.report(Diagnostic::new(Code::AB4808, message).in_file(&path).help(help));
        } else if !is_identity(&name) {
            tree.report(unsafe_identity(&name, "a script", &path));
        } else if let Some(first) = sources.get(&name) {
            tree.report(twice(Code::AB4802, &format!("the script `{name}`"), first, &path));
        } else {
            sources.insert(name.clone(), path.clone());
            found.module(ModuleKind::Script, &name, path);
        }
    }
}
