//! The write phase: one transaction that makes rows, secrets and record.

use super::analyze::{agent_tool_dangling, detail, reused_not_updated};
use super::document::{Document, Kind, canonical, digest};
use super::entity::{
    Action, AgentFields, Base, Entity, Record, ResultEntity, Retired, RowKind, Snapshot, Tool, to_fields,
};
use super::issue::Issue;
use super::problem::{Problem, ProblemCode};
use super::reconcile::{OnConflict, Outcome, merge, restore};
use super::removal;
use super::render::{Context, Fetched};
use super::reuse::{Decision, Planned};
use super::rows::{self, Row, compare_row, known_ids, macs};
use super::signature::Signature;
use super::store::{StoreError, Transaction, new_id, random};
use super::values::Values;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Whether rows that are there stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// They do; at most an agent's dangling server is put right.
    Install {
        /// Whether it is.
        repair_wiring: bool,
    },
    /// They take what the document changed.
    Apply {
        /// Who wins where both changed.
        conflicts: OnConflict,
        /// Whether what the document no longer has is removed.
        prune: bool,
    },
}

/// Everything that was decided before the transaction.
pub struct Job<'a> {
    /// The document.
    pub document: &'a Document,
    /// Values in effect.
    pub values: &'a Values,
    /// Skills that were fetched.
    pub fetched: &'a BTreeMap<String, Fetched>,
    /// Where the document came from.
    pub origin: &'a str,
    /// Its signature, which was verified.
    pub signature: Option<&'a Signature>,
    /// Who asks.
    pub by: &'a str,
    /// Whether `enabled: true` is honoured.
    pub allow_enabled: bool,
    /// Install or apply.
    pub mode: Mode,
}

/// What was written.
pub struct Written {
    /// The record.
    pub record: Record,
    /// Warnings of the write phase.
    pub issues: Vec<Issue>,
}

/// Writes. Nothing is committed here.
pub fn execute(
    transaction: &Transaction<'_>,
    snapshot: &Snapshot,
    planned: &[Planned],
    job: &Job<'_>,
) -> Result<Written, Problem> {
    let earlier = snapshot.records.get(&job.document.bundle.name);
    let mut writer = Writer {
        transaction,
        snapshot,
        earlier,
        job,
        ids: known_ids(planned, |_| None),
        base: BTreeMap::new(),
        result: Vec::new(),
        issues: Vec::new(),
    };
    for entry in planned {
        writer.entity(entry)?;
    }
    let retired = writer.retire();
    let mut record = Record {
        id: earlier.map_or_else(new_id, |record| record.id.clone()),
        name: job.document.bundle.name.clone(),
        canonical: canonical(&job.document.bundle),
        digest: digest(&job.document.bundle),
        origin: job.origin.to_owned(),
        publisher: job.signature.map(|signature| signature.publisher.clone()),
        installed_by: job.by.to_owned(),
        generation: earlier.map_or(0, |record| record.generation) + 1,
        result: writer.result,
        retired,
        base: writer.base,
        created_at: earlier.map_or_else(|| transaction.now(), |record| record.created_at),
        updated_at: transaction.now(),
    };
    if let Mode::Apply { prune: true, .. } = job.mode {
        prune(transaction, snapshot, &mut record)?;
    }
    if let Some(signature) = job.signature {
        transaction.pin_publisher(&signature.publisher, &signature.key)?;
    }
    transaction.put_record(&snapshot.workspace.id, &record, &job.document.bundle)?;
    Ok(Written { record, issues: writer.issues })
}

struct Writer<'a> {
    transaction: &'a Transaction<'a>,
    snapshot: &'a Snapshot,
    earlier: Option<&'a Record>,
    job: &'a Job<'a>,
    ids: super::render::Ids,
    base: BTreeMap<String, Base>,
    result: Vec<ResultEntity>,
    issues: Vec<Issue>,
}

impl Writer<'_> {
    fn entity(&mut self, entry: &Planned) -> Result<(), Problem> {
        let detail = detail(&self.job.document.bundle, entry);
        let (action, id) = match &entry.decision {
            Decision::Skip(_) => (Action::Skipped, None),
            Decision::Create => (Action::Created, Some(self.create(entry)?)),
            Decision::Reuse(id) => (self.reuse(entry)?, Some(id.clone())),
        };
        if let Some(id) = &id {
            self.ids.insert((entry.kind, entry.key.clone()), id.clone());
        }
        let (kind, key, name) = (entry.kind, entry.key.clone(), entry.name.clone());
        self.result.push(ResultEntity { kind, key, name, action, id, detail });
        Ok(())
    }

    fn rows(&self, entry: &Planned) -> Vec<Row> {
        let context = Context {
            values: self.job.values,
            ids: &self.ids,
            fetched: self.job.fetched,
            workspace: &self.snapshot.workspace.id,
            allow_enabled: self.job.allow_enabled,
        };
        rows::rows(&self.job.document.bundle, entry, self.snapshot, &context)
    }

    fn create(&mut self, entry: &Planned) -> Result<String, Problem> {
        let mut last = String::new();
        for row in self.rows(entry) {
            let mut rendered = row.rendered;
            if rendered.kind == RowKind::Mcp {
                // The spec is the row before.
                rendered.parent = Some(last.clone());
                rendered.fields.insert("spec_id".to_owned(), Value::String(last.clone()));
            }
            if entry.kind == Kind::Channel {
                let address = hex::encode(random::<16>());
                rendered.fields.insert("webhook_id".to_owned(), Value::String(address));
            }
            let entity = Entity {
                id: new_id(),
                kind: rendered.kind,
                name: rendered.name.clone(),
                parent: rendered.parent.clone(),
                fields: rendered.fields.clone(),
                archived: false,
                retained: false,
                secrets: macs(&rendered, self.job.values, self.transaction_vault()),
            };
            self.transaction.insert_entity(&self.snapshot.workspace.id, &entity)?;
            self.put_secrets(&entity.id, rendered.secrets.iter())?;
            last.clone_from(&entity.id);
            self.base.insert(row.base_key, base_of(&entity, true));
        }
        Ok(last)
    }

    fn transaction_vault(&self) -> &super::store::Vault {
        self.transaction.vault()
    }

    fn put_secrets<'s>(
        &self,
        owner: &str,
        fields: impl Iterator<Item = &'s String>,
    ) -> Result<(), StoreError> {
        for field in fields {
            if let Some(secret) = self.job.values.secret(field) {
                self.transaction.put_secret(owner, field, secret)?;
            }
        }
        Ok(())
    }

    fn reuse(&mut self, entry: &Planned) -> Result<Action, Problem> {
        let mut action = Action::Reused;
        let mut differs = false;
        for row in self.rows(entry) {
            let Some(entity) = row.id.as_deref().and_then(|id| self.snapshot.find(id)) else { continue };
            let compared = compare_row(&row, entity, self.earlier, self.job.values, self.transaction_vault());
            let written = self
                .earlier
                .and_then(|record| record.base.get(&row.base_key))
                .filter(|base| base.id == entity.id);
            match self.job.mode {
                Mode::Install { repair_wiring } => {
                    differs |= compared.live != compared.new;
                    let base = written.cloned().unwrap_or_else(|| base_of(entity, false));
                    let base = if entity.kind == RowKind::Agent {
                        self.wiring(entry, entity, base, repair_wiring)?
                    } else {
                        base
                    };
                    self.base.insert(row.base_key, base);
                }
                Mode::Apply { conflicts, .. } => {
                    let conflict = compared.changes.iter().find(|change| change.outcome == Outcome::Conflict);
                    if let (Some(change), OnConflict::Fail) = (conflict, conflicts) {
                        let message = format!(
                            "`{}` of {} `{}` was changed here and in the document; say which side wins",
                            change.field,
                            entry.kind.word(),
                            entry.key
                        );
                        return Err(Problem::new(ProblemCode::Conflict, message));
                    }
                    let owned = written.is_some_and(|base| base.owned);
                    if self.update(&row, entity, &compared, conflicts)? {
                        action = Action::Updated;
                    }
                    let mut base = base_of(entity, owned);
                    base.name.clone_from(&row.rendered.name);
                    base.fields.clone_from(&row.rendered.fields);
                    base.secrets = macs(&row.rendered, self.job.values, self.transaction_vault());
                    self.base.insert(row.base_key, base);
                }
            }
        }
        if differs {
            self.issues.push(reused_not_updated(entry).about(entry.kind.word(), &entry.key));
        }
        Ok(action)
    }

    /// Writes what the merge of a row changes.
    fn update(
        &self,
        row: &Row,
        entity: &Entity,
        compared: &rows::Compared,
        conflicts: OnConflict,
    ) -> Result<bool, StoreError> {
        let merged = merge(&compared.live, &compared.new, &compared.changes, conflicts);
        if merged == compared.live {
            return Ok(false);
        }
        let (name, fields) = restore(&merged, &entity.fields, entity.kind);
        self.transaction.update_entity(entity.kind, &entity.id, &name, entity.parent.as_deref(), &fields)?;
        let secrets = |flat: &super::reconcile::Flat| -> BTreeMap<String, Value> {
            let found = flat
                .iter()
                .filter_map(|(path, mac)| Some((path.strip_prefix("secrets/")?.to_owned(), mac.clone())));
            found.collect()
        };
        let (before, after) = (secrets(&compared.live), secrets(&merged));
        for field in before.keys().filter(|field| !after.contains_key(*field)) {
            self.transaction.delete_secret(&entity.id, field)?;
        }
        let changed =
            after.iter().filter(|(field, mac)| before.get(*field) != Some(mac)).map(|(field, _)| field);
        self.put_secrets(&entity.id, changed.filter(|field| row.rendered.secrets.contains(*field)))?;
        Ok(true)
    }

    /// Servers that a reused agent names and that are gone.
    fn wiring(
        &mut self,
        entry: &Planned,
        entity: &Entity,
        base: Base,
        repair: bool,
    ) -> Result<Base, Problem> {
        let mut fields: AgentFields = entity.read();
        let mut repaired = BTreeMap::new();
        let mut dangling = false;
        for tool in &mut fields.tools {
            let Tool::Mcp { id } = tool else { continue };
            if self.snapshot.live(RowKind::Mcp, id).is_some() || self.ids.values().any(|known| known == id) {
                continue;
            }
            let successor = self.successor(id).filter(|_| repair);
            match successor {
                Some(new) => {
                    repaired.insert(id.clone(), new.clone());
                    *id = new;
                }
                None => dangling = true,
            }
        }
        if dangling {
            self.issues.push(agent_tool_dangling(&entry.key).about(entry.kind.word(), &entry.key));
        }
        if repaired.is_empty() {
            return Ok(base);
        }
        let mut whole = entity.fields.clone();
        let tools = to_fields(&fields).remove("tools").unwrap_or_default();
        whole.insert("tools".to_owned(), tools);
        self.transaction.update_entity(
            entity.kind,
            &entity.id,
            &entity.name,
            entity.parent.as_deref(),
            &whole,
        )?;
        Ok(Base { fields: replace_ids(&base.fields, &repaired), ..base })
    }

    /// The id that now stands for what the last install recorded under `id`.
    fn successor(&self, id: &str) -> Option<String> {
        let record = self.earlier?;
        let entry =
            record.result.iter().find(|entry| entry.kind == Kind::Mcp && entry.id.as_deref() == Some(id))?;
        self.ids.get(&(Kind::Mcp, entry.key.clone())).cloned()
    }

    /// Rows of earlier documents that are still there; what was written of them is kept under their ids.
    fn retire(&mut self) -> Vec<Retired> {
        let Some(record) = self.earlier else { return Vec::new() };
        let current: BTreeSet<String> = self.base.values().map(|base| base.id.clone()).collect();
        let mut retired: Vec<Retired> =
            record.retired.iter().filter(|entry| self.snapshot.find(&entry.id).is_some()).cloned().collect();
        for entry in &record.result {
            let Some(id) = entry.id.as_ref().filter(|id| !current.contains(*id)) else { continue };
            if self.snapshot.find(id).is_some() && !retired.iter().any(|other| other.id == *id) {
                let (kind, key, name) = (entry.kind, entry.key.clone(), entry.name.clone());
                retired.push(Retired { kind, key, name, id: id.clone() });
            }
        }
        for base in record.base.values() {
            if !current.contains(&base.id) && self.snapshot.find(&base.id).is_some() {
                self.base.insert(format!("retired/{}", base.id), base.clone());
            }
        }
        retired
    }
}

/// What the record keeps of a row.
pub fn base_of(entity: &Entity, owned: bool) -> Base {
    Base {
        id: entity.id.clone(),
        owned,
        name: entity.name.clone(),
        fields: entity.fields.clone(),
        secrets: entity.secrets.clone(),
    }
}

fn replace_ids(fields: &Map<String, Value>, ids: &BTreeMap<String, String>) -> Map<String, Value> {
    let mut fields = fields.clone();
    if let Some(Value::Array(tools)) = fields.get_mut("tools") {
        for tool in tools {
            let new = tool.get("id").and_then(Value::as_str).and_then(|id| ids.get(id)).cloned();
            if let (Some(new), Some(members)) = (new, tool.as_object_mut()) {
                members.insert("id".to_owned(), Value::String(new));
            }
        }
    }
    fields
}

/// Removes what the document no longer has, by the rules of an uninstall.
fn prune(transaction: &Transaction<'_>, snapshot: &Snapshot, record: &mut Record) -> Result<(), Problem> {
    // What the transaction just wrote counts: a server is not in use by an agent that no longer names it.
    let now = transaction.view().snapshot(&snapshot.workspace)?;
    let wanted: BTreeSet<String> = record
        .base
        .iter()
        .filter(|(key, _)| key.starts_with("retired/"))
        .map(|(_, base)| base.id.clone())
        .collect();
    let plan = removal::plan(&now, record, &removal::Options::default(), Some(&wanted));
    removal::execute(transaction, &now, &plan)?;
    let gone: BTreeSet<&str> =
        plan.iter().filter(|entry| entry.removes()).map(|entry| entry.id.as_str()).collect();
    record.base.retain(|_, base| !gone.contains(base.id.as_str()));
    record.retired.retain(|entry| !gone.contains(entry.id.as_str()));
    Ok(())
}
