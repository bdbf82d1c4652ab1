//! What a workspace holds, as plain data.

use super::document::Kind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What a row is. Channels and automations are both triggers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// How a server starts.
    Spec,
    /// A server with its variables.
    Mcp,
    /// A skill.
    Skill,
    /// An agent.
    Agent,
    /// A webhook or a clock that starts an agent.
    Trigger,
    /// A rule.
    Rule,
}

impl RowKind {
    /// The word of the store.
    pub fn word(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Mcp => "mcp",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Trigger => "trigger",
            Self::Rule => "rule",
        }
    }

    /// The kind of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Spec, Self::Mcp, Self::Skill, Self::Agent, Self::Trigger, Self::Rule]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// The row that an entity of a document becomes.
    pub fn of(kind: Kind) -> Self {
        match kind {
            Kind::Mcp => Self::Mcp,
            Kind::Skill => Self::Skill,
            Kind::Agent => Self::Agent,
            Kind::Channel | Kind::Automation => Self::Trigger,
            Kind::Policy => Self::Rule,
        }
    }
}

/// A piece of joined text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// The stored secret of that setup field.
    Secret(String),
}

/// Text whose secret pieces are named, not held.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Joined {
    /// Nothing in it is secret.
    Plain(String),
    /// Something is.
    Parts(Vec<Part>),
}

impl Joined {
    /// The secret fields in it.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        let parts = match self {
            Self::Plain(_) => &[][..],
            Self::Parts(parts) => parts.as_slice(),
        };
        parts.iter().filter_map(|part| match part {
            Part::Secret(field) => Some(field.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The text with its secrets filled in; `None` when one is not known.
    pub fn join(&self, secret: &dyn Fn(&str) -> Option<String>) -> Option<String> {
        match self {
            Self::Plain(text) => Some(text.clone()),
            Self::Parts(parts) => parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) => Some(text.clone()),
                    Part::Secret(field) => secret(field),
                })
                .collect(),
        }
    }
}

/// A variable or header that a server takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvEntry {
    /// Its name.
    pub name: String,
    /// What it is.
    pub description: String,
    /// Whether its value is kept apart.
    pub secret: bool,
}

/// Fields of a spec.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpecFields {
    /// Which bundle it came with.
    pub description: String,
    /// `command`, `docker` or `url`.
    pub transport: String,
    /// The runtime.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<Joined>,
    /// The image.
    pub image: Option<String>,
    /// The address.
    pub url: Option<Joined>,
    /// What it takes.
    pub env_schema: Vec<EnvEntry>,
}

/// Fields of a server.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct McpFields {
    /// Id of its spec.
    pub spec_id: String,
    /// Variables.
    pub environment: BTreeMap<String, Joined>,
    /// Headers.
    pub headers: BTreeMap<String, Joined>,
    /// Which secret signs the context of calls.
    pub context_secret: Option<Joined>,
    /// Whether one does.
    pub context_signing: bool,
}

/// Fields of a skill.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SkillFields {
    /// `content` or `github`.
    pub source_type: String,
    /// Text of `SKILL.md`.
    pub content: String,
    /// What it says about itself.
    pub description: Option<String>,
    /// Tools that it may use.
    pub allowed_tools: Vec<String>,
    /// Where it came from.
    pub source_url: Option<String>,
    /// At which commit.
    pub commit: Option<String>,
    /// Its other files.
    pub files: BTreeMap<String, String>,
}

/// A tool of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Tool {
    /// A built-in set.
    Toolset {
        /// Its name.
        name: String,
    },
    /// A server.
    Mcp {
        /// Its id.
        id: String,
    },
}

/// Fields of an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentFields {
    /// Always empty for one that came with a bundle.
    pub description: String,
    /// What it is told.
    pub instruction: String,
    /// Which model.
    pub model: String,
    /// Toolsets, then servers.
    pub tools: Vec<Tool>,
    /// Ids of skills.
    pub skills: Vec<String>,
}

/// Fields of a trigger.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TriggerFields {
    /// `webhook` or `cron`.
    #[serde(rename = "type")]
    pub trigger_type: String,
    /// Name of the channel.
    pub description: String,
    /// Id of the agent.
    pub agent_id: String,
    /// What the agent is told.
    pub text: String,
    /// Whether it acts.
    pub enabled: bool,
    /// `telegram` or `generic`.
    pub channel_type: Option<String>,
    /// Methods of the webhook.
    pub methods: Vec<String>,
    /// The secret part of the webhook's address.
    pub webhook_id: Option<String>,
    /// Credentials of the channel.
    pub credential: BTreeMap<String, Joined>,
    /// Cron expression.
    pub cron: Option<String>,
    /// Time zone.
    pub timezone: Option<String>,
}

/// Fields of a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RuleFields {
    /// `workspace` or `agent`.
    pub subject_type: String,
    /// Id of the workspace or agent.
    pub subject_id: String,
    /// What it is about.
    pub target: String,
    /// What it does.
    pub effect: String,
    /// Members that depend on effect and target.
    pub params: Map<String, Value>,
    /// Higher wins.
    pub priority: i64,
    /// Whether it acts.
    pub enabled: bool,
}

/// One row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: RowKind,
    /// Its name.
    pub name: String,
    /// Row it cannot be without: the spec of a server, the agent of a trigger.
    pub parent: Option<String>,
    /// Its fields as JSON.
    pub fields: Map<String, Value>,
    /// Whether it was put away.
    pub archived: bool,
    /// Whether no bundle removes it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub retained: bool,
    /// Keyed hashes of its secrets by setup field.
    pub secrets: BTreeMap<String, String>,
}

impl Entity {
    /// The fields as their type; defaults where a row is not of that kind.
    pub fn read<T: Default + for<'de> Deserialize<'de>>(&self) -> T {
        serde_json::from_value(Value::Object(self.fields.clone())).unwrap_or_default()
    }
}

/// Fields as JSON.
pub fn to_fields(fields: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(fields) {
        Ok(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// What an install did with an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It was made.
    Created,
    /// It was there from an earlier install.
    Reused,
    /// It was changed to what the document says.
    Updated,
    /// It was left out.
    Skipped,
}

/// One line of an install's result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ResultEntity {
    /// What it is.
    pub kind: Kind,
    /// Its key in the document.
    pub key: String,
    /// The name it is shown by.
    pub name: String,
    /// What was done.
    pub action: Action,
    /// Its id, unless it was skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Why, or what about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// What the last install wrote, or found, under a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Base {
    /// The row.
    pub id: String,
    /// Whether this bundle made it, so that uninstalling may remove it.
    pub owned: bool,
    /// The name as written.
    pub name: String,
    /// The fields as written.
    pub fields: Map<String, Value>,
    /// Keyed hashes of the secrets as written.
    pub secrets: BTreeMap<String, String>,
}

/// An entity that an earlier document of this bundle had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Retired {
    /// What it is.
    pub kind: Kind,
    /// The key it had.
    pub key: String,
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
}

/// The record of an installed bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub id: String,
    /// Name of the bundle.
    pub name: String,
    /// The document as installed.
    pub canonical: String,
    /// Digest of that.
    pub digest: String,
    /// Where the document came from.
    pub origin: String,
    /// Who signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    /// Who installed it.
    pub installed_by: String,
    /// How many installs there were.
    pub generation: i64,
    /// What the last one did.
    pub result: Vec<ResultEntity>,
    /// What earlier documents had.
    pub retired: Vec<Retired>,
    /// What was written, by `kind/key`; specs under `spec/key`.
    pub base: BTreeMap<String, Base>,
    /// Seconds since the epoch.
    pub created_at: i64,
    /// Seconds since the epoch.
    pub updated_at: i64,
}

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WorkspaceInfo {
    /// Its id.
    pub id: String,
    /// What addresses name it by.
    pub slug: String,
    /// Its name.
    pub name: String,
}

/// A workspace at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// Which one.
    pub workspace: WorkspaceInfo,
    /// Its rows, oldest first.
    pub entities: Vec<Entity>,
    /// The records of its bundles by name.
    pub records: BTreeMap<String, Record>,
    /// The keys that publishers signed with before, in whichever workspace.
    pub publishers: BTreeMap<String, String>,
}

impl Snapshot {
    /// A workspace with nothing in it.
    pub fn empty() -> Self {
        let workspace = WorkspaceInfo { id: String::new(), slug: String::new(), name: String::new() };
        Self { workspace, entities: Vec::new(), records: BTreeMap::new(), publishers: BTreeMap::new() }
    }

    /// The row of that id and kind, unless it was put away.
    pub fn live(&self, kind: RowKind, id: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.id == id && entity.kind == kind && !entity.archived)
    }

    /// The row of that id.
    pub fn find(&self, id: &str) -> Option<&Entity> {
        self.entities.iter().find(|entity| entity.id == id)
    }

    /// Ids that a bundle made.
    pub fn owned_by(&self, name: &str) -> BTreeSet<&str> {
        let record = self.records.get(name).into_iter();
        record
            .flat_map(|record| record.base.values())
            .filter(|base| base.owned)
            .map(|base| base.id.as_str())
            .collect()
    }
}
