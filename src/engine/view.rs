//! The graph of the last build for people and programs: text, DOT, Mermaid, JSON, a page, and a trace of its time.

use super::history::{LastBuild, NodeRecord};
use super::run::Outcome;
use serde_json::{Value, json};
use std::fmt::Write;

/// One line a node, inputs indented below.
pub fn text(build: &LastBuild) -> String {
    let mut text = String::new();
    for node in &build.nodes {
        let _ = writeln!(text, "{} ({}, {:.1} ms)", node.id, word(node.outcome), node.ms);
        for input in inputs(build, node) {
            let _ = writeln!(text, "  {}", input.id);
        }
    }
    text
}

/// Graphviz.
pub fn dot(build: &LastBuild) -> String {
    let mut text = String::from("digraph build {\n  rankdir=LR;\n  node [shape=box, style=filled];\n");
    for node in &build.nodes {
        let _ = writeln!(text, "  {} [fillcolor=\"{}\"];", json!(node.id), color(node.outcome));
    }
    for node in &build.nodes {
        for input in inputs(build, node) {
            let _ = writeln!(text, "  {} -> {};", json!(input.id), json!(node.id));
        }
    }
    text.push_str("}\n");
    text
}

/// Mermaid.
pub fn mermaid(build: &LastBuild) -> String {
    let mut text = String::from("flowchart LR\n");
    for (at, node) in build.nodes.iter().enumerate() {
        let _ = writeln!(text, "  n{at}[\"{}\"]:::{}", node.id.replace('"', "#quot;"), word(node.outcome));
    }
    for (at, node) in build.nodes.iter().enumerate() {
        for input in &node.inputs {
            let _ = writeln!(text, "  n{input} --> n{at}");
        }
    }
    for outcome in [Outcome::Executed, Outcome::Restored, Outcome::Unchanged, Outcome::Skipped] {
        let _ = writeln!(text, "  classDef {} fill:{}", word(outcome), color(outcome));
    }
    text
}

/// Nodes and edges.
pub fn graph_json(build: &LastBuild) -> Value {
    let nodes: Vec<Value> = build
        .nodes
        .iter()
        .map(|node| {
            let inputs: Vec<&str> = inputs(build, node).map(|input| input.id.as_str()).collect();
            json!({
                "id": node.id, "kind": node.kind.word(), "outcome": node.outcome, "reason": node.reason,
                "start": node.start, "ms": node.ms, "inputs": inputs,
            })
        })
        .collect();
    json!({"plugin": build.plugin, "targets": build.targets, "output": build.output, "nodes": nodes})
}

/// A page that needs nothing but itself: the graph in columns, to zoom, move and search, coloured by outcome or time.
pub fn html(build: &LastBuild) -> String {
    const PAGE: &str = include_str!("../../templates/graph.html");
    // Inside a script element only a closing tag (or a comment's start) could end the data early.
    let data = graph_json(build).to_string().replace('<', "\\u003c");
    PAGE.replace("/*DATA*/null", &data)
}

/// Chrome's trace format: load it in `about:tracing` or Perfetto.
pub fn chrome_trace<'a>(builds: impl IntoIterator<Item = &'a LastBuild>) -> Value {
    let mut lanes: Vec<f64> = Vec::new();
    let mut nodes: Vec<&NodeRecord> = builds.into_iter().flat_map(|build| &build.nodes).collect();
    nodes.sort_by(|a, b| a.start.total_cmp(&b.start));
    let events: Vec<Value> = nodes
        .into_iter()
        .map(|node| {
            let free = lanes.iter().position(|end| *end <= node.start);
            let lane = free.unwrap_or_else(|| {
                lanes.push(0.0);
                lanes.len() - 1
            });
            lanes[lane] = node.start + node.ms;
            json!({
                "name": node.id, "cat": node.kind.word(), "ph": "X", "pid": 1, "tid": lane + 1,
                "ts": node.start * 1e3, "dur": node.ms * 1e3,
                "args": {"outcome": node.outcome, "reason": node.reason},
            })
        })
        .collect();
    json!({"traceEvents": events, "displayTimeUnit": "ms"})
}

fn inputs<'a>(build: &'a LastBuild, node: &'a NodeRecord) -> impl Iterator<Item = &'a NodeRecord> {
    node.inputs.iter().filter_map(|at| build.nodes.get(*at as usize))
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Executed => "executed",
        Outcome::Restored => "restored",
        Outcome::Unchanged => "unchanged",
        Outcome::Skipped => "skipped",
    }
}

fn color(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Executed => "#f2b36d",
        Outcome::Restored => "#8fc7e8",
        Outcome::Unchanged => "#b9d8a8",
        Outcome::Skipped => "#d0d0d0",
    }
}

#[cfg(test)]
mod tests {
    use super::super::node::Kind;
    use super::*;
    use crate::world::Digest;

    fn build() -> LastBuild {
        let node = |id: &str, inputs: &[u32], start: f64| NodeRecord {
            id: id.to_owned(),
            kind: Kind::Route,
            inputs: inputs.to_vec(),
            outcome: Outcome::Executed,
            reason: None,
            start,
            ms: 2.0,
        };
        LastBuild {
            settings: Digest::of(b""),
            started: 0,
            states: Vec::new(),
            prepared: Vec::new(),
            outputs: Vec::new(),
            plugin: "p</script>".to_owned(),
            output: "o".to_owned(),
            targets: Vec::new(),
            files: Vec::new(),
            nodes: vec![node("a\"", &[], 0.0), node("b", &[0], 1.0)],
            diagnostics: "[]".to_owned(),
        }
    }

    #[test]
    fn every_form_names_nodes_and_edges() {
        let build = build();
        assert!(text(&build).contains("b (executed, 2.0 ms)\n  a\""));
        assert!(dot(&build).contains("\"a\\\"\" -> \"b\";"));
        assert!(mermaid(&build).contains("n0 --> n1"));
        assert_eq!(graph_json(&build)["nodes"][1]["inputs"][0], "a\"");
    }

    #[test]
    fn a_page_is_not_broken_by_names() {
        let page = html(&build());
        assert_eq!(page.matches("</script>").count(), 1);
        assert!(!page.contains("/*DATA*/"));
    }

    #[test]
    fn overlapping_work_lies_in_lanes() {
        let trace = chrome_trace([&build()]);
        assert_ne!(trace["traceEvents"][0]["tid"], trace["traceEvents"][1]["tid"]);
    }
}
