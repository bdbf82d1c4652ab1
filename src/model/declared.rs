//! What only the manifest declares. It is checked and shown; nothing of it is emitted yet, but for the lowest Node.js.

use super::JsonObject;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// All of it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Declared {
    /// Hooks, by event.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<Hook>,
    /// Documents of hooks in a host's own form, by host.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub native_hooks: BTreeMap<String, String>,
    /// Scripts, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Script>,
    /// Commands of the package: modules by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bin: BTreeMap<String, String>,
    /// The package's library.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lib: Option<Library>,
    /// Payloads, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub payloads: Vec<Payload>,
    /// Servers that start a file of a payload: the file by the server's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prebuilt_servers: BTreeMap<String, String>,
    /// Lowest Node.js.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// How long notices are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retention: Option<Retention>,
    /// Apps that the executable shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub web: Option<Web>,
}

/// A hook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hook {
    /// `session-start`, `before-tool`, …
    pub event: String,
    /// Path of the module, or of the file of a payload.
    pub handler: String,
    /// Whether the handler is a file of a payload.
    pub prebuilt: bool,
    /// Hosts that the author named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// Tools whose use is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Arguments of a prebuilt handler.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
}

/// A script that the manifest names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Script {
    /// Its name.
    pub name: String,
    /// Project-relative path.
    pub source: String,
    /// Artifact path.
    pub output: String,
    /// Hosts that the author named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
}

/// The package's library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// Project-relative path.
    pub source: String,
    /// Whether declarations are written beside it.
    pub dts: bool,
}

/// A directory that something else has built.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    /// Its directory in the plugin.
    pub name: String,
    /// Project-relative path.
    pub source: String,
    /// Packages that its files import at run time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub runtime_dependencies: Vec<String>,
}

/// How long notices are kept; what is absent has a default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// Milliseconds that a notice which is over stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_ttl: Option<u64>,
    /// How many such notices stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_terminal: Option<u64>,
    /// Bytes of the journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_journal_bytes: Option<u64>,
}

/// Apps that the executable shows in a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Web {
    /// The Apps.
    pub apps: Vec<ShownApp>,
    /// `browser` or `never`.
    pub open: String,
}

/// One App that is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShownApp {
    /// `<server>/<app>`.
    pub app: String,
    /// The tool that opens it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<JsonObject>,
    /// What it may do without being asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}
