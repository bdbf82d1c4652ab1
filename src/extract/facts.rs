//! What extraction yields.

use crate::diagnostic::Diagnostic;
use crate::model::JsonObject;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a module declares. Two texts with equal facts are the same module to every host document.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Static metadata; empty beside an error, so that one run reports all problems.
    pub config: JsonObject,
}

/// Facts with the problems met on the way.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Extraction<F = Facts> {
    /// The facts.
    pub facts: F,
    /// The problems.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a `SKILL.md` declares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillFacts {
    /// Frontmatter without `targets`.
    pub frontmatter: JsonObject,
    /// The authoring key `targets`: additions by host.
    pub host_frontmatter: BTreeMap<String, JsonObject>,
    /// Canonical tokens in frontmatter and body, sorted.
    pub tokens: Vec<String>,
}

/// What a command or rule declares.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DocumentFacts {
    /// Frontmatter without `targets`.
    pub frontmatter: JsonObject,
    /// Hosts that the author named.
    pub targets: Option<Vec<String>>,
    /// Byte offset of the body.
    pub body: usize,
}

/// Which of the two kinds of single-file documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DocumentKind {
    /// `src/commands/<name>.md`
    Command,
    /// `src/rules/<name>.mdc`
    Rule,
}
