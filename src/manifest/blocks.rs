//! The shapes of what the manifest alone declares: hooks, scripts, package entries, payloads and settings.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The table of a host: fields for its documents.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HostTable {
    /// A document of hooks in the host's own form, as a path.
    pub native_hooks: Option<String>,
    /// Fields for the host's documents.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// `false`, which turns a convention off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Off;

impl<'de> Deserialize<'de> for Off {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match bool::deserialize(deserializer)? {
            false => Ok(Self),
            true => Err(D::Error::custom("only `false` is known here")),
        }
    }
}

impl JsonSchema for Off {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Off".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"const": false})
    }
}

/// What runs: a module that is bundled, or a file of a payload that is copied as it is.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Program {
    /// Path of a module.
    Module(String),
    /// A file of a payload.
    Prebuilt(Prebuilt),
}

/// A file that something else has built.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prebuilt {
    /// Project-relative path inside the source of a payload.
    pub prebuilt: String,
}

/// Hook handlers by event: a path, a table, or a list of both.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Hooks {
    /// A session begins.
    pub session_start: Option<Several<HookData>>,
    /// A tool is about to run.
    pub before_tool: Option<Several<HookData>>,
    /// A tool has run.
    pub after_tool: Option<Several<HookData>>,
    /// The agent is done.
    pub stop: Option<Several<HookData>>,
    /// A subagent begins.
    pub agent_start: Option<Several<HookData>>,
    /// A subagent is done.
    pub agent_stop: Option<Several<HookData>>,
    /// A workspace is opened.
    pub workspace_open: Option<Several<HookData>>,
}

impl Hooks {
    /// Every handler with its event and its JSON pointer.
    pub fn all(&self) -> Vec<(&'static str, String, HookEntry)> {
        let events = [
            ("session-start", &self.session_start),
            ("before-tool", &self.before_tool),
            ("after-tool", &self.after_tool),
            ("stop", &self.stop),
            ("agent-start", &self.agent_start),
            ("agent-stop", &self.agent_stop),
            ("workspace-open", &self.workspace_open),
        ];
        let mut all = Vec::new();
        for (event, handlers) in events {
            let place = format!("/hooks/{event}");
            match handlers {
                None => {}
                Some(Several::One(one)) => all.push((event, place, one.entry())),
                Some(Several::Many(many)) => {
                    let many = many.iter().enumerate();
                    all.extend(many.map(|(at, one)| (event, format!("{place}/{at}"), one.entry())));
                }
            }
        }
        all
    }
}

/// One, or a list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Several<T> {
    /// One.
    One(T),
    /// A list.
    Many(Vec<T>),
}

/// A handler: its path, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum HookData {
    /// Path of the module.
    Path(String),
    /// With settings.
    Entry(HookEntry),
}

impl HookData {
    fn entry(&self) -> HookEntry {
        match self {
            Self::Entry(entry) => entry.clone(),
            Self::Path(path) => HookEntry {
                handler: Program::Module(path.clone()),
                targets: None,
                tools: None,
                timeout: None,
                args: Vec::new(),
            },
        }
    }
}

/// A handler with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct HookEntry {
    /// Path of the module, or `{ prebuilt = "…" }`.
    pub handler: Program,
    /// Hosts that get the hook; default: all selected that have the event.
    pub targets: Option<Vec<String>>,
    /// Tools whose use is told: `shell`, `file.read`, `file.write`, `mcp`, `agent`, or `<host>:<its own name>`.
    pub tools: Option<Vec<String>>,
    /// Seconds until the host gives up.
    #[schemars(range(min = 1))]
    pub timeout: Option<u64>,
    /// Arguments of a prebuilt handler.
    #[serde(default)]
    pub args: Vec<String>,
}

/// A script: its path, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ScriptData {
    /// Path of the script.
    Path(String),
    /// With settings.
    Entry(ScriptEntry),
}

impl ScriptData {
    /// The path.
    pub fn path(&self) -> &str {
        match self {
            Self::Path(path) => path,
            Self::Entry(entry) => &entry.entry,
        }
    }

    /// Hosts that the author named.
    pub fn targets(&self) -> Option<&Vec<String>> {
        match self {
            Self::Path(_) => None,
            Self::Entry(entry) => entry.targets.as_ref(),
        }
    }
}

/// A script with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScriptEntry {
    /// Path of the script.
    pub entry: String,
    /// Hosts that get the script; default: all selected.
    pub targets: Option<Vec<String>>,
}

/// The package's commands: `false` for none, or modules by name.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Bin {
    /// None, whatever the conventions find.
    Off(Off),
    /// Modules by the name of the command.
    Named(BTreeMap<String, BinData>),
}

/// A command of the package: its path, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum BinData {
    /// Path of the module.
    Path(String),
    /// As a table.
    Entry(BinEntry),
}

impl BinData {
    /// The path.
    pub fn path(&self) -> &str {
        match self {
            Self::Path(path) => path,
            Self::Entry(entry) => &entry.entry,
        }
    }
}

/// A command of the package as a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BinEntry {
    /// Path of the module.
    pub entry: String,
}

/// The package's library: `false` for none, a path, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Lib {
    /// None, whatever the conventions find.
    Off(Off),
    /// Path of the module.
    Path(String),
    /// With settings.
    Entry(LibEntry),
}

impl Lib {
    /// The path.
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Off(_) => None,
            Self::Path(path) => Some(path),
            Self::Entry(entry) => Some(&entry.entry),
        }
    }
}

/// The package's library with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LibEntry {
    /// Path of the module.
    pub entry: String,
    /// Whether declarations are written beside it. Default: `true`.
    pub dts: Option<bool>,
}

/// A payload: the path of a built directory, or a table.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum PayloadData {
    /// Path of the directory.
    Path(String),
    /// With settings.
    Entry(PayloadEntry),
}

impl PayloadData {
    /// The path.
    pub fn path(&self) -> &str {
        match self {
            Self::Path(path) => path,
            Self::Entry(entry) => &entry.source,
        }
    }

    /// Packages that it needs at run time.
    pub fn runtime_dependencies(&self) -> &[String] {
        match self {
            Self::Path(_) => &[],
            Self::Entry(entry) => &entry.runtime_dependencies,
        }
    }
}

/// A payload with its settings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PayloadEntry {
    /// Path of the built directory.
    pub source: String,
    /// Packages of `dependencies` that its files import at run time.
    #[serde(default)]
    pub runtime_dependencies: Vec<String>,
}

/// What runs the emitted programs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Runtime {
    /// Lowest version of Node.js that the plugin runs on, such as `22.12.0`.
    pub node: Option<String>,
}

/// Settings of notices.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notices {
    /// How long notices are kept.
    pub retention: Option<Retention>,
}

/// How long notices are kept. What is absent has a default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Retention {
    /// How long a notice that is over stays: milliseconds, or a number with `ms`, `s`, `m`, `h` or `d`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminal_ttl: Option<Duration>,
    /// How many notices that are over stay.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_terminal: Option<u64>,
    /// How large the journal may grow.
    #[schemars(range(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_journal_bytes: Option<u64>,
}

/// A length of time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Duration {
    /// Milliseconds.
    Milliseconds(u64),
    /// A number with a unit.
    Text(String),
}

impl Duration {
    /// In milliseconds; `None` for what is no positive length.
    pub fn milliseconds(&self) -> Option<u64> {
        let text = match self {
            Self::Milliseconds(number) => return (*number > 0).then_some(*number),
            Self::Text(text) => text,
        };
        let digits = text.find(|c: char| !c.is_ascii_digit())?;
        let number: u64 = text[..digits].parse().ok()?;
        let unit = match &text[digits..] {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            _ => return None,
        };
        number.checked_mul(unit).filter(|number| *number > 0)
    }
}

/// Settings of a bundler that this program does not use. Their shape is checked.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tools {
    /// Settings of Rsbuild.
    pub rsbuild: Option<Map<String, Value>>,
    /// Settings of Rspack, or a list of such.
    pub rspack: Option<Several<Map<String, Value>>>,
}

/// Apps that the plugin's executable shows in a browser.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// The Apps, as `<server>/<app>` or as tables.
    pub apps: Vec<WebApp>,
    /// `browser` to open one, `never` (the default) to print its address.
    pub open: Option<String>,
}

/// An App that is shown: its name, or a table.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum WebApp {
    /// `<server>/<app>`.
    Name(String),
    /// With settings.
    Entry(WebAppEntry),
}

impl WebApp {
    /// `<server>/<app>`.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Entry(entry) => &entry.app,
        }
    }
}

/// An App that is shown, with its settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WebAppEntry {
    /// `<server>/<app>`.
    pub app: String,
    /// The tool that opens it; default: the only one that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tool's input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Map<String, Value>>,
    /// What the App may do without being asked: `call-tool`, `download-file`, `open-external-link`,
    /// `request-display-mode`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
}
