//! Files that are on no disk, laid over a world.

use super::{Digest, Entry, Kind, Metadata, Stamp, World};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `ctime` in the stamp of a file that is on no disk.
const ON_NO_DISK: i64 = -1;

impl Stamp {
    /// Whether the path is one that an [`Overlay`] added.
    pub fn is_overlay(&self) -> bool {
        self.ctime == ON_NO_DISK
    }
}

/// A world with further files. What it adds hides what lies there; a directory that it adds shows its own files alone.
pub struct Overlay {
    world: Arc<dyn World>,
    files: BTreeMap<PathBuf, Vec<u8>>,
    directories: BTreeSet<PathBuf>,
}

impl Overlay {
    /// Lays `files`, by absolute path below the directory `base`, over `world`. The base itself is a directory even
    /// without a file.
    pub fn new(world: Arc<dyn World>, base: &Path, files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let mut directories = BTreeSet::from([base.to_owned()]);
        for file in files.keys() {
            let above = file.ancestors().skip(1).take_while(|above| above.starts_with(base));
            directories.extend(above.map(Path::to_owned));
        }
        Self { world, files, directories }
    }
}

impl World for Overlay {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(path).map_or_else(|| self.world.read(path), |bytes| Ok(bytes.clone()))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let stamp = |size, inode| Stamp { size, mtime: 0, ctime: ON_NO_DISK, inode };
        if let Some(bytes) = self.files.get(path) {
            // The content stands in for the clock: another content is another stamp.
            let content = Digest::of(bytes).0;
            let inode = u64::from_le_bytes(content[..8].try_into().unwrap_or_default());
            return Ok(Metadata { kind: Kind::File, stamp: stamp(bytes.len() as u64, inode), mode: 0o644 });
        }
        if self.directories.contains(path) {
            return Ok(Metadata { kind: Kind::Dir, stamp: stamp(0, 0), mode: 0o755 });
        }
        self.world.metadata(path)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        if self.files.contains_key(path) || self.directories.contains(path) {
            return self.metadata(path);
        }
        self.world.symlink_metadata(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        self.world.read_link(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        if self.files.contains_key(path) || self.directories.contains(path) {
            return Ok(path.to_owned());
        }
        self.world.canonicalize(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        if !self.directories.contains(path) {
            return self.world.list(path);
        }
        let below = |paths: &mut dyn Iterator<Item = &PathBuf>, kind: Kind| -> Vec<Entry> {
            let here = paths.filter(|one| one.parent() == Some(path));
            let names = here.filter_map(|one| one.file_name());
            names.map(|name| Entry { name: name.to_owned(), kind }).collect()
        };
        let mut entries = below(&mut self.files.keys(), Kind::File);
        entries.extend(below(&mut self.directories.iter(), Kind::Dir));
        entries.sort();
        Ok(entries)
    }

    fn env(&self, name: &str) -> Option<OsString> {
        self.world.env(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn what_is_added_hides_what_lies_there() {
        let below = MemoryWorld::new([("/p/src/a", "old"), ("/p/src/b", "b"), ("/q/c", "c")]);
        let files = BTreeMap::from([(PathBuf::from("/p/src/a"), b"new".to_vec())]);
        let world = Overlay::new(Arc::new(below), Path::new("/p"), files);
        assert_eq!(world.read(Path::new("/p/src/a")).unwrap(), b"new");
        assert_eq!(world.read(Path::new("/q/c")).unwrap(), b"c");
        let names = |path: &str| -> Vec<OsString> {
            world.list(Path::new(path)).unwrap().into_iter().map(|entry| entry.name).collect()
        };
        assert_eq!(names("/p"), ["src"]);
        assert_eq!(names("/p/src"), ["a"]);
        assert!(world.metadata(Path::new("/p/src/a")).unwrap().stamp.is_overlay());
        assert!(!world.metadata(Path::new("/q/c")).unwrap().stamp.is_overlay());
        assert!(world.metadata(Path::new("/p/none")).is_err());
    }

    #[test]
    fn another_content_is_another_stamp() {
        let stamp = |text: &str| {
            let files = BTreeMap::from([(PathBuf::from("/p/a"), text.as_bytes().to_vec())]);
            let world = Overlay::new(Arc::new(MemoryWorld::default()), Path::new("/p"), files);
            world.symlink_metadata(Path::new("/p/a")).unwrap().stamp
        };
        assert_eq!(stamp("one"), stamp("one"));
        assert_ne!(stamp("one"), stamp("two"));
    }
}
