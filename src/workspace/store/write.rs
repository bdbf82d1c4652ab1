//! What changes the database. Every statement is announced before it runs.

use super::{Observer, StoreError, Vault, View, new_id};
use crate::workspace::entity::{Entity, Record, RowKind, WorkspaceInfo};
use crate::workspace::secret::Secret;
use rusqlite::{Connection, Params, params};
use serde_json::{Map, Value};

/// A write on its way.
pub struct Transaction<'c> {
    connection: &'c Connection,
    vault: &'c Vault,
    observer: &'c dyn Observer,
    now: i64,
    actor: &'c str,
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl<'c> Transaction<'c> {
    pub(super) fn new(
        connection: &'c Connection,
        vault: &'c Vault,
        observer: &'c dyn Observer,
        (now, actor): (i64, &'c str),
    ) -> Self {
        Self { connection, vault, observer, now, actor }
    }

    /// What the database holds within this transaction.
    pub fn view(&self) -> View<'_> {
        View::new(self.connection, self.vault)
    }

    /// The vault of the secrets.
    pub fn vault(&self) -> &Vault {
        self.vault
    }

    /// The moment of the transaction.
    pub fn now(&self) -> i64 {
        self.now
    }

    pub(super) fn actor(&self) -> &str {
        self.actor
    }

    pub(super) fn run(&self, what: &str, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        self.observer.before(what).map_err(StoreError::Failed)?;
        Ok(self.connection.prepare_cached(sql)?.execute(values)?)
    }

    pub(super) fn insert_workspace(&self, slug: &str, name: &str) -> Result<WorkspaceInfo, StoreError> {
        if self.view().workspace(slug).is_ok() {
            return Err(StoreError::Exists(format!("there is a workspace `{slug}` already")));
        }
        let info = WorkspaceInfo { id: new_id(), slug: slug.to_owned(), name: name.to_owned() };
        let sql = "INSERT INTO workspaces (id, slug, name, created_at) VALUES (?1, ?2, ?3, ?4)";
        self.run("workspace", sql, params![info.id, slug, name, self.now])?;
        Ok(info)
    }

    /// Keeps the hash of a token.
    pub fn insert_token(
        &self,
        workspace: &str,
        role: &str,
        label: &str,
        hash: &str,
    ) -> Result<String, StoreError> {
        let id = new_id();
        let sql = "INSERT INTO tokens (id, workspace_id, role, label, hash, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        self.run("token", sql, params![id, workspace, role, label, hash, self.now])?;
        Ok(id)
    }

    /// Forgets a token.
    pub fn delete_token(&self, workspace: &str, id: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM tokens WHERE workspace_id = ?1 AND id = ?2";
        match self.run("token", sql, params![workspace, id])? {
            0 => Err(StoreError::NotFound(format!("there is no token `{id}`"))),
            _ => Ok(()),
        }
    }

    /// Adds a row.
    pub fn insert_entity(&self, workspace: &str, entity: &Entity) -> Result<(), StoreError> {
        let sql = "INSERT INTO entities (id, workspace_id, kind, name, parent_id, fields) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![
            entity.id,
            workspace,
            entity.kind.word(),
            entity.name,
            entity.parent,
            json(&entity.fields)
        ];
        self.run(entity.kind.word(), sql, values).map(drop)
    }

    /// Changes name, fields and parent of a row.
    pub fn update_entity(
        &self,
        kind: RowKind,
        id: &str,
        name: &str,
        parent: Option<&str>,
        fields: &Map<String, Value>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE entities SET name = ?2, parent_id = ?3, fields = ?4 WHERE id = ?1";
        self.run(kind.word(), sql, params![id, name, parent, json(fields)]).map(drop)
    }

    /// Removes a row with its secrets.
    pub fn delete_entity(&self, kind: RowKind, id: &str) -> Result<(), StoreError> {
        self.run(kind.word(), "DELETE FROM entities WHERE id = ?1", [id]).map(drop)
    }

    /// Stores a secret of a row; the keyed hash of it comes back.
    pub fn put_secret(&self, owner: &str, field: &str, secret: &Secret) -> Result<String, StoreError> {
        let sealed = self.vault.seal(owner, field, secret)?;
        let sql = "INSERT INTO secrets (owner_id, field, nonce, cipher, mac) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT (owner_id, field) DO UPDATE SET nonce = ?3, cipher = ?4, mac = ?5";
        self.run("secret", sql, params![owner, field, sealed.nonce, sealed.cipher, sealed.mac])?;
        Ok(sealed.mac)
    }

    /// Removes a secret of a row.
    pub fn delete_secret(&self, owner: &str, field: &str) -> Result<(), StoreError> {
        self.run("secret", "DELETE FROM secrets WHERE owner_id = ?1 AND field = ?2", params![owner, field])
            .map(drop)
    }

    /// Writes the record of a bundle.
    pub fn put_record(
        &self,
        workspace: &str,
        record: &Record,
        bundle: &crate::workspace::document::Bundle,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO installations \
                   (id, workspace_id, name, display_name, description, schema_version, status, record) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'installed', ?7) \
                   ON CONFLICT (workspace_id, name) DO UPDATE SET \
                   display_name = ?4, description = ?5, schema_version = ?6, record = ?7";
        let values = params![
            record.id,
            workspace,
            record.name,
            bundle.display_name,
            bundle.description,
            bundle.schema_version,
            json(record)
        ];
        self.run("record", sql, values).map(drop)
    }

    /// Removes the record of a bundle.
    pub fn delete_record(&self, workspace: &str, name: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM installations WHERE workspace_id = ?1 AND name = ?2";
        self.run("record", sql, params![workspace, name]).map(drop)
    }

    /// Keeps the result of a request for its key.
    pub fn remember(
        &self,
        workspace: &str,
        key: &str,
        request: &str,
        result: &str,
    ) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO idempotency (workspace_id, key, request, result, at) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.run("request key", sql, params![workspace, key, request, result, self.now]).map(drop)
    }

    /// Replaces what a registry holds.
    pub fn put_registry(
        &self,
        name: &str,
        source: &str,
        items: &[(String, String)],
    ) -> Result<(), StoreError> {
        self.run("registry", "DELETE FROM registries WHERE name = ?1", [name])?;
        let sql = "INSERT INTO registries (name, source, synced_at) VALUES (?1, ?2, ?3)";
        self.run("registry", sql, params![name, source, self.now])?;
        let sql = "INSERT OR REPLACE INTO catalog_items (registry, name, item) VALUES (?1, ?2, ?3)";
        for (item, text) in items {
            self.run("catalog item", sql, params![name, item, text])?;
        }
        Ok(())
    }

    pub(super) fn lease(&self, sql: &str, values: impl Params) -> Result<usize, StoreError> {
        self.run("lease", sql, values)
    }

    pub(super) fn connection(&self) -> &Connection {
        self.connection
    }
}
