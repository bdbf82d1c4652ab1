//! What one module or document declares, read from its syntax. Text in, facts out: no file system, and nothing
//! of the project is ever executed.

mod document;
mod facts;
mod findings;
mod module;
mod node;
mod references;
mod source;

pub use document::{MAX_FRONTMATTER_BYTES, TOKENS, document, field_span, skill};
pub use facts::{DocumentFacts, DocumentKind, Extraction, Facts, SkillFacts};
pub use module::{
    Exports, MAX_CHAIN, MAX_NESTING, MAX_WORK, command_script, config_file, config_span, extract_module,
    extract_with,
};
pub use node::{Data, Member, Node};
pub use references::{APP_REFERENCE_KEY, app_references};
pub use source::MAX_MODULE_BYTES;
