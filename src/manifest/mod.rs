//! The manifest, `agent-bundle.toml`: parsed with spans, checked against its schema, with defaults applied by the
//! rooms that read it.

mod identity;
mod package;
mod parse;
mod types;

pub use identity::{identity, output_directory};
pub use package::{PACKAGE_FILE, Package, load_package};
pub use parse::parse;
pub use types::{
    AppData, ManifestData, Mcp, McpCommands, Output, Plugin, PluginMetadata, Routes, ServerData,
};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::world::{Root, World};
use serde_json::Value;
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

/// The JSON Schema of the manifest, generated from its types.
pub fn manifest_schema() -> Value {
    crate::model::schema_of::<ManifestData>()
}

/// Reads the manifest of the project at `root`.
pub fn load(world: &dyn World, root: &Root) -> Result<Manifest, Vec<Diagnostic>> {
    let path = root.absolute(MANIFEST_FILE);
    let bytes = world.read(&path).map_err(|error| {
        let (code, message) = match error.kind() {
            std::io::ErrorKind::NotFound => (Code::AB1000, format!("there is no {MANIFEST_FILE} here")),
            std::io::ErrorKind::IsADirectory => {
                (Code::AB2006, format!("{MANIFEST_FILE} is a directory, not a file"))
            }
            _ => (Code::AB2005, format!("{MANIFEST_FILE} cannot be read: {error}")),
        };
        vec![Diagnostic::new(code, message).in_file(MANIFEST_FILE)]
    })?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{MANIFEST_FILE} is not UTF-8 text (byte {at})");
        vec![Diagnostic::new(Code::AB2001, message).in_file(MANIFEST_FILE)]
    })?;
    parse(&text)
}
