//! One build under the project's lock: the fast path, else the graph.

use super::keep::{load_history, save_history};
use super::pool::on_pool;
use super::report::{BuildReport, Drift, NodeReport};
use super::{
    Hooks, Opened, ProjectLock, Settings, config_path, declarations, output_path, prepare, tool_fingerprint,
    write_declarations,
};
use crate::artifact::{INDEX_FILE, Index, PublishError, publish};
use crate::cache::Store;
use crate::diagnostic::{Code, Diagnostic, has_errors, normalize};
use crate::engine::{
    Blobs, Engine, Freshness, Graph, History, LastBuild, Memory, NodeIndex, NodeRun, OutputState,
    Surroundings, pack_traces, record_nodes, record_states, record_traces,
};
use crate::manifest::{Manifest, output_directory};
use crate::plan::{IndexInputs, plan_model};
use crate::workspace::plugin::Drawn;
use crate::world::{Digest, Digester, Observations, OsWorld, Root, Snapshot, World};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// Builds. Where everything that the last build used and wrote is as it was, that build's report comes back.
pub(super) fn run(
    settings: &Settings,
    opened: &Opened,
    lock: &ProjectLock,
    hooks: Hooks,
    started: Instant,
) -> BuildReport {
    let (world, root) = (Arc::clone(&opened.world), &Arc::new(opened.root.clone()));
    let history = load_history(root);
    let wanted = settings.digest();
    if let Some(last) = history.build(&wanted).filter(|_| !settings.passing) {
        let fresh = Freshness { world: &world, root, hash: settings.hash };
        if fresh.check(last).is_ok() {
            return BuildReport::unchanged(last);
        }
    }
    let store = settings.store.as_ref().map(|directory| Store::new(directory, world.as_ref()));
    let mut build = Build {
        settings,
        document: opened.document.as_ref(),
        root: Arc::clone(root),
        snapshot: Arc::new(Snapshot::new(world)),
        store: store.as_ref(),
        blobs: Blobs::default(),
        graph: Graph::new(),
        done: BTreeMap::new(),
        prepared: Observations::new(),
        emitted: BTreeMap::new(),
        report: BuildReport::default(),
    };
    let memory = build.memory(&history, &wanted);
    on_pool(settings.jobs, || build.execute(&memory, hooks, started));
    build.remember(memory, &history, wanted, lock.taken());
    if let Some(store) = &store {
        store.prune_if_due();
    }
    build.report
}

struct Build<'a> {
    settings: &'a Settings,
    document: Option<&'a Drawn>,
    root: Arc<Root>,
    snapshot: Arc<Snapshot>,
    store: Option<&'a Store>,
    blobs: Blobs,
    graph: Graph,
    done: BTreeMap<NodeIndex, NodeRun>,
    /// What preparation asked of the world outside of nodes.
    prepared: Observations,
    /// Content of every file of the artifact.
    emitted: BTreeMap<String, Digest>,
    report: BuildReport,
}

impl<'a> Build<'a> {
    fn memory<'h>(&self, history: &'h History, wanted: &Digest) -> Memory<'h>
    where
        'a: 'h,
    {
        let around = Surroundings {
            snapshot: Arc::clone(&self.snapshot),
            root: Arc::clone(&self.root),
            store: self.store,
            hash: self.settings.hash,
        };
        Memory::new(history.traces().unwrap_or_default(), history.build(wanted), around)
    }

    fn execute(&mut self, memory: &Memory, hooks: Hooks, started: Instant) {
        let engine = Engine {
            world: Arc::clone(&self.snapshot) as Arc<dyn World>,
            root: Arc::clone(&self.root),
            tool: tool_fingerprint(),
            blobs: &self.blobs,
            recall: memory,
            progress: hooks.progress,
            started,
        };
        let prepared = prepare(&engine, self.document, self.settings.targets.as_deref(), &|plugin| {
            memory.set_record(record_key(plugin));
        });
        self.report.diagnostics.extend(prepared.diagnostics);
        self.prepared = prepared.observations;
        (self.graph, self.done) = (prepared.graph, prepared.done);
        let output = prepared.manifest.as_ref().and_then(|manifest| {
            output_directory(manifest, self.settings.output.as_deref(), self.snapshot.as_ref(), &self.root)
                .map_err(|diagnostic| self.report.diagnostics.push(*diagnostic))
                .ok()
        });
        let mut index = None;
        if let Some((model, output)) = prepared.model.zip(output) {
            self.report.plugin = Some(model.plugin.name.clone());
            self.report.targets.clone_from(&model.targets);
            self.report.output = Some(output);
            if !has_errors(&self.report.diagnostics) && !self.done.values().any(|run| run.output.failed()) {
                let model = Arc::new(model);
                // The bundler reads `.agent-bundle/tsconfig.json`, so the declarations come before the surfaces.
                let mut editor = declarations(&model);
                // A document has no modules, so an editor needs nothing.
                editor.retain(|path, _| self.document.is_none() || path == ".gitignore");
                write_declarations(&self.root, &editor, &mut self.report.diagnostics);
                let config = config_path(self.document, prepared.manifest.as_ref());
                let inputs = IndexInputs { config, extra_sources: prepared.extra_sources };
                let plan = plan_model(std::mem::take(&mut self.graph), &model, &prepared.registry, inputs);
                engine.run(&plan.graph, &mut self.done);
                self.graph = plan.graph;
                index = Some(plan.index);
            }
        }
        self.collect(prepared.manifest.as_ref());
        if let Some(index) = index.filter(|_| !has_errors(&self.report.diagnostics)) {
            self.publish(index, memory);
        }
        normalize(&mut self.report.diagnostics);
    }

    /// Nodes and their findings into the report.
    fn collect(&mut self, manifest: Option<&Manifest>) {
        let own = |one: &Diagnostic| match manifest {
            Some(manifest) => manifest.own(one.clone()),
            None => one.clone(),
        };
        for run in self.done.values() {
            self.report.diagnostics.extend(run.output.diagnostics.iter().map(own));
            self.report.nodes.push(NodeReport::new(run));
        }
        self.report.nodes.sort_by(|a, b| a.id.cmp(&b.id));
    }

    fn publish(&mut self, index: NodeIndex, memory: &Memory) {
        let Some(index) = self.done.get(&index) else { return };
        let files: BTreeMap<String, Digest> =
            index.output.files.iter().map(|(path, file)| (path.clone(), file.digest)).collect();
        self.report.files = files.keys().cloned().collect();
        let directory = output_path(&self.root, self.report.output.as_deref().unwrap_or_default());
        if self.settings.check {
            self.report.drift = Some(drift(&directory, &files));
            return;
        }
        let known = |path: &str| memory.known_output(&self.root.relative(&directory.join(path)));
        let content = |digest: &Digest| self.blobs.get(digest).or_else(|| memory.bytes(digest).map(Arc::new));
        match publish(&directory, &files, &known, &content) {
            Ok(published) => (self.report.published, self.emitted) = (published, files),
            Err(error) => self.report.diagnostics.push(publish_problem(&self.root, error)),
        }
    }

    /// Keeps what the next build needs: blobs and traces in the store, traces and the last build in the project.
    fn remember(&self, memory: Memory, history: &History, wanted: Digest, started: i64) {
        if self.settings.check {
            return;
        }
        let traces = record_traces(&memory.into_traces(), &self.done);
        let packed = pack_traces(&traces);
        if let (Some(store), Some(plugin)) = (self.store, &self.report.plugin) {
            for file in self.done.values().flat_map(|run| run.output.files.values()) {
                if let Some(bytes) = self.blobs.get(&file.digest) {
                    store.put(&file.digest, &bytes);
                }
            }
            store.put_record(&record_key(plugin), &packed);
        }
        let mut history = history.clone();
        let builds = match self.last_build(wanted, started) {
            Some(last) => history.with(last),
            None => std::mem::take(&mut history.builds),
        };
        save_history(&self.root, &builds, &packed);
    }

    /// The record of a build that succeeded.
    fn last_build(&self, settings: Digest, started: i64) -> Option<LastBuild> {
        if !self.report.succeeded() || self.settings.passing {
            return None;
        }
        let output = self.report.output.clone()?;
        let directory = output_path(&self.root, &output);
        let state = |(path, digest): (&String, &Digest)| {
            let path = directory.join(path);
            let stamp = OsWorld.symlink_metadata(&path).ok()?.stamp;
            Some(OutputState { path: self.root.relative(&path), digest: *digest, stamp })
        };
        let outputs = self.emitted.iter().map(state).collect::<Option<Vec<_>>>()?;
        let observations = self.done.values().map(|run| &run.observations).chain([&self.prepared]);
        let states = record_states(observations, &self.snapshot, &self.root);
        let early: BTreeSet<&String> = self.prepared.keys().map(|(path, _)| path).collect();
        let prepared = states.iter().enumerate().filter(|(_, state)| early.contains(&state.path));
        Some(LastBuild {
            settings,
            started,
            prepared: prepared.map(|(at, _)| at as u32).collect(),
            states,
            outputs,
            plugin: self.report.plugin.clone()?,
            output,
            targets: self.report.targets.clone(),
            files: self.report.files.clone(),
            nodes: record_nodes(&self.graph, &self.done),
            diagnostics: serde_json::to_string(&self.report.diagnostics).unwrap_or_default(),
        })
    }
}

/// Where builds of one plugin keep their traces for each other.
fn record_key(plugin: &str) -> Digest {
    let mut digester = Digester::new("agent-bundle traces 1");
    digester.field(&tool_fingerprint().0).field(plugin.as_bytes());
    digester.finish()
}

/// How the artifact on disk differs from `files`.
fn drift(directory: &Path, files: &BTreeMap<String, Digest>) -> Vec<Drift> {
    let on_disk = |path: &str| OsWorld.digest(&directory.join(path)).ok();
    let mut drift: Vec<Drift> = files
        .iter()
        .filter_map(|(path, digest)| match on_disk(path) {
            Some(found) if found == *digest => None,
            Some(_) => Some(Drift { path: path.clone(), change: "changed" }),
            None => Some(Drift { path: path.clone(), change: "missing" }),
        })
        .collect();
    let index =
        OsWorld.read(&directory.join(INDEX_FILE)).ok().and_then(|bytes| Index::from_bytes(&bytes).ok());
    let owned = index.into_iter().flat_map(|index| index.files).map(|row| row.path);
    drift.extend(
        owned
            .filter(|path| !files.contains_key(path) && on_disk(path).is_some())
            .map(|path| Drift { path, change: "left over" }),
    );
    drift.sort_by(|a, b| a.path.cmp(&b.path));
    drift
}

fn publish_problem(root: &Root, error: PublishError) -> Diagnostic {
    match error {
        PublishError::Io { path, error } => {
            let path = root.relative(&path);
            let help = match error.kind() {
                std::io::ErrorKind::StorageFull => "the disk is full: make room and build again",
                std::io::ErrorKind::PermissionDenied => {
                    "allow writing there, or choose another output with --output"
                }
                _ => "check that the place can be written",
            };
            Diagnostic::new(Code::AB5001, format!("{path} cannot be written: {error}")).help(help)
        }
        PublishError::Foreign { path } => {
            let path = root.relative(&path);
            let message = format!("{path} is in the way, and this tool did not write it");
            Diagnostic::new(Code::AB5002, message)
        }
        PublishError::Missing { path } => {
            Diagnostic::new(Code::AB5000, format!("the content of {path} was lost during the build"))
        }
    }
}
