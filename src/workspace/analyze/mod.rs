//! Analyze: a document and a workspace in, a preview out. Pure; install asks the same functions.

mod agents;
mod collect;
pub mod literals;
pub mod mcp;
pub mod policy;
mod schedule;
mod sections;
pub mod skill;
mod trust;

use super::document::{Bundle, Document, FieldType, Kind, SetupField, canonical, digest};
use super::entity::{AgentFields, Entity, Record, RowKind, Snapshot, Tool};
use super::issue::{Issue, IssueCode, Severity};
use super::render::is_state;
use super::reuse::{Decision, Planned, decide};
use collect::Collector;
pub use trust::SignedBy;

use super::signature::Signature;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// So many issues are listed; the rest is counted.
const LISTED: usize = 200;

/// What becomes of an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// CREATE
    WillCreate,
    /// REUSE
    AlreadyExists,
    /// SKIPPED
    Unsupported,
}

/// An entity in a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PreviewEntity {
    /// What it is.
    pub kind: Kind,
    /// Its key.
    pub key: String,
    /// The name it is shown by.
    pub name: String,
    /// What becomes of it.
    pub status: Status,
    /// Why, or what about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The row that stands for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub existing_id: Option<String>,
}

/// What an install would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Preview {
    /// The document with its defaults.
    pub bundle: Bundle,
    /// Its setup fields.
    pub setup: Vec<SetupField>,
    /// Its entities in the order of installation.
    pub entities: Vec<PreviewEntity>,
    /// All issues.
    pub issues: Vec<Issue>,
    /// Whether nothing blocks.
    pub installable: bool,
    /// Digest of the canonical form.
    pub digest: String,
    /// Where the document came from.
    pub origin: String,
    /// Who signed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<SignedBy>,
}

/// Who asks, and about which source.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// Whether policies may be installed.
    pub admin: bool,
    /// Where the document came from: `pasted`, a URL, or a catalog.
    pub origin: String,
    /// Whether a bundle of the same name from elsewhere may be replaced.
    pub accept_origin: bool,
    /// What is installed, as `kind/key`; everything when absent.
    pub only: Option<BTreeSet<String>>,
    /// The signature that came with the document.
    pub signature: Option<Signature>,
}

/// The preview of `document` in the workspace of `snapshot`.
pub fn analyze(document: &Document, snapshot: &Snapshot, caller: &Caller) -> Preview {
    let bundle = &document.bundle;
    // A default of a secret is a fault, and no answer repeats it.
    let mut shown = bundle.clone();
    for field in shown.setup.iter_mut().filter(|field| field.field_type == FieldType::Secret) {
        field.default = None;
    }
    let planned = decide(bundle, snapshot, caller.only.as_ref());
    let mut issues = Collector::default();
    sections::check(document, &mut issues);
    agents::check(document, &planned, &mut issues);
    workspace_issues(bundle, snapshot, caller, &planned, &mut issues);
    let digest = digest(bundle);
    let signed_by = trust::check(&bundle.name, &digest, snapshot, caller, &mut issues);
    let mut issues = issues.finish(document);
    let installable = !issues.iter().any(Issue::blocks);
    shorten(&mut issues);
    Preview {
        entities: planned.into_iter().map(|entry| preview_entity(bundle, entry)).collect(),
        issues,
        installable,
        digest,
        signed_by,
        origin: caller.origin.clone(),
        setup: shown.setup.clone(),
        bundle: shown,
    }
}

/// Blocking issues are never among those that are cut off.
fn shorten(issues: &mut Vec<Issue>) {
    if issues.len() > LISTED {
        let rest = issues.len() - LISTED;
        issues.sort_by_key(|issue| issue.severity);
        issues.truncate(LISTED);
        let message = format!("{rest} more issues are not listed");
        issues.push(Issue::warn(IssueCode::More, message));
    }
}

fn preview_entity(bundle: &Bundle, entry: Planned) -> PreviewEntity {
    let detail = detail(bundle, &entry);
    let (status, existing_id) = match entry.decision {
        Decision::Create => (Status::WillCreate, None),
        Decision::Reuse(id) => (Status::AlreadyExists, Some(id)),
        Decision::Skip(_) => (Status::Unsupported, None),
    };
    PreviewEntity { kind: entry.kind, key: entry.key, name: entry.name, status, detail, existing_id }
}

/// What a person wants to know about an entity before it is installed.
pub fn detail(bundle: &Bundle, entry: &Planned) -> Option<String> {
    if let Decision::Skip(reason) = &entry.decision {
        return Some(reason.clone());
    }
    let enabled = |flag: bool| if flag { "asks to be enabled" } else { "disabled" };
    match entry.kind {
        Kind::Mcp => {
            let (server, _) = mcp::server(&bundle.mcps[entry.index]);
            Some(match server.transport {
                mcp::Transport::Command => {
                    [&server.command].into_iter().chain(&server.args).cloned().collect::<Vec<_>>().join(" ")
                }
                mcp::Transport::Docker => server.image,
                mcp::Transport::Url => server.url,
            })
        }
        Kind::Channel => {
            let channel = &bundle.channels[entry.index];
            let kind = format!("{:?}", channel.channel_type).to_lowercase();
            Some(format!("{kind}, {}", enabled(channel.enabled)))
        }
        Kind::Automation => {
            let automation = &bundle.automations[entry.index];
            Some(format!("{} {}, {}", automation.cron, automation.timezone, enabled(automation.enabled)))
        }
        Kind::Policy => {
            let policy = &bundle.policies[entry.index];
            let mut text = format!("{} {} for {}", policy.effect.word(), policy.target, policy.subject);
            if let Some(message) = &policy.message {
                text.push_str(&format!(": {message}"));
            }
            Some(text)
        }
        Kind::Skill => bundle.skills[entry.index].source_url.clone(),
        Kind::Agent => None,
    }
}

/// Issues that depend on what the workspace holds and on who asks.
fn workspace_issues(
    bundle: &Bundle,
    snapshot: &Snapshot,
    caller: &Caller,
    planned: &[Planned],
    issues: &mut Collector,
) {
    let record = snapshot.records.get(&bundle.name);
    if let Some(record) = record
        && !super::catalog::same_origin(&record.origin, &caller.origin)
        && !caller.accept_origin
    {
        let message = format!(
            "a bundle named `{}` is installed from {}; confirm that this one from {} may take its place",
            bundle.name, record.origin, caller.origin
        );
        issues.root(Issue::block(IssueCode::OriginDiffers, message).at("/name"));
    }
    if !caller.admin && !bundle.policies.is_empty() {
        let message = "a bundle with policies is installed by an administrator";
        issues.root(Issue::block(IssueCode::PolicyNeedsAdmin, message).at("/policies"));
    }
    for entry in planned {
        match &entry.decision {
            Decision::Create => name_in_use(snapshot, entry, issues),
            Decision::Reuse(id) => {
                let Some(entity) = snapshot.find(id) else { continue };
                if record.is_some_and(|record| differs(bundle, entry, record, entity)) {
                    issues.add(entry.kind, entry.index, reused_not_updated(entry));
                }
                if names_a_gone_server(entity, snapshot) {
                    issues.add(entry.kind, entry.index, agent_tool_dangling(&entry.key));
                }
            }
            Decision::Skip(_) => {}
        }
    }
}

/// The warning that an entity stays as it is.
pub fn reused_not_updated(entry: &Planned) -> Issue {
    let message = format!(
        "{} `{}` is reused as it is and differs from the document; `bundle apply` would change it",
        entry.kind.word(),
        entry.key
    );
    Issue::warn(IssueCode::ReusedNotUpdated, message)
}

/// The warning about a server that an agent names and that is gone.
pub fn agent_tool_dangling(key: &str) -> Issue {
    let message =
        format!("agent `{key}` is reused and names a server that is gone; `--repair-wiring` puts that right");
    Issue::warn(IssueCode::AgentToolDangling, message)
}

fn names_a_gone_server(entity: &Entity, snapshot: &Snapshot) -> bool {
    entity.kind == RowKind::Agent
        && entity
            .read::<AgentFields>()
            .tools
            .iter()
            .any(|tool| matches!(tool, Tool::Mcp { id } if snapshot.live(RowKind::Mcp, id).is_none()))
}

fn name_in_use(snapshot: &Snapshot, entry: &Planned, issues: &mut Collector) {
    let kind = RowKind::of(entry.kind);
    let taken = kind != RowKind::Rule
        && snapshot
            .entities
            .iter()
            .any(|entity| entity.kind == kind && !entity.archived && entity.name == entry.name);
    if taken {
        let message =
            format!("another {} is named `{}`; a new one is made next to it", entry.kind.word(), entry.name);
        issues.add(entry.kind, entry.index, Issue::warn(IssueCode::NameInUse, message));
    }
}

/// Whether the document has changed since the last install, or a person has changed the row.
fn differs(bundle: &Bundle, entry: &Planned, record: &Record, entity: &Entity) -> bool {
    let written = |bundle: Option<&Bundle>| -> Option<Value> {
        let list = serde_json::to_value(bundle?).ok()?;
        let list = list.get(entry.kind.section())?.as_array()?;
        list.iter().find(|item| item["key"] == entry.key.as_str()).cloned()
    };
    let old: Option<Bundle> = serde_json::from_str(&record.canonical).ok();
    if record.canonical != canonical(bundle) && written(old.as_ref()) != written(Some(bundle)) {
        return true;
    }
    record
        .base
        .get(&format!("{}/{}", entry.kind.word(), entry.key))
        .is_some_and(|base| base.id == entity.id && changed(base, entity))
}

/// Whether a row has other content than was written.
pub fn changed(base: &super::entity::Base, entity: &Entity) -> bool {
    let content = |fields: &serde_json::Map<String, Value>| -> Value {
        let kept = fields.iter().filter(|(name, _)| !is_state(entity.kind, name));
        Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    base.name != entity.name
        || content(&base.fields) != content(&entity.fields)
        || base.secrets != entity.secrets
}

/// Counts of what a preview says, for people: CREATE, REUSE, SKIPPED.
pub fn counts(entities: &[PreviewEntity]) -> (usize, usize, usize) {
    let count = |status| entities.iter().filter(|entity| entity.status == status).count();
    (count(Status::WillCreate), count(Status::AlreadyExists), count(Status::Unsupported))
}

/// The issues that block.
pub fn blocking(issues: &[Issue]) -> Vec<Issue> {
    issues.iter().filter(|issue| issue.severity == Severity::Block).cloned().collect()
}
