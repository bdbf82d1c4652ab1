//! Turning a finished run into what the next build remembers.

use super::history::{Fact, NodeRecord, PathState, Trace, Traces};
use super::node::{Graph, NodeIndex};
use super::run::{NodeRun, Outcome};
use crate::diagnostic::Code;
use crate::world::{Answer, Observations, Query, Root, Snapshot};
use petgraph::Direction;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Traces kept for one node: the newest, and a few for going back and forth between branches.
const TRACES: usize = 4;

/// Builds after which a trace that no build used is forgotten.
const MAX_AGE: u8 = 8;

/// The traces after a run: those of executed nodes in front, unused ones a build older, tables without leftovers.
pub fn record_traces(own: &Traces, runs: &BTreeMap<NodeIndex, NodeRun>) -> Traces {
    let mut tables = Tables::default();
    let mut nodes: BTreeMap<String, Vec<Trace>> = BTreeMap::new();
    for (id, traces) in &own.nodes {
        let kept = traces.iter().filter(|trace| trace.age < MAX_AGE).map(|trace| {
            let facts = trace.facts.iter().filter_map(|at| tables.copy(own, *at)).collect();
            Trace { facts, age: trace.age + 1, ..trace.clone() }
        });
        nodes.insert(id.clone(), kept.collect());
    }
    for run in runs.values() {
        let Some(key) = run.key.filter(|_| is_lasting(run)) else { continue };
        let traces = nodes.entry(run.id.clone()).or_default();
        let facts: Vec<u32> = run
            .observations
            .iter()
            .map(|((path, query), answer)| tables.fact(path, *query, answer))
            .collect();
        let known = traces.iter().position(|trace| trace.key == key && trace.facts == facts);
        let trace = match known {
            Some(at) if run.outcome != Outcome::Executed => Trace { age: 0, ..traces.remove(at) },
            _ => {
                known.map(|at| traces.remove(at));
                new_trace(run, key, facts)
            }
        };
        traces.insert(0, trace);
        traces.truncate(TRACES);
    }
    nodes.retain(|_, traces| !traces.is_empty());
    Traces { paths: tables.paths, facts: tables.facts, nodes }
}

/// Errors from input and output may be gone the next time; they are never kept.
fn is_lasting(run: &NodeRun) -> bool {
    let fleeting = |code: &Code| matches!(code, Code::AB2005 | Code::AB5001 | Code::AB5000);
    run.outcome != Outcome::Skipped && !run.output.diagnostics.iter().any(|one| fleeting(&one.code))
}

fn new_trace(run: &NodeRun, key: crate::world::Digest, facts: Vec<u32>) -> Trace {
    let diagnostics = match run.output.diagnostics.as_slice() {
        [] => String::new(),
        some => serde_json::to_string(some).unwrap_or_default(),
    };
    Trace {
        key,
        fields: run.fields.clone(),
        facts,
        files: run.output.files.clone(),
        value: run.output.value.to_string(),
        diagnostics,
        digest: run.digest,
        age: 0,
    }
}

#[derive(Default)]
struct Tables {
    paths: Vec<String>,
    facts: Vec<Fact>,
    path_at: FxHashMap<String, u32>,
    fact_at: FxHashMap<u32, Vec<u32>>,
}

impl Tables {
    fn copy(&mut self, from: &Traces, at: u32) -> Option<u32> {
        let fact = from.facts.get(at as usize)?;
        Some(self.fact(from.paths.get(fact.path as usize)?, fact.query, &fact.answer))
    }

    fn fact(&mut self, path: &str, query: Query, answer: &Answer) -> u32 {
        let path = match self.path_at.get(path) {
            Some(at) => *at,
            None => {
                let at = self.paths.len() as u32;
                self.paths.push(path.to_owned());
                self.path_at.insert(path.to_owned(), at);
                at
            }
        };
        let of_path = self.fact_at.entry(path).or_default();
        let known = of_path.iter().find(|at| {
            let fact = &self.facts[**at as usize];
            fact.query == query && fact.answer == *answer
        });
        if let Some(at) = known {
            return *at;
        }
        let at = self.facts.len() as u32;
        self.facts.push(Fact { path, query, answer: answer.clone() });
        of_path.push(at);
        at
    }
}

/// Every path that a build used, in the state in which it was used.
pub fn record_states<'a>(
    observations: impl IntoIterator<Item = &'a Observations>,
    snapshot: &Snapshot,
    root: &Root,
) -> Vec<PathState> {
    let mut all: BTreeMap<&str, Vec<(Query, Answer)>> = BTreeMap::new();
    for ((path, query), answer) in observations.into_iter().flatten() {
        let answers = all.entry(path).or_default();
        if !answers.iter().any(|(known, _)| known == query) {
            answers.push((*query, answer.clone()));
        }
    }
    // The bundler looks for `tsconfig.json` below each module as if the module were a directory. Nothing can lie below
    // a file, so such an absence holds as long as the file does.
    let is_read = |path: &str| {
        all.get(path).is_some_and(|answers| {
            answers.iter().any(|(query, answer)| *query == Query::Read && *answer != Answer::Absent)
        })
    };
    let below_file = |path: &str| path.rsplit_once('/').is_some_and(|(parent, _)| is_read(parent));
    let kept: Vec<&str> = all.keys().copied().filter(|path| !below_file(path)).collect();
    kept.into_iter()
        .filter_map(|path| Some((path, all.get(path)?.clone())))
        .map(|(path, answers)| {
            let is_variable = answers.iter().any(|(query, _)| *query == Query::Env);
            let (link, target) =
                if is_variable { (None, None) } else { snapshot.state(&root.absolute(path)) };
            PathState { path: path.to_owned(), link, target, answers }
        })
        .collect()
}

/// The nodes of a run as `explain` and `graph` show them.
pub fn record_nodes(graph: &Graph, runs: &BTreeMap<NodeIndex, NodeRun>) -> Vec<NodeRecord> {
    let order: Vec<NodeIndex> = runs.keys().copied().collect();
    let place: FxHashMap<NodeIndex, u32> =
        order.iter().enumerate().map(|(at, index)| (*index, at as u32)).collect();
    let record = |index: &NodeIndex| {
        let run = &runs[index];
        let inputs = graph.neighbors_directed(*index, Direction::Incoming);
        let mut inputs: Vec<u32> = inputs.filter_map(|input| place.get(&input).copied()).collect();
        inputs.sort_unstable();
        NodeRecord {
            id: run.id.clone(),
            kind: run.kind,
            inputs,
            outcome: run.outcome,
            reason: run.reason.clone(),
            start: run.start,
            ms: run.ms,
        }
    };
    order.iter().map(record).collect()
}
