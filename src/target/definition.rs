//! What a host is, as data: the vocabulary of `targets/<host>.toml`.
//!
//! Rust holds the words alone. Which of them a host uses is written in its file, so a host whose lowering another
//! host has already needs no code.

use serde::Deserialize;
use std::collections::BTreeMap;

/// One host.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Definition {
    /// The name that people know.
    pub title: String,
    /// On what the file rests.
    pub observed: Observed,
    /// The folder of the artifact from which the host installs; `{plugin}` is the plugin's name.
    #[serde(default)]
    pub root: String,
    /// Shared folders that the host needs below its own root, copied there.
    #[serde(default)]
    pub copies: Vec<String>,
    /// Hosts whose documents at the artifact's root make this host overlook its own.
    #[serde(default)]
    pub hidden_by: Vec<String>,
    /// Where the host's files go when they would hide another host's.
    pub relocation: Option<Relocation>,
    /// Fields of the plugin's identity that the documents show; default: all.
    pub identity: Option<Vec<String>>,
    /// Component kinds whose presence or names the documents show.
    #[serde(default)]
    pub shows: BTreeMap<String, Shows>,
    /// What the host calls its marketplace; `{plugin}` is the plugin's name.
    pub marketplace: Option<String>,
    /// Names that the host accepts.
    #[serde(default)]
    pub names: Names,
    /// Component kinds that the host takes. A kind that is not named is not taken.
    #[serde(default)]
    pub components: BTreeMap<String, Component>,
    /// Events that the host tells plugins of.
    #[serde(default)]
    pub events: Events,
    /// What the host's table in the manifest may hold beside the fields of documents.
    #[serde(default)]
    pub table: Table,
    /// The documents.
    #[serde(default)]
    pub documents: Vec<DocumentRule>,
    /// How servers are written down.
    #[serde(default)]
    pub mcp: McpRule,
    /// How skills are lowered.
    #[serde(default)]
    pub skills: SkillRule,
    /// How people install the plugin.
    #[serde(default)]
    pub install: InstallRule,
}

/// The release that was looked at, and how.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Observed {
    /// Version of the host or of the format.
    pub version: String,
    /// Month or day of the look.
    pub date: String,
    /// `run`, `schema`, `source`, `docs` or `observed` by others, in falling weight.
    pub evidence: Vec<String>,
}

/// A self-contained place of its own.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Relocation {
    /// The folder.
    pub root: String,
    /// Shared folders copied into it.
    pub copies: Vec<String>,
}

/// How much of a component kind the documents show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shows {
    /// Whether there is any.
    Presence,
    /// The names.
    Names,
}

/// Names that the host accepts.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Names {
    /// Plugins.
    pub plugin: Option<NameRule>,
    /// Servers.
    pub server: Option<NameRule>,
    /// Tools, as the model sees them.
    pub tool: Option<ToolNames>,
}

/// A rule for names: what its `pattern` (a regular expression) or `max` refuses is not accepted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NameRule {
    /// Regular expression.
    pub pattern: String,
    /// Most characters.
    pub max: Option<usize>,
    /// The rule in words.
    pub says: String,
}

/// How the host spells a tool's full name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ToolNames {
    /// The spelling, with `{plugin}`, `{server}` and `{tool}`.
    pub spelling: String,
    /// Most characters.
    pub max: usize,
}

/// Whether the host does something, and how that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It does.
    Yes,
    /// It is said to; nobody has seen it.
    Unverified,
    /// It does not.
    No,
}

impl State {
    /// Whether the component is shipped.
    pub fn is_taken(self) -> bool {
        self != Self::No
    }
}

/// What the host makes of one component kind.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Component {
    /// Whether the host takes it.
    pub state: State,
    /// Why not, or with what reserve.
    #[serde(default)]
    pub reason: String,
    /// The folder that the host searches.
    pub directory: Option<String>,
    /// Frontmatter that the host reads: authoring key to the host's spelling. `None`: frontmatter is not looked at.
    pub keys: Option<BTreeMap<String, String>>,
}

/// Events that the host tells plugins of.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Events {
    /// The events, in our words.
    #[serde(default)]
    pub names: Vec<String>,
    /// What answers may do (`events.stop.deny`, …).
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// The hooks that a manifest may declare for the host (`before-tool`, …).
    #[serde(default)]
    pub hooks: Vec<String>,
    /// Whether a manifest may hand over a document of hooks in the host's own form.
    #[serde(default)]
    pub native_hooks: bool,
}

/// The host's table in the manifest.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Table {
    /// Keys that templates read.
    #[serde(default)]
    pub keys: Vec<String>,
    /// Whether canonical tokens in values are spelled as in servers; otherwise they are refused.
    #[serde(default)]
    pub tokens: bool,
}

/// One document.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DocumentRule {
    /// `plugin`, `marketplace`, `mcp`, `entry`, or another name.
    pub id: String,
    /// Path below the host's root; `{plugin}` is the plugin's name, `{skill}` the only skill's.
    pub path: String,
    /// File name of the template, without `.jinja`.
    pub template: String,
    /// Name of the schema.
    pub schema: Option<String>,
    /// When it is written.
    pub when: When,
    /// Whether the host finds it itself: then the manifest must not name it.
    #[serde(default)]
    pub found: bool,
    /// What the host would read if the manifest named nothing. When another selected host writes there, an empty
    /// document of our own is written and named.
    pub fallback: Option<String>,
    /// Keys of the host's table that are laid over the document.
    #[serde(default)]
    pub fields: Vec<String>,
}

/// When a document is written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// In each projection.
    Always,
    /// When the host gets a server.
    Servers,
    /// When the manifest asks for marketplaces.
    Marketplace,
    /// When the host's table has the key.
    Table(String),
}

/// How servers are written down.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct McpRule {
    /// How a program that the plugin carries is started; absent: it cannot be.
    pub entry: Option<EntryRule>,
    /// The word for a local server, where one is written.
    pub stdio_type: Option<String>,
    /// The word for a remote server, where one is written.
    pub remote_type: Option<String>,
    /// The key of request headers.
    pub headers: Option<String>,
    /// Whether a working directory may be given.
    #[serde(default)]
    pub cwd: bool,
    /// Whether servers live in a skill, so that there must be exactly one.
    #[serde(default)]
    pub one_skill: bool,
    /// How canonical tokens are spelled.
    #[serde(default)]
    pub tokens: BTreeMap<String, String>,
    /// Placeholders of the host's own that it fills in, without `${` and `}`; one that ends with `*` stands for every
    /// name that begins so.
    #[serde(default)]
    pub placeholders: Vec<String>,
    /// How the fields of a server take tokens; a field that is not named takes none.
    #[serde(default)]
    pub fields: BTreeMap<String, Expansion>,
    /// First part of the codes about tokens.
    #[serde(default = "token_code")]
    pub token_code: String,
    /// Rules for the text of fields.
    #[serde(default)]
    pub rules: Vec<TextRule>,
    /// How the host comes by values that users supply; absent: it does not.
    pub settings: Option<SettingRule>,
}

/// How a host comes by values that users supply.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SettingRule {
    /// What stands for a value in a field that takes tokens anywhere, with `{key}` or `{variable}`.
    pub spelling: Option<String>,
    /// The key of a list of variables that are passed on from the user's environment.
    pub variables: Option<String>,
    /// The key of a map from headers to the variables that hold their text.
    pub headers: Option<String>,
    /// The key of the variable that holds the token of a `Bearer` authorization.
    pub bearer: Option<String>,
}

fn token_code() -> String {
    "mcp.token".to_owned()
}

/// How a program that the plugin carries is started.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct EntryRule {
    /// Text before the entry's path.
    pub prefix: String,
    /// The working directory, where one is written.
    pub cwd: Option<String>,
    /// The value of the variable that names the plugin's root.
    pub anchor: Option<String>,
}

/// How a field takes tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expansion {
    /// Anywhere in the text.
    Text,
    /// At the start of a path, when the server runs in the plugin's root.
    Leading,
}

/// A rule for the text of one field.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextRule {
    /// What must hold.
    pub rule: TextCheck,
    /// The code of a breach, below the host's name.
    pub code: String,
}

/// What must hold of a field's text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextCheck {
    /// The command is a name to be looked up.
    BareCommand,
    /// The command is a name to be looked up, or a file of the plugin written `./…`.
    BundledCommand,
    /// The working directory stays in the plugin's root or data folder.
    ContainedCwd,
    /// The address is absolute, without user and fragment, and https unless it leads to this machine.
    PublicUrl,
    /// Header names are tokens, unique whatever their case; values are printable text.
    HttpHeaders,
    /// Variables that the host sets itself are not set.
    ReservedEnv(Vec<String>),
}

/// How skills are lowered.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SkillRule {
    /// How canonical tokens are spelled.
    #[serde(default)]
    pub tokens: BTreeMap<String, String>,
    /// Placeholders that mean something to this host alone.
    #[serde(default)]
    pub placeholders: Vec<String>,
    /// Name of the frontmatter's schema.
    pub schema: Option<String>,
}

/// How people install the plugin.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct InstallRule {
    /// Whether the copying script serves this host.
    #[serde(default)]
    pub script: bool,
}
