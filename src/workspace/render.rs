//! From the entities of a document to rows: pure, with ids given.

use super::analyze::mcp::{self, Transport};
use super::analyze::skill;
use super::document::reference;
use super::document::{Bundle, ChannelType, FieldType, Kind, Mcp, SkillSource};
use super::entity::{
    AgentFields, EnvEntry, Joined, McpFields, RowKind, RuleFields, SkillFields, SpecFields, Tool,
    TriggerFields, to_fields,
};
use super::values::Values;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Ids of entities by kind and key; skipped ones are absent.
pub type Ids = BTreeMap<(Kind, String), String>;

/// A skill that was fetched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fetched {
    /// Text of `SKILL.md`.
    pub content: String,
    /// Its other files.
    pub files: BTreeMap<String, String>,
    /// At which commit.
    pub commit: Option<String>,
}

/// What rendering needs beside the document.
#[derive(Debug, Clone)]
pub struct Context<'a> {
    /// Values in effect.
    pub values: &'a Values,
    /// Ids of what the entity points at.
    pub ids: &'a Ids,
    /// Skills by key.
    pub fetched: &'a BTreeMap<String, Fetched>,
    /// Id of the workspace.
    pub workspace: &'a str,
    /// Whether `enabled: true` is honoured.
    pub allow_enabled: bool,
}

/// A row to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// What it is.
    pub kind: RowKind,
    /// Its name.
    pub name: String,
    /// Row it cannot be without.
    pub parent: Option<String>,
    /// Its fields.
    pub fields: Map<String, Value>,
    /// The secret setup fields it holds.
    pub secrets: BTreeSet<String>,
}

/// Members that are a row's own state and no content of a document.
pub fn is_state(kind: RowKind, member: &str) -> bool {
    match kind {
        RowKind::Mcp => member == "spec_id",
        RowKind::Trigger => matches!(member, "webhook_id" | "enabled"),
        _ => false,
    }
}

/// The spec behind a server.
pub fn spec(bundle: &Bundle, mcp: &Mcp, values: &Values) -> Rendered {
    let (server, _) = mcp::server(mcp);
    let url = !server.url.is_empty() && server.transport == Transport::Url;
    let command = server.transport == Transport::Command;
    let fields = SpecFields {
        description: format!("From the bundle {}", bundle.name),
        transport: server.transport.word().to_owned(),
        command: command.then(|| server.command.clone()),
        args: server.args.iter().map(|text| values.join(text)).collect(),
        image: (server.transport == Transport::Docker).then(|| server.image.clone()),
        url: url.then(|| values.join(&server.url)),
        env_schema: env_schema(bundle, mcp, &server),
    };
    Rendered {
        kind: RowKind::Spec,
        name: mcp.name.clone(),
        parent: None,
        fields: to_fields(&fields),
        secrets: BTreeSet::new(),
    }
}

fn env_schema(bundle: &Bundle, mcp: &Mcp, server: &mcp::Server) -> Vec<EnvEntry> {
    let is_secret = |text: &str| {
        reference::fields(text)
            .iter()
            .any(|key| bundle.field(key).is_some_and(|field| field.field_type == FieldType::Secret))
    };
    let label = |text: &str| {
        let first = reference::fields(text).into_iter().next();
        first.and_then(|key| bundle.field(&key)).map(|field| field.label.clone()).unwrap_or_default()
    };
    let mut entries: BTreeMap<&str, EnvEntry> = BTreeMap::new();
    for name in server.environment.keys().chain(server.headers.keys()) {
        let entry = EnvEntry { name: name.clone(), description: String::new(), secret: false };
        entries.insert(name, entry);
    }
    for (name, text) in &mcp.bindings {
        let entry = EnvEntry { name: name.clone(), description: label(text), secret: is_secret(text) };
        entries.insert(name, entry);
    }
    entries.into_values().collect()
}

/// The server itself; `spec_id` is the row of [`spec`].
pub fn instance(mcp: &Mcp, values: &Values, spec_id: &str) -> Rendered {
    let (server, _) = mcp::server(mcp);
    let literal = |map: &BTreeMap<String, String>| -> BTreeMap<String, Joined> {
        map.iter().map(|(name, text)| (name.clone(), Joined::Plain(text.clone()))).collect()
    };
    let mut fields = McpFields {
        spec_id: spec_id.to_owned(),
        environment: literal(&server.environment),
        headers: literal(&server.headers),
        context_secret: mcp.context_secret.as_deref().map(|text| values.join(text)),
        context_signing: mcp.context_secret.is_some(),
    };
    let url = server.transport == Transport::Url;
    let bound = if url { &mut fields.headers } else { &mut fields.environment };
    for (name, text) in &mcp.bindings {
        if url {
            bound.retain(|other, _| !other.eq_ignore_ascii_case(name));
        }
        bound.remove(name);
        let absent = reference::single(text).is_some_and(|field| !values.has(&field));
        if !absent {
            bound.insert(name.clone(), values.join(text));
        }
    }
    let args: Vec<Joined> = server.args.iter().chain([&server.url]).map(|text| values.join(text)).collect();
    let secrets = fields
        .environment
        .values()
        .chain(fields.headers.values())
        .chain(&fields.context_secret)
        .chain(&args)
        .flat_map(Joined::secrets)
        .map(str::to_owned)
        .collect();
    Rendered {
        kind: RowKind::Mcp,
        name: mcp.name.clone(),
        parent: Some(spec_id.to_owned()),
        fields: to_fields(&fields),
        secrets,
    }
}

/// Any other entity.
pub fn entity(bundle: &Bundle, kind: Kind, index: usize, context: &Context<'_>) -> Rendered {
    match kind {
        Kind::Mcp => {
            let mcp = &bundle.mcps[index];
            let id = context.ids.get(&(Kind::Mcp, mcp.key.clone())).cloned().unwrap_or_default();
            instance(mcp, context.values, &id)
        }
        Kind::Skill => skill_row(bundle, index, context),
        Kind::Agent => agent(bundle, index, context),
        Kind::Channel => channel(bundle, index, context),
        Kind::Automation => automation(bundle, index, context),
        Kind::Policy => policy(bundle, index, context),
    }
}

fn plain(kind: RowKind, name: &str, fields: Map<String, Value>) -> Rendered {
    Rendered { kind, name: name.to_owned(), parent: None, fields, secrets: BTreeSet::new() }
}

fn skill_row(bundle: &Bundle, index: usize, context: &Context<'_>) -> Rendered {
    let document = &bundle.skills[index];
    let fetched = context.fetched.get(&document.key);
    let content = match document.source_type {
        SkillSource::Content => document.content.clone().unwrap_or_default(),
        SkillSource::Github => fetched.map(|fetched| fetched.content.clone()).unwrap_or_default(),
    };
    let facts = skill::facts(&content);
    let github = document.source_type == SkillSource::Github;
    let fields = SkillFields {
        source_type: if github { "github" } else { "content" }.to_owned(),
        content,
        description: facts.description,
        allowed_tools: facts.allowed_tools,
        source_url: document.source_url.clone().filter(|_| github),
        commit: fetched.and_then(|fetched| fetched.commit.clone()),
        files: fetched.map(|fetched| fetched.files.clone()).unwrap_or_default(),
    };
    plain(RowKind::Skill, &document.name, to_fields(&fields))
}

/// The text of a live place that cannot hold secrets apart.
fn text(joined: Joined) -> String {
    joined.join(&|_| None).unwrap_or_default()
}

fn agent(bundle: &Bundle, index: usize, context: &Context<'_>) -> Rendered {
    let document = &bundle.agents[index];
    let mut tools: Vec<Tool> = Vec::new();
    let named = document.toolsets.iter().map(|name| Some(Tool::Toolset { name: name.clone() }));
    let servers = document
        .mcps
        .iter()
        .map(|key| context.ids.get(&(Kind::Mcp, key.clone())).map(|id| Tool::Mcp { id: id.clone() }));
    for tool in named.chain(servers).flatten() {
        if !tools.contains(&tool) {
            tools.push(tool);
        }
    }
    let mut skills: Vec<String> = Vec::new();
    for id in document.skills.iter().filter_map(|key| context.ids.get(&(Kind::Skill, key.clone()))) {
        if !skills.contains(id) {
            skills.push(id.clone());
        }
    }
    let fields = AgentFields {
        description: String::new(),
        instruction: document.instruction.clone(),
        model: text(context.values.join(document.model.as_deref().unwrap_or_default())),
        tools,
        skills,
    };
    plain(RowKind::Agent, &document.name, to_fields(&fields))
}

fn agent_id(context: &Context<'_>, key: &str) -> String {
    context.ids.get(&(Kind::Agent, key.to_owned())).cloned().unwrap_or_default()
}

fn channel(bundle: &Bundle, index: usize, context: &Context<'_>) -> Rendered {
    let document = &bundle.channels[index];
    let agent_id = agent_id(context, &document.agent);
    let credential: BTreeMap<String, Joined> = document
        .bindings
        .iter()
        .filter(|(_, text)| reference::single(text).is_none_or(|field| context.values.has(&field)))
        .map(|(name, text)| (name.clone(), context.values.join(text)))
        .collect();
    let secrets = credential.values().flat_map(Joined::secrets).map(str::to_owned).collect();
    let fields = TriggerFields {
        trigger_type: "webhook".to_owned(),
        description: document.name.clone(),
        agent_id: agent_id.clone(),
        text: document.prompt.clone(),
        enabled: document.enabled && context.allow_enabled,
        channel_type: Some(
            match document.channel_type {
                ChannelType::Telegram => "telegram",
                ChannelType::Generic => "generic",
            }
            .to_owned(),
        ),
        methods: vec!["POST".to_owned()],
        credential,
        ..TriggerFields::default()
    };
    Rendered {
        kind: RowKind::Trigger,
        name: format!("{}:{}", bundle.name, document.key),
        parent: Some(agent_id),
        fields: to_fields(&fields),
        secrets,
    }
}

fn automation(bundle: &Bundle, index: usize, context: &Context<'_>) -> Rendered {
    let document = &bundle.automations[index];
    let agent_id = agent_id(context, &document.agent);
    let fields = TriggerFields {
        trigger_type: "cron".to_owned(),
        agent_id: agent_id.clone(),
        text: document.prompt.clone(),
        enabled: document.enabled && context.allow_enabled,
        cron: Some(document.cron.clone()),
        timezone: Some(document.timezone.clone()),
        ..TriggerFields::default()
    };
    Rendered {
        kind: RowKind::Trigger,
        name: format!("{}:{}", bundle.name, document.key),
        parent: Some(agent_id),
        fields: to_fields(&fields),
        secrets: BTreeSet::new(),
    }
}

fn policy(bundle: &Bundle, index: usize, context: &Context<'_>) -> Rendered {
    let document = &bundle.policies[index];
    let workspace = document.subject == "workspace";
    let fields = RuleFields {
        subject_type: if workspace { "workspace" } else { "agent" }.to_owned(),
        subject_id: if workspace {
            context.workspace.to_owned()
        } else {
            agent_id(context, &document.subject)
        },
        target: document.target.clone(),
        effect: document.effect.word().to_owned(),
        params: document.params.clone(),
        priority: document.priority,
        enabled: document.enabled,
    };
    plain(RowKind::Rule, &document.key, to_fields(&fields))
}
