//! The only door to the outside: files, listings, probes and environment look-ups.
//!
//! Rooms that need a file ask a [`World`]. [`OsWorld`] answers from the machine, [`MemoryWorld`] from a
//! map (tests), and [`Recorder`] notes every question and answer on the way, which is how a node's
//! discovered inputs come to be known.

mod digest;
mod memory;
mod os;
mod overlay;
mod paths;
mod record;
mod snapshot;

pub use digest::{Digest, Digester};
pub use memory::MemoryWorld;
pub use os::OsWorld;
pub use overlay::Overlay;
pub use paths::{Root, is_safe_relative, slash};
pub use record::{Answer, Observations, Query, Recorder, observe};
pub use snapshot::{Snapshot, State};

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// What lies at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link (only when links are not followed).
    Link,
    /// A socket, device or pipe.
    Other,
}

/// The identity of a file's state as the file system tells it, without reading the file.
///
/// Equal stamps mean equal content unless the file was written in the same clock tick in which the stamp
/// was taken; see the racy rule in `engine`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds since the epoch.
    pub mtime: i64,
    /// Last change of content or attributes, nanoseconds since the epoch (0 where there is none).
    pub ctime: i64,
    /// Inode number (0 where there is none).
    pub inode: u64,
}

/// Kind and stamp of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// In which state.
    pub stamp: Stamp,
    /// Permission bits (0 where there are none).
    pub mode: u32,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name alone.
    pub name: OsString,
    /// What it is; links are not followed.
    pub kind: Kind,
}

/// Everything a build may ask of its surroundings.
pub trait World: Send + Sync {
    /// The bytes of a file.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
    /// The digest of a file's bytes.
    fn digest(&self, path: &Path) -> io::Result<Digest> {
        self.read(path).map(|bytes| Digest::of(&bytes))
    }
    /// Kind and stamp; links are followed.
    fn metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Kind and stamp of the path itself.
    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata>;
    /// Where a link points.
    fn read_link(&self, path: &Path) -> io::Result<PathBuf>;
    /// The path with all links resolved.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;
    /// The entries of a directory, sorted by name.
    fn list(&self, path: &Path) -> io::Result<Vec<Entry>>;
    /// An environment variable.
    fn env(&self, name: &str) -> Option<OsString>;
}

/// Whether a regular file lies at `path`, links followed.
pub fn is_file(world: &dyn World, path: &Path) -> bool {
    world.metadata(path).is_ok_and(|found| found.kind == Kind::File)
}

/// Whether a directory lies at `path`, links followed.
pub fn is_dir(world: &dyn World, path: &Path) -> bool {
    world.metadata(path).is_ok_and(|found| found.kind == Kind::Dir)
}
