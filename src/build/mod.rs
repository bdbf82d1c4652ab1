//! The pipeline: settings in, a published artifact and a report out. Each step is a room; this one only puts them in
//! a row.

mod inspection;
mod lock;
mod prepare;
mod report;
mod types;

pub use inspection::Inspection;
pub use lock::{LockError, ProjectLock};
pub use prepare::{Prepared, prepare};
pub use report::{BuildReport, NodeReport};
pub use types::{declarations, write_declarations};

use crate::artifact::{INDEX_FILE, PublishError, check_artifact, publish};
use crate::diagnostic::{Code, Diagnostic, has_errors, normalize};
use crate::engine::{Blobs, Engine, NodeRun, Outcome, Output, Recall};
use crate::manifest::output_directory;
use crate::plan::{IndexInputs, Plan, plan_model};
use crate::world::{Digest, Observations, Root, Snapshot, World, is_dir};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What a build is asked to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Project directory.
    pub root: PathBuf,
    /// Hosts, when not the manifest's.
    pub targets: Option<Vec<String>>,
    /// Output directory, when not the manifest's: relative to the root, or absolute.
    pub output: Option<String>,
}

/// Hears of each node that finished.
pub type Progress<'a> = &'a (dyn Fn(&NodeRun) + Sync);

/// Builds and publishes.
pub fn build(settings: &Settings, world: Arc<dyn World>, progress: Progress) -> BuildReport {
    let started = Instant::now();
    let mut build = match Build::begin(settings, world, started) {
        Ok(build) => build,
        Err(diagnostics) => return BuildReport::failed(diagnostics, started),
    };
    build.run(progress);
    build.report
}

/// One build on its way.
struct Build {
    root: Arc<Root>,
    world: Arc<Snapshot>,
    report: BuildReport,
    started: Instant,
    settings: Settings,
}

/// No memory: everything runs.
struct Forgetful;

impl Recall for Forgetful {
    fn recall(&self, _id: &str, _key: &Digest) -> Result<(Arc<Output>, Observations, Outcome), String> {
        Err("no earlier build is known".to_owned())
    }
}

impl Build {
    fn begin(settings: &Settings, world: Arc<dyn World>, started: Instant) -> Result<Self, Vec<Diagnostic>> {
        let root = open_root(&settings.root, world.as_ref()).map_err(|error| vec![*error])?;
        Ok(Self {
            root: Arc::new(root),
            world: Arc::new(Snapshot::new(world)),
            report: BuildReport::default(),
            started,
            settings: settings.clone(),
        })
    }

    fn run(&mut self, progress: Progress) {
        let blobs = Blobs::default();
        let engine = Engine {
            world: Arc::clone(&self.world) as Arc<dyn World>,
            root: Arc::clone(&self.root),
            tool: tool_fingerprint(),
            blobs: &blobs,
            recall: &Forgetful,
            progress,
            started: self.started,
        };
        let prepared = prepare(&engine, self.settings.targets.as_deref());
        self.report.diagnostics.extend(prepared.diagnostics);
        let mut done = prepared.done;
        let output = prepared.manifest.as_ref().map(|manifest| {
            output_directory(manifest, self.settings.output.as_deref(), self.world.as_ref(), &self.root)
                .map_err(|diagnostic| self.report.diagnostics.push(diagnostic))
        });
        if let (Some(model), Some(Ok(output))) = (prepared.model, output) {
            self.report.plugin = Some(model.plugin.name.clone());
            self.report.targets = model.targets.clone();
            self.report.output = Some(output.clone());
            if !has_errors(&self.report.diagnostics) {
                let model = Arc::new(model);
                write_declarations(&self.root, &declarations(&model), &mut self.report.diagnostics);
                let inputs = IndexInputs { extra_sources: prepared.extra_sources };
                let plan = plan_model(prepared.graph, &model, &prepared.registry, inputs);
                engine.run(&plan.graph, &mut done);
                self.collect(&done);
                if !has_errors(&self.report.diagnostics) {
                    self.publish(&plan, &done, &blobs, &output);
                }
                return normalize(&mut self.report.diagnostics);
            }
        }
        self.collect(&done);
        normalize(&mut self.report.diagnostics);
    }

    /// Nodes and their findings into the report.
    fn collect(&mut self, done: &BTreeMap<crate::engine::NodeIndex, NodeRun>) {
        for run in done.values() {
            self.report.diagnostics.extend(run.output.diagnostics.iter().cloned());
            self.report.nodes.push(NodeReport::new(run));
        }
        self.report.nodes.sort_by(|a, b| a.id.cmp(&b.id));
    }

    fn publish(
        &mut self,
        plan: &Plan,
        done: &BTreeMap<crate::engine::NodeIndex, NodeRun>,
        blobs: &Blobs,
        output: &str,
    ) {
        let Some(index) = done.get(&plan.index) else { return };
        let files: BTreeMap<String, Digest> =
            index.output.files.iter().map(|(path, file)| (path.clone(), file.digest)).collect();
        self.report.files = files.keys().cloned().collect();
        let directory = output_path(&self.root, output);
        match publish(&directory, &files, &|digest| blobs.get(digest)) {
            Ok(published) => self.report.published = published,
            Err(error) => self.report.diagnostics.push(publish_problem(&self.root, error)),
        }
    }
}

/// The absolute output directory.
pub fn output_path(root: &Root, output: &str) -> PathBuf {
    if Path::new(output).is_absolute() { PathBuf::from(output) } else { root.absolute(output) }
}

/// The project root, with links resolved.
pub fn open_root(path: &Path, world: &dyn World) -> Result<Root, Box<Diagnostic>> {
    let missing = |what: &str| {
        let message = format!("{} {what}", path.display());
        Box::new(Diagnostic::new(Code::AB5005, message).help("name a directory that holds agent-bundle.toml"))
    };
    if !is_dir(world, path) {
        return Err(missing("is not a directory"));
    }
    world.canonicalize(path).map(Root::new).map_err(|error| missing(&format!("cannot be opened: {error}")))
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

/// What every key depends on: this program as a whole.
fn tool_fingerprint() -> Digest {
    let mut digester = crate::world::Digester::new("agent-bundle tool 1");
    digester.field(env!("CARGO_PKG_VERSION").as_bytes()).field(crate::compile::BUNDLER.as_bytes());
    for role in crate::compile::runtime().roles() {
        digester.field(role.file.as_bytes());
    }
    digester.finish()
}

/// Validates the artifact at `directory` against the built-in hosts.
pub fn validate_artifact(world: &dyn World, directory: &Path) -> Vec<Diagnostic> {
    let registry = crate::target::Registry::builtin();
    let (_, found) = check_artifact(world, directory, &|host, role, bytes| match registry.get(host) {
        Some(target) => crate::target::validate_document(target, role, bytes),
        // A host that a project defined brings its own schemas; the artifact does not carry them.
        None => Vec::new(),
    });
    found
}

/// Whether `directory` holds an artifact.
pub fn is_artifact(world: &dyn World, directory: &Path) -> bool {
    crate::world::is_file(world, &directory.join(INDEX_FILE))
}
