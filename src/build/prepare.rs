//! From a root to a model: manifest, discovery, extraction, assembly. Runs nothing of the project.

use crate::diagnostic::{Code, Diagnostic, Severity, has_errors};
use crate::discover::{Inventory, discover, pointer};
use crate::engine::{Engine, Graph, NodeIndex, NodeRun};
use crate::manifest::{self, Manifest, Package};
use crate::model::Model;
use crate::plan::{Assembly, assemble, module_nodes};
use crate::target::{Places, Registry, check_selection_in};
use crate::workspace::plugin::Drawn;
use crate::world::{Observations, Recorder, World};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What preparation found.
pub struct Prepared {
    /// The manifest, when it could be read.
    pub manifest: Option<Manifest>,
    /// The inventory.
    pub inventory: Inventory,
    /// The model, when there is one; with errors among the findings it is for looking at only.
    pub model: Option<Model>,
    /// Known hosts.
    pub registry: Arc<Registry>,
    /// The extraction nodes.
    pub graph: Graph,
    /// Their runs.
    pub done: BTreeMap<NodeIndex, NodeRun>,
    /// What was asked of the world outside of nodes.
    pub observations: Observations,
    /// Project files read outside of nodes, besides the manifest and `package.json`.
    pub extra_sources: BTreeSet<String>,
    /// Findings outside of nodes.
    pub diagnostics: Vec<Diagnostic>,
}

/// Root-relative path of what says what is built: the manifest, or the document beside its root.
pub(super) fn config_path(document: Option<&Drawn>, manifest: Option<&Manifest>) -> String {
    match (document, manifest) {
        (Some(drawn), _) => format!("../{}", drawn.file),
        (None, manifest) => manifest.map_or(manifest::MANIFEST_FILE, |manifest| manifest.file).to_owned(),
    }
}

/// Prepares the project of `engine`. `document` stands in for a manifest and everything beside it; `targets` replaces the
/// manifest's selection; `named` hears the plugin's name before the first node runs.
pub fn prepare(
    engine: &Engine,
    document: Option<&Drawn>,
    targets: Option<&[String]>,
    named: &dyn Fn(&str),
) -> Prepared {
    let recorder = Recorder::new(Arc::clone(&engine.world), Arc::clone(&engine.root));
    let mut prepared = Prepared {
        manifest: None,
        inventory: Inventory::default(),
        model: None,
        registry: Arc::new(Registry::builtin()),
        graph: Graph::new(),
        done: BTreeMap::new(),
        observations: Observations::new(),
        extra_sources: BTreeSet::new(),
        diagnostics: Vec::new(),
    };
    let manifest = match document {
        None => manifest::load(&recorder, &engine.root),
        Some(drawn) => {
            // Read when it was opened; asked for again so that the build is known to depend on it.
            drop(recorder.digest(&engine.root.absolute(&config_path(document, None))));
            Ok(drawn.manifest.clone())
        }
    };
    match manifest {
        Ok(manifest) => {
            named(&manifest.data.plugin.name);
            prepared.diagnostics.extend(manifest::shadowed_config(&recorder, &engine.root, &manifest));
            read_project(&mut prepared, engine, &recorder, manifest, (document, targets));
        }
        Err(diagnostics) => prepared.diagnostics = diagnostics,
    }
    prepared.observations = recorder.observations();
    prepared
}

fn read_project(
    prepared: &mut Prepared,
    engine: &Engine,
    recorder: &Recorder,
    manifest: Manifest,
    (document, targets): (Option<&Drawn>, Option<&[String]>),
) {
    let root = &engine.root;
    let definitions = &manifest.data.target_definitions;
    if !definitions.is_empty() {
        let (registry, found) = Registry::builtin().with_definitions(recorder, root, definitions);
        prepared.registry = Arc::new(registry);
        let placed = |one: Diagnostic| {
            let host = one.target.clone().unwrap_or_default();
            let span = manifest.span(&pointer("/target-definitions", &host));
            one.with_span(span)
        };
        prepared.diagnostics.extend(found.into_iter().map(placed));
    }
    let (package, mut of_package) = match document {
        None => manifest::load_package(recorder, root),
        Some(drawn) => {
            prepared.diagnostics.extend(drawn.diagnostics.iter().cloned());
            (Package { version: Some(drawn.version.clone()), ..Package::default() }, Vec::new())
        }
    };
    let (identity, mut of_identity) = manifest::identity(&manifest, &package, recorder, root);
    // Without another version what keeps the package's from being used is what stops the build.
    if let Some(unusable) = of_package.iter_mut().find(|one| matches!(one.code, Code::AB4010 | Code::AB4011))
        && of_identity.iter().any(|one| one.code == Code::AB4013)
    {
        unusable.severity = Severity::Error;
        of_identity.retain(|one| one.code != Code::AB4013);
    }
    prepared.diagnostics.extend(of_package.into_iter().chain(of_identity));
    prepared.diagnostics.extend(manifest::undeclared_dependencies(&manifest, &package));
    let (inventory, found) = discover(recorder, root, &manifest);
    prepared.diagnostics.extend(found);
    prepared.graph = module_nodes(&manifest, &inventory);
    engine.run(&prepared.graph, &mut prepared.done);
    let facts = prepared.done.values().filter(|run| !run.output.failed());
    let facts = facts.map(|run| (run.id.clone(), run.output.value.clone())).collect();
    let (model, found) = assemble(&Assembly {
        manifest: &manifest,
        identity,
        inventory: &inventory,
        facts: &facts,
        targets: targets.map(<[String]>::to_vec),
        hosts: prepared.registry.names().map(str::to_owned).collect(),
        source: &|path| recorder.read(&root.absolute(path)).ok(),
    });
    prepared.diagnostics.extend(found);
    let failed = prepared.done.values().any(|run| run.output.failed()) || has_errors(&prepared.diagnostics);
    let selection = check_selection_in(
        &prepared.registry,
        &model,
        &Places { manifest: Some(&manifest), source: &|path| recorder.read(&root.absolute(path)).ok() },
    );
    // A host's rules over half a model would only report consequences.
    let tell = |one: &Diagnostic| match &one.code {
        // A host whose definition cannot be used has a finding of its own.
        Code::AB4100 => {
            one.target.as_ref().is_none_or(|host| !manifest.data.target_definitions.contains_key(host))
        }
        _ => !failed,
    };
    prepared.diagnostics.extend(selection.into_iter().filter(tell));
    prepared.model = Some(model);
    prepared.inventory = inventory;
    prepared.manifest = Some(manifest);
}
