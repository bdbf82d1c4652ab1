//! The database of workspaces: the only place that has one.
#![allow(clippy::disallowed_methods, reason = "this is the room of the database and its directory")]

mod audit;
mod buried;
mod key;
mod lease;
mod marks;
mod publisher;
mod read;
mod vault;
mod write;

pub use audit::Event;
pub use buried::Buried;
pub use key::{KeyFile, KeyPlace, KeySource, Keychain, Placed, key_place, native_keychain, place_key};
pub use read::View;
pub use vault::Vault;
pub(crate) use vault::random;
pub use write::Transaction;

use super::entity::WorkspaceInfo;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Each brings the schema one version further. A released one never changes.
const MIGRATIONS: [&str; 6] = [
    include_str!("schema.sql"),
    include_str!("catalog.sql"),
    include_str!("undo.sql"),
    include_str!("audit.sql"),
    include_str!("publishers.sql"),
    include_str!("marks.sql"),
];
/// An uninstall can be undone for so long, in seconds.
pub const UNDO: i64 = 7 * 24 * 60 * 60;
const DATABASE: &str = "workspaces.db";
const BUSY: Duration = Duration::from_secs(30);

/// Why the store did not do something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// It could not. No message holds a value.
    Failed(String),
    /// There is no such thing.
    NotFound(String),
    /// There is one already.
    Exists(String),
    /// Somebody else is doing it.
    Busy(String),
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(message) | Self::NotFound(message) | Self::Exists(message) | Self::Busy(message) => {
                f.write_str(message)
            }
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        // Messages of the database name statements and constraints, never the values bound to them.
        match error {
            rusqlite::Error::SqliteFailure(code, _) => Self::Failed(format!("the database failed: {code}")),
            _ => Self::Failed("the database holds something unexpected".to_owned()),
        }
    }
}

/// Hears of every write before it happens, and may refuse it.
pub trait Observer: Send + Sync {
    /// `write` says what is about to be written; an error makes the transaction fail.
    fn before(&self, write: &str) -> Result<(), String>;
}

/// Lets everything pass.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn before(&self, _write: &str) -> Result<(), String> {
        Ok(())
    }
}

/// Tells the time.
pub trait Clock: Send + Sync {
    /// Seconds since the epoch.
    fn now(&self) -> i64;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
    }
}

/// A directory with a database and a key.
#[derive(Clone)]
pub struct Store {
    directory: PathBuf,
    vault: Arc<Vault>,
    observer: Arc<dyn Observer>,
    clock: Arc<dyn Clock>,
    /// Who works with it.
    actor: Arc<str>,
    /// Held open and not used: the last connection that closes writes the log back, which waits for the disk.
    _open: Arc<Mutex<Connection>>,
}

impl Store {
    /// Opens the store in `directory`, making it on first use.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        Self::open_with(directory, Arc::new(Silent), Arc::new(SystemClock))
    }

    /// Opens the store with an observer and a clock.
    pub fn open_with(
        directory: &Path,
        observer: Arc<dyn Observer>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        Self::open_on(directory, observer, clock, &native_keychain)
    }

    /// Opens the store with a keychain besides.
    pub fn open_on(
        directory: &Path,
        observer: Arc<dyn Observer>,
        clock: Arc<dyn Clock>,
        keychain: &Keychain,
    ) -> Result<Self, StoreError> {
        make_directory(directory)?;
        let vault = Arc::new(Vault::open(key::source(directory, keychain)?.as_ref())?);
        let open = Arc::new(Mutex::new(connect(directory)?));
        let store = Self {
            directory: directory.to_owned(),
            vault,
            observer,
            clock,
            actor: "command line".into(),
            _open: open,
        };
        store.migrate()?;
        store.sweep()?;
        Ok(store)
    }

    /// Seconds since the epoch, by the store's clock.
    pub fn now(&self) -> i64 {
        self.clock.now()
    }

    /// The same store for somebody else.
    pub fn acting(&self, actor: &str) -> Self {
        Self { actor: actor.into(), ..self.clone() }
    }

    /// The vault of its secrets.
    pub fn vault(&self) -> &Vault {
        &self.vault
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        connect(&self.directory)
    }

    /// Forgets uninstalls that cannot be undone any more.
    fn sweep(&self) -> Result<(), StoreError> {
        let since = self.now() - UNDO;
        if self.read(|view| view.has_stale(since))? {
            self.write(|transaction| transaction.unbury_before(since))?;
        }
        Ok(())
    }

    fn migrate(&self) -> Result<(), StoreError> {
        let mut connection = self.connect()?;
        let version = |connection: &Connection| -> Result<usize, StoreError> {
            let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            Ok(usize::try_from(version).unwrap_or(usize::MAX))
        };
        if version(&connection)? == MIGRATIONS.len() {
            return Ok(());
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let at = version(&transaction)?;
        if at > MIGRATIONS.len() {
            return Err(StoreError::Failed("the database was made by a newer agent-bundle".to_owned()));
        }
        for migration in &MIGRATIONS[at..] {
            transaction.execute_batch(migration)?;
        }
        transaction.pragma_update(
            None,
            "user_version",
            i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX),
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Reads at one moment.
    pub fn read<T, E: From<StoreError>>(&self, work: impl FnOnce(&View<'_>) -> Result<T, E>) -> Result<T, E> {
        let mut connection = self.connect()?;
        let transaction = connection.transaction().map_err(StoreError::from)?;
        work(&View::new(&transaction, &self.vault))
    }

    /// Writes all or nothing.
    pub fn write<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.connect()?;
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(StoreError::from)?;
        let result = work(&Transaction::new(
            &transaction,
            &self.vault,
            self.observer.as_ref(),
            (self.clock.now(), &self.actor),
        ))?;
        self.observer.before("commit").map_err(StoreError::Failed)?;
        transaction.commit().map_err(StoreError::from)?;
        Ok(result)
    }

    /// Makes a workspace.
    pub fn create_workspace(&self, slug: &str, name: &str) -> Result<WorkspaceInfo, StoreError> {
        if !is_slug(slug) {
            let message = "the name of a workspace is small letters and digits with single hyphens, at most 120 characters";
            return Err(StoreError::Failed(message.to_owned()));
        }
        self.write(|transaction| transaction.insert_workspace(slug, name))
    }
}

fn connect(directory: &Path) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(directory.join(DATABASE), flags)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // What is deleted is overwritten, ciphertext too.
    connection.pragma_update(None, "secure_delete", true)?;
    Ok(connection)
}

fn make_directory(directory: &Path) -> Result<(), StoreError> {
    use std::os::unix::fs::DirBuilderExt;
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map_err(|error| StoreError::Failed(format!("{} cannot be made: {error}", directory.display())))
}

/// Whether text names a workspace: `[a-z0-9]+(-[a-z0-9]+)*`, at most 120 characters.
pub fn is_slug(text: &str) -> bool {
    text.len() <= 120
        && text.split('-').all(|part| {
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        })
}

/// A new id.
pub fn new_id() -> String {
    hex::encode(random::<12>())
}
