//! The pipeline: settings in, a published artifact and a report out. Each step is a room; this one only puts them in
//! a row.

mod depfile;
mod inspection;
mod keep;
mod lock;
mod open;
mod pool;
mod prepare;
mod projects;
mod report;
mod run;
mod types;

pub use depfile::{DepfileFormat, depfile};
pub use inspection::Inspection;
pub use keep::{INDEX_PATH, load_history};
pub use lock::{LockError, ProjectLock};
pub use open::{build_directory, place};
pub use prepare::{Prepared, prepare};
pub use projects::{MemberReport, ProjectsReport, build_projects};
pub use report::{BuildReport, Drift, NodeReport};
pub use types::{declarations, write_declarations};

use crate::artifact::check_artifact;
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::NodeRun;
use crate::world::{Digest, Root, World, is_dir};
use open::Opened;
use prepare::config_path;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What a build is asked to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Project directory, or the document of a setup bundle.
    pub root: PathBuf,
    /// Hosts, when not the manifest's.
    pub targets: Option<Vec<String>>,
    /// Output directory, when not the manifest's: relative to the root, or absolute.
    pub output: Option<String>,
    /// Trust no stamp: hash every file.
    pub hash: bool,
    /// The shared store; `None` for none.
    pub store: Option<PathBuf>,
    /// Threads; 0 for one a core.
    pub jobs: usize,
    /// Compare instead of publishing.
    pub check: bool,
    /// The output is for the moment; the build is not remembered as the last one.
    pub passing: bool,
}

impl Settings {
    /// Identity of what is asked for: builds with equal digests of unchanged projects give the same artifact in the
    /// same place.
    fn digest(&self) -> Digest {
        let mut digester = crate::world::Digester::new("agent-bundle settings 1");
        digester.field(self.output.as_deref().unwrap_or_default().as_bytes());
        digester.field(&[u8::from(self.output.is_some()), u8::from(self.targets.is_some())]);
        let mut targets = self.targets.clone().unwrap_or_default();
        targets.sort();
        targets.dedup();
        for target in targets {
            digester.field(target.as_bytes());
        }
        digester.finish()
    }
}

/// What a caller hears while a build runs.
#[derive(Clone, Copy)]
pub struct Hooks<'a> {
    /// A node finished.
    pub progress: &'a (dyn Fn(&NodeRun) + Sync),
    /// Another build of the project holds the lock; its owner as it describes itself.
    pub waiting: &'a (dyn Fn(&str) + Sync),
}

/// Builds and publishes. Two builds of one project wait for each other.
pub fn build(settings: &Settings, world: Arc<dyn World>, hooks: Hooks) -> BuildReport {
    let started = Instant::now();
    let mut report = match begin(settings, world, hooks) {
        Ok((opened, lock)) => {
            let mut report = run::run(settings, &opened, &lock, hooks, started);
            opened.placed(&mut report.diagnostics);
            report
        }
        Err(diagnostics) => BuildReport { diagnostics, ..BuildReport::default() },
    };
    report.stop(started);
    report
}

fn begin(
    settings: &Settings,
    world: Arc<dyn World>,
    hooks: Hooks,
) -> Result<(Opened, ProjectLock), Vec<Diagnostic>> {
    let opened = Opened::new(&settings.root, world)?;
    let lock = ProjectLock::take(&opened.root, hooks.waiting).map_err(|error| {
        let message = format!("{} cannot be written: {}", opened.root.relative(&error.path), error.error);
        vec![Diagnostic::new(Code::AB5001, message)]
    })?;
    Ok((opened, lock))
}

/// The absolute output directory.
pub fn output_path(root: &Root, output: &str) -> PathBuf {
    if Path::new(output).is_absolute() { PathBuf::from(output) } else { root.absolute(output) }
}

/// The project root, with links resolved; of a setup bundle, the directory beside it that holds its build.
pub fn open_root(path: &Path, world: &dyn World) -> Result<Root, Box<Diagnostic>> {
    if let Some(root) = open::document_root(path, world) {
        return Ok(Root::new(root));
    }
    let missing = |what: &str| {
        let message = format!("{} {what}", path.display());
        Box::new(
            Diagnostic::new(Code::AB5005, message)
                .help("name a directory that holds agent-bundle.toml or agent-bundle.config.ts"),
        )
    };
    if !is_dir(world, path) {
        return Err(missing("is not a directory"));
    }
    world.canonicalize(path).map(Root::new).map_err(|error| missing(&format!("cannot be opened: {error}")))
}

/// What every key depends on: this program as a whole.
pub fn tool_fingerprint() -> Digest {
    static FINGERPRINT: std::sync::OnceLock<Digest> = std::sync::OnceLock::new();
    *FINGERPRINT.get_or_init(|| {
        let mut digester = crate::world::Digester::new("agent-bundle tool 1");
        digester.field(env!("CARGO_PKG_VERSION").as_bytes()).field(crate::compile::BUNDLER.as_bytes());
        digester.field(env!("AGENT_BUNDLE_SOURCES").as_bytes());
        digester.finish()
    })
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
