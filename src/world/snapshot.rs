//! One consistent view for the length of a build: what was asked once is answered the same again.
//!
//! Extraction, bundling and the index read the same files; through a snapshot they see the same bytes even while an
//! editor saves, and each file is read and hashed once. The stamp is taken *before* the file is read, so that a change
//! during the build shows as a difference afterwards.

use super::{Digest, Entry, Kind, Metadata, Stamp, World};
use rustc_hash::FxHashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What lies at a path, and in which state.
pub type State = (Kind, Stamp);

type Answer<T> = Result<T, (io::ErrorKind, String)>;
type Table<T> = Mutex<FxHashMap<PathBuf, Answer<T>>>;

/// A world that remembers.
pub struct Snapshot {
    world: Arc<dyn World>,
    files: Table<Arc<(Vec<u8>, Digest)>>,
    metadata: Table<Metadata>,
    links: Table<Metadata>,
}

impl Snapshot {
    /// A view of `world` from now on.
    pub fn new(world: Arc<dyn World>) -> Self {
        Self { world, files: Mutex::default(), metadata: Mutex::default(), links: Mutex::default() }
    }

    /// What lies at `path` itself, and what a link there leads to: as it was before anything else was asked about the
    /// path.
    pub fn state(&self, path: &Path) -> (Option<State>, Option<State>) {
        let link = self.symlink_metadata(path).ok().map(|found| (found.kind, found.stamp));
        let is_link = link.is_some_and(|(kind, _)| kind == Kind::Link);
        let target = || self.metadata(path).ok().map(|found| (found.kind, found.stamp));
        (link, is_link.then(target).flatten())
    }

    fn file(&self, path: &Path) -> io::Result<Arc<(Vec<u8>, Digest)>> {
        remember(&self.files, path, || {
            self.state(path);
            let bytes = self.world.read(path)?;
            let digest = Digest::of(&bytes);
            Ok(Arc::new((bytes, digest)))
        })
    }
}

/// Errors are remembered by kind and text, since they cannot be copied.
fn remember<T: Clone>(table: &Table<T>, path: &Path, ask: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let known = table.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
    let answer = known.unwrap_or_else(|| {
        let answer = ask().map_err(|error| (error.kind(), error.to_string()));
        let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
        table.entry(path.to_owned()).or_insert(answer).clone()
    });
    answer.map_err(|(kind, text)| io::Error::new(kind, text))
}

impl World for Snapshot {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.file(path).map(|file| file.0.clone())
    }

    fn digest(&self, path: &Path) -> io::Result<Digest> {
        self.file(path).map(|file| file.1)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        remember(&self.metadata, path, || self.world.metadata(path))
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        remember(&self.links, path, || self.world.symlink_metadata(path))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.world.read_link(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.world.canonicalize(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.state(path);
        self.world.list(path)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.world.env(name)
    }
}
