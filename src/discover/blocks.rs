//! Files that the manifest names for hooks, scripts, the package and payloads, and their names.

use super::inventory::ModuleFile;
use super::names::{is_identity, pointer};
use super::plain;
use super::tree::Tree;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::manifest::{Bin, Manifest, Program};
use crate::model::ModuleKind;
use crate::world::Kind;
use std::collections::BTreeMap;

/// Extensions of modules of the package.
const MODULES: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

/// Extensions of scripts that the manifest names.
const SCRIPTS: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "sh", "bash", "py"];

/// Names of directories and files that the plugin's root may hold anyway.
const RESERVED: [&str; 21] = [
    "INSTALL.md",
    "assets",
    "bin",
    "commands",
    "hooks",
    "install.mjs",
    "mcp",
    "mcp-apps",
    "mcp.json",
    "monitors",
    "node_modules",
    "output-styles",
    "plugin.json",
    "portable",
    "rules",
    "scripts",
    "settings.json",
    "skills",
    "state",
    "themes",
    "workflows",
];

/// What is said of a file that the manifest names.
struct Rule {
    what: String,
    blank: Code,
    outside: Code,
    extension: Option<(Code, &'static [&'static str])>,
    missing: Code,
}

/// Reports what cannot be used.
pub(super) fn check(tree: &mut Tree<'_>, manifest: &Manifest, surfaces: &[ModuleFile]) {
    scripts(tree, manifest, surfaces);
    package(tree, manifest);
    let payloads = Payloads::check(tree, manifest);
    hooks(tree, manifest, &payloads);
    for (name, server) in &manifest.data.mcp.servers {
        if let Some(path) = server.prebuilt() {
            let place = pointer("/mcp/servers", name) + "/entry/prebuilt";
            payloads.prebuilt(tree, manifest, path, &place);
        }
    }
    retention(tree, manifest, surfaces);
}

fn file(tree: &mut Tree<'_>, path: &str, span: Option<Span>, rule: Rule) {
    let place = plain(path);
    let extension = place.rsplit_once('.').map_or("", |(_, extension)| extension);
    let (code, problem) = match (rule.extension, tree.kind(&place)) {
        _ if path.trim().is_empty() => (rule.blank, "is blank".to_owned()),
        _ if is_outside(path) => (rule.outside, format!("lies outside the project: `{path}`")),
        (Some((code, known)), _) if !known.contains(&extension) => {
            let known: Vec<String> = known.iter().map(|one| format!("`.{one}`")).collect();
            (code, format!("is none of {}: `{path}`", known.join(", ")))
        }
        (_, Some(Kind::File)) => return,
        (_, Some(Kind::Link)) if !tree.leads_out(&place) => return,
        (_, Some(Kind::Link)) => (rule.outside, format!("is a link that leads out of the project: `{path}`")),
        (_, Some(_)) => (rule.missing, format!("is no file: `{path}`")),
        (_, None) => (rule.missing, format!("does not exist: `{path}`")),
    };
    tree.report(Diagnostic::new(code, format!("{} {problem}", rule.what)).with_span(span));
}

fn is_outside(path: &str) -> bool {
    path.starts_with('/') || path.contains('\\') || path.split('/').any(|part| part == "..")
}

fn scripts(tree: &mut Tree<'_>, manifest: &Manifest, surfaces: &[ModuleFile]) {
    let mut outputs: BTreeMap<String, &str> = BTreeMap::new();
    for (name, script) in &manifest.data.scripts {
        let place = pointer("/scripts", name);
        let key = manifest.key_span(&place);
        let conventional =
            surfaces.iter().find(|module| module.kind == ModuleKind::Script && module.name == *name);
        if !is_identity(name) {
            let message = format!("`{name}` cannot be the name of a script");
            tree.report(Diagnostic::new(Code::AB4401, message).with_span(key));
        } else if let Some(module) = conventional {
            let message = format!("the script `{name}` is declared here and by `{}`", module.source);
            let finding = Diagnostic::new(Code::AB4809, message).with_span(key);
            tree.report(finding.label(Span::file(&module.source), "the module of that name"));
        } else if let Some(other) = outputs.insert(name.to_lowercase(), name) {
            let message =
                format!("the scripts `{other}` and `{name}` are one file where case does not count");
            tree.report(Diagnostic::new(Code::AB4408, message).with_span(key));
        }
        let rule = Rule {
            what: format!("the script `{name}`"),
            blank: Code::AB4402,
            outside: Code::AB4405,
            extension: Some((Code::AB4403, SCRIPTS)),
            missing: Code::AB4404,
        };
        file(tree, script.path(), entry_span(manifest, &place), rule);
    }
}

/// The place of a path that is a value by itself or the `entry` of a table.
fn entry_span(manifest: &Manifest, place: &str) -> Option<Span> {
    manifest.span(&format!("{place}/entry"))
}

fn package(tree: &mut Tree<'_>, manifest: &Manifest) {
    if let Some(Bin::Named(commands)) = &manifest.data.bin {
        for (name, command) in commands {
            let place = pointer("/bin", name);
            if !is_identity(name) {
                let message = format!("`{name}` cannot be the name of a command");
                tree.report(Diagnostic::new(Code::AB4701, message).with_span(manifest.key_span(&place)));
            }
            let rule = Rule {
                what: format!("the module of the command `{name}`"),
                blank: Code::AB4702,
                outside: Code::AB4703,
                extension: Some((Code::AB4704, MODULES)),
                missing: Code::AB4705,
            };
            file(tree, command.path(), entry_span(manifest, &place), rule);
        }
    }
    if let Some(path) = manifest.data.lib.as_ref().and_then(|lib| lib.path()) {
        let rule = Rule {
            what: "the module of the library".to_owned(),
            blank: Code::AB4711,
            outside: Code::AB4712,
            extension: Some((Code::AB4713, MODULES)),
            missing: Code::AB4714,
        };
        file(tree, path, entry_span(manifest, "/lib"), rule);
    }
}

fn hooks(tree: &mut Tree<'_>, manifest: &Manifest, payloads: &Payloads) {
    for (event, place, hook) in manifest.data.hooks.all() {
        let what = format!("the handler of {}", manifest.path(&format!("/hooks/{event}")));
        let place = format!("{place}/handler");
        match &hook.handler {
            Program::Module(path) => {
                let rule = document(what, Code::AB4200);
                file(tree, path, manifest.span(&place), rule);
            }
            Program::Prebuilt(file) => {
                payloads.prebuilt(tree, manifest, &file.prebuilt, &format!("{place}/prebuilt"));
            }
        }
    }
    for (host, table) in manifest.data.host_tables() {
        if let Some(path) = &table.native_hooks {
            let rule = document(format!("the hooks of `{host}`"), Code::AB4208);
            file(tree, path, manifest.span(&format!("/{host}/native-hooks")), rule);
        }
    }
}

/// A file of any kind.
fn document(what: String, blank: Code) -> Rule {
    Rule { what, blank, outside: Code::AB2004, extension: None, missing: Code::AB2005 }
}

/// The payloads by source, and whether all of them can be used.
struct Payloads<'m> {
    /// Whether it is there, by source.
    sources: BTreeMap<String, (&'m str, bool)>,
    sound: bool,
}

impl<'m> Payloads<'m> {
    fn check(tree: &mut Tree<'_>, manifest: &'m Manifest) -> Self {
        let mut payloads = Self { sources: BTreeMap::new(), sound: true };
        for (name, payload) in &manifest.data.payload {
            let place = pointer("/payload", name);
            if !is_identity(name) || RESERVED.contains(&name.as_str()) {
                let why = if is_identity(name) {
                    "the plugin's own files lie there"
                } else {
                    "it is no plain name"
                };
                let message = format!("`{name}` cannot be the directory of a payload: {why}");
                tree.report(Diagnostic::new(Code::AB4741, message).with_span(manifest.key_span(&place)));
            }
            let span = manifest.span(&format!("{place}/source"));
            let source = plain(payload.path());
            let kind = tree.kind(&source);
            let problem = if source.is_empty() || is_outside(payload.path()) {
                Some("is no directory inside the project".to_owned())
            } else if let Some((other, _)) = payloads.around(&source) {
                Some(format!("and that of `{other}` lie in each other"))
            } else {
                (!matches!(kind, Some(Kind::Dir) | None)).then(|| "is no directory".to_owned())
            };
            if let Some(problem) = problem {
                let message = format!("the source `{}` of the payload `{name}` {problem}", payload.path());
                tree.report(Diagnostic::new(Code::AB4742, message).with_span(span));
                payloads.sound = false;
                continue;
            }
            if kind.is_none() {
                let message = format!("the payload `{name}` is not built yet: there is no `{source}`");
                tree.report(Diagnostic::new(Code::AB4743, message).with_span(span));
            }
            payloads.sources.insert(source, (name, kind.is_some()));
        }
        payloads
    }

    /// The payload that holds `path`, or lies in it.
    fn around(&self, path: &str) -> Option<(&'m str, bool)> {
        let lies_in = |inner: &str, outer: &str| {
            inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let found = self.sources.iter().find(|(source, _)| lies_in(path, source) || lies_in(source, path));
        found.map(|(_, payload)| *payload)
    }

    /// Checks a file that is said to be built.
    fn prebuilt(&self, tree: &mut Tree<'_>, manifest: &Manifest, path: &str, place: &str) {
        let inner = plain(path);
        let holder = self.sources.iter().find(|(source, _)| inner.starts_with(&format!("{source}/")));
        let finding = match holder.filter(|_| !is_outside(path)) {
            // Of a payload that cannot be used there is a finding already.
            None if !self.sound => return,
            None => {
                let sources: Vec<String> = self.sources.keys().map(|source| format!("`{source}`")).collect();
                let help = match sources.as_slice() {
                    [] => format!("Name the directory that holds it under {}", manifest.table("/payload")),
                    _ => format!("Name a file below {}", sources.join(" or ")),
                };
                Diagnostic::new(Code::AB4744, format!("`{path}` lies in no payload")).help(help)
            }
            Some((_, (name, true))) if tree.kind(&inner) != Some(Kind::File) => {
                let message = format!("the payload `{name}` has no file `{path}` yet");
                Diagnostic::new(Code::AB4745, message)
            }
            Some(_) => return,
        };
        tree.report(finding.with_span(manifest.span(place)));
    }
}

/// Notices are kept beside the project's state.
fn retention(tree: &mut Tree<'_>, manifest: &Manifest, surfaces: &[ModuleFile]) {
    let place = "/notices/retention";
    let Some(retention) = &manifest.data.notices.retention else { return };
    if let Some(time) = &retention.terminal_ttl
        && time.milliseconds().is_none()
    {
        let message = "the time is no number of milliseconds and no number with `ms`, `s`, `m`, `h` or `d`";
        let span = manifest.span(&format!("{place}/terminal-ttl"));
        tree.report(Diagnostic::new(Code::AB4833, message).with_span(span));
    }
    if !surfaces.iter().any(|module| module.kind == ModuleKind::State) {
        let message = "notices are kept with the project's state, and there is no `src/state.ts`";
        tree.report(Diagnostic::new(Code::AB4833, message).with_span(manifest.key_span(place)));
    }
}
