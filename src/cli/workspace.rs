//! `agent-bundle workspace …`: workspaces on this machine.

use super::bundle::{Failure, fail, input};
use super::{Exit, Printer};
use crate::workspace::catalog;
use crate::workspace::display::visible;
use crate::workspace::fetch::{Cidr, Client, Github, Guard, Settings, SystemResolver};
use crate::workspace::life;
use crate::workspace::problem::{Problem, ProblemCode};
use crate::workspace::serve::{self as http, App, Role};
use crate::workspace::store::{self, KeyPlace, Store, native_keychain};
use crate::world::{OsWorld, World};
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Subcommand)]
pub(super) enum WorkspaceCommand {
    /// Make a workspace.
    #[command(after_help = "Example:\n  agent-bundle workspace create research")]
    Create(CreateArgs),
    /// List the workspaces.
    List(ListArgs),
    /// Serve the workspaces over HTTP.
    #[command(after_help = "Example:\n  agent-bundle workspace serve --listen 127.0.0.1:8787\n\n\
                            The OpenAPI document is at /v1/openapi.json.")]
    Serve(ServeArgs),
    /// Catalogs of setup bundles, shared by all workspaces.
    #[command(subcommand)]
    Catalog(CatalogCommand),
    /// Publishers whose signatures were seen, with their keys.
    #[command(subcommand)]
    Publisher(PublisherCommand),
    /// Tokens for HTTP.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Show who did what in a workspace.
    Audit(TokenListArgs),
    /// Mark a row as one that no bundle removes, or take the mark away.
    #[command(after_help = "Example:\n  agent-bundle workspace retain 6f1c…\n\n`bundle show` lists the ids.")]
    Retain(RetainArgs),
}

#[derive(Debug, Args)]
pub(super) struct RetainArgs {
    #[command(flatten)]
    list: TokenListArgs,
    /// Id of the row.
    id: String,
    /// Take the mark away.
    #[arg(long)]
    off: bool,
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
    /// Where a new store keeps the key of its secrets; a store that has one keeps it where it is. Default: a file beside
    /// the database.
    #[arg(long, value_enum, value_name = "PLACE")]
    key: Option<KeyChoice>,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeyChoice {
    /// A file that only its owner may read.
    File,
    /// The keychain of the operating system; where there is none, the file, and a message says so.
    Keychain,
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct ServeArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8787", value_name = "ADDRESS:PORT")]
    listen: SocketAddr,
    /// Fetch documents over http too.
    #[arg(long)]
    allow_http: bool,
    /// Fetch documents from this range though it is not public (repeatable).
    #[arg(long, value_name = "CIDR", value_parser = cidr)]
    allow_private: Vec<Cidr>,
    #[command(flatten)]
    fetch: input::FetchArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum CatalogCommand {
    /// Take in a catalog; nothing is installed.
    #[command(
        after_help = "Example:\n  agent-bundle workspace catalog sync team https://example.com/bundles.yaml\n  \
                            agent-bundle bundle install catalog:research"
    )]
    Sync(CatalogSyncArgs),
    /// List what can be installed, and what has a newer version.
    List(TokenListArgs),
}

#[derive(Debug, Subcommand)]
pub(super) enum PublisherCommand {
    /// List them.
    List(ListArgs),
    /// Forget a key, so that the next one that this publisher signs with is let in.
    Forget(PublisherArgs),
}

#[derive(Debug, Args)]
pub(super) struct PublisherArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Name of the publisher.
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct CatalogSyncArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Name of the registry.
    registry: String,
    /// A file, an https URL, or `-` for standard input.
    source: String,
    #[command(flatten)]
    fetch: input::FetchArgs,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token; it is shown once.
    Create(TokenCreateArgs),
    /// List the tokens of a workspace.
    List(TokenListArgs),
    /// Take a token back.
    Revoke(TokenRevokeArgs),
}

#[derive(Debug, Args)]
pub(super) struct TokenCreateArgs {
    #[command(flatten)]
    list: TokenListArgs,
    /// What it may do: a member analyzes, and installs what has no policies.
    #[arg(long, value_enum, default_value_t = TokenRole::Member)]
    role: TokenRole,
    /// What it is for.
    #[arg(long, default_value = "")]
    label: String,
}

#[derive(Debug, Args)]
pub(super) struct TokenListArgs {
    #[command(flatten)]
    store: StoreArgs,
    /// Which workspace.
    #[arg(long, short, env = "AGENT_BUNDLE_WORKSPACE", default_value = "default", value_name = "SLUG")]
    workspace: String,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct TokenRevokeArgs {
    #[command(flatten)]
    list: TokenListArgs,
    /// Id of the token.
    id: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TokenRole {
    Member,
    Admin,
}

fn cidr(text: &str) -> Result<Cidr, String> {
    Cidr::parse(text).ok_or_else(|| "write an address, or a range like 10.1.2.0/24".to_owned())
}

impl StoreArgs {
    fn directory(&self) -> Result<PathBuf, Failure> {
        let directory = self.store.clone().or_else(|| {
            let data = OsWorld.env("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            let data = data.or_else(|| Some(PathBuf::from(OsWorld.env("HOME")?).join(".local/share")))?;
            Some(data.join("agent-bundle"))
        });
        directory.ok_or_else(|| Failure::Usage("there is no home directory; say --store".to_owned()))
    }

    /// Opens the store, making it on first use.
    pub(super) fn open(&self) -> Result<Store, Failure> {
        Ok(Store::open(&self.directory()?).map_err(Problem::from)?)
    }
}

pub(super) fn run(command: &WorkspaceCommand, printer: &Printer) -> Exit {
    let (json, outcome) = match command {
        WorkspaceCommand::Create(args) => (args.json, create(args, printer)),
        WorkspaceCommand::List(args) => (args.json, list(args, printer)),
        WorkspaceCommand::Serve(args) => (false, serve(args, printer)),
        WorkspaceCommand::Catalog(CatalogCommand::Sync(args)) => (args.json, catalog_sync(args, printer)),
        WorkspaceCommand::Catalog(CatalogCommand::List(args)) => (args.json, catalog_list(args, printer)),
        WorkspaceCommand::Publisher(PublisherCommand::List(args)) => {
            (args.json, publisher_list(args, printer))
        }
        WorkspaceCommand::Publisher(PublisherCommand::Forget(args)) => {
            (args.list.json, publisher_forget(args, printer))
        }
        WorkspaceCommand::Token(TokenCommand::Create(args)) => (args.list.json, token_create(args, printer)),
        WorkspaceCommand::Audit(args) => (args.json, audit(args, printer)),
        WorkspaceCommand::Retain(args) => (args.list.json, retain(args, printer)),
        WorkspaceCommand::Token(TokenCommand::List(args)) => (args.json, token_list(args, printer)),
        WorkspaceCommand::Token(TokenCommand::Revoke(args)) => (args.list.json, token_revoke(args, printer)),
    };
    outcome.unwrap_or_else(|failure| fail(&failure, json, printer))
}

fn create(args: &CreateArgs, printer: &Printer) -> Result<Exit, Failure> {
    if let Some(choice) = args.key {
        place_key(choice, &args.store.directory()?, printer)?;
    }
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

fn place_key(choice: KeyChoice, directory: &Path, printer: &Printer) -> Result<(), Failure> {
    let wanted = match choice {
        KeyChoice::File => KeyPlace::File,
        KeyChoice::Keychain => KeyPlace::Keychain,
    };
    let placed = store::place_key(directory, wanted, &native_keychain).map_err(Problem::from)?;
    if let Some(reason) = placed.instead {
        printer.note(&format!(
            "warning: the keychain cannot be used ({reason}); the key is in a file of mode 0600 in {} instead",
            directory.display()
        ));
    }
    Ok(())
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

fn serve(args: &ServeArgs, printer: &Printer) -> Result<Exit, Failure> {
    let settings = Settings {
        allow_http: args.allow_http,
        private: args.allow_private.clone(),
        proxy: args.fetch.proxy()?,
    };
    let client = Client::new(Guard::new(settings, Arc::new(SystemResolver)));
    let app = App { store: args.store.open()?, skills: Arc::new(Github::new(client.clone())), client };
    if !args.listen.ip().is_loopback() {
        printer.note(
            "warning: this address can be reached from other machines, and the traffic is not encrypted",
        );
    }
    http::serve(app, args.listen, &|address| printer.note(&format!("serving on http://{address}")))
        .map_err(|error| Failure::Usage(format!("{} cannot be served: {error}", args.listen)))?;
    Ok(Exit::Success)
}

fn catalog_sync(args: &CatalogSyncArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let source = input::source(&args.source, &store, &args.fetch)?;
    let synced = catalog::sync(&store, &args.registry, &source.origin, &source.bytes)?;
    if args.json {
        printer.document(&synced);
    } else {
        let items = &synced.items;
        let sound = items.iter().filter(|item| item.installable).count();
        printer.line(&format!("{}: {} items, {sound} of them installable", args.registry, items.len()));
    }
    Ok(Exit::Success)
}

fn catalog_list(args: &TokenListArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let catalog = catalog::list(&store, &args.workspace)?;
    if args.json {
        printer.document(&catalog);
        return Ok(Exit::Success);
    }
    for listed in &catalog.items {
        let state = match (listed.update, listed.installed, listed.item.installable) {
            (true, _, _) => "update",
            (_, true, _) => "installed",
            (_, _, true) => "",
            _ => "not installable",
        };
        let place = format!("{}/{}", listed.item.registry, listed.item.external_id);
        printer.line(&visible(&format!("{place:<32} {state:<16} {}", listed.item.name)));
    }
    Ok(Exit::Success)
}

fn publisher_list(args: &ListArgs, printer: &Printer) -> Result<Exit, Failure> {
    let publishers = args.store.open()?.read(|view| view.publishers()).map_err(Problem::from)?;
    if args.json {
        printer.document(&json!({"publishers": publishers}));
        return Ok(Exit::Success);
    }
    for (name, key) in &publishers {
        printer.line(&format!("{name:<24} {key}"));
    }
    Ok(Exit::Success)
}

fn publisher_forget(args: &PublisherArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.list.store.open()?;
    if !store.write(|transaction| transaction.forget_publisher(&args.name)).map_err(Problem::from)? {
        return Err(Problem::new(ProblemCode::NotFound, "no publisher of that name was seen").into());
    }
    if args.list.json {
        printer.document(&json!({"forgotten": args.name}));
    } else {
        printer.line(&format!("the key of {} is forgotten", visible(&args.name)));
    }
    Ok(Exit::Success)
}

fn audit(args: &TokenListArgs, printer: &Printer) -> Result<Exit, Failure> {
    let audit = life::audit(&args.store.open()?, &args.workspace)?;
    if args.json {
        printer.document(&audit);
        return Ok(Exit::Success);
    }
    for event in &audit.events {
        let at = chrono::DateTime::from_timestamp(event.at, 0).map(|at| at.format("%F %T").to_string());
        let at = at.unwrap_or_default();
        printer.line(&visible(&format!("{at} {:<16} {:<14} {}", event.actor, event.action, event.subject)));
    }
    Ok(Exit::Success)
}

fn retain(args: &RetainArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.list.store.open()?;
    let marked = life::retain(&store, &args.list.workspace, &args.id, !args.off)?;
    if args.list.json {
        printer.document(&marked);
    } else {
        let what = if marked.retain { "stays, whatever bundles do" } else { "may be removed again" };
        printer.line(&visible(&format!("{} `{}` {what}", marked.kind.word(), marked.name)));
    }
    Ok(Exit::Success)
}

fn token_create(args: &TokenCreateArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.list.store.open()?;
    let role = match args.role {
        TokenRole::Member => Role::Member,
        TokenRole::Admin => Role::Admin,
    };
    let (id, token) = http::create_token(&store, &args.list.workspace, role, &args.label)?;
    if args.list.json {
        printer.document(&json!({"id": id, "token": token.expose()}));
    } else {
        printer.note(&format!("token {id}; it is not shown again"));
        printer.line(token.expose());
    }
    Ok(Exit::Success)
}

fn token_list(args: &TokenListArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.store.open()?;
    let tokens =
        store.read(|view| view.tokens(&view.workspace(&args.workspace)?.id)).map_err(Problem::from)?;
    if args.json {
        printer.document(&json!({"tokens": tokens}));
    } else {
        for token in &tokens {
            printer.line(&format!("{} {:<7} {}", token.id, token.role, token.label));
        }
    }
    Ok(Exit::Success)
}

fn token_revoke(args: &TokenRevokeArgs, printer: &Printer) -> Result<Exit, Failure> {
    let store = args.list.store.open()?;
    store
        .write(|transaction| {
            let workspace = transaction.view().workspace(&args.list.workspace)?;
            transaction.delete_token(&workspace.id, &args.id)?;
            transaction.audit(&workspace.id, "revoke token", &args.id)
        })
        .map_err(Problem::from)?;
    if args.list.json {
        printer.document(&json!({"revoked": args.id}));
    } else {
        printer.line(&format!("token {} opens nothing any more", args.id));
    }
    Ok(Exit::Success)
}
