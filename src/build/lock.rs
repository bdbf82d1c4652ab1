//! Builds of one project wait for each other.
#![allow(clippy::disallowed_methods, reason = "the lock file is this room's own")]

use crate::world::{OsWorld, Root, World};
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::PathBuf;

/// Held while a project is built; released when dropped, and by the system when the process dies.
#[derive(Debug)]
pub struct ProjectLock {
    file: File,
    taken: i64,
}

/// Why there is no lock.
#[derive(Debug)]
pub struct LockError {
    /// The lock file.
    pub path: PathBuf,
    /// What the system said.
    pub error: io::Error,
}

impl ProjectLock {
    /// Takes the lock of the project at `root`; `waiting` is called once, with the owner as it describes itself, when
    /// another build holds it.
    pub fn take(root: &Root, waiting: &(dyn Fn(&str) + Sync)) -> Result<Self, LockError> {
        let path = root.absolute(".agent-bundle/lock");
        let at = |error| LockError { path: path.clone(), error };
        fs::create_dir_all(root.absolute(".agent-bundle")).map_err(at)?;
        let open = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(at)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waiting(fs::read_to_string(&path).unwrap_or_default().trim());
                file.lock().map_err(at)?;
            }
            Err(TryLockError::Error(error)) => return Err(at(error)),
        }
        file.set_len(0).map_err(at)?;
        write!(file, "process {}", std::process::id()).map_err(at)?;
        let found = OsWorld.metadata(&path).map_err(at)?;
        Ok(Self { file, taken: found.stamp.mtime })
    }

    /// When the lock was taken, by the file system's own clock, in nanoseconds: the clock that stamps files.
    pub fn taken(&self) -> i64 {
        self.taken
    }
}

impl Drop for ProjectLock {
    fn drop(&mut self) {
        drop(self.file.unlock());
    }
}
