//! What one module or document declares, read from its syntax. Text in, facts out: no file system, and nothing
//! of the project is ever executed.

mod facts;

pub use facts::{DocumentFacts, DocumentKind, Extraction, Facts, SkillFacts};

use crate::model::{JsonObject, ModuleKind};

/// The only key of the object that stands for a call `appResourceUri(<reference>)`; its value is the reference.
pub const APP_REFERENCE_KEY: &str = "agent-bundle:app-resource-uri";

/// What the module at `path` declares.
pub fn extract_module(_kind: ModuleKind, _path: &str, _bytes: &[u8]) -> Extraction {
    Extraction::default()
}

/// The App references in `config`: JSON pointer and reference, in source order.
pub fn app_references(_config: &JsonObject) -> Vec<(String, String)> {
    Vec::new()
}

/// What the `SKILL.md` at `path` declares.
pub fn skill(_path: &str, _bytes: &[u8], _directory_name: &str, _files: &[String]) -> Extraction<SkillFacts> {
    Extraction::default()
}

/// What the command or rule at `path` declares.
pub fn document(_kind: DocumentKind, _path: &str, _bytes: &[u8]) -> Extraction<DocumentFacts> {
    Extraction::default()
}
