//! Publishing: staged beside the output, swapped in one step, files that did not change keep their identity.
//!
//! A build killed at any instant leaves the old tree or the new one. Files of the output that this tool did not write
//! are carried along; where one is in the way of an emitted file, nothing is published.
#![allow(clippy::disallowed_methods, reason = "the one room that writes the artifact")]

use super::tree::list_files;
use super::{INDEX_FILE, Index};
use crate::world::{Digest, Kind, OsWorld, World};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What publishing did, by artifact path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// New or changed files.
    pub written: Vec<String>,
    /// Files that lost their source.
    pub removed: Vec<String>,
}

/// Why nothing was published.
#[derive(Debug)]
pub enum PublishError {
    /// The file system refused.
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
    /// A file that is not ours lies where one of ours belongs.
    Foreign {
        /// Where.
        path: PathBuf,
    },
    /// The bytes of a file are known to nobody.
    Missing {
        /// Its artifact path.
        path: String,
    },
}

fn io_at(path: &Path) -> impl FnOnce(io::Error) -> PublishError {
    move |error| PublishError::Io { path: path.to_owned(), error }
}

/// Makes the directory `output` hold exactly `files` (and what others put there). `known` gives the content of a file
/// on disk where that is known without reading it; `content` gives bytes by digest.
pub fn publish(
    output: &Path,
    files: &BTreeMap<String, Digest>,
    known: &dyn Fn(&str) -> Option<Digest>,
    content: &dyn Fn(&Digest) -> Option<Arc<Vec<u8>>>,
) -> Result<Published, PublishError> {
    let stage = Stage::beside(output)?;
    let old = Old::read(output)?;
    let mut published = Published::default();
    let mut same = BTreeSet::new();
    for (path, digest) in files {
        let on_disk = || known(path).filter(|_| old.entries.contains_key(path)).or_else(|| old.digest(path));
        if on_disk() == Some(*digest) {
            same.insert(path.as_str());
        } else if old.is_foreign_at(path) {
            return Err(PublishError::Foreign { path: output.join(path) });
        } else {
            published.written.push(path.clone());
        }
    }
    published.removed = old.owned.iter().filter(|path| !files.contains_key(*path)).cloned().collect();
    published.removed.retain(|path| old.entries.contains_key(path));
    if published == Published::default() && old.exists {
        return Ok(published);
    }
    stage.fill(&old, files, &same, content)?;
    stage.swap(old.exists)?;
    Ok(published)
}

/// The output as it lies on disk.
struct Old {
    root: PathBuf,
    exists: bool,
    entries: BTreeMap<String, Kind>,
    owned: BTreeSet<String>,
}

impl Old {
    fn read(root: &Path) -> Result<Self, PublishError> {
        let root = root.to_owned();
        let none = |root| Self { root, exists: false, entries: BTreeMap::new(), owned: BTreeSet::new() };
        match fs::symlink_metadata(&root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(none(root)),
            Err(error) => return Err(PublishError::Io { path: root, error }),
            Ok(found) if !found.is_dir() => return Err(PublishError::Foreign { path: root }),
            Ok(_) => {}
        }
        let entries = list_files(&OsWorld, &root).map_err(io_at(&root))?.into_iter().collect();
        let index = fs::read(root.join(INDEX_FILE)).ok().and_then(|bytes| Index::from_bytes(&bytes).ok());
        let mut owned: BTreeSet<String> =
            index.into_iter().flat_map(|index| index.files).map(|row| row.path).collect();
        if !owned.is_empty() {
            owned.insert(INDEX_FILE.to_owned());
        }
        Ok(Self { root, exists: true, entries, owned })
    }

    fn digest(&self, path: &str) -> Option<Digest> {
        (self.entries.get(path) == Some(&Kind::File))
            .then(|| OsWorld.read(&self.root.join(path)).ok())?
            .map(|bytes| Digest::of(&bytes))
    }

    /// Whether something that we did not write lies at `path`, below it, or where one of its directories must be.
    fn is_foreign_at(&self, path: &str) -> bool {
        let taken = |path: &str| self.entries.contains_key(path) && !self.owned.contains(path);
        let below = format!("{path}/");
        let ancestors = path.match_indices('/').map(|(at, _)| &path[..at]);
        taken(path)
            || ancestors.into_iter().any(taken)
            || self
                .entries
                .range(below.clone()..)
                .next()
                .is_some_and(|(next, _)| next.starts_with(&below) && taken(next))
    }

    fn foreign(&self) -> impl Iterator<Item = (&String, &Kind)> {
        self.entries.iter().filter(|(path, _)| !self.owned.contains(*path))
    }
}

/// A directory beside the output; removed when dropped, whatever happened.
struct Stage {
    output: PathBuf,
    path: PathBuf,
}

impl Drop for Stage {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.path));
    }
}

impl Stage {
    fn beside(output: &Path) -> Result<Self, PublishError> {
        let parent = output.parent().unwrap_or(Path::new("/"));
        let name = output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let prefix = format!(".{name}.stage-");
        // Builds of one project hold its lock here, so whatever lies around is left by a build that was killed.
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                drop(fs::remove_dir_all(entry.path()));
            }
        }
        let path = parent.join(format!("{prefix}{}", std::process::id()));
        Ok(Self { output: output.to_owned(), path })
    }

    fn fill(
        &self,
        old: &Old,
        files: &BTreeMap<String, Digest>,
        same: &BTreeSet<&str>,
        content: &dyn Fn(&Digest) -> Option<Arc<Vec<u8>>>,
    ) -> Result<(), PublishError> {
        fs::create_dir_all(&self.path).map_err(io_at(&self.path))?;
        for (path, digest) in files {
            let to = self.make_room(path)?;
            if same.contains(path.as_str()) {
                link_or_copy(&old.root.join(path), &to)?;
            } else {
                let bytes = content(digest).ok_or_else(|| PublishError::Missing { path: path.clone() })?;
                fs::write(&to, bytes.as_slice()).map_err(io_at(&to))?;
            }
        }
        for (path, kind) in old.foreign().filter(|(path, _)| !files.contains_key(*path)) {
            if *kind == Kind::Dir {
                let directory = self.path.join(path);
                fs::create_dir_all(&directory).map_err(io_at(&directory))?;
            } else {
                let to = self.make_room(path)?;
                link_or_copy(&old.root.join(path), &to)?;
            }
        }
        Ok(())
    }

    fn make_room(&self, path: &str) -> Result<PathBuf, PublishError> {
        let to = self.path.join(path);
        let parent = to.parent().unwrap_or(&self.path);
        fs::create_dir_all(parent).map_err(io_at(parent))?;
        Ok(to)
    }

    fn swap(&self, exists: bool) -> Result<(), PublishError> {
        if !exists {
            if let Some(parent) = self.output.parent() {
                fs::create_dir_all(parent).map_err(io_at(parent))?;
            }
            return fs::rename(&self.path, &self.output).map_err(io_at(&self.output));
        }
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, &self.path, CWD, &self.output, RenameFlags::EXCHANGE) {
            Ok(()) => Ok(()),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                self.replace()
            }
            Err(error) => Err(PublishError::Io { path: self.output.clone(), error: error.into() }),
        }
    }

    /// Two renames, for file systems that cannot exchange. The old tree comes back when the second one fails.
    fn replace(&self) -> Result<(), PublishError> {
        let aside = self.path.with_extension("old");
        fs::rename(&self.output, &aside).map_err(io_at(&self.output))?;
        if let Err(error) = fs::rename(&self.path, &self.output) {
            drop(fs::rename(&aside, &self.output));
            return Err(PublishError::Io { path: self.output.clone(), error });
        }
        drop(fs::remove_dir_all(&aside));
        Ok(())
    }
}

/// A second name for the same file; a copy where the file system has no such thing. A link is copied as a link.
fn link_or_copy(from: &Path, to: &Path) -> Result<(), PublishError> {
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    if fs::symlink_metadata(from).is_ok_and(|found| found.file_type().is_symlink()) {
        let target = fs::read_link(from).map_err(io_at(from))?;
        return std::os::unix::fs::symlink(target, to).map_err(io_at(to));
    }
    fs::copy(from, to).map(drop).map_err(io_at(to))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifact::index::tests_support::index_of;
    use std::os::unix::fs::MetadataExt;

    type Files = BTreeMap<&'static str, &'static str>;

    fn publish_text(output: &Path, files: &Files) -> Result<Published, PublishError> {
        let mut bytes: BTreeMap<String, Vec<u8>> =
            files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
        bytes.insert(INDEX_FILE.to_owned(), index_of(&bytes).to_bytes());
        let digests = bytes.iter().map(|(path, bytes)| (path.clone(), Digest::of(bytes))).collect();
        let by_digest: BTreeMap<Digest, Arc<Vec<u8>>> =
            bytes.into_values().map(|bytes| (Digest::of(&bytes), Arc::new(bytes))).collect();
        publish(output, &digests, &|_| None, &|digest| by_digest.get(digest).cloned())
    }

    fn inode(path: PathBuf) -> (u64, i64) {
        let found = fs::metadata(path).unwrap();
        (found.ino(), found.mtime_nsec())
    }

    #[test]
    fn unchanged_files_keep_their_identity_and_lost_ones_go() {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("out");
        publish_text(&output, &Files::from([("a/b", "1"), ("c", "2")])).unwrap();
        let before = inode(output.join("a/b"));
        let published = publish_text(&output, &Files::from([("a/b", "1"), ("d", "3")])).unwrap();
        assert_eq!(inode(output.join("a/b")), before);
        assert_eq!(published.removed, ["c"]);
        assert!(!output.join("c").exists() && output.join("d").exists());
        let again = publish_text(&output, &Files::from([("a/b", "1"), ("d", "3")])).unwrap();
        assert_eq!(again, Published::default());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no stage is left");
    }

    #[test]
    fn what_is_not_ours_stays_and_blocks() {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("out");
        fs::create_dir_all(output.join("mine")).unwrap();
        fs::write(output.join("mine/x"), "kept").unwrap();
        publish_text(&output, &Files::from([("a", "1")])).unwrap();
        publish_text(&output, &Files::from([("b", "1")])).unwrap();
        assert_eq!(fs::read_to_string(output.join("mine/x")).unwrap(), "kept");
        for path in ["mine/x", "mine", "mine/x/y"] {
            let error = publish_text(&output, &Files::from([(path, "new")])).unwrap_err();
            assert!(matches!(error, PublishError::Foreign { .. }), "{path}: {error:?}");
        }
        assert!(output.join("b").exists());
    }

    #[test]
    fn a_failure_leaves_the_old_tree_and_no_stage() {
        let directory = tempfile::tempdir().unwrap();
        let output = directory.path().join("out");
        publish_text(&output, &Files::from([("a", "1")])).unwrap();
        let files = BTreeMap::from([("z".to_owned(), Digest::of(b"nobody has this"))]);
        assert!(matches!(publish(&output, &files, &|_| None, &|_| None), Err(PublishError::Missing { .. })));
        assert!(output.join("a").exists());
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
