//! The manifest, `agent-bundle.toml`: parsed with spans, checked against its schema, with defaults applied by the
//! rooms that read it.

mod edit;
mod identity;
mod migrate;
mod package;
mod parse;
mod types;

pub use edit::edit;
pub use identity::{identity, output_directory};
pub use migrate::{Migrated, migrate};
pub use package::{PACKAGE_FILE, Package, load_package};
pub use parse::{parse, parse_projects};
pub use types::{
    AppData, ManifestData, Mcp, McpCommands, Output, Plugin, PluginMetadata, Projects, ProjectsData, Routes,
    ServerData,
};

use crate::diagnostic::{Code, Diagnostic, Span};
use crate::world::{Root, World, is_file};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// File name of the configuration that [`migrate`] turns into a manifest.
pub const CONFIG_FILE: &str = "agent-bundle.config.ts";

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
        span_in(&self.spans, pointer)
    }

    /// The place of the key at a JSON pointer.
    pub fn key_span(&self, pointer: &str) -> Option<Span> {
        key_span_in(&self.spans, pointer)
    }
}

fn span_in(spans: &BTreeMap<String, Range<usize>>, pointer: &str) -> Option<Span> {
    let mut pointer = pointer;
    loop {
        if let Some(range) = spans.get(pointer) {
            return Some(Span::new(MANIFEST_FILE, range.clone()));
        }
        pointer = &pointer[..pointer.rfind('/')?];
    }
}

fn key_span_in(spans: &BTreeMap<String, Range<usize>>, pointer: &str) -> Option<Span> {
    match spans.get(&format!("{pointer}#key")) {
        Some(range) => Some(Span::new(MANIFEST_FILE, range.clone())),
        None => span_in(spans, pointer),
    }
}

/// A root manifest with the place of everything in it.
#[derive(Debug, Clone)]
pub struct ProjectsManifest {
    /// The values.
    pub data: ProjectsData,
    /// Byte ranges by JSON pointer.
    pub spans: BTreeMap<String, Range<usize>>,
}

/// The JSON Schema of a project's manifest, generated from its types.
fn project_schema() -> Value {
    crate::model::schema_of::<ManifestData>()
}

/// The JSON Schema of `agent-bundle.toml`: a project's, or a root's where there is a `projects` table.
pub fn manifest_schema() -> Value {
    let mut project = project_schema();
    let mut root = crate::model::schema_of::<ProjectsData>();
    let mut definitions = serde_json::Map::new();
    for schema in [&mut project, &mut root] {
        let members = schema.as_object_mut();
        let own = members.and_then(|members| {
            members.remove("$schema");
            members.remove("$defs")
        });
        definitions.extend(own.and_then(|own| own.as_object().cloned()).into_iter().flatten());
    }
    serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-bundle.toml",
        "if": {"required": ["projects"]},
        "then": root,
        "else": project,
        "$defs": definitions,
    })
}

/// Reads the manifest of the project at `root`.
pub fn load(world: &dyn World, root: &Root) -> Result<Manifest, Vec<Diagnostic>> {
    parse(&read(world, root)?)
}

/// Reads the root manifest at `root`; `None` where the manifest there is a project's own (or none at all).
pub fn load_projects(world: &dyn World, root: &Root) -> Option<Result<ProjectsManifest, Vec<Diagnostic>>> {
    let text = read(world, root).ok()?;
    let table = toml_edit::Document::parse(text.as_str()).ok()?;
    table.as_table().contains_key("projects").then(|| parse_projects(&text))
}

fn read(world: &dyn World, root: &Root) -> Result<String, Vec<Diagnostic>> {
    let path = root.absolute(MANIFEST_FILE);
    let bytes = world.read(&path).map_err(|error| {
        let (code, message) = match error.kind() {
            std::io::ErrorKind::NotFound => (Code::AB1000, format!("there is no {MANIFEST_FILE} here")),
            std::io::ErrorKind::IsADirectory => {
                (Code::AB2006, format!("{MANIFEST_FILE} is a directory, not a file"))
            }
            _ => (Code::AB2005, format!("{MANIFEST_FILE} cannot be read: {error}")),
        };
        let is_missing = code == Code::AB1000;
        let found = Diagnostic::new(code, message).in_file(MANIFEST_FILE);
        let has_config = is_missing && is_file(world, &root.absolute(CONFIG_FILE));
        vec![match has_config {
            true => found.help(format!("`agent-bundle migrate` writes it from {CONFIG_FILE}")),
            false => found,
        }]
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{MANIFEST_FILE} is not UTF-8 text (byte {at})");
        vec![Diagnostic::new(Code::AB2001, message).in_file(MANIFEST_FILE)]
    })
}
