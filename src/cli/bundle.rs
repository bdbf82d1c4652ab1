//! `agent-bundle bundle …`: setup bundles in a workspace on this machine.

pub(super) mod input;
mod life;
mod screen;

use super::workspace::StoreArgs;
use super::{Exit, Printer};
use crate::workspace::analyze::{Caller, counts};
use crate::workspace::bridge;
use crate::workspace::display::visible;
use crate::workspace::document::{Document, Kind};
use crate::workspace::export;
use crate::workspace::listing::{self, Adoption};
use crate::workspace::plans::{self, ApplyOptions};
use crate::workspace::problem::{Problem, ProblemCode};
use crate::workspace::reconcile::OnConflict;
use crate::workspace::removal::Options;
use crate::workspace::service::{self, Request};
use crate::workspace::store::Store;
use crate::workspace::values::SuppliedValues;
use crate::world::OsWorld;
use clap::{Args, Subcommand, ValueEnum};
use input::{Source, ValueArgs};
use serde::Serialize;
use std::path::PathBuf;

/// How the commands of this family end.
pub(super) const EXIT_CODES: &str = "Exit codes: 0 done, 1 wrong use, 2 invalid document or value, 3 a step failed, \
4 not permitted, 5 another install is running or the workspace changed, 6 the source was not fetched, \
10 differences found (drift, plan --detailed-exitcode).";

#[derive(Debug, Subcommand)]
pub(super) enum BundleCommand {
    /// Check a document by itself, without a workspace.
    #[command(after_help = "Example:\n  agent-bundle bundle check research.yaml")]
    Check(life::CheckArgs),
    /// Say what an install would do; nothing is written.
    #[command(after_help = "Examples:\n  agent-bundle bundle analyze research.yaml\n  \
                            agent-bundle bundle analyze https://example.com/research.yaml --json")]
    Analyze(AnalyzeArgs),
    /// Compare three ways: what was installed, what is there, what the document says.
    #[command(after_help = "Example:\n  agent-bundle bundle plan research.yaml --json > plan.json")]
    Plan(PlanArgs),
    /// Install a document: everything, or nothing.
    #[command(after_help = "Examples:\n  agent-bundle bundle install research.yaml\n  \
                            agent-bundle bundle install research.yaml --yes --set model=small-1 --set-env token=TOKEN")]
    Install(InstallArgs),
    /// Bring an installed bundle to what its document says; what a person changed here stays.
    #[command(after_help = "Example:\n  agent-bundle bundle apply research.yaml --plan plan.json --yes")]
    Apply(ApplyArgs),
    /// Show where a document and the workspace differ, whoever made the difference.
    Diff(DocumentArgs),
    /// Show what was changed in the workspace since the last install.
    Drift(NameArgs),
    /// List the installed bundles.
    List(CommonArgs),
    /// Show an installed bundle.
    Show(NameArgs),
    /// Remove what a bundle made.
    #[command(after_help = "Example:\n  agent-bundle bundle uninstall research --dry-run")]
    Uninstall(UninstallArgs),
    /// Sign a document with a key of one's own; prints the signature.
    #[command(
        after_help = "Example:\n  agent-bundle bundle sign research.yaml --publisher acme --key acme.key > research.yaml.sig"
    )]
    Sign(life::SignArgs),
    /// Drop the record of a bundle; what it made stays.
    Forget(NameArgs),
    /// Give a secret setup field another value, wherever the bundle uses it.
    #[command(after_help = "Example:\n  agent-bundle bundle set-secret research token --env SEARCH_TOKEN")]
    SetSecret(life::SetSecretArgs),
    /// Write everything in a workspace as one document, without a secret.
    #[command(after_help = "Example:\n  agent-bundle bundle export --workspace research > research.yaml")]
    Export(ExportArgs),
    /// Describe a built plugin root as a document, and list what cannot travel.
    #[command(after_help = "Example:\n  agent-bundle bundle from-plugin artifact > notes.bundle.yaml")]
    FromPlugin(FromPluginArgs),
    /// Let rows that were made by hand stand for entities of an installed bundle.
    #[command(after_help = "Example:\n  agent-bundle bundle adopt research agent/bot=6f1c…")]
    Adopt(AdoptArgs),
}

#[derive(Debug, Args)]
pub(super) struct CommonArgs {
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
pub(super) struct AnalyzeArgs {
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    source: SourceArgs,
}

#[derive(Debug, Args)]
pub(super) struct SourceArgs {
    /// A file, an https URL, `catalog:<name>`, or `-` for standard input.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// Let a document from elsewhere take the place of an installed one of the same name.
    #[arg(long)]
    accept_origin: bool,
    /// Its signature; default: the file with `.sig` behind the name of the document's file, if there is one.
    #[arg(long, value_name = "FILE")]
    signature: Option<PathBuf>,
    #[command(flatten)]
    fetch: input::FetchArgs,
}

#[derive(Debug, Args)]
pub(super) struct DocumentArgs {
    #[command(flatten)]
    common: CommonArgs,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    values: ValueArgs,
}

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// Exit with 10 when applying would write something.
    #[arg(long)]
    detailed_exitcode: bool,
}

#[derive(Debug, Args)]
pub(super) struct InstallArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Print what `bundle analyze` prints, and stop.
    #[arg(long)]
    dry_run: bool,
    /// Let channels and automations start that ask for it.
    #[arg(long)]
    allow_enabled: bool,
    /// Use the stored secrets of an earlier install where none is supplied.
    #[arg(long)]
    keep_secrets: bool,
    /// Point a reused agent at a server that was made anew.
    #[arg(long)]
    repair_wiring: bool,
    /// Make only this entity, as <kind>/<key> (repeatable).
    #[arg(long, value_name = "KIND/KEY")]
    only: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct ApplyArgs {
    #[command(flatten)]
    document: DocumentArgs,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Let channels and automations start that ask for it.
    #[arg(long)]
    allow_enabled: bool,
    /// Refuse when the workspace is not as it was when this plan was made.
    #[arg(long, value_name = "FILE")]
    plan: Option<PathBuf>,
    /// Which side wins where both changed.
    #[arg(long, value_enum, default_value_t = Conflicts::Fail)]
    on_conflict: Conflicts,
    /// Remove what the document no longer has, unless it was edited or is in use.
    #[arg(long)]
    prune: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Conflicts {
    /// Write nothing.
    Fail,
    /// The workspace.
    Keep,
    /// The document.
    Take,
}

#[derive(Debug, Args)]
pub(super) struct NameArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Name or id of the bundle.
    name: String,
}

#[derive(Debug, Args)]
pub(super) struct UninstallArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Do not ask.
    #[arg(long, short)]
    yes: bool,
    /// Say what would be removed, and stop.
    #[arg(long)]
    dry_run: bool,
    /// Remove rows that were edited too.
    #[arg(long)]
    delete_edited: bool,
    /// Take servers and skills from agents of others that use them.
    #[arg(long)]
    detach: bool,
    /// Keep nothing for an undo.
    #[arg(long)]
    for_good: bool,
    /// Put back what the last uninstall of this bundle removed; possible for seven days.
    #[arg(long, conflicts_with_all = ["dry_run", "delete_edited", "detach", "for_good"])]
    undo: bool,
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    common: CommonArgs,
    /// Turn every argument, variable and header into a setup field.
    #[arg(long)]
    strict: bool,
    /// Export text that looks like a credential.
    #[arg(long)]
    allow_suspected: bool,
    /// Ask about each value that looks like a credential; what is none stays, now and in later exports.
    #[arg(long)]
    interactive: bool,
    /// Forget earlier answers.
    #[arg(long)]
    forget_answers: bool,
    /// Add the policies of exported agents.
    #[arg(long)]
    policies: bool,
}

#[derive(Debug, Args)]
pub(super) struct FromPluginArgs {
    /// Directory of the built plugin.
    artifact: PathBuf,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(super) struct AdoptArgs {
    #[command(flatten)]
    name: NameArgs,
    /// `<kind>/<key>=<id>`; the kinds are mcp, skill, agent and policy.
    #[arg(required = true, value_name = "ENTITY=ID", value_parser = adoption)]
    entities: Vec<Adoption>,
}

fn adoption(text: &str) -> Result<Adoption, String> {
    let read = || {
        let (place, id) = text.split_once('=')?;
        let (kind, key) = place.split_once('/')?;
        Some(Adoption { kind: Kind::parse(kind)?, key: key.to_owned(), id: id.to_owned() })
    };
    read().ok_or_else(|| "write <kind>/<key>=<id>".to_owned())
}

/// Why a command did not do its work.
pub(super) enum Failure {
    /// It was used wrongly.
    Usage(String),
    /// The library refused.
    Problem(Problem),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

type Outcome = Result<Exit, Failure>;

pub(super) fn run(command: &BundleCommand, printer: &Printer) -> Exit {
    let (json, outcome) = match command {
        BundleCommand::FromPlugin(args) => (args.json, from_plugin(args, printer)),
        BundleCommand::Analyze(args) => (args.common.json, analyze(args, printer)),
        BundleCommand::Plan(args) => (args.document.common.json, plan(args, printer)),
        BundleCommand::Install(args) => (args.document.common.json, install(args, printer)),
        BundleCommand::Apply(args) => (args.document.common.json, apply(args, printer)),
        BundleCommand::Diff(args) => (args.common.json, diff(args, printer)),
        BundleCommand::Drift(args) => (args.common.json, drift(args, printer)),
        BundleCommand::List(args) => (args.json, list(args, printer)),
        BundleCommand::Show(args) => (args.common.json, show(args, printer)),
        BundleCommand::Uninstall(args) => (args.name.common.json, uninstall(args, printer)),
        BundleCommand::Check(args) => (args.json, life::check(args, printer)),
        BundleCommand::Sign(args) => (false, life::sign(args, printer)),
        BundleCommand::Forget(args) => (args.common.json, life::forget(args, printer)),
        BundleCommand::SetSecret(args) => (args.name.common.json, life::set_secret(args, printer)),
        BundleCommand::Export(args) => (args.common.json, export(args, printer)),
        BundleCommand::Adopt(args) => (args.name.common.json, adopt(args, printer)),
    };
    outcome.unwrap_or_else(|failure| fail(&failure, json, printer))
}

/// Reports a failure.
pub(super) fn fail(failure: &Failure, json: bool, printer: &Printer) -> Exit {
    match failure {
        Failure::Usage(message) => {
            printer.note(&format!("error: {message}"));
            Exit::Failure
        }
        Failure::Problem(problem) => {
            if json {
                printer.document(&problem.body());
            }
            screen::problem(problem, printer);
            Exit::Child(match problem.code {
                ProblemCode::BundleInvalid | ProblemCode::Unrepresentable | ProblemCode::BadRequest => 2,
                ProblemCode::InstallFailed
                | ProblemCode::NotFound
                | ProblemCode::MethodNotAllowed
                | ProblemCode::Internal => 3,
                ProblemCode::PermissionDenied | ProblemCode::Unauthenticated => 4,
                ProblemCode::InProgress | ProblemCode::Conflict => 5,
                ProblemCode::TooManyRequests
                | ProblemCode::SourceUnavailable
                | ProblemCode::SourceBlocked
                | ProblemCode::SourceTooLarge
                | ProblemCode::PayloadTooLarge => 6,
            })
        }
    }
}

/// Prints a result: the document of HTTP, or what a person reads.
fn print<T: Serialize>(json: bool, value: &T, printer: &Printer, person: impl FnOnce(&T, &Printer)) {
    if json { printer.document(value) } else { person(value, printer) }
}

/// A document with where it came from and who installs it: the owner of this machine's store.
fn read(args: &SourceArgs, store: &Store) -> Result<(Document, Caller), Failure> {
    let Source { bytes, origin, signature } = input::source(&args.source, store, &args.fetch)?;
    let document = Document::parse(&bytes).map_err(Problem::invalid)?;
    let signature = match &args.signature {
        Some(path) => Some(input::signature(path)?),
        None => signature,
    };
    Ok((document, Caller { admin: true, origin, accept_origin: args.accept_origin, only: None, signature }))
}

fn analyze(args: &AnalyzeArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let (document, caller) = read(&args.source, &store)?;
    let preview = service::preview(&store, &args.common.workspace, &document, &caller)?;
    print(args.common.json, &preview, printer, screen::preview);
    Ok(if preview.installable { Exit::Success } else { Exit::Child(2) })
}

/// What the commands that take values have in common.
struct Prepared {
    document: Document,
    caller: Caller,
    supplied: SuppliedValues,
}

impl Prepared {
    fn new(args: &DocumentArgs, store: &Store, may_ask: bool) -> Result<Self, Failure> {
        let (document, caller) = read(&args.source, store)?;
        let supplied = input::values(&args.values, &document.bundle, may_ask && !args.common.json)?;
        Ok(Self { document, caller, supplied })
    }

    fn request<'a>(&'a self, args: &'a DocumentArgs, keep_secrets: bool, allow_enabled: bool) -> Request<'a> {
        Request {
            workspace: &args.common.workspace,
            document: &self.document,
            supplied: &self.supplied,
            caller: &self.caller,
            by: "command line",
            allow_enabled,
            keep_secrets,
            request_key: None,
        }
    }
}

fn plan(args: &PlanArgs, printer: &Printer) -> Outcome {
    let store = args.document.common.store.open()?;
    let prepared = Prepared::new(&args.document, &store, false)?;
    let plan = plans::plan(&store, &prepared.request(&args.document, true, false))?;
    print(args.document.common.json, &plan, printer, screen::plan);
    Ok(if args.detailed_exitcode && !plan.empty { Exit::Child(10) } else { Exit::Success })
}

fn install(args: &InstallArgs, printer: &Printer) -> Outcome {
    let document = &args.document;
    let store = document.common.store.open()?;
    let only = (!args.only.is_empty()).then(|| args.only.iter().cloned().collect());
    if args.dry_run {
        let (parsed, mut caller) = read(&document.source, &store)?;
        caller.only.clone_from(&only);
        let preview = service::preview(&store, &document.common.workspace, &parsed, &caller)?;
        print(document.common.json, &preview, printer, screen::preview);
        return Ok(if preview.installable { Exit::Success } else { Exit::Child(2) });
    }
    if !args.yes {
        input::require_terminal()?;
        let (parsed, mut caller) = read(&document.source, &store)?;
        caller.only.clone_from(&only);
        let preview = service::preview(&store, &document.common.workspace, &parsed, &caller)?;
        screen::preview(&preview, printer);
        let (create, _, _) = counts(&preview.entities);
        if preview.installable && !input::confirm(&format!("Install {create} new entities?"))? {
            return Ok(Exit::Failure);
        }
    }
    let mut prepared = Prepared::new(document, &store, true)?;
    prepared.caller.only = only;
    let request = prepared.request(document, args.keep_secrets, args.allow_enabled);
    let result = service::install(&store, &request, args.repair_wiring, &document.source.fetch)?;
    print(document.common.json, &result, printer, screen::result);
    Ok(Exit::Success)
}

fn apply(args: &ApplyArgs, printer: &Printer) -> Outcome {
    let document = &args.document;
    let store = document.common.store.open()?;
    let state = match &args.plan {
        Some(path) => Some(plans::read_plan(&input::file(path)?)?.state),
        None => None,
    };
    let prepared = Prepared::new(document, &store, true)?;
    let request = prepared.request(document, true, args.allow_enabled);
    if !args.yes {
        input::require_terminal()?;
        screen::plan(&plans::plan(&store, &request)?, printer);
        if !input::confirm("Apply this?")? {
            return Ok(Exit::Failure);
        }
    }
    let conflicts = match args.on_conflict {
        Conflicts::Fail => OnConflict::Fail,
        Conflicts::Keep => OnConflict::Keep,
        Conflicts::Take => OnConflict::Take,
    };
    let options = ApplyOptions { conflicts, prune: args.prune, state };
    let result = plans::apply(&store, &request, &options, &document.source.fetch)?;
    print(document.common.json, &result, printer, screen::result);
    Ok(Exit::Success)
}

fn diff(args: &DocumentArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let prepared = Prepared::new(args, &store, false)?;
    let diff = plans::diff(&store, &prepared.request(args, true, false))?;
    print(args.common.json, &diff, printer, |diff, printer| screen::changes(&diff.changes, printer));
    Ok(Exit::Success)
}

fn drift(args: &NameArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let drift = plans::drift(&store, &args.common.workspace, &args.name)?;
    print(args.common.json, &drift, printer, screen::drift);
    Ok(if drift.drifted.is_empty() { Exit::Success } else { Exit::Child(10) })
}

fn list(args: &CommonArgs, printer: &Printer) -> Outcome {
    let store = args.store.open()?;
    let list = listing::list(&store, &args.workspace)?;
    print(args.json, &list, printer, screen::list);
    Ok(Exit::Success)
}

fn show(args: &NameArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let detail = listing::show(&store, &args.common.workspace, &args.name)?;
    print(args.common.json, &detail, printer, screen::detail);
    Ok(Exit::Success)
}

fn uninstall(args: &UninstallArgs, printer: &Printer) -> Outcome {
    let common = &args.name.common;
    let store = common.store.open()?;
    if args.undo {
        return life::undo(&args.name, printer);
    }
    let options = Options { delete_edited: args.delete_edited, detach: args.detach, for_good: args.for_good };
    let run = |dry| listing::uninstall(&store, &common.workspace, &args.name.name, &options, dry);
    if !args.dry_run && !args.yes {
        input::require_terminal()?;
        screen::uninstall(&run(true)?, printer);
        if !input::confirm("Uninstall?")? {
            return Ok(Exit::Failure);
        }
    }
    let result = run(args.dry_run)?;
    print(common.json, &result, printer, screen::uninstall);
    Ok(Exit::Success)
}

fn from_plugin(args: &FromPluginArgs, printer: &Printer) -> Outcome {
    let described = bridge::describe(&OsWorld, &args.artifact)?;
    print(args.json, &described, printer, |described, printer| {
        printer.raw(described.document.as_bytes());
        for loss in &described.losses {
            printer.note(&format!("left out or changed: {}", visible(loss)));
        }
    });
    Ok(Exit::Success)
}

fn export(args: &ExportArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let options = export::Options {
        strict: args.strict,
        allow_suspected: args.allow_suspected,
        policies: args.policies,
    };
    if args.forget_answers {
        export::forget_answers(&store, &args.common.workspace)?;
    }
    if args.interactive {
        life::ask_about_export(&store, &args.common.workspace)?;
    }
    let export = export::export(&store, &args.common.workspace, &options)?;
    print(args.common.json, &export, printer, |export, printer| printer.raw(export.document.as_bytes()));
    Ok(Exit::Success)
}

fn adopt(args: &AdoptArgs, printer: &Printer) -> Outcome {
    let common = &args.name.common;
    let store = common.store.open()?;
    let detail = listing::adopt(&store, &common.workspace, &args.name.name, &args.entities)?;
    print(common.json, &detail, printer, screen::detail);
    Ok(Exit::Success)
}
