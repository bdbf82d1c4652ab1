//! Whether what was recorded still holds.
//!
//! A stamp (size, mtime, ctime, inode) that is the same as recorded stands for the same content, with one exception,
//! the racy case: a file changed in the very clock tick in which its stamp was taken looks unchanged. So a stamp that
//! is not clearly older than the build that recorded it is not trusted, and the content is hashed instead.

use super::history::{LastBuild, OutputState, PathState};
use crate::world::{Answer, Metadata, Query, Root, Stamp, World, observe};
use std::sync::Arc;

/// Coarsest clock tick of a file system that is reckoned with, nanoseconds. Kernels stamp files with a clock that
/// moves every 1 to 10 ms.
const TICK: i64 = 20_000_000;

/// Compares records with the world.
pub struct Freshness<'a> {
    /// The world as it is.
    pub world: &'a Arc<dyn World>,
    /// The project.
    pub root: &'a Arc<Root>,
    /// Trust no stamp: hash everything.
    pub hash: bool,
}

impl Freshness<'_> {
    /// Whether everything that `build` read and wrote is as it was; the error names the first thing that is not.
    pub fn check(&self, build: &LastBuild) -> Result<(), String> {
        for state in &build.states {
            if !self.holds(state, build.started) {
                return Err(state.path.clone());
            }
        }
        for output in &build.outputs {
            if !self.output_holds(output) {
                return Err(output.path.clone());
            }
        }
        Ok(())
    }

    /// Whether every answer about this path would be the same.
    pub fn holds(&self, state: &PathState, started: i64) -> bool {
        let path = self.root.absolute(&state.path);
        if self.hash || state.answers.iter().any(|(query, _)| *query == Query::Env) {
            return self.asked_again(state);
        }
        let link = self.world.symlink_metadata(&path).ok().map(identity);
        let target = match state.target {
            Some(_) => self.world.metadata(&path).ok().map(identity),
            None => None,
        };
        let same = link == state.link && target == state.target;
        let needs_content = state.answers.iter().any(|(query, _)| matches!(query, Query::Read | Query::List));
        let is_racy = || [link, target].into_iter().flatten().any(|(_, stamp)| is_racy(&stamp, started));
        // A path is resolved through all its parents; their links are not part of its own stamp.
        let resolves = || {
            let canonical = state.answers.iter().filter(|(query, _)| *query == Query::Canonical);
            canonical.into_iter().all(|(query, answer)| self.answers(&state.path, *query, answer))
        };
        // A directory in which something else was made has another stamp and is still a directory.
        if same && !(needs_content && is_racy()) { resolves() } else { self.asked_again(state) }
    }

    fn asked_again(&self, state: &PathState) -> bool {
        state.answers.iter().all(|(query, answer)| self.answers(&state.path, *query, answer))
    }

    /// Whether the world answers like this now.
    pub fn answers(&self, path: &str, query: Query, answer: &Answer) -> bool {
        observe(self.world, self.root, path, query) == *answer
    }

    /// Whether a file that the build wrote is still there as it was. Its stamp was taken after the last byte; that
    /// somebody rewrites an artifact in the same clock tick is not reckoned with, short of `hash`.
    pub fn output_holds(&self, output: &OutputState) -> bool {
        let path = self.root.absolute(&output.path);
        if self.hash {
            return self.world.digest(&path).is_ok_and(|digest| digest == output.digest);
        }
        self.world.symlink_metadata(&path).is_ok_and(|found| found.stamp == output.stamp)
    }
}

fn identity(found: Metadata) -> (crate::world::Kind, Stamp) {
    (found.kind, found.stamp)
}

/// Whether a stamp could belong to a file that was changed after it was taken.
pub fn is_racy(stamp: &Stamp, started: i64) -> bool {
    stamp.mtime.max(stamp.ctime) >= started - TICK
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests make and change the files that they are about")]
mod tests {
    use super::*;
    use crate::world::{OsWorld, Snapshot};
    use std::fs;
    use std::time::{Duration, SystemTime};

    struct Case {
        _directory: tempfile::TempDir,
        root: Arc<Root>,
        state: PathState,
    }

    /// A file with `answers` recorded about it now.
    fn case(query: Query) -> Case {
        let directory = tempfile::tempdir().unwrap();
        let root = Arc::new(Root::new(directory.path()));
        fs::write(directory.path().join("a"), "one").unwrap();
        let old = SystemTime::now() - Duration::from_secs(60);
        fs::File::options().append(true).open(directory.path().join("a")).unwrap().set_modified(old).unwrap();
        let world: Arc<dyn World> = Arc::new(OsWorld);
        let answer = observe(&world, &root, "a", query);
        let snapshot = Snapshot::new(world);
        let (link, target) = snapshot.state(&root.absolute("a"));
        let state = PathState { path: "a".to_owned(), link, target, answers: vec![(query, answer)] };
        Case { _directory: directory, root, state }
    }

    fn holds(case: &Case, started: i64, hash: bool) -> bool {
        let world: Arc<dyn World> = Arc::new(OsWorld);
        Freshness { world: &world, root: &case.root, hash }.holds(&case.state, started)
    }

    const LATER: i64 = i64::MAX;

    #[test]
    fn another_content_with_the_same_size_and_mtime_is_seen() {
        let case = case(Query::Read);
        assert!(holds(&case, LATER, false));
        let path = case.root.absolute("a");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        fs::File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
        assert!(!holds(&case, LATER, false));
    }

    #[test]
    fn a_young_stamp_is_not_trusted() {
        let mut case = case(Query::Read);
        // As if the file had been changed in the tick in which its stamp was taken.
        let path = case.root.absolute("a");
        fs::write(&path, "two").unwrap();
        let (link, _) = Snapshot::new(Arc::new(OsWorld)).state(&path);
        case.state.link = link;
        assert!(holds(&case, LATER, false), "an old stamp is trusted");
        assert!(!holds(&case, 0, false), "a young one is hashed");
        assert!(!holds(&case, LATER, true), "with hashing nothing is trusted");
    }

    #[test]
    fn a_touched_file_of_the_same_content_holds() {
        let case = case(Query::Read);
        fs::File::options()
            .append(true)
            .open(case.root.absolute("a"))
            .unwrap()
            .set_modified(SystemTime::now())
            .unwrap();
        assert!(holds(&case, LATER, false));
    }

    #[test]
    fn absence_and_kinds_hold_while_they_are_true() {
        let mut case = case(Query::Probe);
        case.state.path = "b".to_owned();
        (case.state.link, case.state.answers[0].1) = (None, Answer::Absent);
        assert!(holds(&case, LATER, false));
        fs::create_dir(case.root.absolute("b")).unwrap();
        assert!(!holds(&case, LATER, false));
        let world: Arc<dyn World> = Arc::new(OsWorld);
        case.state.answers[0].1 = observe(&world, &case.root, "b", Query::Probe);
        case.state.link = Snapshot::new(world).state(&case.root.absolute("b")).0;
        fs::write(case.root.absolute("b/c"), "").unwrap();
        assert!(holds(&case, LATER, false), "a directory stays a directory");
    }
}
