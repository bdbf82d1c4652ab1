//! Our own schemas of emitted documents.

use super::Target;
use crate::diagnostic::{Code, Diagnostic};
use jsonschema::Validator;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::OnceLock;

/// Schema texts by document, each compiled at its first use.
pub(super) struct Schemas {
    texts: BTreeMap<String, (String, OnceLock<Result<Validator, String>>)>,
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.texts.keys()).finish()
    }
}

fn compile(text: &str) -> Result<Validator, String> {
    let schema: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    jsonschema::validator_for(&schema).map_err(|error| error.to_string())
}

impl Schemas {
    pub(super) fn new(texts: BTreeMap<String, String>) -> Self {
        Self { texts: texts.into_iter().map(|(name, text)| (name, (text, OnceLock::new()))).collect() }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// Whether every schema can be compiled.
    pub(super) fn check(&self) -> Result<(), String> {
        let mut names = self.texts.keys();
        names.try_for_each(|name| self.validator(name).map(drop).map_err(|e| format!("schema `{name}`: {e}")))
    }

    fn validator(&self, name: &str) -> Result<&Validator, String> {
        let (text, cell) = self.texts.get(name).ok_or("no such schema")?;
        cell.get_or_init(|| compile(text)).as_ref().map_err(Clone::clone)
    }

    /// The first breach of the schema `name`: where, and what.
    pub(super) fn breach(&self, name: &str, value: &Value) -> Option<String> {
        match self.validator(name) {
            Err(problem) => Some(format!("the schema `{name}` cannot be used: {problem}")),
            Ok(validator) => validator.iter_errors(value).next().map(|error| {
                let place = error.instance_path().to_string();
                let place = if place.is_empty() { "the document".to_owned() } else { format!("`{place}`") };
                format!("{place}: {error}")
            }),
        }
    }
}

/// Checks the bytes of one emitted document (`plugin`, `mcp`, …) against the host's schema; the first breach is
/// reported. A document without a schema is only read when its text must be JSON.
pub fn validate_document(target: &Target, document: &str, bytes: &[u8]) -> Vec<Diagnostic> {
    let Some(rule) = target.definition.documents.iter().find(|rule| rule.id == document) else {
        return Vec::new();
    };
    if !rule.path.ends_with(".json") {
        return Vec::new();
    }
    let report = |code: Code, problem: String| {
        let message = format!("{}'s `{document}` document does not fit: {problem}", target.title());
        vec![Diagnostic::new(code, message).target(target.name()).generated(&rule.path)]
    };
    match serde_json::from_slice::<Value>(bytes) {
        Err(error) => report(Code::AB6006, error.to_string()),
        Ok(value) => match rule.schema.as_deref().and_then(|name| target.schemas.breach(name, &value)) {
            Some(problem) => report(Code::AB6012, problem),
            None => Vec::new(),
        },
    }
}
