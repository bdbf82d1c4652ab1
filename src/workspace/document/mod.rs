//! The document: text → tree → types, its canonical form, and its way back to text.

mod json;
mod read;
pub mod reference;
mod sections;
mod tree;
mod types;
mod yaml;

pub use tree::{Data, MAX_BYTES, Node, parse as parse_tree};
pub use types::{
    Agent, Automation, AutomationType, Bundle, Channel, ChannelType, DEFAULT_CHANNEL_PROMPT, Effect,
    FieldType, Kind, Mcp, Metadata, Policy, SCHEMA_VERSION, SetupField, Skill, SkillSource,
};
pub use yaml::to_yaml;

use super::issue::{Issue, IssueCode};
use crate::world::Digest;
use serde_json::Value;

/// The longest list of plain texts.
const MAX_LIST: usize = 4_096;

/// A document with the place of everything in it.
#[derive(Debug, Clone)]
pub struct Document {
    /// Its values, defaults filled in.
    pub bundle: Bundle,
    tree: Node,
}

impl Document {
    /// Reads text in YAML or JSON.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Issue>> {
        let blank = std::str::from_utf8(bytes).is_ok_and(|text| text.trim().is_empty());
        if blank {
            return Err(vec![Issue::block(IssueCode::Malformed, "the document is empty").place(1, 1)]);
        }
        Self::from_tree(tree::parse(bytes).map_err(|issue| vec![issue])?)
    }

    /// Reads a part of a larger text.
    pub fn from_tree(tree: Node) -> Result<Self, Vec<Issue>> {
        if !matches!(tree.data, Data::Map(_)) {
            let message = format!("a document is an object, not {}", tree.shape());
            return Err(vec![Issue::block(IssueCode::Malformed, message).place(tree.line, tree.column)]);
        }
        let bundle = sections::bundle(&tree)?;
        Ok(Self { bundle, tree })
    }

    /// Line and column of a JSON pointer, or of the nearest part above it that is written out.
    pub fn locate(&self, pointer: &str) -> (u32, u32) {
        self.tree.locate(pointer)
    }
}

/// The canonical form: members in the order of the schema, defaults included, free-form objects ordered by key.
pub fn canonical(bundle: &Bundle) -> String {
    serde_json::to_string(bundle).unwrap_or_default()
}

/// SHA-256 of the canonical form.
pub fn digest(bundle: &Bundle) -> String {
    format!("sha256:{}", Digest::of(canonical(bundle).as_bytes()))
}

/// The JSON Schema of the format, generated from its types.
pub fn bundle_schema() -> Value {
    crate::model::schema_of::<Bundle>()
}

#[cfg(test)]
mod tests;
