//! The scheduler: a node starts when all its inputs are there.

use super::key::{HashWalk, TextWalk, node_key};
use super::node::{Graph, JobContext, Kind, Node, NodeIndex, Output};
use crate::world::{Digest, Observations, Recorder, Root, World};
use petgraph::Direction;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// Bytes by digest, for the length of one build.
#[derive(Default)]
pub struct Blobs(Mutex<FxHashMap<Digest, Arc<Vec<u8>>>>);

impl Blobs {
    /// Keeps `bytes`.
    pub fn put(&self, bytes: Vec<u8>) -> Digest {
        let digest = Digest::of(&bytes);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(digest, Arc::new(bytes));
        digest
    }

    /// The bytes of that digest, if this build made or fetched them.
    pub fn get(&self, digest: &Digest) -> Option<Arc<Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(digest).cloned()
    }
}

/// How a node came by its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Its job ran.
    Executed,
    /// Another build made it; the bytes came from the store.
    Restored,
    /// Same as in the last build of this project.
    Unchanged,
    /// Not run: an input failed.
    Skipped,
}

/// A node after the run.
#[derive(Debug, Clone)]
pub struct NodeRun {
    /// Id.
    pub id: String,
    /// Kind.
    pub kind: Kind,
    /// How it came by its output.
    pub outcome: Outcome,
    /// Why it ran, when it did and that is known.
    pub reason: Option<String>,
    /// Milliseconds from the start of the run.
    pub start: f64,
    /// Milliseconds of work.
    pub ms: f64,
    /// Key; `None` where an input failed.
    pub key: Option<Digest>,
    /// The output; empty where an input failed.
    pub output: Arc<Output>,
    /// Identity of the output.
    pub digest: Digest,
    /// What the job asked of the world.
    pub observations: Observations,
    /// The key's own fields in readable form; only where the job ran.
    pub fields: Vec<(String, String)>,
}

/// An output found among earlier ones.
pub struct Recalled {
    /// The output.
    pub output: Arc<Output>,
    /// Its identity.
    pub digest: Digest,
    /// Its discovered inputs.
    pub observations: Observations,
    /// Where it comes from.
    pub outcome: Outcome,
}

/// Knowledge of earlier runs.
pub trait Recall: Sync {
    /// The output of `node` with this key, if its discovered inputs still hold; else why there is none. `fields` gives
    /// the key in readable form.
    fn recall(
        &self,
        node: &Node,
        key: &Digest,
        fields: &dyn Fn() -> Vec<(String, String)>,
    ) -> Result<Recalled, String>;
}

/// Runs graphs.
pub struct Engine<'a> {
    /// The world that jobs see.
    pub world: Arc<dyn World>,
    /// The project.
    pub root: Arc<Root>,
    /// Fingerprint of this program.
    pub tool: Digest,
    /// Bytes made so far.
    pub blobs: &'a Blobs,
    /// Earlier runs.
    pub recall: &'a dyn Recall,
    /// Called after each node.
    pub progress: &'a (dyn Fn(&NodeRun) + Sync),
    /// When the whole build began.
    pub started: Instant,
}

impl Engine<'_> {
    /// Runs every node of `graph` that is not in `done`, and adds it there. Independent nodes run side by side on the
    /// current rayon pool.
    pub fn run(&self, graph: &Graph, done: &mut BTreeMap<NodeIndex, NodeRun>) {
        let slots: Vec<OnceLock<NodeRun>> = graph.node_indices().map(|_| OnceLock::new()).collect();
        for (index, run) in std::mem::take(done) {
            drop(slots[index.index()].set(run));
        }
        let open = |index: NodeIndex| slots[index.index()].get().is_none();
        let waiting: Vec<AtomicUsize> = graph
            .node_indices()
            .map(|index| {
                let inputs = graph.neighbors_directed(index, Direction::Incoming);
                AtomicUsize::new(inputs.filter(|input| open(*input)).count())
            })
            .collect();
        let ready: Vec<NodeIndex> = graph
            .node_indices()
            .filter(|index| open(*index) && waiting[index.index()].load(Ordering::Relaxed) == 0)
            .collect();
        let schedule = Schedule { engine: self, graph, slots: &slots, waiting: &waiting };
        rayon::scope(|scope| {
            for index in ready {
                scope.spawn(move |scope| schedule.start(scope, index));
            }
        });
        let filled = slots.into_iter().enumerate();
        *done = filled.filter_map(|(at, slot)| Some((NodeIndex::new(at), slot.into_inner()?))).collect();
    }
}

#[derive(Clone, Copy)]
struct Schedule<'s> {
    engine: &'s Engine<'s>,
    graph: &'s Graph,
    slots: &'s [OnceLock<NodeRun>],
    waiting: &'s [AtomicUsize],
}

impl<'s> Schedule<'s> {
    fn start(self, scope: &rayon::Scope<'s>, index: NodeIndex) {
        let run = self.execute(index);
        (self.engine.progress)(&run);
        drop(self.slots[index.index()].set(run));
        for next in self.graph.neighbors_directed(index, Direction::Outgoing) {
            if self.waiting[next.index()].fetch_sub(1, Ordering::AcqRel) == 1 {
                scope.spawn(move |scope| self.start(scope, next));
            }
        }
    }

    fn execute(self, index: NodeIndex) -> NodeRun {
        let node = &self.graph[index];
        let begin = Instant::now();
        let mut inputs: Vec<&NodeRun> = self
            .graph
            .neighbors_directed(index, Direction::Incoming)
            .filter_map(|input| self.slots[input.index()].get())
            .collect();
        inputs.sort_by(|a, b| a.id.cmp(&b.id));
        let mut run = NodeRun {
            id: node.id.clone(),
            kind: node.kind,
            outcome: Outcome::Skipped,
            reason: None,
            start: begin.duration_since(self.engine.started).as_secs_f64() * 1e3,
            ms: 0.0,
            key: None,
            output: Arc::default(),
            digest: Digest([0; 32]),
            observations: Observations::new(),
            fields: Vec::new(),
        };
        if !inputs.iter().any(|input| input.outcome == Outcome::Skipped || input.output.failed()) {
            self.fill(node, &inputs, &mut run);
        }
        run.ms = begin.elapsed().as_secs_f64() * 1e3;
        run
    }

    /// The output from an earlier build, or from the job.
    fn fill(self, node: &Node, inputs: &[&NodeRun], run: &mut NodeRun) {
        let digests: Vec<(&str, Digest)> = inputs.iter().map(|run| (run.id.as_str(), run.digest)).collect();
        let mut walk = HashWalk::default();
        node_key(&mut walk, &self.engine.tool, node, &digests);
        let key = walk.finish();
        let fields = || {
            let mut walk = TextWalk::default();
            node_key(&mut walk, &self.engine.tool, node, &digests);
            // Program, kind and id: the same for every trace of a node that can be found at all.
            walk.0.split_off(3)
        };
        run.key = Some(key);
        match self.engine.recall.recall(node, &key, &fields) {
            Ok(recalled) => {
                run.outcome = recalled.outcome;
                run.digest = recalled.digest;
                run.output = recalled.output;
                run.observations = recalled.observations;
            }
            Err(reason) => {
                let recorder = Recorder::new(Arc::clone(&self.engine.world), Arc::clone(&self.engine.root));
                let recorder = Arc::new(recorder);
                let context = JobContext {
                    world: Arc::clone(&recorder),
                    inputs: inputs.iter().map(|run| (run.id.clone(), Arc::clone(&run.output))).collect(),
                    blobs: self.engine.blobs,
                };
                run.outcome = Outcome::Executed;
                run.reason = Some(reason);
                run.fields = fields();
                run.output = Arc::new(node.job.run(&context));
                run.digest = run.output.digest();
                run.observations = recorder.observations();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::KeyWalk;
    use super::super::node::Job;
    use super::*;
    use crate::diagnostic::{Code, Diagnostic};
    use crate::world::MemoryWorld;

    struct Nothing;
    impl Recall for Nothing {
        fn recall(
            &self,
            _: &Node,
            _: &Digest,
            _: &dyn Fn() -> Vec<(String, String)>,
        ) -> Result<Recalled, String> {
            Err("never built here".to_owned())
        }
    }

    struct Fixed(&'static str);
    impl Job for Fixed {
        fn walk(&self, walk: &mut dyn KeyWalk) {
            walk.field("text", self.0.as_bytes());
        }
        fn run(&self, context: &JobContext) -> Output {
            if self.0 == "fail" {
                return Output {
                    diagnostics: vec![Diagnostic::new(Code::AB5000, "no")],
                    ..Output::default()
                };
            }
            Output::value(format!("{}{}", self.0, context.inputs.len()).into())
        }
    }

    fn run(jobs: &[&'static str], edges: &[(usize, usize)]) -> BTreeMap<NodeIndex, NodeRun> {
        let mut graph = Graph::new();
        let nodes: Vec<NodeIndex> = jobs
            .iter()
            .enumerate()
            .map(|(at, text)| {
                graph.add_node(Node { id: format!("n{at}"), kind: Kind::Route, job: Box::new(Fixed(text)) })
            })
            .collect();
        for (from, to) in edges {
            graph.add_edge(nodes[*from], nodes[*to], ());
        }
        let blobs = Blobs::default();
        let engine = Engine {
            world: Arc::new(MemoryWorld::default()),
            root: Arc::new(Root::new("/p")),
            tool: Digest::of(b""),
            blobs: &blobs,
            recall: &Nothing,
            progress: &|_| {},
            started: Instant::now(),
        };
        let mut done = BTreeMap::new();
        engine.run(&graph, &mut done);
        done
    }

    #[test]
    fn inputs_come_first_and_a_failure_stops_its_dependants_alone() {
        let done = run(&["a", "b", "fail", "d", "e"], &[(0, 1), (2, 3), (3, 4)]);
        let outcomes: Vec<Outcome> = done.values().map(|run| run.outcome).collect();
        use Outcome::{Executed, Skipped};
        assert_eq!(outcomes, [Executed, Executed, Executed, Skipped, Skipped]);
        assert_eq!(done[&NodeIndex::new(1)].output.value, "b1");
    }

    #[test]
    fn a_key_depends_on_the_inputs_output() {
        let key = |first| run(&[first, "b"], &[(0, 1)])[&NodeIndex::new(1)].key;
        assert_ne!(key("a"), key("c"));
        assert_eq!(key("a"), key("a"));
    }
}
