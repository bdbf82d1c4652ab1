//! What an uninstall removes and what it keeps, and the removal itself.

use super::analyze::changed;
use super::entity::{Entity, Record, RowKind, RuleFields, Snapshot};
use super::store::{StoreError, Transaction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// What may be removed beyond the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options {
    /// Rows that were edited since.
    pub delete_edited: bool,
    /// Servers and skills that other agents use; those agents lose them.
    pub detach: bool,
    /// Whether what is removed is gone at once; otherwise it is kept for an undo.
    pub for_good: bool,
}

/// What becomes of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It is removed.
    Delete,
    /// It stays.
    Keep,
}

/// A row of a bundle and what becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Removal {
    /// What it is.
    pub kind: RowKind,
    /// Its name.
    pub name: String,
    /// Its id.
    pub id: String,
    /// What becomes of it.
    pub action: Fate,
    /// Why it stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Ids of rows outside the bundle that use it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub users: Vec<String>,
}

impl Removal {
    /// Whether it is removed.
    pub fn removes(&self) -> bool {
        self.action == Fate::Delete
    }
}

/// Rules that concern an agent go after the agent, so that it is never without them.
const ORDER: [RowKind; 6] =
    [RowKind::Trigger, RowKind::Agent, RowKind::Rule, RowKind::Skill, RowKind::Mcp, RowKind::Spec];

/// Decides for every row of a bundle, or for the `wanted` ones.
pub fn plan(
    snapshot: &Snapshot,
    record: &Record,
    options: &Options,
    wanted: Option<&BTreeSet<String>>,
) -> Vec<Removal> {
    let ours: BTreeSet<&str> = record.base.values().map(|base| base.id.as_str()).collect();
    let inside = |id: &str| wanted.map_or_else(|| ours.contains(id), |wanted| wanted.contains(id));
    let mut plan: Vec<Removal> = Vec::new();
    for base in record.base.values().filter(|base| inside(&base.id)) {
        let Some(entity) = snapshot.find(&base.id) else { continue };
        let users: Vec<&Entity> =
            snapshot.entities.iter().filter(|other| !inside(&other.id) && uses(other, entity)).collect();
        let blocking = users.iter().any(|user| !options.detach || user.kind != RowKind::Agent);
        let reason = if !base.owned {
            Some("it was not made by this bundle".to_owned())
        } else if entity.retained {
            Some("it is marked to be retained".to_owned())
        } else if changed(base, entity) && !options.delete_edited {
            Some("it was edited since it was installed".to_owned())
        } else if blocking {
            let names: Vec<String> =
                users.iter().map(|user| format!("{} `{}`", user.kind.word(), user.name)).collect();
            Some(format!("it is used by {}", names.join(", ")))
        } else {
            None
        };
        plan.push(Removal {
            kind: entity.kind,
            name: entity.name.clone(),
            id: entity.id.clone(),
            action: if reason.is_some() { Fate::Keep } else { Fate::Delete },
            reason,
            users: users.into_iter().map(|user| user.id.clone()).collect(),
        });
    }
    keep_parents(snapshot, &mut plan);
    plan.sort_by_key(|entry| ORDER.iter().position(|kind| *kind == entry.kind));
    plan
}

/// A row stays when one that stays cannot be without it.
fn keep_parents(snapshot: &Snapshot, plan: &mut [Removal]) {
    loop {
        let needed: Vec<(String, String)> = plan
            .iter()
            .filter(|entry| !entry.removes())
            .filter_map(|entry| snapshot.find(&entry.id))
            .filter_map(|entity| {
                Some((entity.parent.clone()?, format!("{} `{}`", entity.kind.word(), entity.name)))
            })
            .collect();
        let mut moved = false;
        for (parent, child) in needed {
            if let Some(entry) = plan.iter_mut().find(|entry| entry.id == parent && entry.removes()) {
                entry.action = Fate::Keep;
                entry.reason = Some(format!("{child} is kept and needs it"));
                moved = true;
            }
        }
        if !moved {
            return;
        }
    }
}

/// The server that a tool of an agent is. Agents that were made by hand may have tools of other kinds, so the fields are
/// looked at as they are.
fn server_of(tool: &Value) -> Option<&str> {
    tool.get("id").and_then(Value::as_str).filter(|_| tool["type"] == "mcp")
}

/// Whether `user` names `entity`.
fn uses(user: &Entity, entity: &Entity) -> bool {
    if user.parent.as_deref() == Some(entity.id.as_str()) {
        return true;
    }
    match user.kind {
        RowKind::Agent => {
            let list = |name: &str| user.fields.get(name).and_then(Value::as_array).into_iter().flatten();
            list("skills").any(|id| *id == entity.id)
                || list("tools").any(|tool| server_of(tool) == Some(entity.id.as_str()))
        }
        RowKind::Rule => user.read::<RuleFields>().subject_id == entity.id,
        _ => false,
    }
}

/// Ids of rows that stay and lose something.
pub fn detached(plan: &[Removal]) -> BTreeSet<&str> {
    let gone: BTreeSet<&str> =
        plan.iter().filter(|entry| entry.removes()).map(|entry| entry.id.as_str()).collect();
    plan.iter()
        .filter(|entry| entry.removes())
        .flat_map(|entry| entry.users.iter().map(String::as_str))
        .filter(|user| !gone.contains(user))
        .collect()
}

/// Removes what the plan removes.
pub fn execute(
    transaction: &Transaction<'_>,
    snapshot: &Snapshot,
    plan: &[Removal],
) -> Result<(), StoreError> {
    let gone: BTreeSet<&str> =
        plan.iter().filter(|entry| entry.removes()).map(|entry| entry.id.as_str()).collect();
    for user in detached(plan) {
        if let Some(entity) = snapshot.find(user) {
            let mut fields = entity.fields.clone();
            if let Some(Value::Array(skills)) = fields.get_mut("skills") {
                skills.retain(|id| !id.as_str().is_some_and(|id| gone.contains(id)));
            }
            if let Some(Value::Array(tools)) = fields.get_mut("tools") {
                tools.retain(|tool| !server_of(tool).is_some_and(|id| gone.contains(id)));
            }
            transaction.update_entity(entity.kind, user, &entity.name, entity.parent.as_deref(), &fields)?;
        }
    }
    for entry in plan.iter().filter(|entry| entry.removes()) {
        transaction.delete_entity(entry.kind, &entry.id)?;
    }
    Ok(())
}
