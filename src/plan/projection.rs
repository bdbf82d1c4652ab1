//! The node that renders one host's documents.

use super::documents::walk_targets;
use crate::engine::{FileKind, Job, JobContext, KeyWalk, Output};
use crate::target::{Projection, Registry, Slice, project};
use std::sync::Arc;

/// Renders the documents of one host.
pub struct ProjectionJob {
    /// Host definitions.
    pub registry: Arc<Registry>,
    /// The host.
    pub host: String,
    /// What its documents show.
    pub slice: Slice,
}

impl Job for ProjectionJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk_targets(&self.registry, std::slice::from_ref(&self.host), walk);
        let slice = serde_json::to_value(&self.slice).unwrap_or_default();
        for (name, value) in slice.as_object().into_iter().flatten() {
            walk.field(&format!("slice {name}"), &crate::model::canonical_json(value));
        }
    }

    fn run(&self, context: &JobContext) -> Output {
        let Some(target) = self.registry.get(&self.host) else { return Output::default() };
        let mut projection = project(target, &self.slice);
        let diagnostics = std::mem::take(&mut projection.diagnostics);
        let files = std::mem::take(&mut projection.files);
        let files =
            files.into_iter().map(|(path, bytes)| (path, context.file(FileKind::Generated, bytes))).collect();
        Output { files, value: serde_json::to_value(projection).unwrap_or_default(), diagnostics }
    }
}

/// The projection that a node's output tells of; its files are the output's.
pub(super) fn read_projection(output: &Output) -> Projection {
    serde_json::from_value(output.value.clone()).unwrap_or_default()
}
