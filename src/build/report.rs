//! What a build tells afterwards; its JSON form is a contract.

use crate::artifact::Published;
use crate::diagnostic::{Diagnostic, has_errors};
use crate::engine::{NodeRun, Outcome};
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
    /// What publishing did.
    #[serde(skip)]
    pub published: Published,
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
    /// A build that could not begin.
    pub fn failed(diagnostics: Vec<Diagnostic>, started: Instant) -> Self {
        let mut report = Self { diagnostics, ..Self::default() };
        report.stop(started);
        report
    }

    /// Notes how long it took.
    pub fn stop(&mut self, started: Instant) {
        self.ms = rounded(started.elapsed().as_secs_f64() * 1e3);
    }

    /// Whether the artifact is what the sources give.
    pub fn succeeded(&self) -> bool {
        !has_errors(&self.diagnostics)
    }
}
