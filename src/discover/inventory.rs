//! What discovery found. Paths are project-relative; every list is sorted by path.

use crate::model::ModuleKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One conventional module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleFile {
    /// Route, layout, provider or entry id.
    pub id: String,
    /// What it is.
    pub kind: ModuleKind,
    /// Protocol name: the stem of a route, the camelCase key of a provider.
    pub name: String,
    /// Source.
    pub source: String,
}

/// What lies below `src/mcp/<server>/`, and beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerFiles {
    /// Tools, resources, prompts and Apps, sorted by id.
    pub routes: Vec<ModuleFile>,
    /// `layout.{ts,tsx}`.
    pub layout: Option<ModuleFile>,
    /// `src/mcp/<server>.{ts,tsx,cjs,mjs,js}` of a server that the manifest declares or gives a mode; such a file of
    /// no declared server is support code and is left out.
    pub entry: Option<ModuleFile>,
}

/// A directory with a `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillDir {
    /// Directory name.
    pub name: String,
    /// The directory.
    pub directory: String,
    /// Its files, relative to it, `SKILL.md` among them, sorted.
    pub files: Vec<String>,
}

/// A command or rule file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentFile {
    /// Stem.
    pub name: String,
    /// Source.
    pub source: String,
}

/// A conventional file of a surface that is recognised and not emitted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsupported {
    /// Source.
    pub source: String,
    /// Which surface, in words (`event route`, `CLI command`, `script`, `rendered skill`, …).
    pub surface: String,
}

/// Everything that the conventions (and the manifest's claims) make of the tree.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// Server directories and entries by server name.
    pub servers: BTreeMap<String, ServerFiles>,
    /// `src/layout`.
    pub root_layout: Option<ModuleFile>,
    /// `src/providers/*`, sorted by key.
    pub providers: Vec<ModuleFile>,
    /// Skills, sorted by directory.
    pub skills: Vec<SkillDir>,
    /// `src/commands/*.md`.
    pub commands: Vec<DocumentFile>,
    /// `src/rules/*.mdc`.
    pub rules: Vec<DocumentFile>,
    /// Asset files.
    pub assets: Vec<String>,
    /// Commands, projections, events, views, scripts and state, sorted by source.
    pub surfaces: Vec<ModuleFile>,
    /// Recognised, not emitted.
    pub unsupported: Vec<Unsupported>,
    /// Entries that the manifest names and that are not there.
    pub missing: BTreeSet<String>,
}
