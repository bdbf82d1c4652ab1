//! The manifest, `agent-bundle.toml` or else `agent-bundle.config.ts`: parsed with spans, checked against one schema,
//! with defaults applied by the rooms that read it.

mod blocks;
mod check;
mod codes;
mod config;
mod declaration;
mod edit;
mod identity;
mod migrate;
mod package;
mod parse;
mod shape;
mod types;

pub use blocks::{
    Bin, BinData, BinEntry, Duration, HookData, HookEntry, Hooks, HostTable, Lib, LibEntry, Notices, Off,
    PayloadData, PayloadEntry, Prebuilt, Program, Retention, Runtime, ScriptData, ScriptEntry, Several,
    Tools, Web, WebApp, WebAppEntry,
};
pub use config::parse_config;
pub use declaration::config_declaration;
pub use edit::edit;
pub use identity::{identity, output_directory};
pub use migrate::{Migrated, migrate};
pub use package::{PACKAGE_FILE, Package, load_package, undeclared_dependencies};
pub use parse::{parse, parse_projects};
pub use types::{
    AppData, ManifestData, Mcp, McpCommands, Output, Plugin, PluginMetadata, Projects, ProjectsData, Routes,
    ServerData,
};

use crate::diagnostic::{Code, Diagnostic, Fix, Span};
use crate::world::{Root, World, is_file};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::Path;

/// File name of the configuration that stands in for a manifest, and that [`migrate`] turns into one.
pub const CONFIG_FILE: &str = "agent-bundle.config.ts";

/// File name of the manifest.
pub const MANIFEST_FILE: &str = "agent-bundle.toml";

/// Byte ranges by JSON pointer: values, and keys under the pointer with `#key` appended.
type Spans = BTreeMap<String, Range<usize>>;

/// A manifest with the place of everything in it.
#[derive(Debug, Clone)]
pub struct Manifest {
    /// The values.
    pub data: ManifestData,
    /// Byte ranges by JSON pointer: values, and keys under the pointer with `#key` appended.
    pub spans: BTreeMap<String, Range<usize>>,
    /// The text.
    pub text: String,
    /// Name of the file that it was read from: [`MANIFEST_FILE`] or [`CONFIG_FILE`].
    pub file: &'static str,
}

impl Manifest {
    /// The place of the value at a JSON pointer (`/mcp/servers/notes/cwd`), or of its nearest ancestor that the
    /// text spells out.
    pub fn span(&self, pointer: &str) -> Option<Span> {
        span_in(self.file, &self.spans, pointer)
    }

    /// The place of the key at a JSON pointer.
    pub fn key_span(&self, pointer: &str) -> Option<Span> {
        key_span_in(self.file, &self.spans, pointer)
    }

    /// A table, by its JSON pointer, as the author writes it.
    pub fn table(&self, pointer: &str) -> String {
        if self.file == MANIFEST_FILE {
            format!("`[{}]`", shape::dotted(pointer))
        } else {
            self.path(pointer)
        }
    }

    /// A key with what leads to it, by its JSON pointer, as the author writes it.
    pub fn path(&self, pointer: &str) -> String {
        format!("`{}`", check::PROJECT.shapes().spelled(self.file, pointer))
    }

    /// The edit that removes the member whose key stands at `key`. Only TOML is edited by its structure.
    pub fn removal(&self, key: &Span) -> Option<Fix> {
        (self.file == MANIFEST_FILE).then(|| Fix::remove_member(key))
    }

    /// The edit that adds `key = value` beside the member whose key stands at `key`.
    pub fn addition(&self, key: &Span, member: &str) -> Option<Fix> {
        (self.file == MANIFEST_FILE).then(|| Fix::add_member(key, member))
    }

    /// A finding of a room that knows the manifest by its usual name alone.
    pub fn own(&self, mut found: Diagnostic) -> Diagnostic {
        for span in found.places_mut().filter(|span| span.path == MANIFEST_FILE) {
            self.file.clone_into(&mut span.path);
        }
        found
    }
}

fn span_in(file: &str, spans: &Spans, pointer: &str) -> Option<Span> {
    let mut pointer = pointer;
    loop {
        if let Some(range) = spans.get(pointer) {
            return Some(Span::new(file, range.clone()));
        }
        pointer = &pointer[..pointer.rfind('/')?];
    }
}

fn key_span_in(file: &str, spans: &Spans, pointer: &str) -> Option<Span> {
    match spans.get(&format!("{pointer}#key")) {
        Some(range) => Some(Span::new(file, range.clone())),
        None => span_in(file, spans, pointer),
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

/// Reads the manifest of the project at `root`, or the configuration where there is no manifest.
pub fn load(world: &dyn World, root: &Root) -> Result<Manifest, Vec<Diagnostic>> {
    let problem = match read(world, root) {
        Ok(text) => return parse(&text),
        Err(problem) => problem,
    };
    if problem.code == Code::AB1000
        && let Some(bytes) = config_bytes(world, root)
    {
        return bytes.map_err(|problem| vec![*problem]).and_then(|bytes| parse_config(&bytes));
    }
    Err(vec![*problem])
}

/// The finding that a configuration lies beside the manifest and is not read.
pub fn shadowed_config(world: &dyn World, root: &Root, manifest: &Manifest) -> Option<Diagnostic> {
    let is_shadowed = manifest.file == MANIFEST_FILE && is_file(world, &root.absolute(CONFIG_FILE));
    is_shadowed.then(|| {
        let message = format!("{CONFIG_FILE} is not read, since there is {MANIFEST_FILE}");
        Diagnostic::new(Code::AB1006, message).in_file(CONFIG_FILE)
    })
}

/// Whether the directory holds a manifest or a configuration in its place.
pub fn is_project(world: &dyn World, directory: &Path) -> bool {
    [MANIFEST_FILE, CONFIG_FILE].iter().any(|file| is_file(world, &directory.join(file)))
}

/// Reads the root manifest at `root`; `None` where the manifest there is a project's own (or none at all).
pub fn load_projects(world: &dyn World, root: &Root) -> Option<Result<ProjectsManifest, Vec<Diagnostic>>> {
    let text = read(world, root).ok()?;
    let table = toml_edit::Document::parse(text.as_str()).ok()?;
    table.as_table().contains_key("projects").then(|| parse_projects(&text))
}

fn read(world: &dyn World, root: &Root) -> Result<String, Box<Diagnostic>> {
    let bytes =
        world.read(&root.absolute(MANIFEST_FILE)).map_err(|error| unreadable(MANIFEST_FILE, &error))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let message = format!("{MANIFEST_FILE} is not UTF-8 text (byte {at})");
        Box::new(Diagnostic::new(Code::AB2001, message).in_file(MANIFEST_FILE))
    })
}

/// The configuration; `None` where there is none.
fn config_bytes(world: &dyn World, root: &Root) -> Option<Result<Vec<u8>, Box<Diagnostic>>> {
    match world.read(&root.absolute(CONFIG_FILE)) {
        Ok(bytes) => Some(Ok(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Err(unreadable(CONFIG_FILE, &error))),
    }
}

fn unreadable(file: &str, error: &io::Error) -> Box<Diagnostic> {
    let (code, message) = match error.kind() {
        io::ErrorKind::NotFound => (Code::AB1000, format!("there is no {file} here")),
        io::ErrorKind::IsADirectory => (Code::AB2006, format!("{file} is a directory, not a file")),
        _ => (Code::AB2005, format!("{file} cannot be read: {error}")),
    };
    Box::new(Diagnostic::new(code, message).in_file(file))
}
