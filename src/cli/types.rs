//! `agent-bundle types`

use super::{Exit, Printer, ProjectArgs};
use crate::build::{Inspection, declarations, place, write_declarations};
use crate::world::OsWorld;
use clap::Args;
use serde_json::json;
use std::sync::Arc;

#[derive(Debug, Args)]
pub(super) struct TypesArgs {
    #[command(flatten)]
    project: ProjectArgs,
}

pub(super) fn run(args: &TypesArgs, printer: &Printer) -> Exit {
    let settings = args.project.settings(None);
    let mut inspection = Inspection::of(&settings, Arc::new(OsWorld));
    let mut written = Vec::new();
    if let (Some(root), Some(model)) = (&inspection.root, &inspection.model)
        && !inspection.failed()
    {
        let files = declarations(model);
        write_declarations(root, &files, &mut inspection.diagnostics);
        written = files.into_keys().map(|path| format!(".agent-bundle/{path}")).collect();
    }
    if args.project.json {
        printer.document(&json!({"files": written, "diagnostics": inspection.diagnostics}));
    }
    printer.diagnostics(place(&args.project.root), &inspection.diagnostics);
    if inspection.failed() {
        return Exit::Failure;
    }
    if !args.project.json {
        printer.line(
            "Wrote .agent-bundle/; extend ./.agent-bundle/tsconfig.json in the project's tsconfig.json",
        );
    }
    Exit::Success
}
