//! The content store: one a user, shared by all projects, branches and worktrees.
//!
//! ```text
//! <directory>/v1/
//!   cas/<2 hex>/<64 hex>   a blob: one byte of form (0 as it is, 1 zstd), then the bytes
//!   ac/<2 hex>/<64 hex>    a record by key: SHA-256 of what follows, then a blob as above
//!   tmp/                   files on their way
//! ```
//!
//! Everything is verified when it is read, and a file appears under its name by one rename: a torn, damaged or
//! unreadable file is a miss, never wrong bytes and never a failure. The time of last use is the file's mtime.
#![allow(clippy::disallowed_methods, reason = "the one room that touches the store")]

mod prune;

pub use prune::{Pruned, Stats};

use crate::world::{Digest, World};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

/// Environment variable that names the store.
pub const CACHE_VARIABLE: &str = "AGENT_BUNDLE_CACHE_DIR";

/// Environment variable with the store's bound in bytes.
pub const SIZE_VARIABLE: &str = "AGENT_BUNDLE_CACHE_SIZE";

/// Default bound: 2 GiB.
const SIZE_LIMIT: u64 = 2 << 30;

/// Below this many bytes compression is not worth its time.
const COMPRESS_FROM: usize = 512;

/// zstd's fastest ordinary level: what is stored is read more often than written, but written on the way of a build.
const LEVEL: i32 = 1;

/// Largest blob that is unpacked, so that a damaged header cannot ask for all memory.
const UNPACKED_LIMIT: usize = 1 << 30;

/// A use younger than this does not touch the file again.
const TOUCH_AFTER: Duration = Duration::from_secs(3600);

/// The store.
#[derive(Debug)]
pub struct Store {
    directory: PathBuf,
    limit: u64,
    written: AtomicU64,
    counter: AtomicU64,
}

/// Where the store lies: `chosen`, the variable, the XDG cache home, `~/.cache`. `None` where there is no home either.
pub fn store_directory(world: &dyn World, chosen: Option<&Path>) -> Option<PathBuf> {
    let variable = |name: &str| world.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    chosen
        .map(Path::to_owned)
        .or_else(|| variable(CACHE_VARIABLE))
        .or_else(|| {
            variable("XDG_CACHE_HOME").filter(|path| path.is_absolute()).map(|path| path.join("agent-bundle"))
        })
        .or_else(|| variable("HOME").map(|home| home.join(".cache/agent-bundle")))
}

impl Store {
    /// The store at `directory`; nothing is made before something is written.
    pub fn new(directory: &Path, world: &dyn World) -> Self {
        let limit =
            world.env(SIZE_VARIABLE).and_then(|text| text.to_str()?.parse().ok()).unwrap_or(SIZE_LIMIT);
        Self {
            directory: directory.join("v1"),
            limit,
            written: AtomicU64::new(0),
            counter: AtomicU64::new(0),
        }
    }

    fn place(&self, family: &str, digest: &Digest) -> PathBuf {
        let name = digest.to_string();
        self.directory.join(family).join(&name[..2]).join(name)
    }

    /// The bytes of that digest. A blob that is damaged goes, so that it is kept anew the next time it is made.
    pub fn get(&self, digest: &Digest) -> Option<Vec<u8>> {
        let path = self.place("cas", digest);
        let stored = fs::read(&path).ok()?;
        match unpack(&stored).filter(|bytes| Digest::of(bytes) == *digest) {
            Some(bytes) => {
                touch(&path);
                Some(bytes)
            }
            None => {
                drop(fs::remove_file(&path));
                None
            }
        }
    }

    /// Whether a blob of that digest seems to be there; only [`Store::get`] tells whether it is whole.
    pub fn has(&self, digest: &Digest) -> bool {
        self.place("cas", digest).is_file()
    }

    /// Keeps a blob. Failures are silent: the store is a help, not a duty.
    pub fn put(&self, digest: &Digest, bytes: &[u8]) {
        let path = self.place("cas", digest);
        if !path.is_file() {
            drop(self.write(&path, &pack(bytes)));
        }
    }

    /// The record of that key.
    pub fn get_record(&self, key: &Digest) -> Option<Vec<u8>> {
        let path = self.place("ac", key);
        let stored = fs::read(&path).ok()?;
        let (digest, packed) = stored.split_at_checked(32)?;
        let bytes = unpack(packed)?;
        (Digest::of(&bytes).0 == digest).then_some(bytes).inspect(|_| touch(&path))
    }

    /// Keeps a record, replacing an older one. Its blobs must be there already.
    pub fn put_record(&self, key: &Digest, bytes: &[u8]) {
        let mut stored = Digest::of(bytes).0.to_vec();
        stored.extend(pack(bytes));
        drop(self.write(&self.place("ac", key), &stored));
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let parent = path.parent().unwrap_or(&self.directory);
        fs::create_dir_all(parent)?;
        let temporary = self.directory.join("tmp");
        fs::create_dir_all(&temporary)?;
        let count = self.counter.fetch_add(1, Ordering::Relaxed);
        let temporary = temporary.join(format!("{}-{count}", std::process::id()));
        let result = fs::File::create(&temporary).and_then(|mut file| file.write_all(bytes));
        let result = result.and_then(|()| fs::rename(&temporary, path));
        if result.is_err() {
            drop(fs::remove_file(&temporary));
        } else {
            self.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        }
        result
    }
}

fn pack(bytes: &[u8]) -> Vec<u8> {
    let packed = (bytes.len() >= COMPRESS_FROM).then(|| zstd::bulk::compress(bytes, LEVEL).ok()).flatten();
    match packed.filter(|packed| packed.len() < bytes.len()) {
        Some(packed) => [&[1], packed.as_slice()].concat(),
        None => [&[0], bytes].concat(),
    }
}

fn unpack(stored: &[u8]) -> Option<Vec<u8>> {
    match stored.split_first()? {
        (0, bytes) => Some(bytes.to_vec()),
        (1, packed) => {
            let size = usize::try_from(zstd::zstd_safe::get_frame_content_size(packed).ok()??).ok()?;
            (size <= UNPACKED_LIMIT).then(|| zstd::bulk::decompress(packed, size).ok())?
        }
        _ => None,
    }
}

/// Notes a use in the file's mtime, for eviction.
fn touch(path: &Path) {
    let now = SystemTime::now();
    let recent = |time: SystemTime| now.duration_since(time).is_ok_and(|age| age < TOUCH_AFTER);
    if fs::metadata(path).and_then(|found| found.modified()).is_ok_and(recent) {
        return;
    }
    if let Ok(file) = fs::File::options().append(true).open(path) {
        drop(file.set_modified(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    fn store() -> (tempfile::TempDir, Store) {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), &MemoryWorld::default());
        (directory, store)
    }

    #[test]
    fn what_is_kept_comes_back() {
        let (_directory, store) = store();
        for bytes in [Vec::new(), b"short".to_vec(), b"long ".repeat(1000)] {
            let digest = Digest::of(&bytes);
            assert_eq!(store.get(&digest), None);
            store.put(&digest, &bytes);
            assert_eq!(store.get(&digest), Some(bytes.clone()));
            store.put_record(&digest, &bytes);
            assert_eq!(store.get_record(&digest), Some(bytes));
        }
    }

    #[test]
    fn any_damage_is_a_miss() {
        let (_directory, store) = store();
        let bytes = b"some text that is long enough ".repeat(100);
        let digest = Digest::of(&bytes);
        store.put(&digest, &bytes);
        store.put_record(&digest, &bytes);
        for family in ["cas", "ac"] {
            let path = store.place(family, &digest);
            let whole = fs::read(&path).unwrap();
            let get = || if family == "cas" { store.get(&digest) } else { store.get_record(&digest) };
            for at in 0..whole.len() {
                let mut flipped = whole.clone();
                flipped[at] ^= 0x40;
                fs::write(&path, &flipped).unwrap();
                assert!(get().is_none_or(|found| found == bytes), "{family} {at}");
                fs::write(&path, &whole[..at]).unwrap();
                assert_eq!(get(), None, "{family} cut at {at}");
            }
        }
    }

    #[test]
    fn a_damaged_blob_is_kept_anew() {
        let (_directory, store) = store();
        let digest = Digest::of(b"whole");
        store.put(&digest, b"whole");
        fs::write(store.place("cas", &digest), b"half").unwrap();
        assert_eq!(store.get(&digest), None);
        store.put(&digest, b"whole");
        assert_eq!(store.get(&digest), Some(b"whole".to_vec()));
    }

    #[test]
    fn the_directory_is_chosen_in_order() {
        let mut world = MemoryWorld::default();
        assert_eq!(store_directory(&world, None), None);
        world.set_env("HOME", "/h");
        assert_eq!(store_directory(&world, None), Some("/h/.cache/agent-bundle".into()));
        world.set_env("XDG_CACHE_HOME", "/x");
        assert_eq!(store_directory(&world, None), Some("/x/agent-bundle".into()));
        world.set_env(CACHE_VARIABLE, "/c");
        assert_eq!(store_directory(&world, None), Some("/c".into()));
        assert_eq!(store_directory(&world, Some(Path::new("/o"))), Some("/o".into()));
    }
}
