//! List, show, uninstall and adopt.

use super::document::{Bundle, Kind};
use super::entity::{Action, Base, Record, ResultEntity, Retired, RowKind, Snapshot};
use super::execute::base_of;
use super::life;
use super::problem::{Problem, ProblemCode};
use super::removal::{self, Options, Removal};
use super::service::subject;
use super::store::{Store, UNDO};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An installed bundle in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundleSummary {
    /// Id of its record.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Digest of the document.
    pub digest: String,
    /// Where it came from.
    pub origin: String,
    /// How many installs there were.
    pub generation: i64,
    /// Seconds since the epoch.
    pub created_at: i64,
    /// Seconds since the epoch.
    pub updated_at: i64,
}

/// The bundles of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BundleList {
    /// By name.
    pub bundles: Vec<BundleSummary>,
}

/// An installed bundle.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BundleDetail {
    /// What a list says of it.
    #[serde(flatten)]
    pub summary: BundleSummary,
    /// Who installed it.
    pub installed_by: String,
    /// The document as installed.
    pub bundle: Bundle,
    /// What the last install did.
    pub entities: Vec<ResultEntity>,
    /// What earlier documents had.
    pub retired: Vec<Retired>,
}

pub(super) fn bundle_of(record: &Record) -> Result<Bundle, Problem> {
    serde_json::from_str(&record.canonical)
        .map_err(|_| Problem::new(ProblemCode::Internal, "the record of this bundle is damaged"))
}

fn summary(record: &Record) -> Result<BundleSummary, Problem> {
    Ok(BundleSummary {
        id: record.id.clone(),
        name: record.name.clone(),
        display_name: bundle_of(record)?.display_name,
        digest: record.digest.clone(),
        origin: record.origin.clone(),
        generation: record.generation,
        created_at: record.created_at,
        updated_at: record.updated_at,
    })
}

/// The record of that name or id.
pub fn record<'s>(snapshot: &'s Snapshot, name: &str) -> Result<&'s Record, Problem> {
    snapshot
        .records
        .get(name)
        .or_else(|| snapshot.records.values().find(|record| record.id == name))
        .ok_or_else(|| Problem::new(ProblemCode::NotFound, "no such bundle is installed in this workspace"))
}

/// The bundles of a workspace.
pub fn list(store: &Store, workspace: &str) -> Result<BundleList, Problem> {
    let snapshot = store.read(|view| view.snapshot(&view.workspace(workspace)?))?;
    Ok(BundleList { bundles: snapshot.records.values().map(summary).collect::<Result<_, _>>()? })
}

/// One bundle.
pub fn show(store: &Store, workspace: &str, name: &str) -> Result<BundleDetail, Problem> {
    let snapshot = store.read(|view| view.snapshot(&view.workspace(workspace)?))?;
    let record = record(&snapshot, name)?;
    Ok(BundleDetail {
        summary: summary(record)?,
        installed_by: record.installed_by.clone(),
        bundle: bundle_of(record)?,
        entities: record.result.clone(),
        retired: record.retired.clone(),
    })
}

/// What an uninstall does, or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UninstallResult {
    /// Name of the bundle.
    pub bundle_name: String,
    /// Id of its record.
    pub installed_bundle_id: String,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// Until when it can be undone, in seconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo_until: Option<i64>,
    /// Every row, in the order of removal.
    pub entities: Vec<Removal>,
}

/// Removes what a bundle made, or says what it would remove.
pub fn uninstall(
    store: &Store,
    workspace: &str,
    name: &str,
    options: &Options,
    dry_run: bool,
) -> Result<UninstallResult, Problem> {
    let undo_until = (!dry_run && !options.for_good).then(|| store.now() + UNDO);
    let result = |record: &Record, entities| UninstallResult {
        undo_until,
        bundle_name: record.name.clone(),
        installed_bundle_id: record.id.clone(),
        dry_run,
        entities,
    };
    if dry_run {
        let snapshot = store.read(|view| view.snapshot(&view.workspace(workspace)?))?;
        let record = record(&snapshot, name)?;
        return Ok(result(record, removal::plan(&snapshot, record, options, None)));
    }
    store.write(|transaction| {
        let snapshot = transaction.view().snapshot(&transaction.view().workspace(workspace)?)?;
        let record = record(&snapshot, name)?;
        let plan = removal::plan(&snapshot, record, options, None);
        let rows: Vec<&str> =
            plan.iter().filter(|entry| entry.removes()).map(|entry| entry.id.as_str()).collect();
        if options.for_good {
            transaction.unbury(&snapshot.workspace.id, &record.name)?;
        } else {
            life::bury(transaction, &snapshot, record, &rows)?;
        }
        removal::execute(transaction, &snapshot, &plan)?;
        if !options.for_good {
            life::bury_detached(transaction, &snapshot, record, &removal::detached(&plan))?;
        }
        transaction.delete_record(&snapshot.workspace.id, &record.name)?;
        transaction.audit(&snapshot.workspace.id, "uninstall", &subject(record))?;
        Ok(result(record, plan))
    })
}

/// An entity of a document and the row that is to stand for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Adoption {
    /// What it is.
    pub kind: Kind,
    /// Its key in the document.
    pub key: String,
    /// Id of the row.
    pub id: String,
}

/// Records rows that were made by hand, by id. Uninstalling the bundle will not remove them.
pub fn adopt(
    store: &Store,
    workspace: &str,
    name: &str,
    adoptions: &[Adoption],
) -> Result<BundleDetail, Problem> {
    store.write(|transaction| -> Result<(), Problem> {
        let snapshot = transaction.view().snapshot(&transaction.view().workspace(workspace)?)?;
        let mut record = record(&snapshot, name)?.clone();
        let bundle = bundle_of(&record)?;
        for adoption in adoptions {
            adopt_one(&snapshot, &mut record, &bundle, adoption)?;
        }
        transaction.audit(&snapshot.workspace.id, "adopt", &subject(&record))?;
        Ok(transaction.put_record(&snapshot.workspace.id, &record, &bundle)?)
    })?;
    show(store, workspace, name)
}

fn adopt_one(
    snapshot: &Snapshot,
    record: &mut Record,
    bundle: &Bundle,
    adoption: &Adoption,
) -> Result<(), Problem> {
    let refuse = |message: String| Err(Problem::new(ProblemCode::Conflict, message));
    let place = format!("{}/{}", adoption.kind.word(), adoption.key);
    if !matches!(adoption.kind, Kind::Mcp | Kind::Skill | Kind::Agent | Kind::Policy) {
        return refuse(format!("{place} cannot be adopted: a trigger is found by its name and agent"));
    }
    if !bundle
        .entities()
        .iter()
        .any(|(kind, _, key, _)| (*kind, *key) == (adoption.kind, adoption.key.as_str()))
    {
        return refuse(format!("the installed document has no {place}"));
    }
    let Some(entity) = snapshot.live(RowKind::of(adoption.kind), &adoption.id) else {
        return Err(Problem::new(ProblemCode::NotFound, format!("no row of that id can stand for {place}")));
    };
    let owner = snapshot.records.keys().find(|name| snapshot.owned_by(name).contains(adoption.id.as_str()));
    if let Some(owner) = owner {
        return refuse(format!("the row for {place} belongs to the bundle `{owner}`"));
    }
    if let Some(entry) =
        record.result.iter_mut().find(|entry| entry.kind == adoption.kind && entry.key == adoption.key)
    {
        let earlier = entry.id.replace(adoption.id.clone());
        entry.action = Action::Reused;
        if let Some(id) = earlier.filter(|id| snapshot.find(id).is_some()) {
            let (kind, key, name) = (entry.kind, entry.key.clone(), entry.name.clone());
            record.retired.push(Retired { kind, key, name, id });
        }
    }
    let spec = (adoption.kind == Kind::Mcp)
        .then(|| entity.parent.as_deref().and_then(|id| snapshot.find(id)))
        .flatten();
    let mut rows: Vec<(String, Base)> = vec![(place, base_of(entity, false))];
    rows.extend(spec.map(|spec| (format!("spec/{}", adoption.key), base_of(spec, false))));
    for (place, base) in rows {
        if let Some(before) = record.base.insert(place, base)
            && snapshot.find(&before.id).is_some()
        {
            record.base.insert(format!("retired/{}", before.id), before);
        }
    }
    Ok(())
}
