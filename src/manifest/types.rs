//! The manifest's shape. The JSON Schema in `schemas/` is generated from these types; their doc comments are
//! what an editor shows.

use super::blocks::{
    Bin, Hooks, HostTable, Lib, Notices, Off, PayloadData, Program, Runtime, ScriptData, Tools, Web,
};
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
    /// Handlers of hooks.
    #[serde(default)]
    pub hooks: Hooks,
    /// Scripts by name, beside those under `src/scripts/`.
    #[serde(default)]
    pub scripts: BTreeMap<String, ScriptData>,
    /// The package's commands.
    pub bin: Option<Bin>,
    /// The package's library.
    pub lib: Option<Lib>,
    /// Built directories that are copied as they are, by the name they get in the plugin.
    #[serde(default)]
    pub payload: BTreeMap<String, PayloadData>,
    /// What runs the emitted programs.
    #[serde(default)]
    pub runtime: Runtime,
    /// `false` leaves `src/state.ts` out.
    pub state: Option<Off>,
    /// Settings of notices.
    #[serde(default)]
    pub notices: Notices,
    /// Settings of a bundler that this program does not use.
    pub tools: Option<Tools>,
    /// Apps that the plugin's executable shows in a browser.
    pub web: Option<Web>,
    /// Where the artifact goes.
    #[serde(default)]
    pub output: Output,
    /// Whether hosts with an optional marketplace document (Cursor) get one.
    #[serde(default)]
    pub marketplace: bool,
    /// Fields for Amp's documents.
    pub amp: Option<HostTable>,
    /// Fields for Claude Code's documents.
    pub claude: Option<HostTable>,
    /// Fields for Codex's documents.
    pub codex: Option<HostTable>,
    /// Fields for Cursor's documents.
    pub cursor: Option<HostTable>,
    /// Fields for the portable documents.
    pub portable: Option<HostTable>,
    /// Values that users supply; only a setup bundle declares some.
    #[serde(skip)]
    pub settings: Vec<Setting>,
}

impl ManifestData {
    /// The tables of hosts, by host.
    pub fn host_tables(&self) -> impl Iterator<Item = (&'static str, &HostTable)> {
        let tables = [
            ("amp", &self.amp),
            ("claude", &self.claude),
            ("codex", &self.codex),
            ("cursor", &self.cursor),
            ("portable", &self.portable),
        ];
        tables.into_iter().filter_map(|(host, table)| Some((host, table.as_ref()?)))
    }
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
    /// A handwritten module whose default export returns the server, or `{ prebuilt = "…" }`.
    pub entry: Option<Program>,
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

impl ServerData {
    /// The path of the module that is bundled.
    pub fn module(&self) -> Option<&str> {
        match &self.entry {
            Some(Program::Module(path)) => Some(path),
            _ => None,
        }
    }

    /// The path of the file that is started as it is.
    pub fn prebuilt(&self) -> Option<&str> {
        match &self.entry {
            Some(Program::Prebuilt(file)) => Some(&file.prebuilt),
            _ => None,
        }
    }
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
    /// Metadata of the App's resource.
    #[serde(rename = "_meta")]
    pub meta: Option<Map<String, Value>>,
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
