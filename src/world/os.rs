//! The machine's own files and environment.
#![allow(clippy::disallowed_methods, reason = "this is the room that the ban leads to")]

use super::{Entry, Kind, Metadata, Stamp, World};
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Answers from the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsWorld;

fn kind(kind: fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Dir
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

fn describe(found: &fs::Metadata) -> Metadata {
    Metadata {
        kind: kind(found.file_type()),
        stamp: Stamp {
            size: found.size(),
            mtime: nanoseconds(found.mtime(), found.mtime_nsec()),
            ctime: nanoseconds(found.ctime(), found.ctime_nsec()),
            inode: found.ino(),
        },
        mode: found.permissions().mode() & 0o7777,
    }
}

impl World for OsWorld {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // A pipe without a writer would be waited for; with this flag it is open at once, and refused below.
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let mut file = fs::OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
        let found = file.metadata()?;
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !found.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a pipe, a socket or a device"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        fs::metadata(path).map(|found| describe(&found))
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        fs::symlink_metadata(path).map(|found| describe(&found))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let mut entries = fs::read_dir(path)?
            .map(|entry| {
                let entry = entry?;
                Ok(Entry { kind: kind(entry.file_type()?), name: entry.file_name() })
            })
            .collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        Ok(entries)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name)
    }
}
