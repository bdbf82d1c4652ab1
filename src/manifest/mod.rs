//! The manifest, `agent-bundle.toml`: parsed with spans, checked against its schema, with defaults applied by the
//! rooms that read it.

mod types;

pub use types::{
    AppData, ManifestData, Mcp, McpCommands, Output, Plugin, PluginMetadata, Routes, ServerData,
};

use crate::diagnostic::Span;
use std::collections::BTreeMap;
use std::ops::Range;

/// File name of the manifest.
pub const MANIFEST_FILE: &str = "agent-bundle.toml";

/// A manifest with the place of everything in it.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The values.
    pub data: ManifestData,
    /// Byte ranges by JSON pointer: values, and keys under the pointer with `#key` appended.
    pub spans: BTreeMap<String, Range<usize>>,
    /// The text.
    pub text: String,
}

impl Manifest {
    /// The place of the value at a JSON pointer (`/mcp/servers/notes/cwd`), or of its nearest ancestor that the
    /// text spells out.
    pub fn span(&self, pointer: &str) -> Option<Span> {
        let mut pointer = pointer;
        loop {
            if let Some(range) = self.spans.get(pointer) {
                return Some(Span::new(MANIFEST_FILE, range.clone()));
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }

    /// The place of the key at a JSON pointer.
    pub fn key_span(&self, pointer: &str) -> Option<Span> {
        match self.spans.get(&format!("{pointer}#key")) {
            Some(range) => Some(Span::new(MANIFEST_FILE, range.clone())),
            None => self.span(pointer),
        }
    }
}
