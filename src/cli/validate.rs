//! `agent-bundle validate`

use super::fix;
use super::{Exit, MessageArgs, MessageFormat, Printer, ProjectArgs};
use crate::build::{Inspection, place, validate_artifact};
use crate::diagnostic::{Diagnostic, has_errors};
use crate::world::OsWorld;
use clap::Args;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    messages: MessageArgs,
    /// Check this artifact instead of the project; its sources are not needed.
    #[arg(long, value_name = "DIR")]
    artifact: Option<PathBuf>,
    /// Mend what has one right text, then tell what is left.
    #[arg(long, conflicts_with = "artifact")]
    fix: bool,
    /// With `--fix`: change nothing, print the difference and exit 1 when there is one.
    #[arg(long, requires = "fix")]
    check: bool,
}

pub(super) fn run(args: &ValidateArgs, printer: &Printer) -> Exit {
    let (root, diagnostics, subject): (&Path, Vec<Diagnostic>, String) = match &args.artifact {
        Some(directory) => {
            (directory, validate_artifact(&OsWorld, directory), format!("{} is valid", directory.display()))
        }
        None => {
            let settings = args.project.settings(None);
            let inspection = Inspection::of(&settings, Arc::new(OsWorld));
            if args.check {
                return fix::check(&settings.root, &inspection.diagnostics, printer);
            }
            let inspection = if args.fix { fix::run(&settings, inspection, printer) } else { inspection };
            let name = inspection.model.map_or_else(|| "every project".to_owned(), |model| model.plugin.name);
            (&args.project.root, inspection.diagnostics, format!("{name} is valid"))
        }
    };
    if args.project.json {
        printer.document(&json!({"valid": !has_errors(&diagnostics), "diagnostics": diagnostics}));
    }
    printer.report(&args.messages, place(root), &diagnostics);
    if has_errors(&diagnostics) {
        return Exit::Failure;
    }
    if !args.project.json && args.messages.message_format == MessageFormat::Text {
        printer.line(&subject);
    }
    Exit::Success
}
