//! Apps of one server, whether modules or declared in the manifest: their names and addresses, and the references
//! that lead to them.

use super::Assembly;
use crate::diagnostic::{Code, Diagnostic, Fix, Span, nearest};
use crate::discover::pointer;
use crate::extract::{app_references, config_span};
use crate::manifest::{AppData, ServerData};
use crate::model::{JsonObject, Module, ModuleKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const ADDRESS: &str = "/resourceUri";

/// One server's Apps.
pub(super) struct Apps<'a> {
    assembly: &'a Assembly<'a>,
    server: &'a str,
    /// Hosts that the server ships to.
    targets: &'a [String],
    pub(super) found: Vec<Diagnostic>,
}

impl<'a> Apps<'a> {
    pub(super) fn new(assembly: &'a Assembly<'a>, server: &'a str, targets: &'a [String]) -> Self {
        Self { assembly, server, targets, found: Vec::new() }
    }

    /// The place of a metadata value of a module.
    fn place(&self, module: &Module, pointer: &str) -> Span {
        let bytes = (self.assembly.source)(&module.source);
        let span = bytes.and_then(|bytes| config_span(module.kind, &module.source, &bytes, pointer));
        span.unwrap_or_else(|| Span::file(&module.source))
    }

    /// Checks the declarations of the manifest against each other and against the App modules among `routes`.
    pub(super) fn check(&mut self, routes: &[Module], data: &ServerData) {
        let modules = || routes.iter().filter(|route| route.kind == ModuleKind::App);
        self.check_module_addresses(modules());
        let place = pointer("/mcp/servers", self.server) + "/apps";
        let mut addresses: BTreeMap<&str, (String, Span)> = BTreeMap::new();
        for app in modules() {
            if let Some(address) = text(&app.config, "resourceUri") {
                addresses.entry(address).or_insert_with(|| (app.name.clone(), self.place(app, ADDRESS)));
            }
            self.check_module_targets(app);
        }
        for (name, app) in &data.apps {
            let place = pointer(&place, name);
            let manifest = self.assembly.manifest;
            if let Some(module) = modules().find(|module| module.name == *name) {
                let message = format!("the App `{name}` is declared here and by `{}`", module.source);
                self.found.push(
                    Diagnostic::new(Code::AB4325, message)
                        .with_span(manifest.key_span(&place))
                        .label(Span::file(&module.source), "the module of that name"),
                );
                continue;
            }
            let span = manifest.span(&format!("{place}/resource-uri"));
            match addresses.get(app.resource_uri.as_str()) {
                Some((other, there)) => {
                    let message =
                        format!("`{}` is the address of the App `{other}` already", app.resource_uri);
                    self.found.push(
                        Diagnostic::new(Code::AB4330, message)
                            .with_span(span)
                            .label(there.clone(), "the other one"),
                    );
                }
                None => {
                    let here = span.unwrap_or_else(|| Span::file(manifest.file));
                    addresses.insert(&app.resource_uri, (name.clone(), here));
                }
            }
            self.check_declared_targets(app, &format!("{place}/targets"));
        }
    }

    fn check_module_addresses<'m>(&mut self, apps: impl Iterator<Item = &'m Module>) {
        let mut seen: BTreeMap<&str, &Module> = BTreeMap::new();
        for app in apps {
            let Some(address) = text(&app.config, "resourceUri") else { continue };
            let Some(first) = seen.get(address) else {
                seen.insert(address, app);
                continue;
            };
            let message = format!(
                "`{}` and `{}` both have the address `{address}` on server `{}`",
                first.source, app.source, self.server
            );
            let other = self.place(first, ADDRESS);
            let finding = Diagnostic::new(Code::AB4829, message).with_span(Some(self.place(app, ADDRESS)));
            self.found.push(finding.label(other, "the other one"));
        }
    }

    fn check_declared_targets(&mut self, app: &AppData, place: &str) {
        for (at, host) in app.targets.iter().flatten().enumerate() {
            let span = self.assembly.manifest.span(&format!("{place}/{at}"));
            self.check_host(host, span, Code::AB4334);
        }
    }

    fn check_module_targets(&mut self, app: &Module) {
        for (at, host) in hosts(app).into_iter().flatten().enumerate() {
            let span = Some(self.place(app, &format!("/targets/{at}")));
            self.check_host(&host, span, Code::AB4337);
        }
    }

    /// An App goes to hosts that exist and get its server.
    fn check_host(&mut self, host: &str, span: Option<Span>, unreached: Code) {
        if !self.assembly.hosts.contains(host) {
            self.found.push(unknown_host(Code::AB4336, host, &self.assembly.hosts, span));
        } else if !self.targets.iter().any(|target| target == host) {
            let message = format!("the server `{}` does not ship to `{host}`", self.server);
            self.found.push(Diagnostic::new(unreached, message).with_span(span));
        }
    }

    /// Replaces each reference to an App by the App's address, and checks the addresses that routes advertise.
    pub(super) fn resolve(&mut self, routes: &mut [Module]) {
        let apps: Vec<Module> =
            routes.iter().filter(|route| route.kind == ModuleKind::App).cloned().collect();
        for route in routes.iter_mut().filter(|route| route.kind != ModuleKind::App) {
            let written = route.clone();
            let mut config = Value::Object(std::mem::take(&mut route.config));
            let references = config.as_object().map(app_references).unwrap_or_default();
            for (pointer, reference) in references {
                let name = app_name(&reference, self.server, &written.source);
                let app = apps.iter().find(|app| Some(&app.name) == name.as_ref());
                match app {
                    Some(app) => {
                        // An App without an address has a finding of its own.
                        let address = app.config.get("resourceUri").cloned().unwrap_or_default();
                        if let Some(place) = config.pointer_mut(&pointer) {
                            *place = address;
                        }
                    }
                    None => {
                        let finding = self.dangling(&written, &pointer, &reference, &apps);
                        self.found.push(finding);
                        config = Value::Object(JsonObject::new());
                    }
                }
            }
            if let Some(address) = config.pointer("/_meta/ui/resourceUri").and_then(Value::as_str) {
                let app = apps.iter().find(|app| text(&app.config, "resourceUri") == Some(address));
                self.check_advertised(&written, app);
            }
            if let Value::Object(members) = config {
                route.config = members;
            }
        }
    }

    fn dangling(&self, route: &Module, at: &str, reference: &str, apps: &[Module]) -> Diagnostic {
        let known: Vec<String> = apps.iter().map(|app| app.id.clone()).collect();
        let known = if known.is_empty() { "it has none".to_owned() } else { known.join(", ") };
        let message = format!("`{reference}` is no App of the server `{}` (its Apps: {known})", self.server);
        let span = self.place(route, at);
        let mut finding = Diagnostic::new(Code::AB4826, message);
        if let Some(near) = nearest(reference, apps.iter().map(|app| app.name.as_str())) {
            finding = finding.help(format!("Did you mean `{near}`?")).fix(Fix::inside_call(&span, near));
        }
        finding.with_span(Some(span))
    }

    /// A host that gets the route must get the App that the route names.
    fn check_advertised(&mut self, route: &Module, app: Option<&Module>) {
        let Some((app, chosen)) = app.and_then(|app| Some((app, hosts(app)?))) else { return };
        let without: Vec<&str> =
            self.targets.iter().filter(|host| !chosen.contains(*host)).map(String::as_str).collect();
        if without.is_empty() {
            return;
        }
        let message = format!(
            "`{}` names the App `{}`, which is not built for {}",
            route.id,
            app.id,
            without.join(", ")
        );
        let there = self.place(app, "/targets");
        let finding = Diagnostic::new(Code::AB4828, message)
            .with_span(Some(self.place(route, "/_meta/ui/resourceUri")))
            .label(there, "the hosts of the App");
        self.found.push(finding);
    }
}

/// The finding about a host that does not exist.
pub(super) fn unknown_host(
    code: Code,
    host: &str,
    known: &BTreeSet<String>,
    span: Option<Span>,
) -> Diagnostic {
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    let message = format!("`{host}` is no known host; the hosts are {}", names.join(", "));
    let mut finding = Diagnostic::new(code, message);
    if let Some(near) = nearest(host, names) {
        finding = finding.help(format!("Did you mean `{near}`?"));
        if let Some(span) = &span {
            finding = finding.fix(Fix::inside_quotes(span, near));
        }
    }
    finding.with_span(span)
}

fn text<'m>(config: &'m JsonObject, key: &str) -> Option<&'m str> {
    config.get(key).and_then(Value::as_str)
}

/// The hosts that an App module names.
fn hosts(app: &Module) -> Option<Vec<String>> {
    let list = app.config.get("targets")?.as_array()?;
    Some(list.iter().filter_map(|host| host.as_str().map(str::to_owned)).collect())
}

/// The name of the App that a reference means, seen from the module `source` of `server`: `<app>`, `<server>/<app>`,
/// `app:<server>/<app>` or a path relative to the module. `None` for a path that leads elsewhere.
fn app_name(reference: &str, server: &str, source: &str) -> Option<String> {
    if reference.starts_with("./") || reference.starts_with("../") {
        let mut parts: Vec<&str> = source.split('/').collect();
        parts.pop();
        for part in reference.split('/') {
            match part {
                "." | "" => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        let file = path.strip_prefix(&format!("src/mcp/{server}/apps/"))?;
        let extensions = [".tsx", ".ts", ".jsx", ".js"];
        return Some(extensions.iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file).to_owned());
    }
    let text = reference.strip_prefix("app:").unwrap_or(reference);
    Some(text.strip_prefix(&format!("{server}/")).unwrap_or(text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_a_reference_names_an_app() {
        let source = "src/mcp/notes/tools/search.tsx";
        for reference in [
            "board",
            "notes/board",
            "app:notes/board",
            "../apps/board",
            "../apps/board.js",
            "../apps/board.tsx",
        ] {
            assert_eq!(app_name(reference, "notes", source).as_deref(), Some("board"), "{reference}");
        }
        assert_eq!(app_name("../apps/board.v2", "notes", source).as_deref(), Some("board.v2"));
        for elsewhere in ["./board", "../../other/apps/board", "../../../../../../x"] {
            assert_eq!(app_name(elsewhere, "notes", source), None, "{elsewhere}");
        }
        assert_eq!(app_name("other/board", "notes", source).as_deref(), Some("other/board"));
    }
}
