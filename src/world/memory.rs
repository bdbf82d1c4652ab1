//! A world that is a map, for tests.

use super::{Digest, Entry, Kind, Metadata, Stamp, World};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Files by absolute path; directories exist where a file lies below them.
#[derive(Debug, Clone, Default)]
pub struct MemoryWorld {
    files: BTreeMap<PathBuf, Vec<u8>>,
    variables: BTreeMap<String, OsString>,
}

impl MemoryWorld {
    /// A world with these files.
    pub fn new<P: Into<PathBuf>, B: Into<Vec<u8>>>(files: impl IntoIterator<Item = (P, B)>) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), bytes.into())).collect();
        Self { files, variables: BTreeMap::new() }
    }

    /// Adds or replaces a file.
    pub fn write(&mut self, path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }

    /// Sets an environment variable.
    pub fn set_env(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.insert(name.to_owned(), value.into());
    }
}

fn absent(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, format!("no such file: {}", path.display()))
}

impl World for MemoryWorld {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).cloned().ok_or_else(|| absent(path))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        if let Some(bytes) = self.files.get(path) {
            // The content stands in for the clock: another content is another stamp.
            let content = Digest::of(bytes).0;
            let mtime = i64::from_le_bytes(content[..8].try_into().unwrap_or_default());
            let stamp = Stamp { size: bytes.len() as u64, mtime, ctime: 0, inode: 0 };
            return Ok(Metadata { kind: Kind::File, stamp, mode: 0o644 });
        }
        let below = self.files.keys().any(|file| file.starts_with(path));
        let stamp = Stamp { size: 0, mtime: 0, ctime: 0, inode: 0 };
        below.then_some(Metadata { kind: Kind::Dir, stamp, mode: 0o755 }).ok_or_else(|| absent(path))
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        self.metadata(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        Err(io::Error::new(io::ErrorKind::InvalidInput, format!("not a link: {}", path.display())))
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.metadata(path).map(|_| path.to_owned())
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        self.metadata(path)?;
        let mut entries: Vec<Entry> = self
            .files
            .keys()
            .filter_map(|file| file.strip_prefix(path).ok())
            .filter_map(|rest| {
                let mut parts = rest.components();
                let name = parts.next()?.as_os_str().to_owned();
                let kind = if parts.next().is_some() { Kind::Dir } else { Kind::File };
                Some(Entry { name, kind })
            })
            .collect();
        entries.dedup();
        Ok(entries)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.variables.get(name).cloned()
    }
}
