//! Other programs on the same work: installed once into the user's cache, pinned by a lockfile.

use super::generate::{Project, write};
use super::measure::Job;
use super::sources::{Dialect, Revision};
use crate::root;
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files that say what is installed.
const FILES: [&str; 4] = ["package.json", "package-lock.json", ".npmrc", "rolldown.mjs"];

/// The packages of all peers, in one directory. Synthetic projects lie below it, so that they find them.
#[derive(Debug, Clone)]
pub struct Peers {
    /// Holds `node_modules`.
    pub directory: PathBuf,
}

/// Who is measured beside this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Peer {
    /// esbuild's native program, without the Node.js script around it.
    Esbuild,
    /// rolldown as a library of Node.js.
    Rolldown,
    /// xmcp, which knows tools as files.
    Xmcp,
    /// turbo's native program, with an esbuild build as its task.
    Turbo,
}

impl Peers {
    /// Installs the packages unless that was done before.
    pub fn install() -> Result<Self, String> {
        let source = root().join("xtask/bench-peers");
        let mut hasher = DefaultHasher::new();
        for file in FILES {
            fs::read(source.join(file)).map_err(|error| format!("{file}: {error}"))?.hash(&mut hasher);
        }
        let directory = cache_directory()?.join(format!("peers-{:016x}", hasher.finish()));
        if !directory.join("complete").exists() {
            fs::create_dir_all(&directory).map_err(|error| format!("{}: {error}", directory.display()))?;
            for file in FILES {
                fs::copy(source.join(file), directory.join(file)).map_err(|error| error.to_string())?;
            }
            eprintln!("installing the peers into {}", directory.display());
            // Not `npm ci`: it refuses a lock without the optional packages of other platforms.
            let npm = Command::new("npm")
                .args(["install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund"])
                .current_dir(&directory)
                .output()
                .map_err(|error| format!("npm cannot be started: {error}"))?;
            if !npm.status.success() {
                let why = String::from_utf8_lossy(&npm.stderr);
                return Err(format!(
                    "npm could not install them: {}",
                    why.lines().next().unwrap_or_default()
                ));
            }
            write(&directory.join("complete"), "")?;
        }
        Ok(Self { directory })
    }

    /// A package's directory.
    pub fn package(&self, name: &str) -> PathBuf {
        self.directory.join("node_modules").join(name)
    }

    /// The installed version of a package.
    pub fn version(&self, name: &str) -> Option<String> {
        let text = fs::read(self.package(name).join("package.json")).ok()?;
        let package: serde_json::Value = serde_json::from_slice(&text).ok()?;
        Some(package["version"].as_str()?.to_owned())
    }

    fn esbuild(&self) -> PathBuf {
        let platform = format!("{}-{}", node_system(), node_architecture());
        self.package(&format!("@esbuild/{platform}")).join("bin/esbuild")
    }

    fn turbo(&self) -> PathBuf {
        let architecture = if cfg!(target_arch = "x86_64") { "64" } else { "arm64" };
        self.package(&format!("@turbo/{}-{architecture}", node_system())).join("bin/turbo")
    }
}

const ESBUILD: [&str; 6] = [
    "src/server.ts",
    "--bundle",
    "--platform=node",
    "--format=cjs",
    "--outfile=dist/server.js",
    "--log-level=warning",
];

impl Peer {
    /// Name of its package, which the rows show.
    pub fn name(self) -> &'static str {
        match self {
            Self::Esbuild => "esbuild",
            Self::Rolldown => "rolldown",
            Self::Xmcp => "xmcp",
            Self::Turbo => "turbo",
        }
    }

    /// Writes its project below `work`.
    pub fn prepare(self, peers: &Peers, work: &Path, tools: usize) -> Result<Project, String> {
        let directory = work.join(format!("{}-{tools}", self.name()));
        let project = Project { root: directory, dialect: Dialect::Plain, tools };
        project.write("weights")?;
        match self {
            Self::Xmcp => write(&project.root.join("xmcp.config.ts"), XMCP_CONFIG)?,
            Self::Turbo => {
                write(&project.root.join("turbo.json"), TURBO_CONFIG)?;
                let build = format!("{} {}", peers.esbuild().display(), ESBUILD.join(" "));
                let package = serde_json::json!({
                    "name": "weights", "version": "1.0.0", "private": true, "type": "module",
                    "packageManager": "npm@10.0.0", "scripts": { "build": build },
                });
                write(&project.root.join("package.json"), &package.to_string())?;
                write(&project.root.join("package-lock.json"), TURBO_LOCK)?;
            }
            Self::Esbuild | Self::Rolldown => {}
        }
        if let Some(program) = self.job(peers, &project).missing() {
            return Err(format!("its packages hold no `{program}` for this platform"));
        }
        Ok(project)
    }

    /// A build of it.
    pub fn job(self, peers: &Peers, project: &Project) -> Job {
        let script = |path: PathBuf, arguments: &[&str]| {
            let path = path.display().to_string();
            Job::new("node", &[&[path.as_str()], arguments].concat(), &project.root)
        };
        match self {
            Self::Esbuild => Job::new(peers.esbuild(), &ESBUILD, &project.root),
            Self::Rolldown => script(peers.directory.join("rolldown.mjs"), &[]),
            Self::Xmcp => script(peers.package("@xmcp-dev/compiler").join("dist/cli.js"), &["build"]),
            Self::Turbo => {
                let mut job = Job::new(peers.turbo(), &["run", "build", "--no-daemon"], &project.root);
                job.environment.push(("TURBO_TELEMETRY_DISABLED", "1".to_owned()));
                job
            }
        }
    }

    /// Edits the project as a round does.
    pub fn edit(self, project: &Project, round: u32) -> Result<(), String> {
        project.edit(Revision { handler: round, ..Revision::default() })
    }
}

/// One call of esbuild for all projects of a workspace: an entry and a bundle each.
pub fn esbuild_many(peers: &Peers, work: &Path, projects: usize, tools: usize) -> Result<Job, String> {
    let root = work.join(format!("esbuild-{projects}x{tools}"));
    let mut entries = Vec::new();
    for number in 0..projects {
        let directory = format!("plugins/weights-{number:03}");
        Project { root: root.join(&directory), dialect: Dialect::Plain, tools }.write("weights")?;
        entries.push(format!("{directory}/src/server.ts"));
    }
    let options = ["--bundle", "--platform=node", "--format=cjs", "--outdir=dist", "--log-level=warning"];
    let arguments: Vec<&str> = entries.iter().map(String::as_str).chain(options).collect();
    Ok(Job::new(peers.esbuild(), &arguments, &root))
}

/// Where things are kept that need not be fetched again.
fn cache_directory() -> Result<PathBuf, String> {
    let given = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache"));
    given.or_else(home).map(|cache| cache.join("agent-bundle-bench")).ok_or("HOME is not set".to_owned())
}

fn node_system() -> &'static str {
    if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS }
}

fn node_architecture() -> &'static str {
    if cfg!(target_arch = "x86_64") { "x64" } else { "arm64" }
}

const XMCP_CONFIG: &str = "\
export default {
  stdio: true,
  typescript: { skipTypeCheck: true },
  paths: { tools: './src/tools', prompts: false, resources: false },
};
";

const TURBO_CONFIG: &str = "\
{ \"tasks\": { \"build\": { \"inputs\": [\"src/**\", \"package.json\"], \"outputs\": [\"dist/**\"] } } }
";

const TURBO_LOCK: &str = "\
{
  \"name\": \"weights\",
  \"version\": \"1.0.0\",
  \"lockfileVersion\": 3,
  \"packages\": { \"\": { \"name\": \"weights\", \"version\": \"1.0.0\" } }
}
";
