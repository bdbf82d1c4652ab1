//! Nodes that extract one module or document each. Their outputs are facts: an edit that changes no fact wakes
//! nothing but the surface that bundles the module.

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::{Job, JobContext, KeyWalk, Output};
use crate::extract;
use crate::model::ModuleKind;
use crate::world::World;
use serde_json::Value;

/// Extracts one module.
pub struct ModuleJob {
    /// What the module is.
    pub kind: ModuleKind,
    /// Project-relative path.
    pub source: String,
}

impl Job for ModuleJob {
    fn walk(&self, walk: &mut dyn KeyWalk) {
        walk.field("module", self.kind.word().as_bytes());
        walk.field("source", self.source.as_bytes());
    }

    fn run(&self, context: &JobContext) -> Output {
        let bytes = match read(context, &self.source) {
            Ok(bytes) => bytes,
            Err(diagnostic) => {
                return Output { diagnostics: vec![self.missing(*diagnostic)], ..Output::default() };
            }
        };
        let extraction = extract::extract_module(self.kind, &self.source, &bytes);
        Output {
            value: Value::Object(extraction.facts.config),
            diagnostics: extraction.diagnostics,
            ..Output::default()
        }
    }
}

impl ModuleJob {
    /// Entries are named by the manifest and may not be there at all; everything else was found by looking.
    fn missing(&self, diagnostic: Diagnostic) -> Diagnostic {
        if self.kind != ModuleKind::Entry {
            return diagnostic;
        }
        Diagnostic::new(Code::AB4307, diagnostic.message).with_span(diagnostic.span)
    }
}

/// The bytes of a source, or the finding that says why there are none.
pub(super) fn read(context: &JobContext, source: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    context.world.read(&context.world.root().absolute(source)).map_err(|error| {
        let message = format!("{source} cannot be read: {error}");
        Box::new(Diagnostic::new(Code::AB2005, message).in_file(source))
    })
}
