//! Manifest, inventory and facts together: the model.

use super::apps::{Apps, unknown_host};
use super::{commands, declared};
use crate::diagnostic::{Code, Diagnostic, Fix, Span};
use crate::discover::{DocumentFile, Inventory, ModuleFile, ServerFiles, is_identity, pointer};
use crate::extract::{DocumentFacts, SkillFacts};
use crate::manifest::{Manifest, ServerData};
use crate::model::{Document, Identity, JsonObject, Launch, Model, Module, ModuleKind, Server, Skill};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that the model is made of.
pub struct Assembly<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// Identity.
    pub identity: Identity,
    /// What discovery found.
    pub inventory: &'a Inventory,
    /// Facts by node id; a node that failed has none.
    pub facts: &'a BTreeMap<String, Value>,
    /// Hosts of this build; the manifest's own list where `None`.
    pub targets: Option<Vec<String>>,
    /// Names of all known hosts.
    pub hosts: BTreeSet<String>,
    /// The text of a source, for the places of findings.
    pub source: &'a dyn Fn(&str) -> Option<Vec<u8>>,
}

/// The model, as far as it can be made; with errors among the findings it is not fit to be built.
pub fn assemble(assembly: &Assembly) -> (Model, Vec<Diagnostic>) {
    let data = &assembly.manifest.data;
    let mut targets = assembly.targets.clone().or_else(|| data.targets.clone());
    let targets = targets.get_or_insert_with(|| vec!["portable".to_owned()]);
    targets.sort();
    targets.dedup();
    let mut servers = Servers { assembly, targets, found: Vec::new() };
    let server_list = servers.all();
    let mut found = servers.found;
    let (surfaces, faults) = commands::surfaces(assembly, &server_list);
    found.extend(faults);
    found.extend(unsupported(assembly));
    let (declared, faults) = declared::declared(assembly, &server_list, &surfaces);
    found.extend(faults);
    let hosts = data.host_tables().map(|(host, table)| (host.to_owned(), table.fields.clone()));
    let model = Model {
        plugin: assembly.identity.clone(),
        targets: targets.clone(),
        settings: data.settings.clone(),
        servers: server_list,
        root_layout: assembly.inventory.root_layout.as_ref().map(|file| assembly.module(file)),
        providers: assembly.inventory.providers.iter().map(|file| assembly.module(file)).collect(),
        skills: assembly.skills(),
        commands: assembly.documents("command", &assembly.inventory.commands),
        rules: assembly.documents("rule", &assembly.inventory.rules),
        surfaces,
        declared,
        assets: assembly.inventory.assets.clone(),
        hosts: hosts.collect(),
        marketplace: data.marketplace,
    };
    (model, found)
}

impl Assembly<'_> {
    fn facts<T: DeserializeOwned + Default>(&self, id: &str) -> T {
        self.facts.get(id).and_then(|value| serde_json::from_value(value.clone()).ok()).unwrap_or_default()
    }

    /// Whether the metadata of a module could be read.
    pub(super) fn is_read(&self, module: &Module) -> bool {
        self.facts.contains_key(&format!("route:{}", module.id))
    }

    pub(super) fn module(&self, file: &ModuleFile) -> Module {
        Module {
            id: file.id.clone(),
            kind: file.kind,
            name: file.name.clone(),
            source: file.source.clone(),
            config: self.facts::<JsonObject>(&super::graph::module_node_id(file)),
        }
    }

    fn skills(&self) -> Vec<Skill> {
        let skills = self.inventory.skills.iter().map(|directory| {
            let facts: SkillFacts = self.facts(&format!("document:skill-facts:{}", directory.directory));
            Skill {
                name: directory.name.clone(),
                directory: directory.directory.clone(),
                frontmatter: facts.frontmatter,
                host_frontmatter: facts.host_frontmatter,
                tokens: facts.tokens,
                files: directory.files.clone(),
            }
        });
        skills.collect()
    }

    fn documents(&self, word: &str, files: &[DocumentFile]) -> Vec<Document> {
        let documents = files.iter().map(|file| {
            let facts: DocumentFacts = self.facts(&format!("document:{word}-facts:{}", file.name));
            Document {
                name: file.name.clone(),
                source: file.source.clone(),
                frontmatter: facts.frontmatter,
                targets: facts.targets,
                body: facts.body,
            }
        });
        documents.collect()
    }
}

/// What is recognised and not emitted is never dropped without a word.
fn unsupported(assembly: &Assembly) -> Vec<Diagnostic> {
    let files = assembly.inventory.unsupported.iter().map(|file| {
        let message = format!("{} is a {}, which this version does not emit", file.source, file.surface);
        Diagnostic::new(Code::AB2010, message).in_file(&file.source)
    });
    let apps = assembly.inventory.servers.values().flat_map(|server| &server.routes);
    let apps = apps.filter(|route| route.kind == ModuleKind::App);
    // A view is part of its handler.
    let surfaces = assembly.inventory.surfaces.iter().filter(|module| module.kind != ModuleKind::View);
    let modules = apps.chain(surfaces).map(|module| {
        let (source, noun) = (&module.source, module.kind.noun());
        let article = if noun.starts_with('e') { "an" } else { "a" };
        let message = format!("{source} is {article} {noun}, which this version does not emit");
        Diagnostic::new(Code::AB2010, message).in_file(source)
    });
    files.chain(modules).collect()
}

/// The path that a server's entry names.
fn entry(server: &ServerData) -> Option<&str> {
    server.module().or_else(|| server.prebuilt())
}

struct Servers<'a> {
    assembly: &'a Assembly<'a>,
    targets: &'a [String],
    found: Vec<Diagnostic>,
}

impl Servers<'_> {
    fn all(&mut self) -> Vec<Server> {
        let data = &self.assembly.manifest.data;
        let none = ServerFiles::default();
        let mut names: BTreeSet<&String> = data.mcp.servers.keys().collect();
        names.extend(
            self.assembly
                .inventory
                .servers
                .iter()
                .filter(|(_, files)| !files.routes.is_empty())
                .map(|(name, _)| name),
        );
        names
            .into_iter()
            .filter_map(|name| {
                let files = self.assembly.inventory.servers.get(name).unwrap_or(&none);
                self.server(name, data.mcp.servers.get(name), files)
            })
            .collect()
    }

    fn report(&mut self, code: Code, server: &str, field: &str, message: String) {
        let place = pointer("/mcp/servers", server) + field;
        let manifest = self.assembly.manifest;
        let key = manifest.key_span(&place);
        let fix = match code {
            // What must not be there goes.
            Code::AB4308 | Code::AB4309 | Code::AB4314 => key.as_ref().and_then(|key| manifest.removal(key)),
            Code::AB4317 => self.transport_fix(server, key.as_ref()),
            _ => None,
        };
        let span = key.or_else(|| Some(Span::file(manifest.file)));
        self.found.push(Diagnostic::new(code, message).with_span(span).with_fix(fix));
    }

    /// Writes the transport of a server elsewhere, over another one or beside its address.
    fn transport_fix(&self, server: &str, key: Option<&Span>) -> Option<Fix> {
        let place = pointer("/mcp/servers", server);
        let manifest = self.assembly.manifest;
        match manifest.spans.get(&format!("{place}/transport")) {
            Some(range) => {
                Some(Fix::inside_quotes(&Span::new(manifest.file, range.clone()), "streamable-http"))
            }
            None => key
                .and(manifest.key_span(&format!("{place}/url")))
                .and_then(|url| manifest.addition(&url, "transport = \"streamable-http\"")),
        }
    }

    fn server(&mut self, name: &str, data: Option<&ServerData>, files: &ServerFiles) -> Option<Server> {
        let absent = ServerData::default();
        let declared = data.unwrap_or(&absent);
        if name.trim().is_empty() {
            self.report(Code::AB4302, name, "", "a server needs a name".to_owned());
            return None;
        }
        if declared.prebuilt().is_some() {
            self.check_local(name, declared);
            self.server_targets(name, declared);
        }
        if !is_identity(name) {
            let message = format!(
                "`{name}` cannot be the name of a server: use letters, digits, `.`, `_` and `-`, with a letter or digit at both ends"
            );
            self.report(Code::AB4803, name, "", message);
            return None;
        }
        let launch = self.launch(name, data, files)?;
        match &launch {
            Launch::Generated { .. } | Launch::Entry { .. } => self.check_local(name, declared),
            Launch::Command { .. } => self.check_command(name, declared),
            Launch::Remote { .. } => self.check_remote(name, declared),
        }
        let targets = self.server_targets(name, declared);
        Some(Server {
            name: name.to_owned(),
            launch,
            args: declared.args.clone(),
            env: declared.env.clone(),
            targets,
            explicit_targets: declared.targets.is_some(),
        })
    }

    fn launch(&mut self, name: &str, data: Option<&ServerData>, files: &ServerFiles) -> Option<Launch> {
        let declared =
            data.map_or([None; 3], |data| [entry(data), data.command.as_deref(), data.url.as_deref()]);
        let count = declared.iter().flatten().count();
        if !files.routes.is_empty() {
            return self.generated(name, count, files);
        }
        if count > 1 {
            let message = format!("`{name}` declares more than one of `entry`, `command` and `url`");
            self.report(Code::AB4304, name, "", message);
            return None;
        }
        match declared {
            // A file that is started as it is stands elsewhere in the model.
            [Some(_), ..] if data.is_some_and(|data| data.prebuilt().is_some()) => None,
            [Some(entry), ..] => self.entry(name, entry),
            [_, Some(command), _] => Some(Launch::Command {
                command: command.to_owned(),
                cwd: data.and_then(|data| data.cwd.clone()),
            }),
            [.., Some(url)] => Some(Launch::Remote {
                url: url.to_owned(),
                headers: data.map(|data| data.headers.clone()).unwrap_or_default(),
            }),
            [None, None, None] => match &files.entry {
                Some(entry) => Some(Launch::Entry { module: self.assembly.module(entry) }),
                None => {
                    let message = format!(
                        "`{name}` has no `entry`, `command` or `url`, and neither routes under `src/mcp/{name}/` nor a module `src/mcp/{name}.ts`"
                    );
                    self.report(Code::AB4304, name, "", message);
                    None
                }
            },
        }
    }

    fn generated(&mut self, name: &str, declared: usize, files: &ServerFiles) -> Option<Launch> {
        let mode = self.assembly.manifest.data.routes.servers.get(name);
        if declared > 0 && mode.is_some() {
            let message = format!("`{name}` is generated from its routes and declares another entry");
            self.report(Code::AB4340, name, "", message);
            return None;
        }
        if declared > 0 {
            // Discovery reports the conflict (AB4800).
            return None;
        }
        let mut routes: Vec<Module> = files.routes.iter().map(|file| self.assembly.module(file)).collect();
        let (assembly, data) = (self.assembly, &self.assembly.manifest.data);
        let none = ServerData::default();
        let declared = data.mcp.servers.get(name).unwrap_or(&none);
        let targets = self.shipped(declared);
        let mut apps = Apps::new(assembly, name, &targets);
        apps.check(&routes, declared);
        apps.resolve(&mut routes);
        self.found.append(&mut apps.found);
        Some(Launch::Generated {
            routes,
            layout: files.layout.as_ref().map(|file| self.assembly.module(file)),
        })
    }

    fn entry(&mut self, name: &str, entry: &str) -> Option<Launch> {
        if entry.trim().is_empty() {
            self.report(Code::AB4306, name, "/entry", format!("the entry of `{name}` is blank"));
            return None;
        }
        if let Some(data) = self.assembly.manifest.data.mcp.servers.get(name) {
            let targets = self.shipped(data);
            let mut apps = Apps::new(self.assembly, name, &targets);
            apps.check(&[], data);
            self.found.append(&mut apps.found);
        }
        let source = entry.trim_start_matches("./").to_owned();
        let file = super::graph::entry_file(name, &source);
        Some(Launch::Entry { module: self.assembly.module(&file) })
    }

    fn check_local(&mut self, name: &str, data: &ServerData) {
        if data.transport.as_deref().is_some_and(|transport| transport != "stdio") {
            self.report(Code::AB4308, name, "/transport", format!("`{name}` runs locally and speaks stdio"));
        }
        if data.cwd.is_some() {
            let message = format!("`{name}` runs in the plugin root; a working directory cannot be set");
            self.report(Code::AB4309, name, "/cwd", message);
        }
        self.check_stdio(name, data);
    }

    fn check_command(&mut self, name: &str, data: &ServerData) {
        const SHIMS: [&str; 6] = ["npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg"];
        if let Some(shim) = data.command.as_deref().filter(|command| SHIMS.contains(command)) {
            let message = format!("`{shim}` is a shell script on Windows, which hosts there cannot start");
            self.report(Code::AB4112, name, "/command", message);
        }
        if data.command.as_deref().is_some_and(|command| command.trim().is_empty()) {
            self.report(Code::AB4313, name, "/command", format!("the command of `{name}` is empty"));
        }
        if data.transport.as_deref().is_some_and(|transport| transport != "stdio") {
            self.report(Code::AB4314, name, "/transport", format!("`{name}` is a command and speaks stdio"));
        }
        if data.cwd.as_deref().is_some_and(|cwd| cwd.trim().is_empty()) {
            self.report(Code::AB4315, name, "/cwd", format!("the working directory of `{name}` is blank"));
        }
        self.check_stdio(name, data);
        self.refuse_apps(name, data);
    }

    fn check_stdio(&mut self, name: &str, data: &ServerData) {
        if !data.headers.is_empty() {
            let message = format!("`{name}` speaks stdio, which has no headers");
            self.report(Code::AB4310, name, "/headers", message);
        }
        if data.args.iter().any(|argument| argument.is_empty()) {
            self.report(Code::AB4311, name, "/args", format!("an argument of `{name}` is empty"));
        }
    }

    fn check_remote(&mut self, name: &str, data: &ServerData) {
        let url = data.url.as_deref().unwrap_or_default();
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            self.report(Code::AB4316, name, "/url", format!("`{url}` is not an http or https address"));
        }
        if data.transport.as_deref() != Some("streamable-http") {
            let message = format!("`{name}` has an address: its transport is `streamable-http`");
            self.report(Code::AB4317, name, "/transport", message);
        }
        if !data.args.is_empty() || !data.env.is_empty() || data.cwd.is_some() {
            let message = format!("`{name}` runs elsewhere: `args`, `env` and `cwd` do not reach it");
            self.report(Code::AB4318, name, "", message);
        }
        self.refuse_apps(name, data);
    }

    fn refuse_apps(&mut self, name: &str, data: &ServerData) {
        if !data.apps.is_empty() {
            let message = format!("Apps of `{name}` need a server that this plugin carries");
            self.report(Code::AB4322, name, "/apps", message);
        }
    }

    /// The selected hosts that get the server.
    fn server_targets(&mut self, name: &str, data: &ServerData) -> Vec<String> {
        let place = pointer("/mcp/servers", name) + "/targets";
        for (at, host) in data.targets.iter().flatten().enumerate() {
            if !self.assembly.hosts.contains(host) {
                let span = self.assembly.manifest.span(&format!("{place}/{at}"));
                self.found.push(unknown_host(Code::AB4320, host, &self.assembly.hosts, span));
            }
        }
        self.shipped(data)
    }

    fn shipped(&self, data: &ServerData) -> Vec<String> {
        match &data.targets {
            None => self.targets.to_vec(),
            Some(named) => self.targets.iter().filter(|host| named.contains(host)).cloned().collect(),
        }
    }
}
