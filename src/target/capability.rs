//! What the selected hosts make of the plugin's components. Nothing is lost in silence: what a host does not take
//! is reported, and what the author asked for by name and cannot have is an error.

use super::documents::{DocumentKind, document_hosts, documents};
use super::{Registry, Target, declared, events, names, placeholders, settings, slice};
use crate::diagnostic::{Code, Diagnostic, Fix, Span, nearest};
use crate::extract::{config_span, field_span};
use crate::manifest::{self, Manifest};
use crate::model::{Document, Launch, Model, Module, Server, pointer_step};
use std::collections::BTreeMap;

/// Why a host does not get a server.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Refusal {
    /// Below the host's name.
    pub(super) code: &'static str,
    /// In words.
    pub(super) reason: String,
}

/// Why `target` cannot start `server`, if it cannot.
pub(super) fn server_refusal(target: &Target, server: &Server, model: &Model) -> Option<Refusal> {
    let (kind, code) = match server.launch {
        Launch::Generated { .. } | Launch::Entry { .. } => ("compiled-servers", "mcp.generated-local"),
        Launch::Command { .. } => ("command-servers", "mcp.command.unsupported"),
        Launch::Remote { .. } => ("remote-servers", "mcp.remote.unsupported"),
    };
    if !target.takes(kind) {
        let component = target.definition.components.get(kind);
        let reason = component.map(|component| component.reason.clone()).filter(|reason| !reason.is_empty());
        let reason = reason.unwrap_or_else(|| "the host starts no such server".to_owned());
        return Some(Refusal { code, reason });
    }
    if let Some(reason) = settings::refusal(&target.definition.mcp, &slice::neutral(server)) {
        return Some(Refusal { code: "mcp.settings", reason });
    }
    (target.definition.mcp.one_skill && model.skills.len() != 1).then(|| Refusal {
        code: "mcp.single-skill",
        reason: "the host starts servers from a skill, and the plugin must have exactly one".to_owned(),
    })
}

/// Where the project says what findings are about.
pub struct Places<'a> {
    /// The manifest, when there is one.
    pub manifest: Option<&'a Manifest>,
    /// The text of a document.
    pub source: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

impl Places<'_> {
    /// The place of a value of the manifest.
    pub(super) fn manifest(&self, pointer: &str) -> Span {
        let span = self.manifest.and_then(|manifest| manifest.span(pointer));
        span.unwrap_or_else(|| Span::file(self.file()))
    }

    fn file(&self) -> &'static str {
        self.manifest.map_or(manifest::MANIFEST_FILE, |manifest| manifest.file)
    }

    /// The place of a server's name; a server of routes may be without one.
    fn server(&self, name: &str) -> Span {
        let pointer = format!("/mcp/servers/{}", pointer_step(name));
        let written = |manifest: &&Manifest| {
            [pointer.clone(), format!("{pointer}#key")].iter().any(|known| manifest.spans.contains_key(known))
        };
        let span = self.manifest.filter(written).and_then(|manifest| manifest.key_span(&pointer));
        span.unwrap_or_else(|| Span::file(self.file()))
    }

    /// The place of a metadata value of a module.
    pub(super) fn config(&self, module: &Module, pointer: &str) -> Span {
        let bytes = (self.source)(&module.source);
        let span = bytes.and_then(|bytes| config_span(module.kind, &module.source, &bytes, pointer));
        span.unwrap_or_else(|| Span::file(&module.source))
    }

    /// The place of a value in the frontmatter of a document.
    fn field(&self, path: &str, pointer: &str) -> Span {
        let bytes = (self.source)(path);
        let span = bytes.and_then(|bytes| field_span(path, &bytes, pointer));
        span.unwrap_or_else(|| Span::file(path))
    }
}

/// Checks the selection of hosts against the plugin.
pub fn check_selection(registry: &Registry, model: &Model) -> Vec<Diagnostic> {
    check_selection_in(registry, model, &Places { manifest: None, source: &|_| None })
}

/// As [`check_selection`], with the places that the findings are about.
pub fn check_selection_in(registry: &Registry, model: &Model, places: &Places<'_>) -> Vec<Diagnostic> {
    let mut found = unknown_hosts(registry, model, places);
    // With a host that is not known, what the others take is not the question.
    if !found.is_empty() {
        return found;
    }
    let selected: Vec<&Target> = registry.selected(&model.targets).collect();
    for target in &selected {
        found.extend(names::check(target, model, places));
        found.extend(placeholders::check(target, model, places));
    }
    for server in &model.servers {
        found.extend(check_server(&selected, server, model, places));
    }
    found.extend(untaken_skills(&selected, model));
    for kind in DocumentKind::ALL {
        for document in documents(model, kind) {
            found.extend(check_document(registry, model, &selected, kind, document, places));
        }
    }
    found.extend(events::check(registry, model, &selected, places));
    found.extend(declared::check(registry, &selected, places));
    found
}

fn unknown_hosts(registry: &Registry, model: &Model, places: &Places<'_>) -> Vec<Diagnostic> {
    let known: Vec<&str> = registry.names().collect();
    let report = |code: Code, subject: &str, host: &str, pointer: &str| {
        let message = format!("{subject} `{host}`, which is not a target; targets are {}", list(&known));
        let help = nearest(host, known.iter().copied())
            .map_or_else(|| "Choose one of them".to_owned(), |near| format!("Did you mean `{near}`?"));
        Diagnostic::new(code, message).with_span(Some(places.manifest(pointer))).help(help).target(host)
    };
    let mut found = Vec::new();
    for host in model.targets.iter().filter(|host| registry.get(host).is_none()) {
        let written = places.manifest.and_then(|manifest| manifest.data.targets.as_ref());
        let at = written.and_then(|list| list.iter().position(|name| name == host));
        let pointer = at.map_or_else(|| "/targets".to_owned(), |at| format!("/targets/{at}"));
        let mut finding = report(Code::AB4100, "The selection names", host, &pointer);
        if let (Some(_), Some(near)) = (at, nearest(host, known.iter().copied())) {
            finding = finding.fix(Fix::inside_quotes(&places.manifest(&pointer), near));
        }
        found.push(finding);
    }
    for server in &model.servers {
        let unknown = |host: &&String| registry.get(host).is_none() && !model.targets.contains(host);
        for host in server.targets.iter().filter(unknown) {
            let pointer = format!("/mcp/servers/{}/targets", server.name);
            found.push(report(Code::AB4320, &format!("Server `{}` names", server.name), host, &pointer));
        }
    }
    found
}

pub(super) fn list(words: &[&str]) -> String {
    match words {
        [] => "none".to_owned(),
        [one] => format!("`{one}`"),
        [most @ .., last] => {
            let most: Vec<String> = most.iter().map(|word| format!("`{word}`")).collect();
            format!("{} and `{last}`", most.join(", "))
        }
    }
}

fn check_server(
    selected: &[&Target],
    server: &Server,
    model: &Model,
    places: &Places<'_>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let place = || Some(places.manifest(&format!("/mcp/servers/{}/targets", server.name)));
    let mut skipped: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let meant = selected.iter().filter(|target| server.targets.iter().any(|host| host == target.name()));
    for target in meant {
        let Some(refusal) = server_refusal(target, server, model) else { continue };
        if server.explicit_targets {
            let message =
                format!("{} cannot start server `{}`: {}", target.title(), server.name, refusal.reason);
            found.push(
                Diagnostic::new(Code::host(target.name(), refusal.code), message)
                    .with_span(place())
                    .help(format!("Remove `{}` from the server's `targets`", target.name()))
                    .target(target.name()),
            );
        } else {
            skipped.entry(refusal.reason).or_default().push(target.name());
        }
    }
    for (reason, hosts) in skipped {
        let message = format!("Server `{}` does not reach {}: {reason}", server.name, list(&hosts));
        let table = format!("/mcp/servers/{}", server.name);
        let table =
            places.manifest.map_or_else(|| "the server".to_owned(), |manifest| manifest.table(&table));
        found.push(
            info(message, &hosts)
                .with_span(Some(places.server(&server.name)))
                .help(format!("Accept it, or say so with `targets` under {table}")),
        );
    }
    found
}

/// A report on what some hosts do not take; it is about one host where there is one.
fn info(message: String, hosts: &[&str]) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::AB4110, message);
    match hosts {
        [host] => diagnostic.target(*host),
        _ => diagnostic,
    }
}

fn untaken_skills(selected: &[&Target], model: &Model) -> Vec<Diagnostic> {
    let hosts: Vec<&str> =
        selected.iter().filter(|target| !target.takes("skills")).map(|target| target.name()).collect();
    let skills = model.skills.iter().filter(|_| !hosts.is_empty());
    let report = |name: &str| {
        info(format!("Skill `{name}` does not reach {}, for want of skills", list(&hosts)), &hosts)
    };
    skills.map(|skill| report(&skill.name).in_file(format!("{}/SKILL.md", skill.directory))).collect()
}

fn check_document(
    registry: &Registry,
    model: &Model,
    selected: &[&Target],
    kind: DocumentKind,
    document: &Document,
    places: &Places<'_>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let word = kind.word();
    for (at, host) in document.targets.iter().flatten().enumerate() {
        let problem = match registry.get(host) {
            None => (kind.unknown_host(), "which is not a target"),
            Some(_) if !model.targets.contains(host) => (kind.unknown_host(), "which is not selected"),
            Some(target) if !target.takes(kind.folder()) => {
                (kind.unsupported_host(), "which does not take any")
            }
            Some(_) => continue,
        };
        let message = format!("The {word} `{}` names `{host}`, {}", document.name, problem.1);
        let near = nearest(host, model.targets.iter().map(String::as_str)).filter(|near| near != host);
        let span = places.field(&document.source, &format!("/targets/{at}"));
        let mut report = Diagnostic::new(problem.0, message).target(host);
        if let Some(near) = near.filter(|_| registry.get(host).is_none()) {
            report = report.did_you_mean(near, &span);
        }
        report = report.with_span(Some(span));
        found.push(report);
    }
    // What else would be said of a document with a wrong host is a consequence.
    if !found.is_empty() {
        return found;
    }
    let takers = document_hosts(registry, model, kind, document);
    match &document.targets {
        Some(named) => {
            let seers = selected.iter().filter(|target| sees(target, kind));
            for target in seers.filter(|target| !named.iter().any(|host| host == target.name())) {
                let message = format!(
                    "The {word} `{}` is not meant for {}, which reads all of `{}/`",
                    document.name,
                    target.title(),
                    kind.folder()
                );
                let span = places.field(&document.source, "/targets");
                let report = Diagnostic::new(Code::AB4105, message).with_span(Some(span));
                found.push(report.target(target.name()));
            }
        }
        None => {
            let takes = |target: &&&Target| !takers.iter().any(|taker| taker.name() == target.name());
            let others: Vec<&str> = selected.iter().filter(takes).map(|target| target.name()).collect();
            if !others.is_empty() {
                let message = format!(
                    "The {word} `{}` does not reach {}, for want of {}",
                    document.name,
                    list(&others),
                    kind.folder()
                );
                found.push(info(message, &others).in_file(&document.source));
            }
        }
    }
    found.extend(takers.iter().filter_map(|target| missing_features(target, kind, document, places)));
    found
}

/// Whether the host finds every document of the kind by itself.
fn sees(target: &Target, kind: DocumentKind) -> bool {
    let component = target.definition.components.get(kind.folder());
    let component = component.filter(|component| component.state.is_taken());
    component.is_some_and(|component| component.directory.as_deref() == Some(kind.folder()))
}

fn missing_features(
    target: &Target,
    kind: DocumentKind,
    document: &Document,
    places: &Places<'_>,
) -> Option<Diagnostic> {
    let component = target.definition.components.get(kind.folder())?;
    let reads = |key: &str| component.keys.as_ref().is_some_and(|keys| keys.contains_key(key));
    let missing: Vec<&str> =
        document.frontmatter.keys().map(String::as_str).filter(|key| !reads(key)).collect();
    let first = missing.first()?;
    let code = if document.targets.is_some() { kind.feature_refused() } else { kind.feature_left_out() };
    let message = format!(
        "{} takes the {} `{}` without {}",
        target.title(),
        kind.word(),
        document.name,
        list(&missing)
    );
    let span = places.field(&document.source, &format!("/{first}"));
    Some(Diagnostic::new(code, message).with_span(Some(span)).target(target.name()))
}
