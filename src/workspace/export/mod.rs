//! A workspace as one document, without a secret in it. The secret store is not opened.

mod keys;
mod marks;
pub(super) mod screen;
mod servers;

use super::analyze::{Caller, analyze, literals};
use super::document::{
    Agent, Automation, AutomationType, Bundle, Channel, ChannelType, DEFAULT_CHANNEL_PROMPT, Document,
    Effect, FieldType, Metadata, Policy, SCHEMA_VERSION, SetupField, Skill, SkillSource, to_yaml,
};
use super::entity::{AgentFields, Entity, RowKind, RuleFields, SkillFields, Snapshot, Tool, TriggerFields};
use super::issue::Issue;
use super::problem::{Problem, ProblemCode};
use super::store::Store;
use keys::SetupKeys;
use marks::Marks;
pub use marks::{Hit, forget_answers, keep, suspects};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How to export.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Every argument, variable and header becomes a setup field.
    pub strict: bool,
    /// Text that looks like a credential is exported.
    pub allow_suspected: bool,
    /// Policies of exported agents are added.
    pub policies: bool,
}

/// An exported workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// The document, in YAML.
    pub document: String,
    /// What was left out, and why.
    pub omissions: Vec<String>,
}

/// Exports.
pub fn export(store: &Store, workspace: &str, options: &Options) -> Result<Export, Problem> {
    let (snapshot, known) = read(store, workspace)?;
    let (export, _) = from_snapshot(&snapshot, options, &Marks { store, known })?;
    let how = if options.strict { "strict" } else { "" };
    store.write(|transaction| transaction.audit(&snapshot.workspace.id, "export", how))?;
    Ok(export)
}

/// A workspace, and what was said about its values.
fn read(store: &Store, workspace: &str) -> Result<(Snapshot, BTreeSet<String>), Problem> {
    store.read(|view| {
        let workspace = view.workspace(workspace)?;
        Ok((view.snapshot(&workspace)?, view.export_marks(&workspace.id)?))
    })
}

/// Exports what a snapshot holds, and tells what it replaced because of its looks. Pure.
fn from_snapshot(
    snapshot: &Snapshot,
    options: &Options,
    marks: &Marks<'_>,
) -> Result<(Export, Vec<Hit>), Problem> {
    let mut exporter = Exporter {
        snapshot,
        options,
        marks,
        hits: Vec::new(),
        setup: Vec::new(),
        keys: SetupKeys::default(),
        omissions: Vec::new(),
        ids: BTreeMap::new(),
    };
    let mut bundle = exporter.bundle()?;
    bundle.setup = std::mem::take(&mut exporter.setup);
    if !options.allow_suspected {
        refuse_suspected(&bundle)?;
    }
    let value = compact(serde_json::to_value(&bundle).unwrap_or_default());
    let mut document = String::new();
    for omission in &exporter.omissions {
        document.push_str(&format!("# {}\n", super::display::visible(omission).replace('\n', " ")));
    }
    document.push_str(&to_yaml(&value));
    read_back(&document, &bundle)?;
    Ok((Export { document, omissions: exporter.omissions }, exporter.hits))
}

/// What was written is read and analyzed before anybody gets it.
fn read_back(document: &str, bundle: &Bundle) -> Result<(), Problem> {
    let failed = |issues: Vec<Issue>| {
        let detail = "the export does not read back; nothing is given out";
        Problem { issues, ..Problem::new(ProblemCode::Internal, detail) }
    };
    let read = Document::parse(document.as_bytes()).map_err(failed)?;
    let caller =
        Caller { admin: true, origin: "export".to_owned(), accept_origin: true, ..Caller::default() };
    let preview = analyze(&read, &Snapshot::empty(), &caller);
    if !preview.installable {
        return Err(failed(super::analyze::blocking(&preview.issues)));
    }
    if read.bundle != *bundle {
        return Err(failed(Vec::new()));
    }
    Ok(())
}

/// Members that say what their absence says are left out; `enabled: false` stays, so that a reader sees it.
fn compact(value: Value) -> Value {
    let says_something = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    match value {
        Value::Object(members) => {
            let compacted = members.into_iter().map(|(name, value)| (name, compact(value)));
            Value::Object(compacted.filter(|(_, value)| says_something(value)).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(compact).collect()),
        other => other,
    }
}

struct Exporter<'a> {
    snapshot: &'a Snapshot,
    options: &'a Options,
    marks: &'a Marks<'a>,
    hits: Vec<Hit>,
    setup: Vec<SetupField>,
    keys: SetupKeys,
    omissions: Vec<String>,
    /// Keys of exported servers, skills and agents by id.
    ids: BTreeMap<String, String>,
}

fn unrepresentable(detail: String) -> Problem {
    Problem::new(ProblemCode::Unrepresentable, detail)
}

/// Refuses tools that the format cannot hold: left out, or without their limits, they would make another agent.
fn refuse_foreign_tools(agent: &Entity) -> Result<(), Problem> {
    let tools = agent.fields.get("tools").and_then(Value::as_array).into_iter().flatten();
    for tool in tools {
        let known: &[&str] = match tool["type"].as_str() {
            Some("toolset") => &["type", "name"],
            Some("mcp") => &["type", "id"],
            other => {
                let kind = other.unwrap_or("unknown");
                let detail = format!(
                    "agent `{}` has a tool of the kind `{kind}`, which the format cannot hold",
                    agent.name
                );
                return Err(unrepresentable(detail));
            }
        };
        let members = tool.as_object().into_iter().flatten();
        if let Some((member, _)) = members.into_iter().find(|(name, _)| !known.contains(&name.as_str())) {
            let detail =
                format!("a tool of agent `{}` has `{member}`, which the format cannot hold", agent.name);
            return Err(unrepresentable(detail));
        }
    }
    Ok(())
}

impl Exporter<'_> {
    fn rows(&self, kind: RowKind) -> Vec<Entity> {
        self.snapshot
            .entities
            .iter()
            .filter(|entity| entity.kind == kind && !entity.archived)
            .cloned()
            .collect()
    }

    /// A field for a place, and the reference to it.
    fn field(&mut self, place: &str, label: String, field_type: FieldType) -> String {
        let key = self.keys.take(place);
        let help = match field_type {
            FieldType::Secret => "Not part of the export: supply your own",
            _ => "Supply the one that you use",
        };
        self.setup.push(SetupField {
            key: key.clone(),
            label,
            field_type,
            required: true,
            help: Some(help.to_owned()),
            default: None,
            options: None,
            min: None,
            max: None,
        });
        format!("${{setup.{key}}}")
    }

    fn bundle(&mut self) -> Result<Bundle, Problem> {
        let workspace = &self.snapshot.workspace;
        let mut bundle = Bundle {
            schema_version: SCHEMA_VERSION.to_owned(),
            name: workspace.slug.clone(),
            display_name: Some(workspace.name.clone()),
            description: String::new(),
            metadata: Metadata::default(),
            setup: Vec::new(),
            mcps: Vec::new(),
            skills: Vec::new(),
            agents: Vec::new(),
            channels: Vec::new(),
            automations: Vec::new(),
            policies: Vec::new(),
        };
        for row in self.rows(RowKind::Mcp) {
            let key = keys::entity("mcp", &row.name, &row.id);
            bundle.mcps.push(self.server(&row, &key)?);
            self.ids.insert(row.id, key);
        }
        for row in self.rows(RowKind::Skill) {
            let key = keys::entity("skill", &row.name, &row.id);
            bundle.skills.push(skill(&row, &key)?);
            self.ids.insert(row.id, key);
        }
        for row in self.rows(RowKind::Agent) {
            let key = keys::entity("agent", &row.name, &row.id);
            let agent = self.agent(&row, &key)?;
            bundle.agents.push(agent);
            self.ids.insert(row.id, key);
        }
        for row in self.rows(RowKind::Trigger) {
            self.trigger(&row, &mut bundle);
        }
        self.policies(&mut bundle);
        Ok(bundle)
    }

    fn agent(&mut self, row: &Entity, key: &str) -> Result<Agent, Problem> {
        refuse_foreign_tools(row)?;
        let fields: AgentFields = row.read();
        let missing = |what: &str, id: &str| {
            unrepresentable(format!(
                "agent `{}` uses the {what} {id}, which is not in the workspace",
                row.name
            ))
        };
        let model = self.field(&format!("model_{key}"), format!("{}: model", row.name), FieldType::String);
        let mut agent = Agent {
            key: key.to_owned(),
            name: row.name.clone(),
            instruction: fields.instruction,
            model: Some(model),
            mcps: Vec::new(),
            skills: Vec::new(),
            toolsets: Vec::new(),
        };
        for tool in &fields.tools {
            match tool {
                Tool::Toolset { name } => agent.toolsets.push(name.clone()),
                Tool::Mcp { id } => {
                    agent.mcps.push(self.ids.get(id).ok_or_else(|| missing("MCP server", id))?.clone());
                }
            }
        }
        for id in &fields.skills {
            agent.skills.push(self.ids.get(id).ok_or_else(|| missing("skill", id))?.clone());
        }
        Ok(agent)
    }

    fn trigger(&mut self, row: &Entity, bundle: &mut Bundle) {
        let fields: TriggerFields = row.read();
        let Some(agent) = self.ids.get(&fields.agent_id).cloned() else {
            self.omissions.push(format!("left out: trigger {} (its agent is not exported)", row.name));
            return;
        };
        if fields.enabled {
            self.omissions.push(format!("exported disabled: trigger {} (it is enabled here)", row.name));
        }
        let given = row.name.rsplit(':').next().unwrap_or_default();
        match (fields.trigger_type.as_str(), fields.cron.clone()) {
            ("cron", Some(cron)) if !fields.text.trim().is_empty() => {
                bundle.automations.push(Automation {
                    key: keys::entity(
                        "automation",
                        keys::original("automation", given, row.id.len()),
                        &row.id,
                    ),
                    agent,
                    automation_type: AutomationType::Cron,
                    cron,
                    timezone: fields.timezone.clone().unwrap_or_else(|| "UTC".to_owned()),
                    prompt: fields.text,
                    enabled: false,
                });
            }
            ("webhook", None) if fields.methods == ["POST"] => self.channel(row, fields, agent, bundle),
            _ => self
                .omissions
                .push(format!("left out: trigger {} (the format has no such trigger)", row.name)),
        }
    }

    fn channel(&mut self, row: &Entity, fields: TriggerFields, agent: String, bundle: &mut Bundle) {
        let telegram = fields.channel_type.as_deref() == Some("telegram");
        let prompt = match fields.text.trim() {
            "" if telegram => {
                self.omissions.push(format!("given the default prompt: channel {}", row.name));
                DEFAULT_CHANNEL_PROMPT.to_owned()
            }
            "" => return self.omissions.push(format!("left out: channel {} (it has no prompt)", row.name)),
            _ => fields.text.clone(),
        };
        let name =
            if fields.description.trim().is_empty() { row.name.clone() } else { fields.description.clone() };
        let key = keys::entity("channel", &name, &row.id);
        let mut names: Vec<String> = fields.credential.keys().cloned().collect();
        if telegram && !names.iter().any(|name| name == "bot_token") {
            names.push("bot_token".to_owned());
        }
        let mut bindings = BTreeMap::new();
        for credential in names {
            let place = match credential.as_str() {
                "bot_token" if telegram => format!("telegram_bot_token_{}", row.id),
                other => format!("{key}_{other}"),
            };
            let reference = self.field(&place, format!("{name}: {credential}"), FieldType::Secret);
            bindings.insert(credential, reference);
        }
        let channel_type = if telegram { ChannelType::Telegram } else { ChannelType::Generic };
        bundle.channels.push(Channel { key, name, agent, channel_type, bindings, prompt, enabled: false });
    }

    fn policies(&mut self, bundle: &mut Bundle) {
        let mut left = 0;
        for row in self.rows(RowKind::Rule) {
            let rule: RuleFields = row.read();
            let agent = self.ids.get(&rule.subject_id).filter(|_| rule.subject_type == "agent").cloned();
            let effect: Option<Effect> = serde_json::from_value(Value::String(rule.effect.clone())).ok();
            match (agent, effect) {
                (Some(subject), Some(effect)) if self.options.policies => bundle.policies.push(Policy {
                    key: keys::entity("policy", keys::original("policy", &row.name, row.id.len()), &row.id),
                    subject,
                    target: rule.target,
                    effect,
                    params: sorted(rule.params),
                    condition: None,
                    priority: rule.priority,
                    enabled: rule.enabled,
                    message: None,
                }),
                _ => left += 1,
            }
        }
        if left > 0 {
            self.omissions.push(format!("left out: {left} policies"));
        }
    }
}

fn sorted(map: Map<String, Value>) -> Map<String, Value> {
    let ordered: BTreeMap<String, Value> = map.into_iter().collect();
    ordered.into_iter().collect()
}

fn skill(row: &Entity, key: &str) -> Result<Skill, Problem> {
    let fields: SkillFields = row.read();
    let github = fields.source_type == "github" && fields.source_url.is_some();
    if !github && fields.content.trim().is_empty() {
        return Err(unrepresentable(format!("skill `{}` has neither text nor a repository", row.name)));
    }
    if !github && !fields.files.is_empty() {
        return Err(unrepresentable(format!(
            "skill `{}` has further files, which the format cannot hold",
            row.name
        )));
    }
    Ok(Skill {
        key: key.to_owned(),
        name: row.name.clone(),
        source_type: if github { SkillSource::Github } else { SkillSource::Content },
        content: (!github).then_some(fields.content),
        source_url: fields.source_url.filter(|_| github),
    })
}

/// Text that cannot be replaced and looks like a credential stops the export.
fn refuse_suspected(bundle: &Bundle) -> Result<(), Problem> {
    let mut texts: Vec<(String, &str)> = Vec::new();
    for mcp in &bundle.mcps {
        for member in ["command", "image"] {
            let text = mcp.json_spec.get(member).and_then(Value::as_str).unwrap_or_default();
            texts.push((format!("{member} of {}", mcp.key), text));
        }
        texts.push((format!("name of {}", mcp.key), &mcp.name));
    }
    for skill in &bundle.skills {
        texts.push((format!("text of {}", skill.key), skill.content.as_deref().unwrap_or_default()));
        let url = skill.source_url.as_deref().unwrap_or_default();
        if screen::is_credentialed_url(url) {
            return Err(suspected(&format!("source_url of {}", skill.key), "an address with a credential"));
        }
    }
    for agent in &bundle.agents {
        texts.push((format!("instruction of {}", agent.key), &agent.instruction));
    }
    for channel in &bundle.channels {
        texts.push((format!("name of {}", channel.key), &channel.name));
        texts.push((format!("prompt of {}", channel.key), &channel.prompt));
    }
    for automation in &bundle.automations {
        texts.push((format!("prompt of {}", automation.key), &automation.prompt));
    }
    for (place, text) in texts {
        if let Some(what) = literals::credential_in(text) {
            return Err(suspected(&place, what));
        }
    }
    Ok(())
}

fn suspected(place: &str, what: &str) -> Problem {
    unrepresentable(format!("the {place} looks like {what}; remove it, or allow suspected text"))
}
