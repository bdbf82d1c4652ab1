//! Values that the user of a plugin supplies.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Family of the words that stand for a value: `agent-bundle:setup:<key>`.
pub const SETTING: &str = "agent-bundle:setup:";

/// Type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SettingKind {
    /// Text.
    String,
    /// A number.
    Number,
    /// `true` or `false`.
    Boolean,
}

/// A value that the user supplies, in the form in which a host asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    /// What names it.
    pub key: String,
    /// The environment variable that holds it where the host cannot ask.
    pub variable: String,
    /// Question to the user.
    pub title: String,
    /// Where the user finds it.
    pub description: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: SettingKind,
    /// Whether nothing works without it.
    pub required: bool,
    /// Whether it is stored apart and never shown.
    pub sensitive: bool,
    /// The value when none is supplied; a secret has none.
    pub default: Option<Value>,
    /// What it can be, when that is a list.
    pub options: Option<Vec<String>>,
    /// Smallest number.
    pub min: Option<f64>,
    /// Largest number.
    pub max: Option<f64>,
}

/// The word that stands for the value of `key` in a server's text.
pub fn setting_word(key: &str) -> String {
    format!("${{{SETTING}{key}}}")
}
