//! Finding a node's output among the traces of earlier builds.

use super::fresh::Freshness;
use super::history::{Fact, LastBuild, PathState, Trace, Traces, unpack_traces};
use super::node::Node;
use super::run::{Outcome, Recall, Recalled};
use crate::cache::Store;
use crate::world::{Digest, Observations, Root, Snapshot, World, observe};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What this build may look things up in.
pub struct Surroundings<'a> {
    /// The view of this build.
    pub snapshot: Arc<Snapshot>,
    /// The project.
    pub root: Arc<Root>,
    /// The shared store.
    pub store: Option<&'a Store>,
    /// Trust no stamp.
    pub hash: bool,
}

/// Traces with what is known of the world now.
pub struct Memory<'a> {
    own: Known,
    shared: OnceLock<Known>,
    record: Mutex<Option<Digest>>,
    last: Option<&'a LastBuild>,
    around: Surroundings<'a>,
    /// Paths of the last build by name.
    states: FxHashMap<&'a str, &'a PathState>,
    /// Files of the last build that are still as it left them.
    intact: BTreeMap<&'a str, Digest>,
    /// The same by content.
    by_content: FxHashMap<Digest, &'a str>,
}

/// Traces, and for each of their facts whether it holds now: 0 not asked yet, 1 no, 2 yes.
struct Known {
    traces: Traces,
    held: Vec<AtomicU8>,
}

impl Known {
    fn new(traces: Traces) -> Self {
        let held = traces.facts.iter().map(|_| AtomicU8::new(0)).collect();
        Self { traces, held }
    }
}

impl<'a> Memory<'a> {
    /// Knowledge from this project's own traces and its last build with the same settings.
    pub fn new(own: Traces, last: Option<&'a LastBuild>, around: Surroundings<'a>) -> Self {
        let states = last.iter().flat_map(|build| &build.states);
        let world: Arc<dyn World> = Arc::clone(&around.snapshot) as Arc<dyn World>;
        let fresh = Freshness { world: &world, root: &around.root, hash: around.hash };
        let outputs =
            last.iter().flat_map(|build| &build.outputs).filter(|output| fresh.output_holds(output));
        let intact: BTreeMap<&str, Digest> =
            outputs.map(|output| (output.path.as_str(), output.digest)).collect();
        Self {
            states: states.map(|state| (state.path.as_str(), state)).collect(),
            by_content: intact.iter().map(|(path, digest)| (*digest, *path)).collect(),
            intact,
            own: Known::new(own),
            shared: OnceLock::new(),
            record: Mutex::default(),
            last,
            around,
        }
    }

    /// Names the record of the shared store in which other builds of this plugin keep their traces.
    pub fn set_record(&self, key: Digest) {
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = Some(key);
    }

    /// The content of the file at a project-relative path, when the file is as the last build left it.
    pub fn known_output(&self, path: &str) -> Option<Digest> {
        self.intact.get(path).copied()
    }

    /// The bytes of that digest, from the artifact on disk or the store.
    pub fn bytes(&self, digest: &Digest) -> Option<Vec<u8>> {
        let path = self.by_content.get(digest).map(|path| self.around.root.absolute(path));
        let on_disk = path.and_then(|path| self.around.snapshot.read(&path).ok());
        on_disk.filter(|bytes| Digest::of(bytes) == *digest).or_else(|| self.around.store?.get(digest))
    }

    /// The traces, to be recorded anew.
    pub fn into_traces(self) -> Traces {
        self.own.traces
    }

    fn shared(&self) -> &Known {
        self.shared.get_or_init(|| {
            let key = *self.record.lock().unwrap_or_else(PoisonError::into_inner);
            let record = key.and_then(|key| self.around.store?.get_record(&key));
            Known::new(record.and_then(|bytes| unpack_traces(&bytes)).unwrap_or_default())
        })
    }

    /// The output of `trace`, when all its facts hold and its bytes can be had.
    fn find(&self, known: &Known, trace: &Trace, outcome: Outcome) -> Result<Recalled, String> {
        let damaged = || "the record is damaged".to_owned();
        let mut observations = Observations::new();
        for at in &trace.facts {
            let fact = known.traces.facts.get(*at as usize).ok_or_else(damaged)?;
            let path = known.traces.paths.get(fact.path as usize).ok_or_else(damaged)?;
            let held = known.held.get(*at as usize).ok_or_else(damaged)?;
            let holds = match held.load(Ordering::Relaxed) {
                0 => {
                    let holds = self.ask(path, fact);
                    held.store(if holds { 2 } else { 1 }, Ordering::Relaxed);
                    holds
                }
                known => known == 2,
            };
            if !holds {
                return Err(format!("{path} changed"));
            }
            observations.insert((path.clone(), fact.query), fact.answer.clone());
        }
        if let Some((path, _)) = trace.files.iter().find(|(_, file)| !self.has(&file.digest)) {
            return Err(format!("the content of {path} is nowhere any more"));
        }
        let output = trace.output().ok_or_else(damaged)?;
        Ok(Recalled { output: Arc::new(output), digest: trace.digest, observations, outcome })
    }

    /// Whether the bytes can be had whole.
    fn has(&self, digest: &Digest) -> bool {
        self.by_content.contains_key(digest)
            || self.around.store.is_some_and(|store| store.get(digest).is_some())
    }

    /// Whether the world would answer as `fact` says. Where the last build got the same answer and the stamps are as
    /// it left them, nothing is read.
    fn ask(&self, path: &str, fact: &Fact) -> bool {
        let world: Arc<dyn World> = Arc::clone(&self.around.snapshot) as Arc<dyn World>;
        if let Some((build, state)) = self.last.zip(self.states.get(path))
            && state.answers.iter().any(|(query, answer)| *query == fact.query && *answer == fact.answer)
        {
            let only = PathState { answers: vec![(fact.query, fact.answer.clone())], ..(*state).clone() };
            let fresh = Freshness { world: &world, root: &self.around.root, hash: self.around.hash };
            return fresh.holds(&only, build.started);
        }
        observe(&world, &self.around.root, path, fact.query) == fact.answer
    }
}

/// The first field in which two keys differ, with both values.
pub fn first_difference(old: &[(String, String)], new: &[(String, String)]) -> String {
    let before: BTreeMap<&str, &str> =
        old.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    for (name, value) in new {
        match before.get(name.as_str()) {
            Some(before) if before == value => {}
            Some(before) => return format!("{name} changed: {} → {}", brief(before), brief(value)),
            None => return format!("{name} is new: {}", brief(value)),
        }
    }
    let gone = old.iter().find(|(name, _)| !new.iter().any(|(kept, _)| kept == name));
    gone.map_or_else(
        || "its key changed".to_owned(),
        |(name, value)| format!("{name} is gone: {}", brief(value)),
    )
}

/// A value as it can stand in one line.
fn brief(value: &str) -> String {
    const LIMIT: usize = 80;
    let line = value.trim_end().replace('\n', " ");
    if line.chars().count() <= LIMIT {
        line
    } else {
        format!("{}…", line.chars().take(LIMIT).collect::<String>())
    }
}

impl Recall for Memory<'_> {
    fn recall(
        &self,
        node: &Node,
        key: &Digest,
        fields: &dyn Fn() -> Vec<(String, String)>,
    ) -> Result<Recalled, String> {
        let own = self.own.traces.nodes.get(&node.id).map(Vec::as_slice).unwrap_or_default();
        let mut reason = match own.first() {
            None => Some("no earlier build knows it".to_owned()),
            Some(newest) if newest.key != *key => Some(first_difference(&newest.fields, &fields())),
            Some(_) => None,
        };
        for (at, trace) in own.iter().enumerate().filter(|(_, trace)| trace.key == *key) {
            let outcome = if at == 0 { Outcome::Unchanged } else { Outcome::Restored };
            match self.find(&self.own, trace, outcome) {
                Ok(recalled) => return Ok(recalled),
                Err(why) => drop(reason.get_or_insert(why)),
            }
        }
        let shared = self.shared();
        let others = shared.traces.nodes.get(&node.id).into_iter().flatten();
        others
            .filter(|trace| trace.key == *key)
            .find_map(|trace| self.find(shared, trace, Outcome::Restored).ok())
            .ok_or_else(|| reason.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_the_field_and_both_values() {
        let fields = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let old = fields(&[("a", "1"), ("b", "2")]);
        assert_eq!(first_difference(&old, &fields(&[("a", "1"), ("b", "3")])), "b changed: 2 → 3");
        assert_eq!(first_difference(&old, &fields(&[("a", "1"), ("b", "2"), ("c", "4")])), "c is new: 4");
        assert_eq!(first_difference(&old, &fields(&[("a", "1")])), "b is gone: 2");
    }
}
