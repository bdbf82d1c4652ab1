//! `agent-bundle init`
#![allow(clippy::disallowed_methods, reason = "writes the new project, and only what is not there yet")]

use super::{Exit, Printer};
use crate::diagnostic::{Code, Diagnostic};
use clap::Args;
use include_dir::{Dir, include_dir};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

static PROJECT: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates/init");

#[derive(Debug, Args)]
pub(super) struct InitArgs {
    /// Where; made when it is not there.
    #[arg(default_value = ".", value_name = "DIR")]
    directory: PathBuf,
    /// Plugin name; default: the directory's.
    #[arg(long)]
    name: Option<String>,
    /// Print one JSON document on standard output.
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &InitArgs, printer: &Printer) -> Exit {
    let outcome = write(args);
    let (files, diagnostics) = match outcome {
        Ok(files) => (files, Vec::new()),
        Err(diagnostic) => (Vec::new(), vec![*diagnostic]),
    };
    if args.json {
        printer.document(&json!({"files": files, "diagnostics": diagnostics}));
    }
    printer.diagnostics(&args.directory, &diagnostics);
    if !diagnostics.is_empty() {
        return Exit::Failure;
    }
    if !args.json {
        let place = args.directory.display();
        printer.line(&format!("Made a plugin in {place}: {}", files.join(", ")));
        printer.line(&format!("Next: agent-bundle build --root {place} --install"));
    }
    Exit::Success
}

/// Writes every file of the new project; refuses when any of them is there.
fn write(args: &InitArgs) -> Result<Vec<String>, Box<Diagnostic>> {
    let name = args.name.clone().unwrap_or_else(|| plugin_name(&args.directory));
    let mut found = Vec::new();
    collect(&PROJECT, &mut found);
    for (path, _) in &found {
        let to = args.directory.join(path);
        if to.exists() {
            let message = format!("{} is there already", to.display());
            return Err(Box::new(Diagnostic::new(Code::AB5002, message).help("choose an empty directory")));
        }
    }
    let mut files = Vec::new();
    for (path, text) in found {
        let to = args.directory.join(&path);
        let written = to
            .parent()
            .map_or(Ok(()), fs::create_dir_all)
            .and_then(|()| fs::write(&to, text.replace("{{name}}", &name)));
        written.map_err(|error| {
            Box::new(Diagnostic::new(Code::AB5001, format!("{} cannot be written: {error}", to.display())))
        })?;
        files.push(path);
    }
    Ok(files)
}

/// Template files with the suffix that keeps them from being taken for this crate's own removed.
fn collect(directory: &Dir<'_>, files: &mut Vec<(String, String)>) {
    for file in directory.files() {
        let path = file.path().to_string_lossy().replace('\\', "/");
        let path = path.strip_suffix(".txt").unwrap_or(&path).to_owned();
        files.push((path, file.contents_utf8().unwrap_or_default().to_owned()));
    }
    directory.dirs().for_each(|inner| collect(inner, files));
    files.sort();
}

/// A directory's name made fit for a plugin.
fn plugin_name(directory: &Path) -> String {
    let absolute = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
    let name = absolute.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = safe.split('-').filter(|part| !part.is_empty()).collect();
    if parts.is_empty() { "my-plugin".to_owned() } else { parts.join("-") }
}
