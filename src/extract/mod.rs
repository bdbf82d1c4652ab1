//! What one module or document declares, read from its syntax. Text in, facts out: no file system, and nothing
//! of the project is ever executed.

mod facts;
mod findings;
mod module;
mod node;
mod references;
mod source;

pub use facts::{DocumentFacts, DocumentKind, Extraction, Facts, SkillFacts};
pub use module::{MAX_CHAIN, MAX_NESTING, config_span, extract_module};
pub use references::{APP_REFERENCE_KEY, app_references};
pub use source::MAX_MODULE_BYTES;

/// What the `SKILL.md` at `path` declares.
pub fn skill(_path: &str, _bytes: &[u8], _directory_name: &str, _files: &[String]) -> Extraction<SkillFacts> {
    Extraction::default()
}

/// What the command or rule at `path` declares.
pub fn document(_kind: DocumentKind, _path: &str, _bytes: &[u8]) -> Extraction<DocumentFacts> {
    Extraction::default()
}
