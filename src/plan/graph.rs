//! The graph: which nodes there are and which waits for which.

use super::composite::CompositeJob;
use super::documents::{AssetsJob, DocumentFactsJob, DocumentJob, SkillFactsJob, SkillJob};
use super::index::IndexJob;
use super::modules::ModuleJob;
use super::projection::ProjectionJob;
use super::surface::SurfaceJob;
use crate::compile::Surface;
use crate::discover::{Inventory, ModuleFile, plain};
use crate::engine::{Graph, Kind, Node, NodeIndex};
use crate::manifest::{Bin, Manifest};
use crate::model::{Document, Launch, Model, ModuleKind, canonical_json};
use crate::target::{DocumentKind, Registry, Slice, document_hosts, logo_path, skill_outputs, slices};
use crate::world::Digest;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The node that extracts a module.
pub(super) fn module_node_id(file: &ModuleFile) -> String {
    match file.kind {
        ModuleKind::Layout | ModuleKind::Provider => file.id.clone(),
        _ => format!("route:{}", file.id),
    }
}

/// The handwritten module of a declared server.
pub(super) fn entry_file(server: &str, source: &str) -> ModuleFile {
    ModuleFile {
        id: format!("entry:{server}"),
        kind: ModuleKind::Entry,
        name: server.to_owned(),
        source: source.to_owned(),
    }
}

/// The nodes that extract: one per module, skill, command and rule. They depend on nothing but files.
pub fn module_nodes(manifest: &Manifest, inventory: &Inventory) -> Graph {
    let mut graph = Graph::new();
    let commands: BTreeSet<String> = match &manifest.data.bin {
        Some(Bin::Named(commands)) => commands.values().map(|command| plain(command.path())).collect(),
        _ => BTreeSet::new(),
    };
    let mut module = |file: &ModuleFile| {
        let kind = match file.kind {
            ModuleKind::Layout => Kind::Layout,
            ModuleKind::Provider => Kind::Provider,
            _ => Kind::Route,
        };
        let command = file.kind == ModuleKind::Script && commands.contains(&file.source);
        let job = ModuleJob { kind: file.kind, source: file.source.clone(), command };
        graph.add_node(Node { id: module_node_id(file), kind, job: Box::new(job) });
    };
    for server in inventory.servers.values() {
        server.routes.iter().for_each(&mut module);
        server.layout.iter().for_each(&mut module);
        server.entry.iter().for_each(&mut module);
    }
    inventory.root_layout.iter().for_each(&mut module);
    inventory.providers.iter().for_each(&mut module);
    inventory.surfaces.iter().for_each(&mut module);
    for (name, server) in &manifest.data.mcp.servers {
        let entry = server.module().map(|entry| entry.trim_start_matches("./"));
        if let Some(entry) =
            entry.filter(|entry| !entry.trim().is_empty() && !inventory.missing.contains(*entry))
        {
            module(&entry_file(name, entry));
        }
    }
    let document = |id: String, job: Box<dyn crate::engine::Job>| Node { id, kind: Kind::Document, job };
    for skill in &inventory.skills {
        let id = format!("document:skill-facts:{}", skill.directory);
        graph.add_node(document(id, Box::new(SkillFactsJob(skill.clone()))));
    }
    for (kind, files) in
        [(DocumentKind::Command, &inventory.commands), (DocumentKind::Rule, &inventory.rules)]
    {
        for file in files {
            let id = format!("document:{}-facts:{}", kind.word(), file.name);
            graph.add_node(document(id, Box::new(DocumentFactsJob { kind, file: file.clone() })));
        }
    }
    graph
}

/// What is left to do once the model is known.
pub struct Plan {
    /// The graph: extraction nodes first, then everything that stands on them.
    pub graph: Graph,
    /// The node whose output lists every emitted file.
    pub index: NodeIndex,
}

/// Adds to `graph` what makes the artifact of `model`.
pub fn plan_model(
    mut graph: Graph,
    model: &Arc<Model>,
    registry: &Arc<Registry>,
    inputs: super::index::IndexInputs,
) -> Plan {
    let by_id: BTreeMap<String, NodeIndex> =
        graph.node_indices().map(|index| (graph[index].id.clone(), index)).collect();
    let slices = slices(registry, model);
    let mut parts: Vec<NodeIndex> = Vec::new();
    surfaces(&mut graph, &by_id, model, &mut parts);
    documents(&mut graph, &by_id, model, registry, &slices, &mut parts);
    for (host, slice) in slices {
        let id = format!("projection:{host}");
        let job = ProjectionJob { registry: Arc::clone(registry), host, slice };
        parts.push(graph.add_node(Node { id, kind: Kind::Projection, job: Box::new(job) }));
    }
    let composite = CompositeJob { registry: Arc::clone(registry), model: Arc::clone(model) };
    let composite =
        graph.add_node(Node { id: "composite".to_owned(), kind: Kind::Composite, job: Box::new(composite) });
    for part in parts {
        graph.add_edge(part, composite, ());
    }
    let digest = Digest::of(&canonical_json(&serde_json::to_value(&**model).unwrap_or_default()));
    let job = IndexJob { registry: Arc::clone(registry), model: Arc::clone(model), digest, inputs };
    let index = graph.add_node(Node { id: "index".to_owned(), kind: Kind::Index, job: Box::new(job) });
    graph.add_edge(composite, index, ());
    Plan { graph, index }
}

fn surfaces(
    graph: &mut Graph,
    by_id: &BTreeMap<String, NodeIndex>,
    model: &Model,
    parts: &mut Vec<NodeIndex>,
) {
    for server in &model.servers {
        let surface = Surface {
            plugin: &model.plugin,
            server,
            root_layout: model.root_layout.as_ref(),
            providers: &model.providers,
        };
        let Some(request) = surface.request() else { continue };
        let job = SurfaceJob { path: server.entry_path(), request };
        let id = format!("surface:mcp:{}", server.name);
        let node = graph.add_node(Node { id, kind: Kind::Surface, job: Box::new(job) });
        let modules = match &server.launch {
            Launch::Generated { routes, layout } => {
                let shared = model.root_layout.iter().chain(&model.providers);
                routes.iter().chain(layout.as_ref()).chain(shared).collect()
            }
            Launch::Entry { module } => vec![module],
            Launch::Command { .. } | Launch::Remote { .. } => Vec::new(),
        };
        // The bundle reads the modules itself; the edges say that a module that cannot be extracted is not bundled.
        for module in modules {
            let id = match module.kind {
                ModuleKind::Layout | ModuleKind::Provider => module.id.clone(),
                _ => format!("route:{}", module.id),
            };
            if let Some(input) = by_id.get(&id) {
                graph.add_edge(*input, node, ());
            }
        }
        parts.push(node);
    }
}

fn documents(
    graph: &mut Graph,
    by_id: &BTreeMap<String, NodeIndex>,
    model: &Model,
    registry: &Arc<Registry>,
    slices: &BTreeMap<String, Slice>,
    parts: &mut Vec<NodeIndex>,
) {
    // What cannot be read is not lowered: a host would only complain of what is missing then.
    let mut add = |id: String, facts: &str, job: Box<dyn crate::engine::Job>| {
        let node = graph.add_node(Node { id, kind: Kind::Document, job });
        if let Some(facts) = by_id.get(facts) {
            graph.add_edge(*facts, node, ());
        }
        parts.push(node);
    };
    for skill in &model.skills {
        let outputs = skill_outputs(registry, model, slices, skill);
        let job = SkillJob { registry: Arc::clone(registry), skill: skill.clone(), outputs };
        let facts = format!("document:skill-facts:{}", skill.directory);
        add(format!("document:skill:{}", skill.name), &facts, Box::new(job));
    }
    for (kind, list) in [(DocumentKind::Command, &model.commands), (DocumentKind::Rule, &model.rules)] {
        for document in list {
            let Some(hosts) = hosts_of(registry, model, kind, document) else { continue };
            let job = DocumentJob { registry: Arc::clone(registry), kind, document: document.clone(), hosts };
            let facts = format!("document:{}-facts:{}", kind.word(), document.name);
            add(format!("document:{}:{}", kind.word(), document.name), &facts, Box::new(job));
        }
    }
    let mut assets: BTreeMap<String, String> =
        model.assets.iter().map(|path| (path.clone(), path.clone())).collect();
    if let (Some(path), Some(source)) = (logo_path(model), &model.plugin.logo) {
        assets.insert(path, source.clone());
    }
    if !assets.is_empty() {
        add("document:assets".to_owned(), "", Box::new(AssetsJob(assets)));
    }
}

/// The hosts that take a document; `None` where no selected one does.
fn hosts_of(
    registry: &Registry,
    model: &Model,
    kind: DocumentKind,
    document: &Document,
) -> Option<Vec<String>> {
    let hosts: Vec<String> = document_hosts(registry, model, kind, document)
        .into_iter()
        .map(|target| target.name().to_owned())
        .collect();
    (!hosts.is_empty()).then_some(hosts)
}
