//! `bundle check`, `forget`, `set-secret`, and the undo of `uninstall`.

use super::{Failure, NameArgs, Outcome, input, print, screen};
use crate::cli::{Exit, Printer};
use crate::workspace::display::visible;
use crate::workspace::document::{Document, digest};
use crate::workspace::export;
use crate::workspace::life;
use crate::workspace::plans::preview_alone;
use crate::workspace::problem::Problem;
use crate::workspace::signature;
use crate::workspace::store::Store;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(in crate::cli) struct CheckArgs {
    /// A file, or `-` for standard input.
    file: String,
    /// Print one JSON document on standard output.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SetSecretArgs {
    #[command(flatten)]
    pub(super) name: NameArgs,
    /// Key of the field.
    field: String,
    /// The variable that holds the value; default: asked for, without showing it.
    #[arg(long, value_name = "VARIABLE")]
    env: Option<String>,
}

pub(super) fn check(args: &CheckArgs, printer: &Printer) -> Outcome {
    let bytes = input::local(&args.file)?;
    let document = Document::parse(&bytes).map_err(Problem::invalid)?;
    let preview = preview_alone(&document);
    print(args.json, &preview, printer, screen::preview);
    Ok(if preview.installable { Exit::Success } else { Exit::Child(2) })
}

#[derive(Debug, Args)]
pub(in crate::cli) struct SignArgs {
    /// A file, or `-` for standard input.
    file: String,
    /// Who signs: small letters, digits, single hyphens.
    #[arg(long, value_name = "NAME")]
    publisher: String,
    /// The file of the signing key; made where there is none.
    #[arg(long, value_name = "FILE")]
    key: PathBuf,
}

pub(super) fn sign(args: &SignArgs, printer: &Printer) -> Outcome {
    let document = Document::parse(&input::local(&args.file)?).map_err(Problem::invalid)?;
    let (seed, new) = signature::signing_key(&args.key)
        .map_err(|error| Failure::Usage(format!("{} cannot be used: {error}", args.key.display())))?;
    if new {
        let path = args.key.display();
        printer.note(&format!("a new key is in {path}; keep it, and keep it to yourself"));
    }
    printer.document(&signature::sign(&seed, &args.publisher, &digest(&document.bundle))?);
    Ok(Exit::Success)
}

/// Asks about what an export replaces because of its looks.
pub(super) fn ask_about_export(store: &Store, workspace: &str) -> Result<(), Failure> {
    input::require_terminal_for("--interactive asks, and there is no terminal")?;
    for hit in export::suspects(store, workspace)? {
        let question = format!("{}: {}\n  Is it safe to show?", visible(&hit.label), visible(&hit.masked));
        if input::confirm(&question)? {
            export::keep(store, workspace, &hit)?;
        }
    }
    Ok(())
}

pub(super) fn undo(args: &NameArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let detail = life::undo(&store, &args.common.workspace, &args.name)?;
    print(args.common.json, &detail, printer, screen::detail);
    Ok(Exit::Success)
}

pub(super) fn forget(args: &NameArgs, printer: &Printer) -> Outcome {
    let store = args.common.store.open()?;
    let forgotten = life::forget(&store, &args.common.workspace, &args.name)?;
    print(args.common.json, &forgotten, printer, |forgotten, printer| {
        let count = forgotten.entities.len();
        printer.line(&visible(&format!("{} is forgotten; {count} entities stay", forgotten.bundle_name)));
    });
    Ok(Exit::Success)
}

pub(super) fn set_secret(args: &SetSecretArgs, printer: &Printer) -> Outcome {
    let common = &args.name.common;
    let store = common.store.open()?;
    let secret = input::secret(&args.field, args.env.as_deref())?;
    let rotated = life::set_secret(&store, &common.workspace, &args.name.name, &args.field, &secret)?;
    print(common.json, &rotated, printer, |rotated, printer| {
        printer.line(&visible(&format!("{} is set in {}", rotated.field, rotated.entities.join(", "))));
    });
    Ok(Exit::Success)
}
