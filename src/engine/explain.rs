//! Why a node ran or did not, and why a path matters: questions to the record of earlier builds.

use super::fresh::Freshness;
use super::history::{LastBuild, NodeRecord, PathState, Trace, Traces};
use super::run::Outcome;
use crate::world::{Answer, Query};
use serde::Serialize;

/// What is known of one node.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NodeStory {
    /// Id.
    pub id: String,
    /// Kind.
    pub kind: &'static str,
    /// How it came by its output in the last build that was not all unchanged.
    pub outcome: Outcome,
    /// Why it ran then.
    pub reason: Option<String>,
    /// What would make it run now; `None` where nothing would.
    pub stale: Option<String>,
    /// Nodes that it depends on.
    pub inputs: Vec<String>,
    /// Nodes that depend on it.
    pub dependants: Vec<String>,
    /// What it asked of the world, one line a path.
    pub discovered: Vec<String>,
    /// Fields of its key.
    pub key: Vec<(String, String)>,
    /// Milliseconds of its last work.
    pub ms: f64,
}

/// What is known of one path.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PathStory {
    /// Project-relative path.
    pub path: String,
    /// Whether every answer about it still holds.
    pub unchanged: bool,
    /// Nodes that asked about it, with what they asked.
    pub readers: Vec<(String, String)>,
}

/// Answers from the last build and its traces.
pub struct Explainer<'a> {
    /// The last build.
    pub last: &'a LastBuild,
    /// Traces.
    pub traces: &'a Traces,
    /// The world now.
    pub fresh: Freshness<'a>,
}

impl Explainer<'_> {
    /// The story of the node with that id.
    pub fn node(&self, id: &str) -> Option<NodeStory> {
        let (at, record) = self.last.nodes.iter().enumerate().find(|(_, node)| node.id == id)?;
        let name = |at: &u32| self.last.nodes.get(*at as usize).map(|node| node.id.clone());
        let trace = self.traces.nodes.get(id).and_then(|traces| traces.first());
        let dependants = self.last.nodes.iter().filter(|node| node.inputs.contains(&(at as u32)));
        Some(NodeStory {
            id: id.to_owned(),
            kind: record.kind.word(),
            outcome: record.outcome,
            reason: record.reason.clone(),
            stale: trace.and_then(|trace| self.stale(trace)),
            inputs: record.inputs.iter().filter_map(name).collect(),
            dependants: dependants.map(|node| node.id.clone()).collect(),
            discovered: trace.map(|trace| self.discovered(trace)).unwrap_or_default(),
            key: trace.map(|trace| trace.fields.clone()).unwrap_or_default(),
            ms: record.ms,
        })
    }

    /// The story of a path: who read it, listed it, or looked for it in vain.
    pub fn path(&self, path: &str) -> Option<PathStory> {
        let mut readers = Vec::new();
        for (id, traces) in &self.traces.nodes {
            let Some(trace) = traces.first().filter(|_| self.last.nodes.iter().any(|node| node.id == *id))
            else {
                continue;
            };
            let asked: Vec<&str> = self
                .facts(trace)
                .filter(|(of, ..)| *of == path)
                .map(|(_, query, answer)| word(query, answer))
                .collect();
            if !asked.is_empty() {
                readers.push((id.clone(), asked.join(", ")));
            }
        }
        let states = self.last.states.iter().enumerate();
        let (at, state) = states.into_iter().find(|(_, state)| state.path == path).unzip();
        let is_early = at.is_some_and(|at| self.last.prepared.contains(&(at as u32)));
        if let Some(state) = state.filter(|_: &&PathState| is_early) {
            let asked: Vec<&str> = state.answers.iter().map(|(query, answer)| word(*query, answer)).collect();
            readers.push(("discovery".to_owned(), asked.join(", ")));
        }
        if readers.is_empty() {
            return None;
        }
        let unchanged = state.is_none_or(|state| self.fresh.holds(state, self.last.started));
        Some(PathStory { path: path.to_owned(), unchanged, readers })
    }

    /// The nodes that ran in the last build that was not all unchanged, in the order of their start.
    pub fn executed(&self) -> Vec<&NodeRecord> {
        let mut nodes: Vec<&NodeRecord> =
            self.last.nodes.iter().filter(|node| node.outcome == Outcome::Executed).collect();
        nodes.sort_by(|a, b| a.start.total_cmp(&b.start));
        nodes
    }

    fn facts<'t>(&'t self, trace: &'t Trace) -> impl Iterator<Item = (&'t str, Query, &'t Answer)> {
        trace.facts.iter().filter_map(|at| {
            let fact = self.traces.facts.get(*at as usize)?;
            Some((self.traces.paths.get(fact.path as usize)?.as_str(), fact.query, &fact.answer))
        })
    }

    fn stale(&self, trace: &Trace) -> Option<String> {
        let mut facts = self.facts(trace);
        facts
            .find(|(path, query, answer)| !self.fresh.answers(path, *query, answer))
            .map(|(path, ..)| format!("{path} changed"))
    }

    fn discovered(&self, trace: &Trace) -> Vec<String> {
        self.facts(trace).map(|(path, query, answer)| format!("{} {path}", word(query, answer))).collect()
    }
}

/// A question with its answer, as a participle.
fn word(query: Query, answer: &Answer) -> &'static str {
    match (query, answer) {
        (Query::List, Answer::Absent) => "missed listing",
        (_, Answer::Absent) => "looked in vain for",
        (Query::Read, _) => "read",
        (Query::List, _) => "listed",
        (Query::Env, _) => "read the variable",
        (Query::Link | Query::Canonical, _) => "followed",
        (Query::Probe | Query::ProbeLink, _) => "looked at",
    }
}
