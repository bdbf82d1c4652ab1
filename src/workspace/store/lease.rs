//! One installer of a bundle at a time; a dead one frees itself.

use super::{Store, StoreError, Transaction, new_id};
use rusqlite::{OptionalExtension, params};
use std::time::{Duration, Instant};

/// After so many seconds without a sign of life an owner is taken for dead.
const DEAD_AFTER: i64 = 60;
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(15);

/// The right to install one bundle.
pub struct Lease<'s> {
    store: &'s Store,
    workspace: String,
    name: String,
    owner: String,
}

impl Store {
    /// Takes the lease of a bundle, waiting for an owner that is alive.
    pub fn lease(&self, workspace: &str, name: &str) -> Result<Lease<'_>, StoreError> {
        let owner = format!("{}:{}", std::process::id(), new_id());
        let started = Instant::now();
        loop {
            let taken = self.write(|transaction| take(transaction, workspace, name, &owner))?;
            if taken {
                return Ok(Lease {
                    store: self,
                    workspace: workspace.to_owned(),
                    name: name.to_owned(),
                    owner,
                });
            }
            if started.elapsed() >= PATIENCE {
                return Err(StoreError::Busy(format!("another install of `{name}` is running")));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

fn take(transaction: &Transaction<'_>, workspace: &str, name: &str, owner: &str) -> Result<bool, StoreError> {
    let held: Option<(String, i64)> = transaction
        .connection()
        .query_row(
            "SELECT owner, heartbeat FROM leases WHERE workspace_id = ?1 AND name = ?2",
            params![workspace, name],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    if held.is_some_and(|(owner, heartbeat)| transaction.now() - heartbeat < DEAD_AFTER && may_live(&owner)) {
        return Ok(false);
    }
    let sql = "INSERT OR REPLACE INTO leases (workspace_id, name, owner, heartbeat) VALUES (?1, ?2, ?3, ?4)";
    transaction.lease(sql, params![workspace, name, owner, transaction.now()])?;
    Ok(true)
}

/// Whether the process of an owner is there. A wrong answer does no harm: a write gives back the lease that it
/// holds, and fails when another has it.
fn may_live(owner: &str) -> bool {
    let process =
        owner.split(':').next().and_then(|id| id.parse().ok()).and_then(rustix::process::Pid::from_raw);
    process.is_none_or(|process| rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH))
}

impl Lease<'_> {
    /// Whether the lease is still held, asked within the write that it protects. The write gives it back, so that
    /// what is committed is committed without a lease.
    pub fn give_back(&self, transaction: &Transaction<'_>) -> Result<(), StoreError> {
        let sql = "DELETE FROM leases WHERE workspace_id = ?1 AND name = ?2 AND owner = ?3";
        match transaction.lease(sql, params![self.workspace, self.name, self.owner])? {
            0 => Err(StoreError::Busy(format!("another install of `{}` took over", self.name))),
            _ => Ok(()),
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let sql = "DELETE FROM leases WHERE workspace_id = ?1 AND name = ?2 AND owner = ?3";
        let values = params![self.workspace, self.name, self.owner];
        // Where even this fails the lease runs out by itself.
        if let Ok(connection) = self.store.connect() {
            drop(connection.execute(sql, values));
        }
    }
}
