//! This program in every situation that it is measured in.

use super::generate::{Project, copy, remove};
use super::measure::{Job, Sample};
use super::sources::Revision;
use std::fs;
use std::path::{Path, PathBuf};

/// A situation to build in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scenario {
    /// The store, the record and the artifact are gone.
    Cold,
    /// Nothing changed.
    Unchanged,
    /// A string in one handler changed.
    Handler,
    /// A comment in one tool changed.
    Comment,
    /// The description of one tool changed.
    Description,
    /// Another copy of the sources, with no record and no artifact, beside a store that knows them.
    Checkout,
}

impl Scenario {
    /// All, in the order in which a round goes through them.
    pub const ALL: [Self; 6] =
        [Self::Cold, Self::Unchanged, Self::Handler, Self::Comment, Self::Description, Self::Checkout];

    /// How tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cold => "cold",
            Self::Unchanged => "nothing changed",
            Self::Handler => "a handler edited",
            Self::Comment => "a comment edited",
            Self::Description => "a description edited",
            Self::Checkout => "fresh checkout, warm store",
        }
    }
}

/// A project, or a workspace of several, with a store of its own.
#[derive(Debug)]
pub struct Ours {
    binary: PathBuf,
    root: PathBuf,
    store: PathBuf,
    projects: Vec<Project>,
}

impl Ours {
    /// `root` is the project, or holds the `projects`.
    pub fn new(binary: &Path, root: &Path, projects: Vec<Project>) -> Self {
        let store = root.with_extension("store");
        Self { binary: binary.to_owned(), root: root.to_owned(), store, projects }
    }

    fn job(&self, root: &Path, more: &[&str]) -> Job {
        let (root, store) = (root.display().to_string(), self.store.display().to_string());
        let arguments = ["build", "--quiet", "--root", &root, "--cache-dir", &store];
        Job::new(&self.binary, &[&arguments, more].concat(), Path::new("/"))
    }

    /// Puts the project in the situation and builds.
    pub fn run(&self, scenario: Scenario, round: u32) -> Result<Sample, String> {
        let first = self.projects.first().ok_or("no project")?;
        let before = Revision::default();
        match scenario {
            Scenario::Cold => {
                remove(&self.store)?;
                for project in &self.projects {
                    remove(&project.root.join(".agent-bundle"))?;
                    remove(&project.root.join("artifact"))?;
                }
            }
            Scenario::Unchanged => {}
            Scenario::Handler => first.edit(Revision { handler: round, ..before })?,
            Scenario::Comment => first.edit(Revision { handler: round, comment: round, ..before })?,
            Scenario::Description => {
                first.edit(Revision { handler: round, comment: round, metadata: round })?;
            }
            Scenario::Checkout => {
                let checkout = self.root.with_extension("checkout");
                remove(&checkout)?;
                copy(&self.root, &checkout, &["artifact", ".agent-bundle"])?;
                for project in &self.projects {
                    let inside = project.root.strip_prefix(&self.root).unwrap_or(Path::new(""));
                    remove(&checkout.join(inside).join("artifact"))?;
                    remove(&checkout.join(inside).join(".agent-bundle"))?;
                }
                let sample = self.job(&checkout, &[]).run()?;
                remove(&checkout)?;
                return Ok(sample);
            }
        }
        self.job(&self.root, &[]).run()
    }

    /// Has what the last build used and wrote listed; gives the list's path.
    pub fn depfile(&self) -> Result<PathBuf, String> {
        let path = self.root.with_extension("json");
        drop(fs::remove_file(&path));
        let name = path.display().to_string();
        self.job(&self.root, &["--depfile", &name, "--depfile-format", "json"]).run()?;
        Ok(path)
    }
}
