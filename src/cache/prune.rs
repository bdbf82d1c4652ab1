//! Bounds and health of the store.

use super::Store;
use crate::world::Digest;
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

/// A build that wrote less than this leaves pruning to a later one.
const PRUNE_AFTER: u64 = 64 << 20;

/// Pruning goes somewhat below the bound, so that it is not needed again at once.
const PRUNE_TO: f64 = 0.8;

/// Files in `tmp/` older than this belong to nobody any more.
const ABANDONED: Duration = Duration::from_secs(3600);

/// What the store holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Where it lies.
    pub directory: PathBuf,
    /// Blobs.
    pub blobs: u64,
    /// Records.
    pub records: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Bound in bytes.
    pub limit: u64,
}

/// What pruning, clearing or verifying did.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Files removed.
    pub removed: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Files that stay.
    pub kept: u64,
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

impl Store {
    fn entries(&self, family: &str) -> Vec<Entry> {
        let shards = fs::read_dir(self.directory.join(family)).into_iter().flatten().flatten();
        let files = shards.filter_map(|shard| fs::read_dir(shard.path()).ok()).flatten().flatten();
        files
            .filter_map(|file| {
                let found = file.metadata().ok()?;
                Some(Entry { path: file.path(), bytes: found.len(), used: found.modified().ok()? })
            })
            .collect()
    }

    /// Counts.
    pub fn stats(&self) -> Stats {
        let (blobs, records) = (self.entries("cas"), self.entries("ac"));
        Stats {
            directory: self.directory.clone(),
            bytes: blobs.iter().chain(&records).map(|entry| entry.bytes).sum(),
            blobs: blobs.len() as u64,
            records: records.len() as u64,
            limit: self.limit,
        }
    }

    /// Removes what was used least recently until the store is well below `limit` bytes (its own bound where `None`).
    pub fn prune(&self, limit: Option<u64>) -> Pruned {
        let limit = limit.unwrap_or(self.limit);
        let mut entries = self.entries("cas");
        entries.extend(self.entries("ac"));
        let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
        let mut pruned = Pruned { kept: entries.len() as u64, ..Pruned::default() };
        self.sweep_temporary();
        if total <= limit {
            return pruned;
        }
        entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        let wanted = (limit as f64 * PRUNE_TO) as u64;
        for entry in entries {
            if total <= wanted {
                break;
            }
            if fs::remove_file(&entry.path).is_ok() {
                total = total.saturating_sub(entry.bytes);
                pruned.removed += 1;
                pruned.bytes += entry.bytes;
                pruned.kept -= 1;
            }
        }
        pruned
    }

    /// Prunes when this process has written enough for the bound to be in doubt.
    pub fn prune_if_due(&self) {
        if self.written.load(Ordering::Relaxed) > PRUNE_AFTER.min(self.limit / 8) {
            self.written.store(0, Ordering::Relaxed);
            self.prune(None);
        }
    }

    /// Reads everything and removes what is damaged.
    pub fn verify(&self) -> Pruned {
        let mut pruned = Pruned::default();
        for (family, entries) in [("cas", self.entries("cas")), ("ac", self.entries("ac"))] {
            for entry in entries {
                let name = entry.path.file_name().and_then(|name| Digest::parse(name.to_str()?));
                let whole = name.is_some_and(|digest| match family {
                    "cas" => self.get(&digest).is_some(),
                    _ => self.get_record(&digest).is_some(),
                });
                if whole {
                    pruned.kept += 1;
                    continue;
                }
                // Looking at a damaged blob has removed it already.
                drop(fs::remove_file(&entry.path));
                if !entry.path.exists() {
                    pruned.removed += 1;
                    pruned.bytes += entry.bytes;
                }
            }
        }
        pruned
    }

    /// Removes everything.
    pub fn clear(&self) -> Pruned {
        let stats = self.stats();
        drop(fs::remove_dir_all(&self.directory));
        Pruned { removed: stats.blobs + stats.records, bytes: stats.bytes, kept: 0 }
    }

    fn sweep_temporary(&self) {
        let now = SystemTime::now();
        for file in fs::read_dir(self.directory.join("tmp")).into_iter().flatten().flatten() {
            let age = file.metadata().and_then(|found| found.modified());
            if age.is_ok_and(|time| now.duration_since(time).is_ok_and(|age| age > ABANDONED)) {
                drop(fs::remove_file(file.path()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), &MemoryWorld::default());
        let digests: Vec<Digest> = (0..10u8)
            .map(|at| {
                let bytes = vec![at; 100];
                let digest = Digest::of(&bytes);
                store.put(&digest, &bytes);
                let file = fs::File::options().append(true).open(store.place("cas", &digest)).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1000 + u64::from(at)))
                    .unwrap();
                digest
            })
            .collect();
        assert!(store.get(&digests[0]).is_some(), "a use makes it young again");
        let pruned = store.prune(Some(505));
        assert_eq!((pruned.removed, pruned.kept), (6, 4));
        assert!(store.has(&digests[0]) && store.has(&digests[9]) && !store.has(&digests[1]));
    }

    #[test]
    fn verification_removes_damage_alone() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new(directory.path(), &MemoryWorld::default());
        for text in ["a", "b"] {
            store.put(&Digest::of(text.as_bytes()), text.as_bytes());
        }
        fs::write(store.place("cas", &Digest::of(b"a")), "damaged").unwrap();
        assert_eq!(store.verify().removed, 1);
        assert!(store.get(&Digest::of(b"b")).is_some());
        assert_eq!(store.clear().removed, 1);
        assert_eq!(store.stats().blobs, 0);
    }
}
