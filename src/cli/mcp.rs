//! `agent-bundle mcp list|invoke|run`

use super::{Exit, Printer, ProjectArgs};
use crate::artifact::McpServerRow;
use crate::build::{Hooks, Settings, build};
use crate::diagnostic::{Code, Diagnostic};
use crate::serve::{Launched, call_tool, find_server, launch_command, list, servers};
use crate::world::{OsWorld, World};
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

#[derive(Debug, Subcommand)]
pub(super) enum McpCommand {
    /// List tools, resources and prompts.
    #[command(after_help = "Example:\n  agent-bundle mcp list --root plugins/notes --json")]
    List(ServerArgs),
    /// Call a tool and print its result.
    #[command(
        after_help = "Example:\n  agent-bundle mcp invoke --server notes --tool search --input '{\"query\":\"tea\"}'"
    )]
    Invoke(InvokeArgs),
    /// Run a server in the foreground, on this terminal's streams.
    Run(ServerArgs),
}

#[derive(Debug, Args)]
pub(super) struct ServerArgs {
    #[command(flatten)]
    project: ProjectArgs,
    /// Use this artifact; without it the project is built into a temporary directory.
    #[arg(long, value_name = "DIR")]
    artifact: Option<PathBuf>,
    /// Which server; may be left out where there is one.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct InvokeArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// The tool.
    #[arg(long, value_name = "NAME")]
    tool: String,
    #[command(flatten)]
    input: Input,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Input {
    /// The tool's input, a JSON object.
    #[arg(long, value_name = "JSON")]
    input: Option<String>,
    /// A file with the tool's input.
    #[arg(long, value_name = "FILE")]
    input_file: Option<PathBuf>,
}

pub(super) fn run(command: &McpCommand, printer: &Printer) -> Exit {
    let (args, outcome) = match command {
        McpCommand::List(args) => (args, run_list(args, printer)),
        McpCommand::Invoke(args) => (&args.server, run_invoke(args, printer)),
        McpCommand::Run(args) => (args, run_server(args, printer)),
    };
    outcome.unwrap_or_else(|diagnostics| {
        if args.project.json {
            printer.document(&json!({"diagnostics": diagnostics}));
        }
        printer.diagnostics(&args.project.root, &diagnostics);
        Exit::Failure
    })
}

type Outcome = Result<Exit, Vec<Diagnostic>>;

/// An artifact to work with; a temporary one goes with the value.
struct Artifact {
    directory: PathBuf,
    _temporary: Option<tempfile::TempDir>,
}

fn artifact(args: &ServerArgs, printer: &Printer) -> Result<Artifact, Vec<Diagnostic>> {
    let absolute = |path: &Path| {
        OsWorld.canonicalize(path).map_err(|error| {
            vec![Diagnostic::new(Code::AB6000, format!("{} cannot be opened: {error}", path.display()))]
        })
    };
    if let Some(directory) = &args.artifact {
        return Ok(Artifact { directory: absolute(directory)?, _temporary: None });
    }
    let temporary = tempfile::tempdir().map_err(|error| {
        vec![Diagnostic::new(Code::AB5001, format!("no temporary directory can be made: {error}"))]
    })?;
    let directory = absolute(temporary.path())?.join("artifact");
    let settings = Settings { passing: true, ..args.project.settings(Some(&directory.to_string_lossy())) };
    let bar = printer.progress("building");
    let waiting = |owner: &str| {
        bar.suspend(|| printer.note(&format!("waiting for another build of this project ({owner})")));
    };
    let hooks = Hooks { progress: &|_| bar.inc(1), waiting: &waiting };
    let report = build(&settings, Arc::new(OsWorld), hooks);
    bar.finish_and_clear();
    if report.succeeded() {
        Ok(Artifact { directory, _temporary: Some(temporary) })
    } else {
        Err(report.diagnostics)
    }
}

fn command_of(artifact: &Artifact, server: &McpServerRow) -> Result<Launched, Vec<Diagnostic>> {
    let workspace = OsWorld.canonicalize(Path::new(".")).unwrap_or_default();
    let data = workspace.join(".agent-bundle/mcp-run").join(&server.name);
    launch_command(server, &artifact.directory, &data, &workspace).ok_or_else(|| {
        vec![Diagnostic::new(Code::AB5005, format!("`{}` cannot be started here", server.name))]
    })
}

fn here() -> PathBuf {
    PathBuf::from(".")
}

fn run_list(args: &ServerArgs, printer: &Printer) -> Outcome {
    let artifact = artifact(args, printer)?;
    let all = servers(&OsWorld, &artifact.directory).map_err(|error| vec![*error])?;
    let chosen: Vec<McpServerRow> = match &args.server {
        Some(name) => vec![find_server(&all, Some(name)).map_err(|error| vec![*error])?],
        None => all.into_iter().filter(|server| server.launch.is_some()).collect(),
    };
    let mut listings = Map::new();
    for server in &chosen {
        let listing = list(&command_of(&artifact, server)?, &here()).map_err(|error| vec![*error])?;
        listings.insert(server.name.clone(), serde_json::to_value(listing).unwrap_or_default());
    }
    if args.project.json {
        printer.document(&json!({"servers": listings}));
    } else {
        for (name, listing) in &listings {
            printer.raw(listing_text(name, listing).as_bytes());
        }
    }
    Ok(Exit::Success)
}

fn listing_text(server: &str, listing: &Value) -> String {
    let mut text = format!("{server}\n");
    for (kind, key) in [("tools", "name"), ("resources", "uri"), ("prompts", "name")] {
        let items = listing[kind].as_array().map(Vec::as_slice).unwrap_or_default();
        if items.is_empty() {
            continue;
        }
        text.push_str(&format!("  {kind}\n"));
        for item in items {
            let name = item[key].as_str().unwrap_or_default();
            let summary = item["description"].as_str().or_else(|| item["title"].as_str()).unwrap_or_default();
            text.push_str(&format!("    {name}  {summary}\n"));
            for schema in ["inputSchema", "outputSchema"] {
                if let Some(schema_value) = item.get(schema) {
                    text.push_str(&format!("      {schema} {schema_value}\n"));
                }
            }
        }
    }
    text
}

fn run_invoke(args: &InvokeArgs, printer: &Printer) -> Outcome {
    let wrong = |message: String| vec![Diagnostic::new(Code::AB5005, message).help("pass a JSON object")];
    let text = match (&args.input.input, &args.input.input_file) {
        (Some(text), _) => text.clone().into_bytes(),
        (None, Some(path)) => OsWorld
            .read(path)
            .map_err(|error| wrong(format!("{} cannot be read: {error}", path.display())))?,
        (None, None) => Vec::new(),
    };
    let input: Map<String, Value> = serde_json::from_slice(&text)
        .map_err(|error| wrong(format!("the input is not a JSON object: {error}")))?;
    let artifact = artifact(&args.server, printer)?;
    let all = servers(&OsWorld, &artifact.directory).map_err(|error| vec![*error])?;
    let server = find_server(&all, args.server.server.as_deref()).map_err(|error| vec![*error])?;
    let result = call_tool(&command_of(&artifact, &server)?, &here(), &args.tool, input);
    let result = result.map_err(|error| vec![*error])?;
    printer.document(&result);
    Ok(if result["isError"] == json!(true) { Exit::Failure } else { Exit::Success })
}

fn run_server(args: &ServerArgs, printer: &Printer) -> Outcome {
    let artifact = artifact(args, printer)?;
    let all = servers(&OsWorld, &artifact.directory).map_err(|error| vec![*error])?;
    let server = find_server(&all, args.server.as_deref()).map_err(|error| vec![*error])?;
    let launched = command_of(&artifact, &server)?;
    let env = launched.env.iter().filter(|(name, _)| OsWorld.env(name).is_none());
    let status = Command::new(&launched.program).args(&launched.args).envs(env).status();
    let status = status.map_err(|error| {
        vec![Diagnostic::new(Code::AB5004, format!("`{}` cannot be started: {error}", launched.program))]
    })?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    Ok(Exit::Child(u8::try_from(code).unwrap_or(1)))
}
