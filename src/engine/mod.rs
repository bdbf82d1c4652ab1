//! Runs a graph of nodes, each at most once, and only those whose inputs changed.
//!
//! What goes into a node's key, in order, each field length-prefixed:
//!
//! | field | value |
//! | --- | --- |
//! | `tool` | fingerprint of this program: version, bundler, embedded runtime |
//! | `kind` | the node's kind and that kind's version constant |
//! | `id` | the node's id |
//! | params | whatever the job's own walk names (target definition, templates, slice of the model, …) |
//! | `input` | id and output digest of each node it depends on |
//!
//! Not in the key, and deliberately: absolute paths, clocks, the locale, thread counts, and the *state* of files.
//! Files that a node reads (or looks for in vain) are discovered while it runs and kept beside the result; see
//! [`crate::world::Recorder`].

mod explain;
mod fresh;
mod history;
mod key;
mod node;
mod recall;
mod record;
mod run;
pub mod view;

pub use explain::{Explainer, NodeStory, PathStory};
pub use fresh::Freshness;
pub use history::{
    History, LastBuild, NodeRecord, OutputState, PathState, Trace, Traces, pack_traces, unpack_traces,
};
pub use key::{HashWalk, KeyWalk, TextWalk, node_key};
pub use node::{FileKind, FileRef, Graph, Job, JobContext, Kind, Node, NodeIndex, Output};
pub use recall::{Memory, Surroundings, first_difference};
pub use record::{record_nodes, record_states, record_traces};
pub use run::{Blobs, Engine, NodeRun, Outcome, Recall, Recalled};
