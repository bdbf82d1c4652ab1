//! Nodes and what they yield.

use super::KeyWalk;
use super::run::Blobs;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::world::{Digest, Digester, Recorder};
use petgraph::graph::DiGraph;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a node does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Extracts a tool, resource, prompt, App or entry module.
    Route,
    /// Extracts a layout.
    Layout,
    /// Extracts a provider.
    Provider,
    /// Reads a skill, command, rule or asset.
    Document,
    /// Bundles one executable.
    Surface,
    /// Renders one host's documents.
    Projection,
    /// Merges everything into one tree.
    Composite,
    /// Writes the canonical index.
    Index,
}

impl Kind {
    /// The word used in ids, keys and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Route => "route",
            Self::Layout => "layout",
            Self::Provider => "provider",
            Self::Document => "document",
            Self::Surface => "surface",
            Self::Projection => "projection",
            Self::Composite => "composite",
            Self::Index => "index",
        }
    }

    /// Raised when the same inputs mean another output. All are at their first meaning.
    pub fn version(self) -> u32 {
        1
    }
}

/// How an emitted file came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// Made by the bundler (or, for runtime siblings, when this program was built).
    Bundle,
    /// Copied byte for byte.
    Copy,
    /// Rendered or serialised.
    Generated,
}

/// An emitted file's content by digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileRef {
    /// SHA-256 of the bytes.
    pub digest: Digest,
    /// Bytes.
    pub size: u64,
    /// How it came to be.
    pub kind: FileKind,
}

/// What a node yields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Files by artifact path.
    pub files: BTreeMap<String, FileRef>,
    /// Facts that dependants read.
    pub value: Value,
    /// Findings; they come back when the node does not run.
    pub diagnostics: Vec<Diagnostic>,
}

impl Output {
    /// An output that is a value alone.
    pub fn value(value: Value) -> Self {
        Self { value, ..Self::default() }
    }

    /// The identity of everything that dependants can see. Diagnostics wake nobody.
    pub fn digest(&self) -> Digest {
        let mut digester = Digester::new("agent-bundle output 1");
        for (path, file) in &self.files {
            digester.field(path.as_bytes()).field(&file.digest.0).field(&[file.kind as u8]);
        }
        digester.field(&crate::model::canonical_json(&self.value));
        digester.finish()
    }

    /// Whether dependants can go on.
    pub fn failed(&self) -> bool {
        has_errors(&self.diagnostics)
    }
}

/// What a job may use while it runs.
pub struct JobContext<'a> {
    /// The world; everything asked of it becomes a discovered input.
    pub world: Arc<Recorder>,
    /// Outputs of the nodes that this one depends on, by id.
    pub inputs: BTreeMap<String, Arc<Output>>,
    /// Where bytes go and come from.
    pub blobs: &'a Blobs,
}

impl JobContext<'_> {
    /// Keeps `bytes` as the content of one file of the output.
    pub fn file(&self, kind: FileKind, bytes: Vec<u8>) -> FileRef {
        FileRef { size: bytes.len() as u64, digest: self.blobs.put(bytes), kind }
    }
}

/// A pure function from recorded inputs to bytes.
pub trait Job: Send + Sync {
    /// Names every parameter that the result depends on and that is neither an input node nor read from the world.
    fn walk(&self, walk: &mut dyn KeyWalk);
    /// Does the work.
    fn run(&self, context: &JobContext) -> Output;
}

/// One node of the graph.
pub struct Node {
    /// Stable, readable, project-relative: `route:tool:notes/search`, `surface:mcp:notes`, `projection:claude`.
    pub id: String,
    /// What it does.
    pub kind: Kind,
    /// How.
    pub job: Box<dyn Job>,
}

/// Index of a node in its graph.
pub use petgraph::graph::NodeIndex;

/// Nodes, with an edge from each input to its dependant.
pub type Graph = DiGraph<Node, ()>;
