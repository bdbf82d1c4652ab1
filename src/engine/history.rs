//! What is remembered between builds of one project: one file, loaded once, replaced atomically.
//!
//! ```text
//! magic, version        8 + 4 bytes
//! tool                  32 bytes: fingerprint of the program that wrote it
//! fast section          length, SHA-256, the last build by settings: enough to say "nothing changed"
//! trace section         length, SHA-256, the traces of every node: read only when something did change
//! ```
//!
//! A file that is damaged, foreign or of another version counts as no knowledge.

use super::node::{FileRef, Kind, Output};
use super::run::Outcome;
use crate::diagnostic::Diagnostic;
use crate::world::Kind as FileSort;
use crate::world::{Answer, Digest, Query, Stamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

const MAGIC: &[u8; 8] = b"agentbix";

/// Raised when the layout changes.
const VERSION: u32 = 1;

/// Settings remembered at once: a project that is built for `claude` and for `codex` in turn keeps both fast.
const BUILDS: usize = 4;

/// State of one path when it was last used, with everything that was asked of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathState {
    /// Project-relative path; for environment variables the name.
    pub path: String,
    /// What lies there, links not followed; `None` where nothing does.
    pub link: Option<(FileSort, Stamp)>,
    /// What a link leads to.
    pub target: Option<(FileSort, Stamp)>,
    /// Questions with their answers.
    pub answers: Vec<(Query, Answer)>,
}

/// A file that the build wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputState {
    /// Path relative to the project root.
    pub path: String,
    /// Its content.
    pub digest: Digest,
    /// Its state after publishing.
    pub stamp: Stamp,
}

/// A node of the last build.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeRecord {
    /// Id.
    pub id: String,
    /// Kind.
    pub kind: Kind,
    /// Indices of the nodes that it depends on.
    pub inputs: Vec<u32>,
    /// How it came by its output.
    pub outcome: Outcome,
    /// Why it ran.
    pub reason: Option<String>,
    /// Milliseconds from the start of the build.
    pub start: f64,
    /// Milliseconds of work.
    pub ms: f64,
}

/// A build that succeeded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastBuild {
    /// Digest of what was asked for.
    pub settings: Digest,
    /// The file system's clock when the build began, nanoseconds: stamps from then on are not trusted.
    pub started: i64,
    /// Every path that was used.
    pub states: Vec<PathState>,
    /// Which of them were used before there were nodes: manifest, `package.json`, listings.
    pub prepared: Vec<u32>,
    /// Every file that was written.
    pub outputs: Vec<OutputState>,
    /// Plugin name.
    pub plugin: String,
    /// Output directory as reported.
    pub output: String,
    /// Hosts.
    pub targets: Vec<String>,
    /// Artifact paths.
    pub files: Vec<String>,
    /// Nodes by id.
    pub nodes: Vec<NodeRecord>,
    /// Findings, as JSON.
    pub diagnostics: String,
}

impl LastBuild {
    /// The findings; they come back on unchanged builds.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        serde_json::from_str(&self.diagnostics).unwrap_or_default()
    }
}

/// One remembered run of a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trace {
    /// Static key.
    pub key: Digest,
    /// The key's fields, for explaining a difference.
    pub fields: Vec<(String, String)>,
    /// Discovered inputs: indices into the table of facts.
    pub facts: Vec<u32>,
    /// Files of the output.
    pub files: BTreeMap<String, FileRef>,
    /// Value of the output, as JSON.
    pub value: String,
    /// Findings of the output, as JSON; empty for none.
    pub diagnostics: String,
    /// Identity of the output.
    pub digest: Digest,
    /// Builds since the trace was last used.
    pub age: u8,
}

impl Trace {
    /// The output, without its bytes.
    pub fn output(&self) -> Option<Output> {
        let diagnostics = if self.diagnostics.is_empty() {
            Vec::new()
        } else {
            serde_json::from_str(&self.diagnostics).ok()?
        };
        Some(Output {
            files: self.files.clone(),
            value: serde_json::from_str(&self.value).ok()?,
            diagnostics,
        })
    }
}

/// A question about a path with its answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Fact {
    /// Index into the table of paths.
    pub path: u32,
    /// Question.
    pub query: Query,
    /// Answer.
    pub answer: Answer,
}

/// Traces of all nodes, over shared tables.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Traces {
    /// Paths.
    pub paths: Vec<String>,
    /// Facts.
    pub facts: Vec<Fact>,
    /// Traces by node id, newest first.
    pub nodes: BTreeMap<String, Vec<Trace>>,
}

/// The file, with the trace section still packed.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// Builds by settings, newest first.
    pub builds: Vec<LastBuild>,
    /// The whole file, and where its trace section begins.
    bytes: Arc<Vec<u8>>,
    traces: usize,
}

fn section<'b>(bytes: &mut &'b [u8]) -> Option<(Digest, &'b [u8])> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (digest, rest) = rest.split_first_chunk::<32>()?;
    let (content, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    *bytes = rest;
    Some((Digest(*digest), content))
}

fn append(bytes: &mut Vec<u8>, content: &[u8]) {
    bytes.extend((content.len() as u64).to_le_bytes());
    bytes.extend(Digest::of(content).0);
    bytes.extend(content);
}

fn read<T: DeserializeOwned>(digest: &Digest, content: &[u8]) -> Option<T> {
    (Digest::of(content) == *digest).then(|| postcard::from_bytes(content).ok())?
}

/// The trace section by itself, as the shared store keeps it.
pub fn pack_traces(traces: &Traces) -> Vec<u8> {
    postcard::to_stdvec(traces).unwrap_or_default()
}

/// Reads [`pack_traces`].
pub fn unpack_traces(bytes: &[u8]) -> Option<Traces> {
    postcard::from_bytes(bytes).ok()
}

impl History {
    /// Reads a file that the program with this fingerprint wrote.
    pub fn from_bytes(bytes: Vec<u8>, tool: &Digest) -> Option<Self> {
        let mut rest =
            bytes.strip_prefix(MAGIC)?.strip_prefix(&VERSION.to_le_bytes())?.strip_prefix(&tool.0)?;
        let (digest, fast) = section(&mut rest)?;
        let builds = read(&digest, fast)?;
        let traces = bytes.len() - rest.len();
        Some(Self { builds, bytes: Arc::new(bytes), traces })
    }

    /// The traces.
    pub fn traces(&self) -> Option<Traces> {
        let mut rest = self.bytes.get(self.traces..)?;
        let (digest, content) = section(&mut rest)?;
        read(&digest, content)
    }

    /// Bytes of the file.
    pub fn to_bytes(builds: &[LastBuild], traces: &[u8], tool: &Digest) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(tool.0);
        append(&mut bytes, &postcard::to_stdvec(builds).unwrap_or_default());
        append(&mut bytes, traces);
        bytes
    }

    /// The build with these settings.
    pub fn build(&self, settings: &Digest) -> Option<&LastBuild> {
        self.builds.iter().find(|build| build.settings == *settings)
    }

    /// The builds with `newest` in front and the oldest forgotten.
    pub fn with(mut self, newest: LastBuild) -> Vec<LastBuild> {
        self.builds.retain(|build| build.settings != newest.settings);
        self.builds.insert(0, newest);
        self.builds.truncate(BUILDS);
        self.builds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(settings: u8) -> LastBuild {
        LastBuild {
            settings: Digest::of(&[settings]),
            started: 1,
            states: vec![PathState {
                path: "a".to_owned(),
                link: Some((FileSort::File, Stamp { size: 1, mtime: 2, ctime: 3, inode: 4 })),
                target: None,
                answers: vec![(Query::Read, Answer::Digest(Digest::of(b"x")))],
            }],
            prepared: vec![0],
            outputs: Vec::new(),
            plugin: "p".to_owned(),
            output: "o".to_owned(),
            targets: Vec::new(),
            files: Vec::new(),
            nodes: Vec::new(),
            diagnostics: "[]".to_owned(),
        }
    }

    #[test]
    fn a_file_comes_back_whole_or_not_at_all() {
        let tool = Digest::of(b"tool");
        let mut traces = Traces::default();
        traces.paths.push("a".to_owned());
        let bytes = History::to_bytes(&[build(1)], &pack_traces(&traces), &tool);
        let history = History::from_bytes(bytes.clone(), &tool).unwrap();
        assert_eq!(history.builds, [build(1)]);
        assert_eq!(history.traces(), Some(traces.clone()));
        assert!(History::from_bytes(bytes.clone(), &Digest::of(b"other")).is_none());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            let read = History::from_bytes(damaged.clone(), &tool);
            let whole =
                read.is_some_and(|history| history.builds == [build(1)] && history.traces().is_some());
            assert!(!whole, "a flipped bit at {at} went unseen");
            drop(History::from_bytes(bytes[..at].to_vec(), &tool).map(|history| history.traces()));
        }
    }

    #[test]
    fn the_newest_settings_are_kept() {
        let mut history = History::default();
        for settings in 0..6 {
            history.builds = history.clone().with(build(settings));
        }
        assert_eq!(history.builds.len(), BUILDS);
        assert_eq!(history.builds[0].settings, build(5).settings);
    }
}
