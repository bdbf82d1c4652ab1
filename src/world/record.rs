//! Questions put to a world, with their answers: a node's discovered inputs.

use super::{Digest, Digester, Entry, Kind, Metadata, Root, World};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// What was asked of a path (or of the environment).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Query {
    /// The bytes.
    Read,
    /// What lies there, links followed.
    Probe,
    /// What lies there, links not followed.
    ProbeLink,
    /// Where the link points.
    Link,
    /// The path with links resolved.
    Canonical,
    /// The names in a directory.
    List,
    /// An environment variable; the path is its name.
    Env,
}

/// What was answered. Absence is an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Nothing there, or not of the kind asked for.
    Absent,
    /// The digest of bytes, a listing or a variable's value.
    Digest(Digest),
    /// What lies there.
    Kind(Kind),
    /// A project-relative path.
    Path(String),
}

/// Questions by project-relative path, each with its answer.
pub type Observations = BTreeMap<(String, Query), Answer>;

/// Asks `world` once more what `query` asked, as [`Recorder`] would have noted it.
pub fn observe(world: &Arc<dyn World>, root: &Arc<Root>, path: &str, query: Query) -> Answer {
    let recorder = Recorder::new(Arc::clone(world), Arc::clone(root));
    let absolute = root.absolute(path);
    match query {
        Query::Read => drop(recorder.read(&absolute)),
        Query::Probe => drop(recorder.metadata(&absolute)),
        Query::ProbeLink => drop(recorder.symlink_metadata(&absolute)),
        Query::Link => drop(recorder.read_link(&absolute)),
        Query::Canonical => drop(recorder.canonicalize(&absolute)),
        Query::List => drop(recorder.list(&absolute)),
        Query::Env => drop(recorder.env(path)),
    }
    recorder.observations().into_values().next().unwrap_or(Answer::Absent)
}

/// A world that notes what it is asked.
pub struct Recorder {
    world: Arc<dyn World>,
    root: Arc<Root>,
    seen: Mutex<Observations>,
}

impl Recorder {
    /// Records questions put to `world`; paths are noted relative to `root`.
    pub fn new(world: Arc<dyn World>, root: Arc<Root>) -> Self {
        Self { world, root, seen: Mutex::default() }
    }

    /// The root that paths are noted relative to.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// All questions and answers so far; the record starts anew.
    pub fn observations(&self) -> Observations {
        std::mem::take(&mut *self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Paths of all files that were read so far.
    pub fn read_paths(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let read =
            seen.iter().filter(|((_, query), answer)| *query == Query::Read && **answer != Answer::Absent);
        read.map(|((path, _), _)| path.clone()).collect()
    }

    fn note(&self, path: String, query: Query, answer: Answer) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        // The first answer is the one that was used first; a later, different one means that the file moved
        // under the build, which the stamps around a node's run tell apart.
        seen.entry((path, query)).or_insert(answer);
    }

    fn noted<T>(
        &self,
        path: &Path,
        query: Query,
        result: io::Result<T>,
        answer: impl FnOnce(&T) -> Answer,
    ) -> io::Result<T> {
        self.note(self.root.relative(path), query, result.as_ref().map_or(Answer::Absent, answer));
        result
    }
}

fn listing_digest(entries: &[Entry]) -> Digest {
    let mut digester = Digester::new("listing");
    for entry in entries {
        digester.field(entry.name.as_encoded_bytes()).field(&[entry.kind as u8]);
    }
    digester.finish()
}

impl World for Recorder {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // The digest comes from the world, which may know it already.
        let digest = self.world.digest(path);
        let digest = self.noted(path, Query::Read, digest, |digest| Answer::Digest(*digest));
        digest.and_then(|_| self.world.read(path))
    }

    fn digest(&self, path: &Path) -> io::Result<Digest> {
        let digest = self.world.digest(path);
        self.noted(path, Query::Read, digest, |digest| Answer::Digest(*digest))
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let result = self.world.metadata(path);
        self.noted(path, Query::Probe, result, |found| Answer::Kind(found.kind))
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Metadata> {
        let result = self.world.symlink_metadata(path);
        self.noted(path, Query::ProbeLink, result, |found| Answer::Kind(found.kind))
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        let result = self.world.read_link(path);
        self.noted(path, Query::Link, result, |to| Answer::Path(self.root.relative(to)))
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        let result = self.world.canonicalize(path);
        self.noted(path, Query::Canonical, result, |to| Answer::Path(self.root.relative(to)))
    }

    fn list(&self, path: &Path) -> io::Result<Vec<Entry>> {
        let result = self.world.list(path);
        self.noted(path, Query::List, result, |entries| Answer::Digest(listing_digest(entries)))
    }

    fn env(&self, name: &str) -> Option<OsString> {
        let value = self.world.env(name);
        let answer =
            value.as_ref().map_or(Answer::Absent, |text| Answer::Digest(Digest::of(text.as_encoded_bytes())));
        self.note(name.to_owned(), Query::Env, answer);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    #[test]
    fn absence_is_noted_and_can_be_asked_again() {
        let root = Arc::new(Root::new("/p"));
        let mut memory = MemoryWorld::new([("/p/a.ts", "x")]);
        let world: Arc<dyn World> = Arc::new(memory.clone());
        let recorder = Recorder::new(Arc::clone(&world), Arc::clone(&root));
        assert!(recorder.metadata(Path::new("/p/b.ts")).is_err());
        assert!(recorder.read(Path::new("/p/a.ts")).is_ok());
        let seen = recorder.observations();
        assert_eq!(seen[&("b.ts".to_owned(), Query::Probe)], Answer::Absent);
        for ((path, query), answer) in &seen {
            assert_eq!(&observe(&world, &root, path, *query), answer);
        }
        memory.write("/p/b.ts", "y");
        let world: Arc<dyn World> = Arc::new(memory);
        assert_eq!(observe(&world, &root, "b.ts", Query::Probe), Answer::Kind(Kind::File));
    }
}
