//! What a person said is no credential.

use super::{StoreError, Transaction, View};
use rusqlite::params;
use std::collections::BTreeSet;

impl View<'_> {
    /// All marks of a workspace.
    pub fn export_marks(&self, workspace: &str) -> Result<BTreeSet<String>, StoreError> {
        let mut statement =
            self.connection().prepare("SELECT mark FROM export_marks WHERE workspace_id = ?1")?;
        let rows = statement.query_map([workspace], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Transaction<'_> {
    /// Adds a mark.
    pub fn put_export_mark(&self, workspace: &str, mark: &str) -> Result<(), StoreError> {
        let sql = "INSERT OR IGNORE INTO export_marks (workspace_id, mark) VALUES (?1, ?2)";
        self.run("export mark", sql, params![workspace, mark]).map(drop)
    }

    /// Takes all marks away.
    pub fn delete_export_marks(&self, workspace: &str) -> Result<(), StoreError> {
        self.run("export mark", "DELETE FROM export_marks WHERE workspace_id = ?1", [workspace]).map(drop)
    }
}
