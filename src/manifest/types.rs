//! The manifest's shape. The JSON Schema in `schemas/` is generated from these types; their doc comments are
//! what an editor shows.

use crate::model::Setting;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// `agent-bundle.toml`: what a plugin is and where it goes. Everything that lies under `src/` by convention
/// needs no entry here.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "agent-bundle manifest")]
pub struct ManifestData {
    /// Who the plugin is.
    pub plugin: Plugin,
    /// Hosts to build for: `amp`, `claude`, `codex`, `cursor`, `portable`, or one that `target-definitions` adds.
    /// Default: `["portable"]`.
    pub targets: Option<Vec<String>>,
    /// Folders that define further hosts, by host name; each holds `target.toml` and its templates.
    #[serde(default)]
    pub target_definitions: BTreeMap<String, String>,
    /// Skill directories, as paths or globs. Replaces the convention `src/skills/*`.
    pub skills: Option<Vec<String>>,
    /// Files copied byte for byte, as paths or globs. Replaces the convention `assets/**`.
    pub assets: Option<Vec<String>>,
    /// MCP servers.
    #[serde(default)]
    pub mcp: Mcp,
    /// How route modules are used.
    #[serde(default)]
    pub routes: Routes,
    /// Where the artifact goes.
    #[serde(default)]
    pub output: Output,
    /// Whether hosts with an optional marketplace document (Cursor) get one.
    #[serde(default)]
    pub marketplace: bool,
    /// Fields for Amp's documents.
    pub amp: Option<Map<String, Value>>,
    /// Fields for Claude Code's documents.
    pub claude: Option<Map<String, Value>>,
    /// Fields for Codex's documents.
    pub codex: Option<Map<String, Value>>,
    /// Fields for Cursor's documents.
    pub cursor: Option<Map<String, Value>>,
    /// Fields for the portable documents.
    pub portable: Option<Map<String, Value>>,
    /// Values that users supply; only a setup bundle declares some.
    #[serde(skip)]
    pub settings: Vec<Setting>,
}

/// The plugin's identity.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Plugin {
    /// The name under which hosts install the plugin.
    pub name: String,
    /// One sentence that hosts show.
    pub description: Option<String>,
    /// Deprecated: `package.json` gives the version.
    pub version: Option<String>,
    /// Project-relative path of an image.
    pub logo: Option<String>,
    /// Descriptive fields; what is absent here comes from `package.json`, `false` suppresses a field.
    #[serde(default)]
    pub metadata: PluginMetadata,
}

/// Descriptive fields. Each may be `false`, which withholds what `package.json` says.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PluginMetadata {
    /// A name, or a table of `name`, `email` and `url`.
    pub author: Option<Value>,
    /// Home page.
    pub homepage: Option<Value>,
    /// Search words.
    pub keywords: Option<Value>,
    /// SPDX licence expression.
    pub license: Option<Value>,
    /// Address of the source repository.
    pub repository: Option<Value>,
}

/// MCP servers.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Mcp {
    /// Servers by name. A server with routes under `src/mcp/<name>/` needs no entry; one here adds to it.
    #[serde(default)]
    pub servers: BTreeMap<String, ServerData>,
}

/// One server.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ServerData {
    /// A handwritten module whose default export returns the server.
    pub entry: Option<String>,
    /// A program on the user's machine.
    pub command: Option<String>,
    /// Address of a server elsewhere.
    pub url: Option<String>,
    /// `stdio` or `streamable-http`.
    pub transport: Option<String>,
    /// Arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// Environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Working directory of a command.
    pub cwd: Option<String>,
    /// Request headers of a server elsewhere.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Hosts that get this server; default: all selected.
    pub targets: Option<Vec<String>>,
    /// Apps beside the server's App routes.
    #[serde(default)]
    pub apps: BTreeMap<String, AppData>,
}

/// A browser App declared in the manifest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct AppData {
    /// Browser module.
    pub entry: String,
    /// `ui://` address.
    pub resource_uri: String,
    /// HTML page around the App.
    pub template: Option<String>,
    /// Hosts that get the App.
    pub targets: Option<Vec<String>>,
}

/// How route modules are used.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Routes {
    /// Mode by server: `generated`, `custom`, `command` or `remote`.
    #[serde(default)]
    pub servers: BTreeMap<String, String>,
    /// Where the command line comes from: `generated` (modules under `src/cli/` and tools) or `conventional`
    /// (`src/cli.ts`).
    pub cli: Option<String>,
    /// Which tools become shell commands.
    pub mcp_commands: Option<McpCommands>,
}

/// Which tools become shell commands: patterns `<server>:<tool>` of literal text and `*`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct McpCommands {
    /// Patterns of tools to take; default: all.
    pub include: Option<Vec<String>>,
    /// Patterns of tools to leave out.
    #[serde(default)]
    pub exclude: Vec<String>,
}

/// Where the artifact goes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Output {
    /// Project-relative directory. Default: `artifact`.
    pub path: Option<String>,
}

/// A root manifest: it builds nothing itself and names the projects below it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[schemars(title = "agent-bundle root manifest")]
pub struct ProjectsData {
    /// The projects.
    pub projects: Projects,
}

/// Which projects belong together.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Projects {
    /// Directories with a manifest each, and documents of setup bundles (`*.bundle.yaml`, `.yml`, `.json`), as paths or
    /// globs.
    pub members: Vec<String>,
    /// Hosts to build the setup bundles for. Default: `["portable"]`.
    pub bundle_targets: Option<Vec<String>>,
    /// Directories to leave out, as paths or globs.
    #[serde(default)]
    pub exclude: Vec<String>,
}
