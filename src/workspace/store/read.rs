//! What is in the database.

use super::{StoreError, Vault};
use crate::workspace::entity::{Entity, Record, RowKind, Snapshot, WorkspaceInfo};
use crate::workspace::secret::Secret;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::BTreeMap;

/// The database at one moment.
pub struct View<'c> {
    connection: &'c Connection,
    vault: &'c Vault,
}

/// A token, without what it is.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TokenInfo {
    /// Its id.
    pub id: String,
    /// `admin` or `member`.
    pub role: String,
    /// What it is for.
    pub label: String,
}

fn workspace_of(row: &Row<'_>) -> rusqlite::Result<WorkspaceInfo> {
    Ok(WorkspaceInfo { id: row.get(0)?, slug: row.get(1)?, name: row.get(2)? })
}

fn damaged() -> StoreError {
    StoreError::Failed("the database holds something unexpected".to_owned())
}

impl<'c> View<'c> {
    pub(super) fn new(connection: &'c Connection, vault: &'c Vault) -> Self {
        Self { connection, vault }
    }

    pub(super) fn connection(&self) -> &Connection {
        self.connection
    }

    /// All workspaces by slug.
    pub fn workspaces(&self) -> Result<Vec<WorkspaceInfo>, StoreError> {
        let mut statement = self.connection.prepare("SELECT id, slug, name FROM workspaces ORDER BY slug")?;
        let rows = statement.query_map([], workspace_of)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The workspace of that slug.
    pub fn workspace(&self, slug: &str) -> Result<WorkspaceInfo, StoreError> {
        self.connection
            .query_row("SELECT id, slug, name FROM workspaces WHERE slug = ?1", [slug], workspace_of)
            .optional()?
            .ok_or_else(|| {
                StoreError::NotFound(format!(
                    "there is no workspace `{slug}`; `agent-bundle workspace create` makes one"
                ))
            })
    }

    /// Tokens of a workspace, oldest first.
    pub fn tokens(&self, workspace: &str) -> Result<Vec<TokenInfo>, StoreError> {
        let mut statement = self
            .connection
            .prepare("SELECT id, role, label FROM tokens WHERE workspace_id = ?1 ORDER BY created_at, id")?;
        let rows = statement.query_map([workspace], |row| {
            Ok(TokenInfo { id: row.get(0)?, role: row.get(1)?, label: row.get(2)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Role and label of the token with that hash, and the slug of its workspace.
    pub fn token(&self, hash: &str) -> Result<Option<(String, String, String)>, StoreError> {
        let sql = "SELECT t.role, t.label, w.slug FROM tokens t JOIN workspaces w ON w.id = t.workspace_id \
                   WHERE t.hash = ?1";
        Ok(self
            .connection
            .query_row(sql, [hash], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?)
    }

    /// Everything in a workspace.
    pub fn snapshot(&self, workspace: &WorkspaceInfo) -> Result<Snapshot, StoreError> {
        let mut macs = self.macs(&workspace.id)?;
        let mut statement = self.connection.prepare(
            "SELECT id, kind, name, parent_id, fields, archived, retained FROM entities WHERE workspace_id = ?1 ORDER BY seq",
        )?;
        let mut rows = statement.query([&workspace.id])?;
        let mut entities = Vec::new();
        while let Some(row) = rows.next()? {
            let id: String = row.get(0)?;
            let kind: String = row.get(1)?;
            let fields: String = row.get(4)?;
            entities.push(Entity {
                kind: RowKind::parse(&kind).ok_or_else(damaged)?,
                name: row.get(2)?,
                parent: row.get(3)?,
                fields: serde_json::from_str(&fields).map_err(|_| damaged())?,
                archived: row.get(5)?,
                retained: row.get(6)?,
                secrets: macs.remove(&id).unwrap_or_default(),
                id,
            });
        }
        let (records, publishers) = (self.records(&workspace.id)?, self.publishers()?);
        Ok(Snapshot { workspace: workspace.clone(), entities, records, publishers })
    }

    fn macs(&self, workspace: &str) -> Result<BTreeMap<String, BTreeMap<String, String>>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT s.owner_id, s.field, s.mac FROM secrets s JOIN entities e ON e.id = s.owner_id \
             WHERE e.workspace_id = ?1",
        )?;
        let mut rows = statement.query([workspace])?;
        let mut macs: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        while let Some(row) = rows.next()? {
            macs.entry(row.get(0)?).or_default().insert(row.get(1)?, row.get(2)?);
        }
        Ok(macs)
    }

    fn records(&self, workspace: &str) -> Result<BTreeMap<String, Record>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT name, record FROM installations WHERE workspace_id = ?1")?;
        let mut rows = statement.query([workspace])?;
        let mut records = BTreeMap::new();
        while let Some(row) = rows.next()? {
            let text: String = row.get(1)?;
            records.insert(row.get(0)?, serde_json::from_str(&text).map_err(|_| damaged())?);
        }
        Ok(records)
    }

    /// Opens the secret that a row holds for a setup field.
    pub fn secret(&self, owner: &str, field: &str) -> Result<Option<Secret>, StoreError> {
        let sealed: Option<(Vec<u8>, Vec<u8>)> = self
            .connection
            .query_row(
                "SELECT nonce, cipher FROM secrets WHERE owner_id = ?1 AND field = ?2",
                params![owner, field],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        sealed.map(|(nonce, cipher)| self.vault.unseal(owner, field, &nonce, &cipher)).transpose()
    }

    /// Items of all catalogs, as text.
    pub fn catalog(&self) -> Result<Vec<String>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT item FROM catalog_items ORDER BY registry, name")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Where a registry was taken from.
    pub fn registry_source(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT source FROM registries WHERE name = ?1";
        Ok(self.connection.query_row(sql, [name], |row| row.get(0)).optional()?)
    }

    /// The result stored for a request key that is younger than `since`: hash of the request, and the result.
    pub fn earlier(
        &self,
        workspace: &str,
        key: &str,
        since: i64,
    ) -> Result<Option<(String, String)>, StoreError> {
        let sql = "SELECT request, result FROM idempotency WHERE workspace_id = ?1 AND key = ?2 AND at > ?3";
        Ok(self
            .connection
            .query_row(sql, params![workspace, key, since], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?)
    }
}
