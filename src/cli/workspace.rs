//! `agent-bundle workspace …`: workspaces on this machine.

use super::bundle::{Failure, fail};
use super::{Exit, Printer};
use crate::workspace::problem::Problem;
use crate::workspace::store::Store;
use crate::world::{OsWorld, World};
use clap::{Args, Subcommand};
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(super) enum WorkspaceCommand {
    /// Make a workspace.
    #[command(after_help = "Example:\n  agent-bundle workspace create research")]
    Create(CreateArgs),
    /// List the workspaces.
    List(ListArgs),
}

/// Where workspaces are kept.
#[derive(Debug, Args)]
pub(super) struct StoreArgs {
    /// Directory of the database and its key; default: the user's data directory.
    #[arg(long, env = "AGENT_BUNDLE_STORE", value_name = "DIR")]
    store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CreateArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// What addresses name it by: small letters, digits, single hyphens.
    slug: String,
    /// Its name for people.
    #[arg(long)]
    name: Option<String>,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

impl StoreArgs {
    /// Opens the store, making it on first use.
    pub(super) fn open(&self) -> Result<Store, Failure> {
        let directory = self.store.clone().or_else(|| {
            let data = OsWorld.env("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            let data = data.or_else(|| Some(PathBuf::from(OsWorld.env("HOME")?).join(".local/share")))?;
            Some(data.join("agent-bundle"))
        });
        let directory =
            directory.ok_or_else(|| Failure::Usage("there is no home directory; say --store".to_owned()))?;
        Ok(Store::open(&directory).map_err(Problem::from)?)
    }
}

pub(super) fn run(command: &WorkspaceCommand, printer: &Printer) -> Exit {
    let (json, outcome) = match command {
        WorkspaceCommand::Create(args) => (args.json, create(args, printer)),
        WorkspaceCommand::List(args) => (args.json, list(args, printer)),
    };
    outcome.unwrap_or_else(|failure| fail(&failure, json, printer))
}

fn create(args: &CreateArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let name = args.name.as_deref().unwrap_or(&args.slug);
    let workspace = store.create_workspace(&args.slug, name).map_err(Problem::from)?;
    if args.json {
        printer.document(&workspace);
    } else {
        printer.line(&format!("{} is ready", workspace.slug));
    }
    Ok(Exit::Success)
}

fn list(args: &ListArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let workspaces = store.read(|view| view.workspaces()).map_err(Problem::from)?;
    if args.json {
        printer.document(&json!({"workspaces": workspaces}));
    } else {
        for workspace in &workspaces {
            printer.line(&format!("{:<24} {}", workspace.slug, workspace.name));
        }
    }
    Ok(Exit::Success)
}
