//! The plugin as plain data: what every later room reads. Nothing here does I/O.
//!
//! A [`Model`] is host-independent and validated; lists are sorted by id or path, so that equal projects give
//! equal models whatever order their files were found in.

mod declared;
mod identity;
mod json;
mod setting;
mod surfaces;

pub use declared::{Declared, Hook, Library, Payload, Retention, Script, ShownApp, Web};
pub use identity::{Author, Identity, Metadata};
pub use json::{canonical_json, pointer_step, pretty_json, schema_of};
pub use setting::{SETTING, Setting, SettingKind, setting_word};
pub use surfaces::{Command, CommandOption, Contract, ContractOrigin, OptionKind, Surfaces};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A JSON object.
pub type JsonObject = Map<String, Value>;

/// What a conventional module is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleKind {
    /// `src/mcp/<server>/tools/<name>`
    Tool,
    /// `src/mcp/<server>/resources/<name>`
    Resource,
    /// `src/mcp/<server>/prompts/<name>`
    Prompt,
    /// `src/mcp/<server>/apps/<name>`
    App,
    /// `src/layout` and `src/mcp/<server>/layout`
    Layout,
    /// `src/providers/<name>`
    Provider,
    /// A handwritten stdio server
    Entry,
    /// `src/cli/**`
    Command,
    /// `src/mcp/<server>/tools/<tool>.cli`
    Projection,
    /// `src/events/<family>/<event>`
    Event,
    /// `src/events/**/<name>.view.tsx`
    View,
    /// `src/scripts/<name>`
    Script,
    /// `src/state.ts`
    State,
}

impl ModuleKind {
    /// What it is called in messages.
    pub fn noun(self) -> &'static str {
        match self {
            Self::App => "browser App",
            Self::Command => "CLI command",
            Self::Projection => "CLI projection",
            Self::Event => "event route",
            Self::View => "event view",
            Self::State => "project state",
            other => other.word(),
        }
    }

    /// The word used in ids and JSON.
    pub fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
            Self::App => "app",
            Self::Layout => "layout",
            Self::Provider => "provider",
            Self::Entry => "entry",
            Self::Command => "cli",
            Self::Projection => "projection",
            Self::Event => "event",
            Self::View => "view",
            Self::Script => "script",
            Self::State => "state",
        }
    }
}

/// One executable module of the project.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Module {
    /// `tool:<server>/<name>`, `layout:root`, `layout:mcp:<server>`, `provider:<stem>`, `entry:<server>`, …
    pub id: String,
    /// What it is.
    pub kind: ModuleKind,
    /// The protocol name (tool name, provider key); the stem where there is no other.
    pub name: String,
    /// Project-relative path of the source.
    pub source: String,
    /// Static metadata, as extracted; empty where the kind has none.
    #[serde(default, skip_serializing_if = "JsonObject::is_empty")]
    pub config: JsonObject,
}

/// What starts a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Launch {
    /// Generated from route modules.
    Generated {
        /// Tools, resources, prompts and Apps, sorted by id.
        routes: Vec<Module>,
        /// The server's own layout.
        layout: Option<Module>,
    },
    /// A handwritten module that exports a factory.
    Entry {
        /// The module.
        module: Module,
    },
    /// A program that the plugin does not carry.
    Command {
        /// Program.
        command: String,
        /// Working directory.
        cwd: Option<String>,
    },
    /// A server elsewhere.
    Remote {
        /// Absolute http or https address.
        url: String,
        /// Request headers.
        headers: BTreeMap<String, String>,
    },
}

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Server {
    /// The name under which hosts list it.
    pub name: String,
    /// What starts it.
    pub launch: Launch,
    /// Arguments; for a local entry they follow the entry's path.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment; values may hold canonical tokens.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Selected hosts that it ships to, sorted. Hosts that the author named in the manifest are a choice
    /// (`explicit_targets`); otherwise all selected hosts are meant.
    pub targets: Vec<String>,
    /// Whether `targets` was written down by the author.
    pub explicit_targets: bool,
}

impl Server {
    /// Tools, resources, prompts and Apps of a generated server; none of any other.
    pub fn routes(&self) -> &[Module] {
        match &self.launch {
            Launch::Generated { routes, .. } => routes,
            _ => &[],
        }
    }

    /// Whether the plugin carries the program (generated or handwritten entry).
    pub fn is_compiled(&self) -> bool {
        matches!(self.launch, Launch::Generated { .. } | Launch::Entry { .. })
    }

    /// Root-relative path of the emitted entry: `mcp/mcp-<slug>-<8 hex of the name's digest>.mjs`.
    pub fn entry_path(&self) -> String {
        let slug: String = self
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' })
            .collect();
        let hash = crate::world::Digest::of(self.name.as_bytes()).short(8);
        format!("mcp/mcp-{}-{hash}.mjs", slug.trim_matches('-'))
    }
}

/// A skill directory with a `SKILL.md`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skill {
    /// Directory and frontmatter name.
    pub name: String,
    /// Project-relative directory.
    pub directory: String,
    /// Frontmatter without the authoring key `targets`.
    pub frontmatter: JsonObject,
    /// Per-host additions from the authoring key `targets`.
    #[serde(default)]
    pub host_frontmatter: BTreeMap<String, JsonObject>,
    /// Canonical tokens that the body or frontmatter uses, sorted (`agent-bundle:…`).
    #[serde(default)]
    pub tokens: Vec<String>,
    /// Every file of the directory, relative to it, sorted; `SKILL.md` among them.
    pub files: Vec<String>,
}

/// A Markdown command or rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// File stem.
    pub name: String,
    /// Project-relative path.
    pub source: String,
    /// Frontmatter without `targets`.
    pub frontmatter: JsonObject,
    /// Hosts that the author named.
    pub targets: Option<Vec<String>>,
    /// Byte offset of the body in the source.
    pub body: usize,
}

/// The whole plugin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Who the plugin is.
    pub plugin: Identity,
    /// Selected hosts, sorted.
    pub targets: Vec<String>,
    /// Values that users supply, for the texts of servers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// Servers by name.
    pub servers: Vec<Server>,
    /// `src/layout`.
    pub root_layout: Option<Module>,
    /// Providers by key.
    pub providers: Vec<Module>,
    /// Skills by name.
    pub skills: Vec<Skill>,
    /// Commands by name.
    pub commands: Vec<Document>,
    /// Rules by name.
    pub rules: Vec<Document>,
    /// Surfaces beside servers and documents.
    #[serde(default)]
    pub surfaces: Surfaces,
    /// What only the manifest declares.
    #[serde(default)]
    pub declared: Declared,
    /// Project-relative paths of assets, sorted.
    pub assets: Vec<String>,
    /// Host tables of the manifest (`[claude]`, `[codex]`, …), free JSON.
    pub hosts: BTreeMap<String, JsonObject>,
    /// Whether hosts with an optional marketplace document get one.
    pub marketplace: bool,
}

/// Names for tools that every host understands.
pub const TOOL_SELECTORS: [&str; 5] = ["shell", "file.read", "file.write", "mcp", "agent"];

/// Whether `text` chooses tools: a name that every host understands, or `<host>:<its own name>`.
pub fn is_tool_selector(text: &str) -> bool {
    let is_native = text.split_once(':').is_some_and(|(host, name)| !host.is_empty() && !name.is_empty());
    is_native || TOOL_SELECTORS.contains(&text)
}

/// Whether `uri` can be the address of an App: `ui://` and a host.
pub fn is_app_address(uri: &str) -> bool {
    let Some(rest) = uri.strip_prefix("ui://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or("");
    !host.is_empty() && !uri.chars().any(|c| c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_paths_depend_on_the_name_alone() {
        let server = |name: &str| Server {
            name: name.to_owned(),
            launch: Launch::Generated { routes: Vec::new(), layout: None },
            args: Vec::new(),
            env: BTreeMap::new(),
            targets: Vec::new(),
            explicit_targets: false,
        };
        let path = server("notes").entry_path();
        assert!(path.starts_with("mcp/mcp-notes-") && path.ends_with(".mjs"), "{path}");
        assert_ne!(server("a.b").entry_path(), server("a-b").entry_path());
    }
}
