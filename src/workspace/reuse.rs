//! Which entities of a document are already there. Analyze and install both ask here, so they cannot disagree.

use super::analyze::mcp;
use super::document::{Bundle, Kind, Policy};
use super::entity::{Action, Entity, Record, RowKind, RuleFields, Snapshot, TriggerFields};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It is made.
    Create,
    /// The row of that id stands for it.
    Reuse(String),
    /// It is left out, for that reason.
    Skip(String),
}

/// An entity of a document and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// What it is.
    pub kind: Kind,
    /// Its place in its section.
    pub index: usize,
    /// Its key.
    pub key: String,
    /// The name it is shown by.
    pub name: String,
    /// What becomes of it.
    pub decision: Decision,
}

/// Decides for every entity, in the order of installation. Of those that are not there, only the ones that `only` names
/// are made.
pub fn decide(bundle: &Bundle, snapshot: &Snapshot, only: Option<&BTreeSet<String>>) -> Vec<Planned> {
    let mut planned = decide_all(bundle, snapshot);
    if let Some(only) = only {
        select(bundle, only, &mut planned);
    }
    planned
}

/// Leaves out what is not wanted, and what cannot be without it.
fn select(bundle: &Bundle, only: &BTreeSet<String>, planned: &mut [Planned]) {
    for entry in planned.iter_mut() {
        if entry.decision == Decision::Create
            && !only.contains(&format!("{}/{}", entry.kind.word(), entry.key))
        {
            entry.decision = Decision::Skip("it was not selected".to_owned());
        }
    }
    let is_out = |entry: &&Planned| entry.kind == Kind::Agent && matches!(entry.decision, Decision::Skip(_));
    let out: BTreeSet<String> = planned.iter().filter(is_out).map(|entry| entry.key.clone()).collect();
    for entry in planned.iter_mut() {
        let agent = match entry.kind {
            Kind::Channel => &bundle.channels[entry.index].agent,
            Kind::Automation => &bundle.automations[entry.index].agent,
            Kind::Policy => &bundle.policies[entry.index].subject,
            _ => continue,
        };
        if out.contains(agent) && entry.decision == Decision::Create {
            entry.decision = Decision::Skip("its agent was not created".to_owned());
        }
    }
}

fn decide_all(bundle: &Bundle, snapshot: &Snapshot) -> Vec<Planned> {
    let record = snapshot.records.get(&bundle.name);
    let mut agents: BTreeMap<&str, Option<String>> = BTreeMap::new();
    let mut planned = Vec::new();
    for (kind, index, key, name) in bundle.entities() {
        let recorded = record.and_then(|record| recorded(record, kind, key));
        let found = match kind {
            Kind::Mcp => match mcp::skip_reason(&mcp::server(&bundle.mcps[index]).0) {
                Some(reason) => {
                    planned.push(Planned {
                        kind,
                        index,
                        key: key.to_owned(),
                        name,
                        decision: Decision::Skip(reason),
                    });
                    continue;
                }
                None => recorded.filter(|id| snapshot.live(RowKind::Mcp, id).is_some()),
            },
            Kind::Skill => recorded.filter(|id| snapshot.live(RowKind::Skill, id).is_some()),
            Kind::Agent => {
                let found = recorded.filter(|id| snapshot.live(RowKind::Agent, id).is_some());
                agents.insert(key, found.clone());
                found
            }
            Kind::Channel => trigger(
                snapshot,
                &name,
                "webhook",
                agents.get(bundle.channels[index].agent.as_str()),
                recorded,
            ),
            Kind::Automation => trigger(
                snapshot,
                &name,
                "cron",
                agents.get(bundle.automations[index].agent.as_str()),
                recorded,
            ),
            Kind::Policy => {
                let policy = &bundle.policies[index];
                recorded.filter(|id| same_rule(snapshot, &agents, policy, id))
            }
        };
        let decision = found.map_or(Decision::Create, Decision::Reuse);
        planned.push(Planned { kind, index, key: key.to_owned(), name, decision });
    }
    planned
}

/// The id that the last install recorded for this kind and key.
fn recorded(record: &Record, kind: Kind, key: &str) -> Option<String> {
    record
        .result
        .iter()
        .find(|entry| entry.kind == kind && entry.key == key && entry.action != Action::Skipped)
        .and_then(|entry| entry.id.clone())
}

/// A trigger stands for its entity when it has the name, the type, and the very agent that this install uses.
fn trigger(
    snapshot: &Snapshot,
    name: &str,
    trigger_type: &str,
    agent: Option<&Option<String>>,
    recorded: Option<String>,
) -> Option<String> {
    let agent = agent?.as_ref()?;
    let fits = |entity: &&Entity| {
        let fields: TriggerFields = entity.read();
        entity.kind == RowKind::Trigger
            && !entity.archived
            && entity.name == name
            && fields.trigger_type == trigger_type
            && fields.agent_id == *agent
    };
    let all: Vec<&Entity> = snapshot.entities.iter().filter(fits).collect();
    let first = all.iter().find(|entity| Some(&entity.id) == recorded.as_ref()).or(all.first());
    first.map(|entity| entity.id.clone())
}

fn same_rule(
    snapshot: &Snapshot,
    agents: &BTreeMap<&str, Option<String>>,
    policy: &Policy,
    id: &str,
) -> bool {
    let Some(entity) = snapshot.live(RowKind::Rule, id) else { return false };
    let rule: RuleFields = entity.read();
    let subject = if policy.subject == "workspace" {
        Some(("workspace", snapshot.workspace.id.clone()))
    } else {
        agents.get(policy.subject.as_str()).cloned().flatten().map(|id| ("agent", id))
    };
    subject.is_some_and(|(kind, id)| rule.subject_type == kind && rule.subject_id == id)
        && rule.target == policy.target
        && rule.effect == policy.effect.word()
        && Value::Object(rule.params) == Value::Object(policy.params.clone())
}
