//! The rows of a planned entity next to the rows that are there: what plan, apply, install and drift all compare.

use super::document::{Bundle, Kind};
use super::entity::{Base, Entity, Record, Snapshot};
use super::reconcile::{FieldChange, Flat, Outcome, compare, flatten};
use super::render::{self, Context, Ids, Rendered};
use super::reuse::{Decision, Planned};
use super::store::Vault;
use super::values::Values;
use std::collections::BTreeMap;

/// One row of an entity.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its name in the record: `kind/key`, or `spec/key`.
    pub base_key: String,
    /// Its id; `None` when it is to be made.
    pub id: Option<String>,
    /// What the document says.
    pub rendered: Rendered,
}

/// The name of an entity in the record.
pub fn base_key(kind: Kind, key: &str) -> String {
    format!("{}/{key}", kind.word())
}

/// Ids of the entities that are there; those to be made get `placeholder`.
pub fn known_ids(planned: &[Planned], placeholder: impl Fn(&Planned) -> Option<String>) -> Ids {
    planned
        .iter()
        .filter_map(|entry| {
            let id = match &entry.decision {
                Decision::Reuse(id) => Some(id.clone()),
                Decision::Create => placeholder(entry),
                Decision::Skip(_) => None,
            };
            id.map(|id| ((entry.kind, entry.key.clone()), id))
        })
        .collect()
}

/// The rows of an entity. A server is two: how it starts, and its variables.
pub fn rows(bundle: &Bundle, entry: &Planned, snapshot: &Snapshot, context: &Context<'_>) -> Vec<Row> {
    let existing = match &entry.decision {
        Decision::Reuse(id) => snapshot.find(id),
        _ => None,
    };
    let id = existing.map(|entity| entity.id.clone());
    if entry.kind != Kind::Mcp {
        let rendered = render::entity(bundle, entry.kind, entry.index, context);
        return vec![Row { base_key: base_key(entry.kind, &entry.key), id, rendered }];
    }
    let mcp = &bundle.mcps[entry.index];
    let spec_id = existing.and_then(|entity| entity.parent.clone());
    let spec = Row {
        base_key: format!("spec/{}", entry.key),
        id: spec_id.clone(),
        rendered: render::spec(bundle, mcp, context.values),
    };
    let instance = Row {
        base_key: base_key(Kind::Mcp, &entry.key),
        id,
        rendered: render::instance(mcp, context.values, &spec_id.unwrap_or_default()),
    };
    vec![spec, instance]
}

/// Keyed hashes of the secrets that a row is to hold.
pub fn macs(rendered: &Rendered, values: &Values, vault: &Vault) -> BTreeMap<String, String> {
    rendered
        .secrets
        .iter()
        .filter_map(|field| values.secret(field).map(|secret| (field.clone(), vault.mac(field, secret))))
        .collect()
}

/// A live row, flat.
pub fn flat_of(entity: &Entity) -> Flat {
    flatten(entity.kind, &entity.name, &entity.fields, &entity.secrets)
}

/// What was written, flat.
pub fn flat_base(base: &Base, entity: &Entity) -> Flat {
    flatten(entity.kind, &base.name, &base.fields, &base.secrets)
}

/// What the document says, flat.
pub fn flat_new(rendered: &Rendered, macs: &BTreeMap<String, String>) -> Flat {
    flatten(rendered.kind, &rendered.name, &rendered.fields, macs)
}

/// A row compared: what was written, what is there, what the document says.
pub struct Compared {
    /// The live row.
    pub live: Flat,
    /// What the document says.
    pub new: Flat,
    /// Where they differ.
    pub changes: Vec<FieldChange>,
}

/// Compares a row that is there. One that was never written by this bundle counts as written the way it is.
pub fn compare_row(
    row: &Row,
    entity: &Entity,
    record: Option<&Record>,
    values: &Values,
    vault: &Vault,
) -> Compared {
    let live = flat_of(entity);
    let base = record
        .and_then(|record| record.base.get(&row.base_key))
        .filter(|base| base.id == entity.id)
        .map_or_else(|| live.clone(), |base| flat_base(base, entity));
    let new = flat_new(&row.rendered, &macs(&row.rendered, values, vault));
    let changes = compare(&base, &live, &new);
    Compared { live, new, changes }
}

/// Whether any of the changes would write something.
pub fn writes(changes: &[FieldChange]) -> bool {
    changes.iter().any(|change| matches!(change.outcome, Outcome::Update | Outcome::Conflict))
}
