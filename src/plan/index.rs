//! The node that writes the canonical index and the compile evidence.

use super::composite::CompositeFacts;
use crate::artifact::{
    Adapter, Application, Argument, Channel, Compiler, Distribution, EVIDENCE_FILE, Evidence, EvidenceRow,
    Executables, FileRow, INDEX_FILE, Index, InstallSurface, Launch as LaunchRow, LayoutRow, Marketplace,
    McpServerRow, POLICY, Producer, Project, ProjectionRow, Provenance, ProviderRow, RouteRow, Routes,
    Runtime, ServerKind, ServerRow, SourceInput,
};
use crate::compile::runtime;
use crate::engine::{FileKind, FileRef, Job, JobContext, KeyWalk, Output};
use crate::manifest::PACKAGE_FILE;
use crate::model::{Launch, Model, Module, Server, canonical_json};
use crate::target::{INSTALL_DOCUMENT, INSTALL_SCRIPT, Registry};
use crate::world::{Digest, Digester, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Lowest Node.js that emitted executables run on.
pub const NODE_FLOOR: &str = "20.0.0";

/// What the index tells besides the model.
#[derive(Debug, Clone, Default)]
pub struct IndexInputs {
    /// What says what is built: the manifest, or a document that stands in for it and for all sources.
    pub config: String,
    /// Project files that are read besides modules and documents (target definitions, `tsconfig.json`).
    pub extra_sources: BTreeSet<String>,
}

/// Writes the index.
pub struct IndexJob {
    /// Host definitions.
    pub registry: Arc<Registry>,
    /// The model.
    pub model: Arc<Model>,
    /// Digest of its canonical JSON.
    pub digest: Digest,
    /// Further facts.
    pub inputs: IndexInputs,
}

impl Job for IndexJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("model", self.digest.to_string().as_bytes());
        walk.field("config", self.inputs.config.as_bytes());
        for source in &self.inputs.extra_sources {
            walk.field("source", source.as_bytes());
        }
    }

    fn run(&self, context: &JobContext) -> Output {
        let Some(composite) = context.inputs.get("composite") else { return Output::default() };
        let facts: CompositeFacts = serde_json::from_value(composite.value.clone()).unwrap_or_default();
        let mut files = composite.files.clone();
        let evidence = evidence(&facts, &files);
        let bytes = canonical_json(&serde_json::to_value(evidence).unwrap_or_default());
        files.insert(EVIDENCE_FILE.to_owned(), context.file(FileKind::Generated, bytes));
        let index = self.index(&facts, &files, context);
        files.insert(INDEX_FILE.to_owned(), context.file(FileKind::Generated, index.to_bytes()));
        Output { files, ..Output::default() }
    }
}

impl IndexJob {
    fn index(
        &self,
        facts: &CompositeFacts,
        files: &BTreeMap<String, FileRef>,
        context: &JobContext,
    ) -> Index {
        let plugin = &self.model.plugin;
        let mut channels = BTreeSet::from([Channel::Local]);
        if plugin.package_name.is_some() {
            channels.insert(Channel::Npm);
        }
        let emitted = |path: &str| files.contains_key(path).then(|| path.to_owned());
        Index {
            application: Application {
                id: plugin.name.clone(),
                name: plugin.name.clone(),
                version: plugin.version.clone(),
                description: plugin.description.clone(),
            },
            compiler: self.compiler(facts, files, context),
            distribution: Distribution {
                channels,
                install: InstallSurface {
                    instructions: emitted(INSTALL_DOCUMENT),
                    script: emitted(INSTALL_SCRIPT),
                },
            },
            executables: Executables {
                mcp_servers: self.model.servers.iter().map(|server| server_row(server, facts)).collect(),
            },
            files: files.iter().map(|(path, file)| FileRow::new(path, file)).collect(),
            manifest_version: crate::artifact::INDEX_VERSION,
            projections: facts
                .projections
                .iter()
                .map(|(host, projection)| ProjectionRow {
                    host: host.clone(),
                    built_in_host: self
                        .registry
                        .get(host)
                        .is_some_and(crate::target::Target::is_builtin)
                        .then(|| host.clone()),
                    root: projection.root.clone(),
                    documents: projection.documents.clone(),
                    marketplace: projection.marketplace.clone().map(|name| Marketplace { name }),
                })
                .collect(),
            routes: self.routes(),
            runtime: Runtime {
                node: self.model.declared.node.clone().unwrap_or_else(|| NODE_FLOOR.to_owned()),
            },
        }
    }

    fn compiler(
        &self,
        facts: &CompositeFacts,
        files: &BTreeMap<String, FileRef>,
        context: &JobContext,
    ) -> Compiler {
        let provenance: Vec<Provenance> = files
            .keys()
            .map(|path| Provenance { path: path.clone(), source_inputs: self.sources_of(path, facts) })
            .collect();
        let mut sources = self.inputs.extra_sources.clone();
        sources.extend([self.inputs.config.clone(), PACKAGE_FILE.to_owned()]);
        sources.extend(provenance.iter().flat_map(|row| row.source_inputs.iter().cloned()));
        let source_inputs: Vec<SourceInput> = sources
            .into_iter()
            .filter_map(|path| {
                let digest = context.world.digest(&context.world.root().absolute(&path)).ok()?;
                Some(SourceInput { sha256: digest.to_string(), path })
            })
            .collect();
        let mut revision = Digester::new("agent-bundle revision 1");
        for source in &source_inputs {
            revision.field(source.path.as_bytes()).field(source.sha256.as_bytes());
        }
        let config = source_inputs.iter().find(|source| source.path == self.inputs.config);
        let adapters = self.model.targets.iter().filter_map(|host| self.registry.get(host));
        Compiler {
            record_version: 1,
            producer: producer(),
            project: Project {
                config_path: self.inputs.config.clone(),
                config_digest: config.map(|source| source.sha256.clone()).unwrap_or_default(),
                model_digest: self.digest.to_string(),
                revision: revision.finish().to_string(),
                source_inputs,
                package_name: self.model.plugin.package_name.clone(),
                package_version: self.model.plugin.package_version.clone(),
            },
            provenance,
            adapters: adapters
                .map(|target| Adapter {
                    host: target.name().to_owned(),
                    adapter_revision: target.fingerprint().to_string(),
                    observed_version: target.observed_version().to_owned(),
                })
                .collect(),
            validation: ["documents", "layout", "modules"]
                .map(|check| (check.to_owned(), "passed".to_owned()))
                .into(),
        }
    }

    fn sources_of(&self, path: &str, facts: &CompositeFacts) -> Vec<String> {
        // A document, which lies beside its root, stands in for every source.
        if self.inputs.config.starts_with("../") {
            return vec![self.inputs.config.clone()];
        }
        let path = facts.copies.get(path).map_or(path, String::as_str);
        if let Some(surface) = facts.surfaces.get(path) {
            return surface.sources.iter().cloned().collect();
        }
        if let Some((name, file)) = path.strip_prefix("skills/").and_then(|rest| rest.split_once('/')) {
            let skill = self.model.skills.iter().find(|skill| skill.name == name);
            return skill.map(|skill| format!("{}/{file}", skill.directory)).into_iter().collect();
        }
        if self.model.assets.iter().any(|asset| asset == path) {
            return vec![path.to_owned()];
        }
        let documents = [("commands/", ".md", &self.model.commands), ("rules/", ".mdc", &self.model.rules)];
        let found = documents.into_iter().find_map(|(folder, end, list)| {
            let name = path.strip_prefix(folder)?.strip_suffix(end)?;
            list.iter().find(|document| document.name == name)
        });
        found.map(|document| document.source.clone()).into_iter().collect()
    }

    fn routes(&self) -> Routes {
        let mut layouts: Vec<LayoutRow> = Vec::new();
        let mut layout = |module: &Module, server: Option<&Server>| {
            layouts.push(LayoutRow {
                id: module.id.clone(),
                scope: if server.is_some() { "server" } else { "root" }.to_owned(),
                server_id: server.map(|server| format!("mcp:{}", server.name)),
                source: module.source.clone(),
            });
        };
        if let Some(root) = &self.model.root_layout {
            layout(root, None);
        }
        let mut digester = Digester::new("agent-bundle routes 1");
        let mut servers = Vec::new();
        for server in &self.model.servers {
            let (mode, routes) = match &server.launch {
                Launch::Generated { routes, layout: own } => {
                    if let Some(own) = own {
                        layout(own, Some(server));
                    }
                    ("generated", routes.as_slice())
                }
                Launch::Entry { .. } => ("custom", [].as_slice()),
                Launch::Command { .. } => ("command", [].as_slice()),
                Launch::Remote { .. } => ("remote", [].as_slice()),
            };
            for route in routes {
                digester.field(route.id.as_bytes()).field(route.source.as_bytes());
            }
            servers.push(ServerRow {
                id: format!("mcp:{}", server.name),
                name: server.name.clone(),
                mode: mode.to_owned(),
                routes: routes.iter().map(route_row).collect(),
            });
        }
        layouts.sort_by(|a, b| a.id.cmp(&b.id));
        let providers = self.model.providers.iter().map(|provider| ProviderRow {
            id: provider.id.clone(),
            name: provider.name.clone(),
            source: provider.source.clone(),
        });
        Routes { digest: digester.finish().to_string(), servers, providers: providers.collect(), layouts }
    }
}

fn producer() -> Producer {
    Producer { name: "agent-bundle".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() }
}

fn route_row(route: &Module) -> RouteRow {
    let text = |key: &str| route.config.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    RouteRow {
        id: route.id.clone(),
        kind: route.kind.word().to_owned(),
        source: route.source.clone(),
        description: text("description"),
        input_schema: route.config.get("inputJsonSchema").cloned(),
    }
}

fn server_row(server: &Server, facts: &CompositeFacts) -> McpServerRow {
    let (transport, kind) = match &server.launch {
        Launch::Generated { .. } | Launch::Entry { .. } => ("stdio", ServerKind::Compiled),
        Launch::Command { .. } => ("stdio", ServerKind::Command),
        Launch::Remote { .. } => ("streamable-http", ServerKind::Remote),
    };
    let hosts = facts.projections.iter().filter(|(_, projection)| projection.servers.contains(&server.name));
    McpServerRow {
        id: format!("mcp:{}", server.name),
        name: server.name.clone(),
        transport: transport.to_owned(),
        kind,
        hosts: hosts.map(|(host, _)| host.clone()).collect(),
        launch: server.is_compiled().then(|| LaunchRow {
            entry: server.entry_path(),
            args: server.args.iter().map(|value| argument(value)).collect(),
            env: server.env.clone(),
        }),
    }
}

/// An argument that starts with the plugin-root token is a path of the artifact.
fn argument(value: &str) -> Argument {
    match value.strip_prefix(crate::target::PLUGIN_ROOT).and_then(|rest| rest.strip_prefix('/')) {
        Some(path) => Argument::Artifact { path: path.to_owned() },
        None => Argument::Literal { value: value.to_owned() },
    }
}

fn evidence(facts: &CompositeFacts, files: &BTreeMap<String, FileRef>) -> Evidence {
    let rows = files.iter().filter(|(_, file)| file.kind == FileKind::Bundle).map(|(path, file)| {
        let original = facts.copies.get(path).map_or(path.as_str(), String::as_str);
        let surface = facts.surfaces.get(original);
        let name = original.rsplit('/').next().unwrap_or(original);
        let role = runtime().role_of_file(name).and_then(|role| runtime().role(role));
        EvidenceRow {
            path: path.clone(),
            sha256: file.digest.to_string(),
            externals: match (surface, role) {
                (Some(surface), _) => surface.externals.iter().cloned().collect(),
                (None, Some(role)) => role.externals.clone(),
                (None, None) => Vec::new(),
            },
            packages: surface
                .map(|surface| {
                    surface.packages.iter().map(|one| format!("{}@{}", one.name, one.version)).collect()
                })
                .unwrap_or_default(),
        }
    });
    Evidence { policy: POLICY.to_owned(), producer: producer(), files: rows.collect() }
}
