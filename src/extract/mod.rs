//! What one module or document declares, read from its syntax. Text in, facts out: no file system, and nothing
//! of the project is ever executed.

mod facts;

pub use facts::{DocumentFacts, Extraction, Facts, SkillFacts};
