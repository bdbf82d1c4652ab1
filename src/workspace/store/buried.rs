//! Rows that an uninstall removed, kept for a while so that it can be undone. Secrets stay sealed for their place.

use super::{StoreError, Transaction, View};
use rusqlite::{OptionalExtension, params};

/// An uninstall that can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buried {
    /// When it was, in seconds since the epoch.
    pub at: i64,
    /// The record of the bundle, as JSON.
    pub record: String,
    /// Agents of others that lost something, as JSON.
    pub detached: String,
    /// Rows that the removed ones cannot be without, and that are not among them.
    pub needed: Vec<String>,
}

impl View<'_> {
    /// The last uninstall of a bundle, if it is kept.
    pub fn buried(&self, workspace: &str, bundle: &str) -> Result<Option<Buried>, StoreError> {
        let sql = "SELECT at, record, detached FROM buried WHERE workspace_id = ?1 AND bundle = ?2";
        let found = self
            .connection()
            .query_row(sql, params![workspace, bundle], |row| {
                Ok(Buried { at: row.get(0)?, record: row.get(1)?, detached: row.get(2)?, needed: Vec::new() })
            })
            .optional()?;
        let Some(mut buried) = found else { return Ok(None) };
        let sql = "SELECT DISTINCT parent_id FROM buried_entities WHERE workspace_id = ?1 AND bundle = ?2 \
                   AND parent_id IS NOT NULL AND parent_id NOT IN \
                   (SELECT id FROM buried_entities WHERE workspace_id = ?1 AND bundle = ?2) ORDER BY parent_id";
        let mut statement = self.connection().prepare(sql)?;
        let rows = statement.query_map(params![workspace, bundle], |row| row.get(0))?;
        buried.needed = rows.collect::<Result<_, _>>()?;
        Ok(Some(buried))
    }

    /// Whether anything was buried before `since`.
    pub(super) fn has_stale(&self, since: i64) -> Result<bool, StoreError> {
        let sql = "SELECT EXISTS (SELECT 1 FROM buried WHERE at < ?1)";
        Ok(self.connection().query_row(sql, [since], |row| row.get(0))?)
    }
}

impl Transaction<'_> {
    /// Keeps `rows` with their secrets; they are still to be removed. An earlier uninstall of the bundle is forgotten.
    pub fn bury(&self, workspace: &str, bundle: &str, record: &str, rows: &[&str]) -> Result<(), StoreError> {
        self.unbury(workspace, bundle)?;
        let sql =
            "INSERT INTO buried (workspace_id, bundle, at, record, detached) VALUES (?1, ?2, ?3, ?4, '[]')";
        self.run("undo", sql, params![workspace, bundle, self.now(), record])?;
        for row in rows {
            let sql = "INSERT INTO buried_entities SELECT ?1, ?2, seq, id, kind, name, parent_id, fields, archived \
                       FROM entities WHERE id = ?3";
            self.run("undo", sql, params![workspace, bundle, row])?;
            let sql = "INSERT INTO buried_secrets SELECT ?1, ?2, owner_id, field, nonce, cipher, mac \
                       FROM secrets WHERE owner_id = ?3";
            self.run("undo", sql, params![workspace, bundle, row])?;
        }
        Ok(())
    }

    /// Keeps what agents of others lost.
    pub fn bury_detached(&self, workspace: &str, bundle: &str, detached: &str) -> Result<(), StoreError> {
        let sql = "UPDATE buried SET detached = ?3 WHERE workspace_id = ?1 AND bundle = ?2";
        self.run("undo", sql, params![workspace, bundle, detached]).map(drop)
    }

    /// Puts the rows of an uninstall back, in their old order where that is free.
    pub fn dig_up(&self, workspace: &str, bundle: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO entities (seq, id, workspace_id, kind, name, parent_id, fields, archived) \
                   SELECT CASE WHEN EXISTS (SELECT 1 FROM entities e WHERE e.seq = b.seq) THEN NULL ELSE b.seq END, \
                   id, workspace_id, kind, name, parent_id, fields, archived FROM buried_entities b \
                   WHERE workspace_id = ?1 AND bundle = ?2 ORDER BY seq";
        self.run("undo", sql, params![workspace, bundle])?;
        let sql = "INSERT INTO secrets SELECT owner_id, field, nonce, cipher, mac FROM buried_secrets \
                   WHERE workspace_id = ?1 AND bundle = ?2";
        self.run("undo", sql, params![workspace, bundle])?;
        self.unbury(workspace, bundle)
    }

    /// Forgets an uninstall; it cannot be undone any more.
    pub fn unbury(&self, workspace: &str, bundle: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM buried WHERE workspace_id = ?1 AND bundle = ?2";
        self.run("undo", sql, params![workspace, bundle]).map(drop)
    }

    pub(super) fn unbury_before(&self, since: i64) -> Result<(), StoreError> {
        self.run("undo", "DELETE FROM buried WHERE at < ?1", [since]).map(drop)
    }

    /// Marks a row as one that no bundle removes, or takes the mark away.
    pub fn set_retained(&self, workspace: &str, id: &str, retained: bool) -> Result<(), StoreError> {
        let sql = "UPDATE entities SET retained = ?3 WHERE workspace_id = ?1 AND id = ?2";
        match self.run("mark", sql, params![workspace, id, retained])? {
            0 => Err(StoreError::NotFound("no row of that id is in this workspace".to_owned())),
            _ => Ok(()),
        }
    }
}
