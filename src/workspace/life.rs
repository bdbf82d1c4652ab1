//! What becomes of an installed bundle besides installs: undo of its uninstall, forgetting it, marks on its rows, new
//! secrets.

use super::document::reference::{fields, single};
use super::document::{Bundle, FieldType, Mcp};
use super::entity::{Entity, Record, ResultEntity, RowKind, Snapshot};
use super::issue::{Issue, IssueCode};
use super::listing::{BundleDetail, bundle_of, record, show};
use super::problem::{Problem, ProblemCode};
use super::secret::Secret;
use super::service::subject;
use super::store::{Event, Store, StoreError, Transaction};
use super::values::{Supplied, SuppliedValues, judge};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// An agent of others before and after an uninstall took something from it.
#[derive(Debug, Serialize, Deserialize)]
struct Detached {
    id: String,
    before: Map<String, Value>,
    after: Map<String, Value>,
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Keeps what an uninstall is about to remove.
pub(super) fn bury(
    transaction: &Transaction<'_>,
    snapshot: &Snapshot,
    record: &Record,
    rows: &[&str],
) -> Result<(), StoreError> {
    transaction.bury(&snapshot.workspace.id, &record.name, &text(record), rows)
}

/// Keeps what agents of others lost in it.
pub(super) fn bury_detached(
    transaction: &Transaction<'_>,
    before: &Snapshot,
    record: &Record,
    users: &BTreeSet<&str>,
) -> Result<(), StoreError> {
    if users.is_empty() {
        return Ok(());
    }
    let now = transaction.view().snapshot(&before.workspace)?;
    let detached: Vec<Detached> = users
        .iter()
        .filter_map(|id| {
            let (before, after) = (before.find(id)?.fields.clone(), now.find(id)?.fields.clone());
            Some(Detached { id: (*id).to_owned(), before, after })
        })
        .collect();
    transaction.bury_detached(&before.workspace.id, &record.name, &text(&detached))
}

/// Puts back what the last uninstall of a bundle removed.
pub fn undo(store: &Store, workspace: &str, name: &str) -> Result<BundleDetail, Problem> {
    store.write(|transaction| -> Result<(), Problem> {
        let snapshot = transaction.view().snapshot(&transaction.view().workspace(workspace)?)?;
        let id = &snapshot.workspace.id;
        let Some(buried) = transaction.view().buried(id, name)? else {
            let detail = "no uninstall of this bundle can be undone; that is possible for seven days";
            return Err(Problem::new(ProblemCode::NotFound, detail));
        };
        if snapshot.records.contains_key(name) {
            let detail = "a bundle of this name has been installed since; uninstall that one first";
            return Err(Problem::new(ProblemCode::Conflict, detail));
        }
        if buried.needed.iter().any(|id| snapshot.find(id).is_none()) {
            let detail = "a row that the removed ones need is gone; install the document again";
            return Err(Problem::new(ProblemCode::Conflict, detail));
        }
        let damaged = |_| Problem::new(ProblemCode::Internal, "what was kept for the undo is damaged");
        let record: Record = serde_json::from_str(&buried.record).map_err(damaged)?;
        let detached: Vec<Detached> = serde_json::from_str(&buried.detached).map_err(damaged)?;
        transaction.dig_up(id, name)?;
        for lost in detached {
            // What a person changed since stays.
            if let Some(agent) = snapshot.find(&lost.id).filter(|agent| agent.fields == lost.after) {
                let parent = agent.parent.as_deref();
                transaction.update_entity(agent.kind, &agent.id, &agent.name, parent, &lost.before)?;
            }
        }
        transaction.audit(id, "undo", &subject(&record))?;
        Ok(transaction.put_record(id, &record, &bundle_of(&record)?)?)
    })?;
    show(store, workspace, name)
}

/// A bundle whose record was dropped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Forgotten {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Id of its record.
    pub installed_bundle_id: String,
    /// What stays in the workspace and belongs to no bundle now.
    pub entities: Vec<ResultEntity>,
}

/// Drops the record of a bundle; its rows stay, and nothing will take them for the bundle's again.
pub fn forget(store: &Store, workspace: &str, name: &str) -> Result<Forgotten, Problem> {
    store.write(|transaction| {
        let snapshot = transaction.view().snapshot(&transaction.view().workspace(workspace)?)?;
        let record = record(&snapshot, name)?;
        transaction.delete_record(&snapshot.workspace.id, &record.name)?;
        transaction.audit(&snapshot.workspace.id, "forget", &subject(record))?;
        let there = |entry: &&ResultEntity| entry.id.as_deref().is_some_and(|id| snapshot.find(id).is_some());
        Ok(Forgotten {
            bundle_name: record.name.clone(),
            installed_bundle_id: record.id.clone(),
            entities: record.result.iter().filter(there).cloned().collect(),
        })
    })
}

/// A row and its mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Marked {
    /// Its id.
    pub id: String,
    /// What it is.
    pub kind: RowKind,
    /// Its name.
    pub name: String,
    /// Whether no bundle removes it.
    pub retain: bool,
}

/// Marks a row as one that no uninstall and no `--prune` removes, or takes the mark away.
pub fn retain(store: &Store, workspace: &str, id: &str, retain: bool) -> Result<Marked, Problem> {
    store.write(|transaction| {
        let snapshot = transaction.view().snapshot(&transaction.view().workspace(workspace)?)?;
        transaction.set_retained(&snapshot.workspace.id, id, retain)?;
        transaction.audit(&snapshot.workspace.id, if retain { "retain" } else { "release" }, id)?;
        let Entity { id, kind, name, .. } = snapshot
            .find(id)
            .cloned()
            .ok_or_else(|| Problem::new(ProblemCode::NotFound, "no row of that id is in this workspace"))?;
        Ok(Marked { id, kind, name, retain })
    })
}

/// Where a new secret went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Rotated {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Id of its record.
    pub installed_bundle_id: String,
    /// The setup field.
    pub field: String,
    /// Rows that hold it now, by their names in the record.
    pub entities: Vec<String>,
}

/// Gives a secret setup field another value, in every row of the bundle that holds it.
pub fn set_secret(
    store: &Store,
    workspace: &str,
    name: &str,
    field: &str,
    secret: &Secret,
) -> Result<Rotated, Problem> {
    store.write(|transaction| {
        let snapshot = transaction.view().snapshot(&transaction.view().workspace(workspace)?)?;
        let mut record = record(&snapshot, name)?.clone();
        let bundle = bundle_of(&record)?;
        check_secret(&bundle, field, secret)?;
        let mut entities = Vec::new();
        for (place, base) in &mut record.base {
            let holds = snapshot.find(&base.id).is_some_and(|entity| entity.secrets.contains_key(field));
            if holds {
                let mac = transaction.put_secret(&base.id, field, secret)?;
                base.secrets.insert(field.to_owned(), mac);
                entities.push(place.clone());
            }
        }
        if entities.is_empty() {
            let detail = "no row of this bundle holds that secret";
            return Err(Problem::new(ProblemCode::Conflict, detail));
        }
        record.updated_at = transaction.now();
        transaction.audit(&snapshot.workspace.id, "set secret", &format!("{} {field}", record.name))?;
        transaction.put_record(&snapshot.workspace.id, &record, &bundle)?;
        Ok(Rotated {
            bundle_name: record.name,
            installed_bundle_id: record.id,
            field: field.to_owned(),
            entities,
        })
    })
}

/// Judges the value as an install would, where the field is used by itself.
fn check_secret(bundle: &Bundle, field: &str, secret: &Secret) -> Result<(), Problem> {
    let declared = bundle.field(field).filter(|declared| declared.field_type == FieldType::Secret);
    let Some(declared) = declared else {
        let message = format!("`{}` is no secret field of this bundle", super::display::visible(field));
        let issue = Issue::block(IssueCode::SetupInvalid, message).about("setup", field);
        return Err(Problem::invalid(vec![issue]));
    };
    let alone = |text: &str| fields(text).iter().all(|key| key == field);
    let uses = |mcp: &Mcp| {
        let signs = mcp.context_secret.as_deref().and_then(single).is_some_and(|key| key == field);
        let (server, _) = super::analyze::mcp::server(mcp);
        Mcp {
            json_spec: json!({"type": server.transport.word(), "command": "npx", "image": "x", "endpoint_url": "https://example.com"})
                .as_object()
                .cloned()
                .unwrap_or_default(),
            bindings: mcp.bindings.clone().into_iter().filter(|(_, text)| alone(text)).collect(),
            context_secret: mcp.context_secret.clone().filter(|_| signs),
            ..mcp.clone()
        }
    };
    let mut declared = declared.clone();
    declared.required = true;
    let reduced = Bundle {
        setup: vec![declared],
        mcps: bundle.mcps.iter().map(uses).collect(),
        skills: Vec::new(),
        agents: Vec::new(),
        channels: Vec::new(),
        automations: Vec::new(),
        policies: Vec::new(),
        ..bundle.clone()
    };
    let value = Supplied::Written(Secret::new(secret.expose().to_owned()));
    let supplied = SuppliedValues::from([(field.to_owned(), value)]);
    judge(&reduced, &supplied, &BTreeMap::new()).map(drop).map_err(Problem::invalid)
}

/// What was done in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Audit {
    /// The newest first.
    pub events: Vec<Event>,
}

/// What was done in a workspace.
pub fn audit(store: &Store, workspace: &str) -> Result<Audit, Problem> {
    Ok(store.read(|view| view.audit(&view.workspace(workspace)?.id)).map(|events| Audit { events })?)
}
