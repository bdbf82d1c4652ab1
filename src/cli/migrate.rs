//! `agent-bundle migrate`
#![allow(clippy::disallowed_methods, reason = "writes the new manifest, and only where there is none")]

use super::{Exit, Printer};
use crate::diagnostic::{Code, Diagnostic, Severity, has_errors};
use crate::extract::config_file;
use crate::manifest::{CONFIG_FILE, MANIFEST_FILE, migrate};
use crate::world::{OsWorld, World};
use clap::Args;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// Project directory.
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
}

pub(super) fn run(args: &MigrateArgs, printer: &Printer) -> Exit {
    let found = match work(args) {
        Ok(found) => found,
        Err(problem) => vec![*problem],
    };
    printer.diagnostics(&args.root, &found);
    if has_errors(&found) {
        return Exit::Failure;
    }
    printer.line(&format!("Wrote {MANIFEST_FILE}; remove {CONFIG_FILE} when nothing else reads it"));
    Exit::Success
}

/// Writes the manifest; what could not be carried is told as warnings.
fn work(args: &MigrateArgs) -> Result<Vec<Diagnostic>, Box<Diagnostic>> {
    let bytes = OsWorld.read(&args.root.join(CONFIG_FILE)).map_err(|error| {
        let message = format!("{CONFIG_FILE} cannot be read: {error}");
        Box::new(Diagnostic::new(Code::AB5005, message).help("run this in a project that has one"))
    })?;
    let (config, mut found) = config_file(CONFIG_FILE, &bytes);
    if config.is_empty() {
        return Ok(found);
    }
    // What is computed is left out of the manifest, which is written all the same.
    for one in &mut found {
        one.severity = Severity::Warning;
    }
    let migrated = migrate(&config);
    let left_out = migrated.left_out.iter().map(|reason| {
        Diagnostic::new(Code::AB1002, format!("not carried over: {reason}"))
            .in_file(CONFIG_FILE)
            .help("the manifest has no place for it; keep it elsewhere, or do without")
    });
    found.extend(left_out.map(|one| Diagnostic { severity: Severity::Warning, ..one }));
    let path = args.root.join(MANIFEST_FILE);
    let file = fs::OpenOptions::new().write(true).create_new(true).open(&path);
    let written = file.and_then(|mut file| file.write_all(migrated.text.as_bytes()));
    match written {
        Ok(()) => Ok(found),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let message = format!("{MANIFEST_FILE} is there already");
            Err(Box::new(Diagnostic::new(Code::AB5002, message).help("remove it first, if it may go")))
        }
        Err(error) => {
            let message = format!("{MANIFEST_FILE} cannot be written: {error}");
            Err(Box::new(Diagnostic::new(Code::AB5001, message)))
        }
    }
}
