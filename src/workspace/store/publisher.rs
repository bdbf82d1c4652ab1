//! Keys of publishers.

use super::{StoreError, Transaction, View};
use rusqlite::params;
use std::collections::BTreeMap;

impl View<'_> {
    /// The key of each publisher.
    pub fn publishers(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let mut statement = self.connection().prepare("SELECT name, key FROM publishers")?;
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Transaction<'_> {
    /// Remembers the key of a publisher that has none yet.
    pub fn pin_publisher(&self, name: &str, key: &str) -> Result<(), StoreError> {
        let sql = "INSERT OR IGNORE INTO publishers (name, key, seen_at) VALUES (?1, ?2, ?3)";
        self.run("publisher", sql, params![name, key, self.now()]).map(drop)
    }

    /// Forgets the key of a publisher; whether there was one.
    pub fn forget_publisher(&self, name: &str) -> Result<bool, StoreError> {
        self.run("publisher", "DELETE FROM publishers WHERE name = ?1", [name]).map(|count| count > 0)
    }
}
