//! Who did what in a workspace; never a value.

use super::{StoreError, Transaction, View};
use rusqlite::params;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// So many events of a workspace are kept.
const KEPT: i64 = 10_000;

/// Something that was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// When, in seconds since the epoch.
    pub at: i64,
    /// Label of the token, or `command line`.
    pub actor: String,
    /// What: `install`, `uninstall`, `export`, …
    pub action: String,
    /// To what: the bundle and its digest, a row, a token.
    pub subject: String,
}

impl View<'_> {
    /// Events of a workspace, the newest first.
    pub fn audit(&self, workspace: &str) -> Result<Vec<Event>, StoreError> {
        let sql = "SELECT at, actor, action, subject FROM audit WHERE workspace_id = ?1 ORDER BY seq DESC";
        let mut statement = self.connection().prepare(sql)?;
        let rows = statement.query_map([workspace], |row| {
            Ok(Event { at: row.get(0)?, actor: row.get(1)?, action: row.get(2)?, subject: row.get(3)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Transaction<'_> {
    /// Notes an event; it stands or falls with the transaction.
    pub fn audit(&self, workspace: &str, action: &str, subject: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO audit (workspace_id, at, actor, action, subject) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.run("audit", sql, params![workspace, self.now(), self.actor(), action, subject])?;
        let sql = "DELETE FROM audit WHERE workspace_id = ?1 AND seq <= \
                   (SELECT seq FROM audit WHERE workspace_id = ?1 ORDER BY seq DESC LIMIT 1 OFFSET ?2)";
        self.run("audit", sql, params![workspace, KEPT]).map(drop)
    }
}
