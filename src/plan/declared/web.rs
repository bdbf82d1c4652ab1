//! Apps that the plugin's executable shows in a browser.

use crate::diagnostic::{Code, Diagnostic, Span, nearest};
use crate::manifest::{Bin, WebApp};
use crate::model::{ModuleKind, Server, ShownApp, Surfaces, Web};
use crate::plan::Assembly;
use std::collections::BTreeSet;

const OPEN: [&str; 2] = ["browser", "never"];
const ALLOW: [&str; 4] = ["call-tool", "download-file", "open-external-link", "request-display-mode"];

pub(super) fn web(
    assembly: &Assembly<'_>,
    servers: &[Server],
    surfaces: &Surfaces,
    found: &mut Vec<Diagnostic>,
) -> Option<Web> {
    let web = assembly.manifest.data.web.as_ref()?;
    let mut check = Check { assembly, servers, found };
    check.executable(surfaces);
    if let Some(open) = &web.open {
        check.word(open, &OPEN, "/web/open");
    }
    let mut seen = BTreeSet::new();
    for (at, app) in web.apps.iter().enumerate() {
        let place = format!("/web/apps/{at}");
        if !seen.insert(app.name()) {
            let message = format!("the App `{}` is offered twice", app.name());
            check.report(&format!("{place}/app"), message);
            continue;
        }
        check.app(app, &place);
    }
    let apps = web.apps.iter().map(|app| match app {
        WebApp::Name(name) => ShownApp { app: name.clone(), tool: None, input: None, allow: Vec::new() },
        WebApp::Entry(entry) => ShownApp {
            app: entry.app.clone(),
            tool: entry.tool.clone(),
            input: entry.input.clone(),
            allow: entry.allow.clone(),
        },
    });
    Some(Web { apps: apps.collect(), open: web.open.clone().unwrap_or_else(|| "never".to_owned()) })
}

struct Check<'a, 'f> {
    assembly: &'a Assembly<'a>,
    servers: &'a [Server],
    found: &'f mut Vec<Diagnostic>,
}

impl Check<'_, '_> {
    fn report(&mut self, place: &str, message: String) {
        let span = self.assembly.manifest.span(place);
        self.found.push(Diagnostic::new(Code::AB4341, message).with_span(span));
    }

    /// The Apps are shown by the executable that also runs the plugin's commands.
    fn executable(&mut self, surfaces: &Surfaces) {
        let manifest = self.assembly.manifest;
        let plugin = &manifest.data.plugin.name;
        let key = manifest.key_span("/web");
        let problem = match &manifest.data.bin {
            Some(Bin::Off(_)) => {
                Some(("`bin` is `false`, so there is none".to_owned(), manifest.span("/bin")))
            }
            Some(Bin::Named(commands)) if commands.contains_key(plugin) => {
                let place = crate::discover::pointer("/bin", plugin);
                Some((format!("a module of your own is called `{plugin}`"), manifest.key_span(&place)))
            }
            _ => {
                let entry = ["src/cli.ts", "src/cli.tsx"];
                let mut others = self.assembly.inventory.unsupported.iter();
                let own = others.find(|file| entry.contains(&file.source.as_str()));
                own.map(|file| (format!("`{}` takes its place", file.source), Some(Span::file(&file.source))))
            }
        };
        if let Some((problem, there)) = problem {
            let message = format!("Apps are shown by the plugin's executable, and {problem}");
            let mut finding = Diagnostic::new(Code::AB4341, message).with_span(key.clone());
            if let Some(there) = there {
                finding = finding.label(there, "this");
            }
            self.found.push(finding);
        }
        let taken = surfaces.commands.iter().find(|command| {
            let is_top = command.path.len() == 1;
            command.path.first().is_some_and(|word| word == "web")
                || is_top && command.aliases.iter().any(|alias| alias == "web")
        });
        if let Some(command) = taken {
            let message = "the word `web` shows Apps, and a command has it already";
            let finding = Diagnostic::new(Code::AB4341, message).with_span(key);
            self.found.push(finding.label(Span::file(&command.source), "the command"));
        }
    }

    fn word(&mut self, word: &str, known: &[&str], place: &str) {
        if known.contains(&word) {
            return;
        }
        let span = self.assembly.manifest.span(place);
        let message = format!("`{word}` is none of {}", known.join(", "));
        let mut finding = Diagnostic::new(Code::AB4341, message);
        if let Some((near, span)) = nearest(word, known.iter().copied()).zip(span.as_ref()) {
            finding = finding.did_you_mean(near, span);
        }
        self.found.push(finding.with_span(span));
    }

    fn app(&mut self, app: &WebApp, place: &str) {
        let apps = self.apps();
        if !apps.iter().any(|known| known == app.name()) {
            let known = if apps.is_empty() { "there are none".to_owned() } else { apps.join(", ") };
            let message = format!("`{}` is no App of the plugin (its Apps: {known})", app.name());
            return self.report(&format!("{place}/app"), message);
        }
        let WebApp::Entry(entry) = app else { return };
        if let Some(tool) = &entry.tool {
            let tools = self.tools(app.name());
            if !tools.iter().any(|known| known == tool) {
                let known = if tools.is_empty() { "there are none".to_owned() } else { tools.join(", ") };
                let message = format!("`{tool}` is no tool of the App's server (its tools: {known})");
                self.report(&format!("{place}/tool"), message);
            }
        }
        for (at, word) in entry.allow.iter().enumerate() {
            self.word(word, &ALLOW, &format!("{place}/allow/{at}"));
        }
    }

    /// `<server>/<app>` of every App, whether a module or declared.
    fn apps(&self) -> Vec<String> {
        let declared = self.assembly.manifest.data.mcp.servers.iter();
        let declared =
            declared.flat_map(|(server, data)| data.apps.keys().map(move |app| format!("{server}/{app}")));
        let modules = self.servers.iter().flat_map(|server| {
            let apps = server.routes().iter().filter(|route| route.kind == ModuleKind::App);
            apps.map(move |app| format!("{}/{}", server.name, app.name))
        });
        declared.chain(modules).collect()
    }

    fn tools(&self, app: &str) -> Vec<String> {
        let name = app.rsplit_once('/').map_or("", |(server, _)| server);
        let server = self.servers.iter().find(|server| server.name == name);
        let routes = server.map(Server::routes).unwrap_or_default();
        let tools = routes.iter().filter(|route| route.kind == ModuleKind::Tool);
        tools.map(|tool| tool.name.clone()).collect()
    }
}
