//! Commands that ask the record of the last build: `explain` (nodes and paths) and `graph`.

use super::{Exit, Printer};
use crate::build::{load_history, open_root};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::engine::{Explainer, Freshness, History, LastBuild, NodeStory, PathStory, Traces, view};
use crate::world::{OsWorld, Root, World};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Debug, Clone, Args)]
pub(super) struct RecordArgs {
    /// Project directory.
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct GraphArgs {
    /// Project directory.
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// In which form.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Dot,
    Mermaid,
    Json,
    Html,
}

/// The last build with what belongs to it.
struct Record {
    root: Arc<Root>,
    last: LastBuild,
    traces: Traces,
}

fn open(root: &std::path::Path) -> Result<Record, Box<Diagnostic>> {
    let root = open_root(root, &OsWorld)?;
    let history: History = load_history(&root);
    let traces = history.traces().unwrap_or_default();
    let Some(last) = history.builds.into_iter().next() else {
        let message = "no build of this project is known".to_owned();
        return Err(Box::new(Diagnostic::new(Code::AB5005, message).help("run `agent-bundle build` first")));
    };
    Ok(Record { root: Arc::new(root), last, traces })
}

fn refuse(root: &std::path::Path, json: bool, error: Diagnostic, printer: &Printer) -> Exit {
    let found = [error];
    if json {
        printer.document(&json!({"diagnostics": found}));
    }
    printer.diagnostics(root, &found);
    Exit::Failure
}

/// Tells why nodes ran: all of the last build, one node, or the nodes that a path matters to.
pub(super) fn explain(subject: Option<&str>, args: &RecordArgs, printer: &Printer) -> Exit {
    let record = match open(&args.root) {
        Ok(record) => record,
        Err(error) => return refuse(&args.root, args.json, *error, printer),
    };
    let world: Arc<dyn World> = Arc::new(OsWorld);
    let fresh = Freshness { world: &world, root: &record.root, hash: false };
    let explainer = Explainer { last: &record.last, traces: &record.traces, fresh };
    let Some(subject) = subject else { return explain_build(&explainer, args, printer) };
    if let Some(story) = explainer.node(subject) {
        print(args, printer, &story, node_text(&story));
        return Exit::Success;
    }
    let path = subject.trim_start_matches("./");
    if let Some(story) = explainer.path(path) {
        print(args, printer, &story, path_text(&story));
        return Exit::Success;
    }
    let ids = record.last.nodes.iter().map(|node| node.id.as_str());
    let help = match nearest(subject, ids) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`agent-bundle graph` lists the nodes; a path is relative to the project".to_owned(),
    };
    let message = format!("`{subject}` is no node of the last build and no path that it used");
    refuse(&args.root, args.json, Diagnostic::new(Code::AB5005, message).help(help), printer)
}

fn print(args: &RecordArgs, printer: &Printer, value: &impl serde::Serialize, text: String) {
    if args.json {
        printer.document(value);
    } else {
        printer.raw(text.as_bytes());
    }
}

fn explain_build(explainer: &Explainer, args: &RecordArgs, printer: &Printer) -> Exit {
    let executed = explainer.executed();
    let stale = explainer.fresh.check(explainer.last).err();
    if args.json {
        printer.document(&json!({"executed": executed, "nodes": explainer.last.nodes.len(), "stale": stale}));
        return Exit::Success;
    }
    let mut text =
        format!("{} of {} nodes ran when something last did\n", executed.len(), explainer.last.nodes.len());
    for node in executed {
        let _ = writeln!(
            text,
            "  {} ({:.1} ms): {}",
            node.id,
            node.ms,
            node.reason.as_deref().unwrap_or("unknown")
        );
    }
    text.push_str(&match stale {
        None => "Nothing changed since: a build now would run nothing\n".to_owned(),
        Some(path) => format!("A build now would look again, since {path} changed\n"),
    });
    printer.raw(text.as_bytes());
    Exit::Success
}

fn node_text(story: &NodeStory) -> String {
    let mut text =
        format!("{} ({}, {:?}, {:.1} ms)\n", story.id, story.kind, story.outcome, story.ms).to_lowercase();
    if let Some(reason) = &story.reason {
        let _ = writeln!(text, "  it ran because {reason}");
    }
    let _ = match &story.stale {
        Some(why) => writeln!(text, "  it would run now: {why}"),
        None => writeln!(text, "  it would not run now: its key and all it read are the same"),
    };
    for (title, list) in
        [("depends on", &story.inputs), ("is needed by", &story.dependants), ("asked", &story.discovered)]
    {
        if !list.is_empty() {
            let _ = writeln!(text, "  {title}");
            for line in list {
                let _ = writeln!(text, "    {line}");
            }
        }
    }
    if !story.key.is_empty() {
        text.push_str("  key\n");
        for (name, value) in &story.key {
            let _ = writeln!(text, "    {name} = {}", value.lines().next().unwrap_or_default());
        }
    }
    text
}

fn path_text(story: &PathStory) -> String {
    let state = if story.unchanged { "unchanged" } else { "changed" };
    let mut text = format!("{} ({state} since the last build)\n", story.path);
    for (node, asked) in &story.readers {
        let _ = writeln!(text, "  {node} {asked} it");
    }
    text
}

/// Shows the graph of the last build.
pub(super) fn graph(args: &GraphArgs, printer: &Printer) -> Exit {
    let record = match open(&args.root) {
        Ok(record) => record,
        Err(error) => return refuse(&args.root, args.format == Format::Json, *error, printer),
    };
    match args.format {
        Format::Text => printer.raw(view::text(&record.last).as_bytes()),
        Format::Dot => printer.raw(view::dot(&record.last).as_bytes()),
        Format::Mermaid => printer.raw(view::mermaid(&record.last).as_bytes()),
        Format::Json => printer.document(&view::graph_json(&record.last)),
        Format::Html => printer.raw(view::html(&record.last).as_bytes()),
    }
    Exit::Success
}
