//! The format, version 0.1.0. The JSON Schema is generated from these types.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The one version of the format.
pub const SCHEMA_VERSION: &str = "0.1.0";
/// What a channel tells its agent when the document does not say.
pub const DEFAULT_CHANNEL_PROMPT: &str = "Answer this message from the channel: {{ message_text }}";

fn schema_version() -> String {
    SCHEMA_VERSION.to_owned()
}

fn channel_prompt() -> String {
    DEFAULT_CHANNEL_PROMPT.to_owned()
}

fn workspace() -> String {
    "workspace".to_owned()
}

fn utc() -> String {
    "UTC".to_owned()
}

fn yes() -> bool {
    true
}

/// A setup bundle: one document that becomes a working setup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// Version of the format.
    #[serde(default = "schema_version")]
    #[schemars(extend("const" = "0.1.0"))]
    pub schema_version: String,
    /// What identifies the installation inside a workspace.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Name for people.
    #[serde(default)]
    pub display_name: Option<String>,
    /// What it is for.
    #[serde(default)]
    pub description: String,
    /// Facts for listings; no effect on an install.
    #[serde(default)]
    pub metadata: Metadata,
    /// The values that a user supplies.
    #[serde(default)]
    pub setup: Vec<SetupField>,
    /// MCP servers.
    #[serde(default)]
    pub mcps: Vec<Mcp>,
    /// Skills.
    #[serde(default)]
    pub skills: Vec<Skill>,
    /// Agents.
    #[serde(default)]
    pub agents: Vec<Agent>,
    /// Messages that reach an agent.
    #[serde(default)]
    pub channels: Vec<Channel>,
    /// What runs by the clock.
    #[serde(default)]
    pub automations: Vec<Automation>,
    /// Rules that hold for the workspace or one agent.
    #[serde(default)]
    pub policies: Vec<Policy>,
}

/// Facts for listings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Metadata {
    /// Who made it.
    #[serde(default)]
    pub developer: Option<String>,
    /// One word of a listing.
    #[serde(default)]
    pub category: Option<String>,
    /// What it can do, in words of a listing.
    #[serde(default)]
    pub capabilities: Vec<String>,
    /// URL or asset name of a picture.
    #[serde(default)]
    pub icon: Option<String>,
    /// URL of its site.
    #[serde(default)]
    pub website: Option<String>,
    /// URL of its privacy statement.
    #[serde(default)]
    pub privacy_url: Option<String>,
    /// URL of its terms.
    #[serde(default)]
    pub terms_url: Option<String>,
}

/// Type of a setup value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    /// Text that is stored apart and never shown.
    Secret,
    /// Text.
    #[default]
    String,
    /// A finite number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// One of the options.
    Select,
}

/// A value that a user supplies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetupField {
    /// What `${setup.<key>}` names.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 255))]
    pub key: String,
    /// Question to the user.
    #[schemars(length(min = 1))]
    pub label: String,
    /// Type of the value.
    #[serde(default, rename = "type")]
    pub field_type: FieldType,
    /// Whether an install needs it.
    #[serde(default)]
    pub required: bool,
    /// Where the user finds it.
    #[serde(default)]
    pub help: Option<String>,
    /// The value when none is supplied; not for secrets.
    #[serde(default)]
    pub default: Option<Value>,
    /// What a `select` can be.
    #[serde(default)]
    pub options: Option<Vec<String>>,
    /// Smallest number.
    #[serde(default)]
    pub min: Option<f64>,
    /// Largest number.
    #[serde(default)]
    pub max: Option<f64>,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mcp {
    /// What agents name it by.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 128))]
    pub key: String,
    /// Name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// How it starts: `type` (`command`, `docker`, `url`), `command`, `args`, `image`, `endpoint_url`, `environment`,
    /// `headers`.
    pub json_spec: Map<String, Value>,
    /// Variables, or headers of a `url` server, whose text holds references.
    #[serde(default)]
    pub bindings: BTreeMap<String, String>,
    /// One reference to a secret field: the key that signs the context of calls.
    #[serde(default)]
    pub context_secret: Option<String>,
}

/// Where the text of a skill is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SkillSource {
    /// In the document.
    #[default]
    Content,
    /// In a directory of a public repository.
    Github,
}

/// A skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// What agents name it by.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 128))]
    pub key: String,
    /// Name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Where the text is.
    #[serde(default)]
    pub source_type: SkillSource,
    /// The text of `SKILL.md`.
    #[serde(default)]
    pub content: Option<String>,
    /// `https://github.com/<owner>/<repository>` with an optional `/tree/<ref>/<directory>`.
    #[serde(default)]
    pub source_url: Option<String>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// What channels, automations and policies name it by.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 128))]
    pub key: String,
    /// Name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// What it is told.
    #[serde(default)]
    #[schemars(length(max = 20_000))]
    pub instruction: String,
    /// Which model; references are resolved.
    #[serde(default)]
    pub model: Option<String>,
    /// Keys of MCP servers.
    #[serde(default)]
    pub mcps: Vec<String>,
    /// Keys of skills.
    #[serde(default)]
    pub skills: Vec<String>,
    /// Names of built-in toolsets.
    #[serde(default)]
    pub toolsets: Vec<String>,
}

/// Where messages come from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChannelType {
    /// A Telegram bot.
    #[default]
    Telegram,
    /// Any sender of a webhook.
    Generic,
}

/// Messages that reach an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Channel {
    /// Its name is `<bundle>:<key>`.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 128))]
    pub key: String,
    /// Name for people.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Key of the agent that answers.
    pub agent: String,
    /// Where messages come from.
    #[serde(default, rename = "type")]
    pub channel_type: ChannelType,
    /// Credentials; each text holds a reference.
    #[serde(default)]
    pub bindings: BTreeMap<String, String>,
    /// What the agent is told; `{{ message_text }}` stands for the message.
    #[serde(default = "channel_prompt")]
    #[schemars(length(min = 1))]
    pub prompt: String,
    /// Whether it starts at once, when the install allows that.
    #[serde(default)]
    pub enabled: bool,
}

/// How an automation is started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AutomationType {
    /// By a cron expression.
    #[default]
    Cron,
}

/// What runs by the clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Automation {
    /// Its name is `<bundle>:<key>`.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 128))]
    pub key: String,
    /// Key of the agent that runs.
    pub agent: String,
    /// How it is started.
    #[serde(default, rename = "type")]
    pub automation_type: AutomationType,
    /// Five fields, or six with seconds first.
    pub cron: String,
    /// IANA name of a time zone.
    #[serde(default = "utc")]
    pub timezone: String,
    /// What the agent is told.
    #[schemars(length(min = 1))]
    pub prompt: String,
    /// Whether it starts at once, when the install allows that.
    #[serde(default)]
    pub enabled: bool,
}

/// What a policy does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// Allows a tool.
    Allow,
    /// Refuses a tool.
    Deny,
    /// Limits money, tokens or turns.
    Cap,
    /// Asks a person first.
    Approval,
    /// Looks at content.
    Safety,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Its key.
    #[schemars(regex(pattern = r"^[a-zA-Z][a-zA-Z0-9_]*$"), length(max = 128))]
    pub key: String,
    /// `workspace`, or the key of an agent.
    #[serde(default = "workspace")]
    pub subject: String,
    /// `*`, a kind, or `kind:value`.
    #[schemars(length(min = 1))]
    pub target: String,
    /// What it does.
    pub effect: Effect,
    /// Members that depend on effect and target.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// Must stay `null`: conditions are not evaluated.
    #[serde(default)]
    pub condition: Option<String>,
    /// Higher wins.
    #[serde(default)]
    pub priority: i64,
    /// Whether it acts.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Why it is there.
    #[serde(default)]
    pub message: Option<String>,
}

/// What an entity of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// An MCP server.
    Mcp,
    /// A skill.
    Skill,
    /// An agent.
    Agent,
    /// A channel.
    Channel,
    /// An automation.
    Automation,
    /// A policy.
    Policy,
}

impl Kind {
    /// All kinds, in the order of their installation.
    pub const ALL: [Self; 6] =
        [Self::Mcp, Self::Skill, Self::Agent, Self::Channel, Self::Automation, Self::Policy];

    /// The word of the wire.
    pub fn word(self) -> &'static str {
        match self {
            Self::Mcp => "mcp",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Channel => "channel",
            Self::Automation => "automation",
            Self::Policy => "policy",
        }
    }

    /// The section of the document.
    pub fn section(self) -> &'static str {
        match self {
            Self::Mcp => "mcps",
            Self::Skill => "skills",
            Self::Agent => "agents",
            Self::Channel => "channels",
            Self::Automation => "automations",
            Self::Policy => "policies",
        }
    }

    /// The kind of that word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

impl Bundle {
    /// The declared field of that key.
    pub fn field(&self, key: &str) -> Option<&SetupField> {
        self.setup.iter().find(|field| field.key == key)
    }

    /// Every entity in the order of installation: kind, place in its section, key, and the name it is shown by.
    pub fn entities(&self) -> Vec<(Kind, usize, &str, String)> {
        let mut all = Vec::new();
        let trigger = |key: &str| format!("{}:{key}", self.name);
        all.extend(
            self.mcps.iter().enumerate().map(|(at, e)| (Kind::Mcp, at, e.key.as_str(), e.name.clone())),
        );
        all.extend(
            self.skills.iter().enumerate().map(|(at, e)| (Kind::Skill, at, e.key.as_str(), e.name.clone())),
        );
        all.extend(
            self.agents.iter().enumerate().map(|(at, e)| (Kind::Agent, at, e.key.as_str(), e.name.clone())),
        );
        all.extend(
            self.channels
                .iter()
                .enumerate()
                .map(|(at, e)| (Kind::Channel, at, e.key.as_str(), trigger(&e.key))),
        );
        all.extend(
            self.automations
                .iter()
                .enumerate()
                .map(|(at, e)| (Kind::Automation, at, e.key.as_str(), trigger(&e.key))),
        );
        all.extend(
            self.policies.iter().enumerate().map(|(at, e)| (Kind::Policy, at, e.key.as_str(), e.key.clone())),
        );
        all
    }
}
