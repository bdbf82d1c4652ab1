//! `src/mcp`: server directories and handwritten entries.

use super::inventory::{ModuleFile, ServerFiles};
use super::names::{MODULES, is_identity, is_private, pointer, split, unsafe_identity};
use super::tree::{Found, Item, Tree};
use crate::diagnostic::{Code, Diagnostic, Fix, Span, nearest};
use crate::manifest::{Manifest, ServerData};
use crate::model::ModuleKind;
use crate::world::Kind;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Directories of a server and what lies in them.
const CATEGORIES: [(&str, ModuleKind); 4] = [
    ("tools", ModuleKind::Tool),
    ("resources", ModuleKind::Resource),
    ("prompts", ModuleKind::Prompt),
    ("apps", ModuleKind::App),
];

/// Extensions of a handwritten entry.
const ENTRIES: &[&str] = &["ts", "tsx", "cjs", "mjs", "js"];

/// How a server is started, as `routes.servers` may say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Generated,
    Custom,
    Command,
    Remote,
}

const MODES: [(&str, Mode); 4] = [
    ("generated", Mode::Generated),
    ("custom", Mode::Custom),
    ("command", Mode::Command),
    ("remote", Mode::Remote),
];

/// Server files by server name, and the CLI projections among them.
pub(super) fn find(
    tree: &mut Tree<'_>,
    items: &[Item],
    manifest: &Manifest,
) -> (BTreeMap<String, ServerFiles>, Vec<ModuleFile>) {
    let mut servers: BTreeMap<String, ServerFiles> = BTreeMap::new();
    let mut projections = Vec::new();
    for item in items.iter().filter(|item| !is_private(&item.name)) {
        match item.kind {
            Kind::Dir if split(&item.name, ENTRIES).is_none() => {
                let files = directory(tree, item, &mut projections);
                if files != ServerFiles::default() && checked_name(tree, &item.name, &item.path) {
                    servers.insert(item.name.clone(), files);
                }
            }
            Kind::Link if split(&item.name, ENTRIES).is_none() => tree.linked_directory(&item.path),
            _ => {}
        }
    }
    for entry in tree.modules(items, ENTRIES) {
        if !checked_name(tree, &entry.stem, &entry.path) {
            continue;
        }
        let files = servers.entry(entry.stem.clone()).or_default();
        if let Some(first) = &files.entry {
            tree.report(twice(
                Code::AB4802,
                &format!("the entry of server `{}`", entry.stem),
                &first.source,
                &entry.path,
            ));
            continue;
        }
        files.entry = Some(ModuleFile {
            id: format!("entry:{}", entry.stem),
            kind: ModuleKind::Entry,
            name: entry.stem,
            source: entry.path,
        });
    }
    let modes = modes(tree, manifest);
    for (name, files) in &mut servers {
        settle(tree, manifest, name, files, modes.get(name).copied());
    }
    servers.retain(|_, files| *files != ServerFiles::default());
    (servers, projections)
}

fn checked_name(tree: &mut Tree<'_>, name: &str, path: &str) -> bool {
    if !is_identity(name) {
        tree.report(unsafe_identity(name, "a server", path));
        return false;
    }
    true
}

/// The finding that two files give one thing.
pub(super) fn twice(code: Code, what: &str, first: &str, second: &str) -> Diagnostic {
    Diagnostic::new(code, format!("`{first}` and `{second}` both give {what}"))
        .in_file(second)
        .label(Span::file(first), "the other one")
        .help("Rename or remove one of them, or begin its name with `_`")
}

/// The routes and the layout of one server directory.
fn directory(tree: &mut Tree<'_>, server: &Item, projected: &mut Vec<ModuleFile>) -> ServerFiles {
    let items = tree.list(&server.path);
    let mut files =
        ServerFiles { layout: layout(tree, &items, Some(&server.name)), ..ServerFiles::default() };
    for item in &items {
        let Some((_, kind)) = CATEGORIES.iter().find(|(name, _)| *name == item.name) else { continue };
        match item.kind {
            Kind::Dir => {}
            Kind::Link => {
                tree.linked_directory(&item.path);
                continue;
            }
            _ => continue,
        }
        let listed = tree.list(&item.path);
        let modules = tree.modules(&listed, MODULES);
        let (projections, modules): (Vec<Found>, Vec<Found>) =
            modules.into_iter().partition(|found| found.stem.ends_with(".cli"));
        let before = files.routes.len();
        routes(tree, *kind, &server.name, modules, &mut files.routes);
        project(tree, *kind, &server.name, projections, &files.routes[before..], projected);
    }
    files.routes.sort_by(|a, b| a.id.cmp(&b.id));
    files
}

/// Modules of one category directory as routes.
fn routes(
    tree: &mut Tree<'_>,
    kind: ModuleKind,
    server: &str,
    modules: Vec<Found>,
    routes: &mut Vec<ModuleFile>,
) {
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for module in modules {
        if !is_identity(&module.stem) {
            let what = match kind {
                ModuleKind::App => "an App".to_owned(),
                kind => format!("a {}", kind.word()),
            };
            tree.report(unsafe_identity(&module.stem, &what, &module.path));
            continue;
        }
        let id = format!("{}:{server}/{}", kind.word(), module.stem);
        if let Some(first) = sources.get(&module.stem) {
            tree.report(twice(Code::AB4802, &format!("the route `{id}`"), first, &module.path));
            continue;
        }
        sources.insert(module.stem.clone(), module.path.clone());
        routes.push(ModuleFile { id, kind, name: module.stem, source: module.path });
    }
}

/// `<tool>.cli.ts` beside a tool.
fn project(
    tree: &mut Tree<'_>,
    kind: ModuleKind,
    server: &str,
    projections: Vec<Found>,
    routes: &[ModuleFile],
    projected: &mut Vec<ModuleFile>,
) {
    let tools: FxHashSet<&str> = routes.iter().map(|route| route.name.as_str()).collect();
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for projection in projections {
        let tool = projection.stem.strip_suffix(".cli").unwrap_or(&projection.stem).to_owned();
        let problem = if kind != ModuleKind::Tool {
            Some(format!("CLI projection `{}` does not lie in a `tools` directory", projection.path))
        } else if !tools.contains(tool.as_str()) {
            Some(format!("CLI projection `{}` has no tool `{tool}` beside it", projection.path))
        } else {
            sources.get(&tool).map(|first| {
                format!("CLI projections `{first}` and `{}` are both of `{tool}`", projection.path)
            })
        };
        match problem {
            Some(message) => {
                tree.report(Diagnostic::new(Code::AB4843, message).in_file(&projection.path));
            }
            None => {
                sources.insert(tool.clone(), projection.path.clone());
                projected.push(ModuleFile {
                    id: format!("projection:{server}/{tool}"),
                    kind: ModuleKind::Projection,
                    name: tool,
                    source: projection.path,
                });
            }
        }
    }
}

/// The `layout` module among `items`; `server` is `None` for the root layout.
pub(super) fn layout(tree: &mut Tree<'_>, items: &[Item], server: Option<&str>) -> Option<ModuleFile> {
    let found: Vec<Item> = items
        .iter()
        .filter(|item| split(&item.name, MODULES).is_some_and(|(stem, _)| stem == "layout"))
        .cloned()
        .collect();
    let mut found = tree.modules(&found, MODULES).into_iter();
    let first = found.next()?;
    if let Some(second) = found.next() {
        let what = match server {
            Some(server) => format!("the layout of server `{server}`"),
            None => "the root layout".to_owned(),
        };
        tree.report(twice(Code::AB4831, &what, &first.path, &second.path));
    }
    let id = match server {
        Some(server) => format!("layout:mcp:{server}"),
        None => "layout:root".to_owned(),
    };
    Some(ModuleFile { id, kind: ModuleKind::Layout, name: "layout".to_owned(), source: first.path })
}

/// The modes that the manifest chooses. An unknown one counts as `generated`, so that it has no consequences.
fn modes(tree: &mut Tree<'_>, manifest: &Manifest) -> BTreeMap<String, Mode> {
    let mut chosen = BTreeMap::new();
    for (server, word) in &manifest.data.routes.servers {
        let mode = MODES.iter().find(|(name, _)| name == word).map(|(_, mode)| *mode);
        if mode.is_none() {
            let names = MODES.map(|(name, _)| name);
            let message = format!("`{word}` is no mode of a server; the modes are {}", quoted(&names));
            let near = nearest(word, names);
            let help = match near {
                Some(candidate) => format!("Did you mean `{candidate}`?"),
                None => "Choose one of the modes".to_owned(),
            };
            let span = manifest.span(&pointer("/routes/servers", server));
            let fix = near.zip(span.as_ref()).map(|(near, span)| Fix::inside_quotes(span, near));
            tree.report(Diagnostic::new(Code::AB4804, message).with_span(span).help(help).with_fix(fix));
        }
        chosen.insert(server.clone(), mode.unwrap_or(Mode::Generated));
    }
    chosen
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Decides which of a server's files count, given its mode and its declaration.
fn settle(tree: &mut Tree<'_>, manifest: &Manifest, name: &str, files: &mut ServerFiles, mode: Option<Mode>) {
    let declared = manifest.data.mcp.servers.get(name);
    let launch = declared.and_then(launch_field);
    if matches!(mode, Some(Mode::Custom | Mode::Command | Mode::Remote)) {
        files.routes.clear();
        files.layout = None;
    }
    let has_routes = !files.routes.is_empty();
    if has_routes && mode.is_none() && (files.entry.is_some() || launch.is_some()) {
        tree.report(conflict(manifest, name, files, launch));
        return;
    }
    let wrappable = files.routes.iter().any(|route| route.kind != ModuleKind::App);
    if let Some(layout) = files.layout.take_if(|_| !wrappable) {
        let message = format!("the layout of server `{name}` has no tool, resource or prompt to wrap");
        tree.report(Diagnostic::new(Code::AB4832, message).in_file(layout.source));
    }
    let Some(entry) = &files.entry else { return };
    let shadow = match (mode, launch) {
        (Some(Mode::Generated), _) if has_routes => {
            Some("`routes.servers` chooses the generated server".to_owned())
        }
        (Some(Mode::Command | Mode::Remote), _) => {
            Some("`routes.servers` chooses another kind of server".to_owned())
        }
        (_, Some(field)) => Some(format!("the manifest gives server `{name}` a `{field}`")),
        _ => None,
    };
    if let Some(reason) = shadow {
        let message = format!("`{}` is not used: {reason}", entry.source);
        tree.report(Diagnostic::new(Code::AB4733, message).in_file(&entry.source));
        files.entry = None;
    } else if declared.is_none() && mode.is_none() {
        // Without a declaration the file is support code of other modules.
        files.entry = None;
    }
}

/// The field by which a declaration says what starts the server.
fn launch_field(server: &ServerData) -> Option<&'static str> {
    let fields = [
        ("entry", server.entry.is_some()),
        ("command", server.command.is_some()),
        ("url", server.url.is_some()),
    ];
    fields.into_iter().find(|(_, is_there)| *is_there).map(|(field, _)| field)
}

fn conflict(
    manifest: &Manifest,
    name: &str,
    files: &ServerFiles,
    launch: Option<&'static str>,
) -> Diagnostic {
    let other = match (&files.entry, launch) {
        (_, Some(field)) => format!("`{field}` in the manifest"),
        (Some(entry), None) => format!("the entry `{}`", entry.source),
        (None, None) => "another entry".to_owned(),
    };
    let message = format!("server `{name}` has routes and also {other}");
    let place = pointer("/mcp/servers", name);
    let span = match (launch, &files.entry) {
        (Some(field), _) => manifest.span(&format!("{place}/{field}")),
        (None, entry) => entry.as_ref().map(|entry| Span::file(&entry.source)),
    };
    let mut diagnostic = Diagnostic::new(Code::AB4800, message).with_span(span).help(format!(
        "Remove one of them, or choose a mode (`generated` or `custom`) for `{name}` under {}",
        manifest.table("/routes/servers")
    ));
    if let Some(route) = files.routes.first() {
        diagnostic = diagnostic.label(Span::file(&route.source), "a route of this server");
    }
    diagnostic
}
