//! Plan, apply, diff and drift: a document, a workspace, and what the last install wrote.

use super::analyze::{Caller, Preview, analyze};
use super::document::{Document, Kind};
use super::entity::{Record, Snapshot};
use super::fetch::SkillFetcher;
use super::issue::Issue;
use super::problem::{Problem, ProblemCode};
use super::reconcile::{FieldChange, OnConflict, Outcome, compare};
use super::render::Context;
use super::reuse::{Decision, Planned};
use super::rows::{compare_row, flat_base, flat_of, known_ids, rows, writes};
use super::service::{InstallResult, Prepared, Request, prepare, run};
use super::store::Store;
use crate::world::Digest;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What applying a document would do with an entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlanAction {
    /// It is made.
    Create,
    /// It takes what the document changed.
    Update,
    /// It was changed here only and stays so.
    Keep,
    /// It was changed here and in the document.
    Conflict,
    /// The document no longer has it.
    Retire,
    /// It cannot run here.
    Skip,
}

/// An entity that a plan is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// What it is.
    pub kind: Kind,
    /// Its key.
    pub key: String,
    /// The name it is shown by.
    pub name: String,
    /// What becomes of it.
    pub action: PlanAction,
    /// Its id, when it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its fields that differ.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
}

/// What applying a document would do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Digest of the document.
    pub digest: String,
    /// Fingerprint of what the plan was made for; applying it refuses another state.
    pub state: String,
    /// Entities that would change, or that differ.
    pub changes: Vec<Change>,
    /// Whether applying it would write nothing.
    pub empty: bool,
    /// Warnings.
    pub issues: Vec<Issue>,
}

/// Fingerprint of the rows and the record that a plan depends on.
pub fn state(snapshot: &Snapshot, name: &str) -> String {
    let record = snapshot.records.get(name);
    let text = serde_json::to_vec(&(&snapshot.entities, record)).unwrap_or_default();
    Digest::of(&text).short(32)
}

/// Plans.
pub fn plan(store: &Store, request: &Request<'_>) -> Result<Plan, Problem> {
    let prepared = prepare(store, request)?;
    let Prepared { snapshot, planned, values, issues } = &prepared;
    let record = snapshot.records.get(&request.document.bundle.name);
    let ids = known_ids(planned, |entry| Some(format!("(new {}/{})", entry.kind.word(), entry.key)));
    let context = Context {
        values,
        ids: &ids,
        fetched: &BTreeMap::new(),
        workspace: &snapshot.workspace.id,
        allow_enabled: request.allow_enabled,
    };
    let mut changes = Vec::new();
    for entry in planned {
        let mut change = Change {
            kind: entry.kind,
            key: entry.key.clone(),
            name: entry.name.clone(),
            action: PlanAction::Create,
            id: None,
            fields: Vec::new(),
        };
        match &entry.decision {
            Decision::Create => {}
            Decision::Skip(_) => change.action = PlanAction::Skip,
            Decision::Reuse(id) => {
                change.id = Some(id.clone());
                for row in rows(&request.document.bundle, entry, snapshot, &context) {
                    let Some(entity) = row.id.as_deref().and_then(|id| snapshot.find(id)) else { continue };
                    let compared = compare_row(&row, entity, record, values, store.vault());
                    let fetched = fetched_members(request.document, entry);
                    change.fields.extend(
                        compared
                            .changes
                            .into_iter()
                            .filter(|change| !fetched.iter().any(|head| change.field.starts_with(head))),
                    );
                }
                let has = |outcome| change.fields.iter().any(|field| field.outcome == outcome);
                change.action = match (has(Outcome::Conflict), has(Outcome::Update)) {
                    (true, _) => PlanAction::Conflict,
                    (false, true) => PlanAction::Update,
                    (false, false) if change.fields.is_empty() => continue,
                    (false, false) => PlanAction::Keep,
                };
            }
        }
        changes.push(change);
    }
    changes.extend(retired(request.document, snapshot, record));
    let empty = changes.iter().all(|change| {
        matches!(change.action, PlanAction::Keep | PlanAction::Skip | PlanAction::Retire)
            && !writes(&change.fields)
    });
    Ok(Plan {
        bundle_name: request.document.bundle.name.clone(),
        digest: super::document::digest(&request.document.bundle),
        state: state(snapshot, &request.document.bundle.name),
        empty: empty && record.is_some(),
        changes,
        issues: issues.clone(),
    })
}

/// Members of a skill that are known only once it is fetched; planning fetches nothing.
fn fetched_members(document: &Document, entry: &Planned) -> &'static [&'static str] {
    let github = entry.kind == Kind::Skill
        && document.bundle.skills[entry.index].source_type == super::document::SkillSource::Github;
    if github { &["content", "files", "commit", "description", "allowed_tools"] } else { &[] }
}

fn retired(document: &Document, snapshot: &Snapshot, record: Option<&Record>) -> Vec<Change> {
    let Some(record) = record else { return Vec::new() };
    let entities = document.bundle.entities();
    let gone = record.result.iter().filter(|entry| {
        !entities.iter().any(|(kind, _, key, _)| (*kind, *key) == (entry.kind, entry.key.as_str()))
    });
    gone.filter(|entry| entry.id.as_deref().is_some_and(|id| snapshot.find(id).is_some()))
        .map(|entry| Change {
            kind: entry.kind,
            key: entry.key.clone(),
            name: entry.name.clone(),
            action: PlanAction::Retire,
            id: entry.id.clone(),
            fields: Vec::new(),
        })
        .collect()
}

/// How to apply.
#[derive(Debug, Clone, Default)]
pub struct ApplyOptions {
    /// Who wins where both changed.
    pub conflicts: OnConflict,
    /// Whether what the document no longer has is removed.
    pub prune: bool,
    /// The state of the plan that is applied.
    pub state: Option<String>,
}

/// Applies: what the document changed is written, what a person changed stays.
pub fn apply(
    store: &Store,
    request: &Request<'_>,
    options: &ApplyOptions,
    fetcher: &dyn SkillFetcher,
) -> Result<InstallResult, Problem> {
    let mode = super::execute::Mode::Apply { conflicts: options.conflicts, prune: options.prune };
    run(store, request, mode, options.state.as_deref(), fetcher)
}

/// A row that differs from what the last install wrote.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drifted {
    /// Its name in the record: `kind/key`, or `spec/key`.
    pub entity: String,
    /// Its id.
    pub id: String,
    /// `changed`, `archived` or `gone`.
    pub state: String,
    /// Its fields that differ; `new` is what was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldChange>,
}

/// What was changed since the last install.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Drift {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Rows that differ.
    pub drifted: Vec<Drifted>,
}

/// Compares the rows of a bundle with what was written.
pub fn drift(store: &Store, workspace: &str, name: &str) -> Result<Drift, Problem> {
    let snapshot = store.read(|view| view.snapshot(&view.workspace(workspace)?))?;
    let record = super::listing::record(&snapshot, name)?;
    let mut drifted = Vec::new();
    for (entity, base) in &record.base {
        let mut row = Drifted {
            entity: entity.clone(),
            id: base.id.clone(),
            state: "gone".to_owned(),
            fields: Vec::new(),
        };
        match snapshot.find(&base.id) {
            None => drifted.push(row),
            Some(live) => {
                let written = flat_base(base, live);
                row.fields = compare(&written, &flat_of(live), &written);
                if live.archived {
                    "archived".clone_into(&mut row.state);
                    drifted.push(row);
                } else if !row.fields.is_empty() {
                    "changed".clone_into(&mut row.state);
                    drifted.push(row);
                }
            }
        }
    }
    Ok(Drift { bundle_name: record.name.clone(), drifted })
}

/// Differences between a document and what is there, whoever made them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Diff {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Entities that differ or are only on one side.
    pub changes: Vec<Change>,
}

/// Compares a document with the rows that stand for its entities.
pub fn diff(store: &Store, request: &Request<'_>) -> Result<Diff, Problem> {
    let prepared = prepare(store, request)?;
    let plan = plan(store, request)?;
    let ids = known_ids(&prepared.planned, |_| None);
    let context = Context {
        values: &prepared.values,
        ids: &ids,
        fetched: &BTreeMap::new(),
        workspace: &prepared.snapshot.workspace.id,
        allow_enabled: request.allow_enabled,
    };
    let mut changes: Vec<Change> = plan
        .changes
        .into_iter()
        .filter(|change| matches!(change.action, PlanAction::Create | PlanAction::Retire))
        .collect();
    for entry in &prepared.planned {
        let Decision::Reuse(id) = &entry.decision else { continue };
        let mut fields = Vec::new();
        for row in rows(&request.document.bundle, entry, &prepared.snapshot, &context) {
            let Some(entity) = row.id.as_deref().and_then(|id| prepared.snapshot.find(id)) else { continue };
            let compared = compare_row(&row, entity, None, &prepared.values, store.vault());
            let hidden = fetched_members(request.document, entry);
            fields.extend(
                compared
                    .changes
                    .into_iter()
                    .filter(|change| !hidden.iter().any(|head| change.field.starts_with(head))),
            );
        }
        if !fields.is_empty() {
            changes.push(Change {
                kind: entry.kind,
                key: entry.key.clone(),
                name: entry.name.clone(),
                action: PlanAction::Update,
                id: Some(id.clone()),
                fields,
            });
        }
    }
    Ok(Diff { bundle_name: request.document.bundle.name.clone(), changes })
}

/// A preview against a workspace with nothing in it.
pub fn preview_alone(document: &Document) -> Preview {
    let caller =
        Caller { admin: true, origin: "catalog".to_owned(), accept_origin: true, ..Caller::default() };
    analyze(document, &Snapshot::empty(), &caller)
}

/// A plan that was kept in a file.
pub fn read_plan(text: &str) -> Result<Plan, Problem> {
    serde_json::from_str(text).map_err(|_| Problem::new(ProblemCode::BadRequest, "the file holds no plan"))
}
