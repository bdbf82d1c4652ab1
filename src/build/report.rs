//! What a build tells afterwards; its JSON form is a contract.

use crate::artifact::Published;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::engine::{LastBuild, NodeRecord, NodeRun, Outcome};
use serde::Serialize;
use std::time::Instant;

/// The report of one project's build.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct BuildReport {
    /// Plugin name, once known.
    pub plugin: Option<String>,
    /// Output directory, as asked for.
    pub output: Option<String>,
    /// Hosts.
    pub targets: Vec<String>,
    /// Nodes by id.
    pub nodes: Vec<NodeReport>,
    /// Artifact paths.
    pub files: Vec<String>,
    /// Findings by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Milliseconds of the whole build.
    pub ms: f64,
    /// With `--check`: how the artifact on disk differs from what the sources give.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Vec<Drift>>,
    /// What publishing did.
    #[serde(skip)]
    pub published: Published,
}

/// One file of the artifact that is not what the sources give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// Artifact path.
    pub path: String,
    /// `changed`, `missing` or `left over`.
    pub change: &'static str,
}

/// One node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeReport {
    /// Id.
    pub id: String,
    /// Kind.
    pub kind: &'static str,
    /// `executed`, `restored`, `unchanged` or `skipped`.
    pub outcome: Outcome,
    /// Why it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Milliseconds.
    pub ms: f64,
}

impl NodeReport {
    /// The report of a run.
    pub fn new(run: &NodeRun) -> Self {
        Self {
            id: run.id.clone(),
            kind: run.kind.word(),
            outcome: run.outcome,
            reason: run.reason.clone(),
            ms: rounded(run.ms),
        }
    }
}

/// Microseconds are enough.
fn rounded(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}

impl BuildReport {
    /// The report of a build that found everything as the last one left it.
    pub fn unchanged(last: &LastBuild) -> Self {
        let node = |node: &NodeRecord| NodeReport {
            id: node.id.clone(),
            kind: node.kind.word(),
            outcome: Outcome::Unchanged,
            reason: None,
            ms: 0.0,
        };
        let mut nodes: Vec<NodeReport> = last.nodes.iter().map(node).collect();
        nodes.sort_by(|a, b| a.id.cmp(&b.id));
        Self {
            plugin: Some(last.plugin.clone()),
            output: Some(last.output.clone()),
            targets: last.targets.clone(),
            nodes,
            files: last.files.clone(),
            diagnostics: last.diagnostics(),
            ..Self::default()
        }
    }

    /// A build that could not begin.
    pub fn failed(diagnostics: Vec<Diagnostic>) -> Self {
        Self { diagnostics, ..Self::default() }
    }

    /// Notes how long it took.
    pub fn stop(&mut self, started: Instant) {
        self.ms = rounded(started.elapsed().as_secs_f64() * 1e3);
    }

    /// Whether the artifact is what the sources give.
    pub fn succeeded(&self) -> bool {
        !has_errors(&self.diagnostics) && self.drift.as_ref().is_none_or(Vec::is_empty)
    }
}
