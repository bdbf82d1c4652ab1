//! `agent-bundle build`

use super::{Exit, MessageArgs, MessageFormat, Printer, ProjectArgs};
use crate::build::{BuildReport, Hooks, Settings, build};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Outcome;
use crate::world::{OsWorld, is_dir, is_file};
use clap::Args;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    project: ProjectArgs,
    #[command(flatten)]
    messages: MessageArgs,
    /// Output directory; default: the manifest's, else `artifact`.
    #[arg(long, value_name = "DIR")]
    output: Option<String>,
    /// Install the project's packages first when `node_modules` is missing.
    #[arg(long)]
    install: bool,
    /// Publish nothing; exit 1 and list the differences when the artifact on disk is not what the sources give.
    #[arg(long)]
    check: bool,
}

pub(super) fn run(args: &BuildArgs, printer: &Printer) -> Exit {
    let report = work(args, printer);
    if args.project.json {
        printer.document(&report);
    }
    printer.report(&args.messages, &args.project.root, &report.diagnostics);
    for drift in report.drift.iter().flatten() {
        printer.note(&format!("{}: {}", drift.change, drift.path));
    }
    if !report.succeeded() {
        return Exit::Failure;
    }
    if !args.project.json && args.messages.message_format == MessageFormat::Text {
        printer.line(&success(&report));
    }
    Exit::Success
}

fn work(args: &BuildArgs, printer: &Printer) -> BuildReport {
    if args.install
        && let Err(error) = install_packages(&args.project.root, printer)
    {
        return BuildReport::failed(vec![*error]);
    }
    let settings = Settings { check: args.check, ..args.project.settings(args.output.as_deref()) };
    let bar = printer.progress("building");
    let waiting = |owner: &str| {
        bar.suspend(|| printer.note(&format!("waiting for another build of this project ({owner})")));
    };
    let hooks = Hooks { progress: &|_| bar.inc(1), waiting: &waiting };
    let report = args.project.with_threads(|| build(&settings, Arc::new(OsWorld), hooks));
    bar.finish_and_clear();
    report
}

fn success(report: &BuildReport) -> String {
    if report.drift.is_some() {
        return format!("{} is what the sources give", report.output.as_deref().unwrap_or("the artifact"));
    }
    let count = |outcome: Outcome| report.nodes.iter().filter(|node| node.outcome == outcome).count();
    let mut parts = vec![format!("{} executed", count(Outcome::Executed))];
    for (outcome, word) in [(Outcome::Restored, "restored"), (Outcome::Unchanged, "unchanged")] {
        if count(outcome) > 0 {
            parts.push(format!("{} {word}", count(outcome)));
        }
    }
    format!(
        "Built {} to {} for {} ({} files, {}, {})",
        report.plugin.as_deref().unwrap_or("the plugin"),
        report.output.as_deref().unwrap_or("its output"),
        report.targets.join(", "),
        report.files.len(),
        parts.join(", "),
        Printer::duration(report.ms),
    )
}

/// Runs the package manager whose lock file lies in the project, when there is something to install.
fn install_packages(root: &Path, printer: &Printer) -> Result<(), Box<Diagnostic>> {
    if is_dir(&OsWorld, &root.join("node_modules")) || !is_file(&OsWorld, &root.join("package.json")) {
        return Ok(());
    }
    let managers: [(&str, &str, &[&str]); 5] = [
        ("package-lock.json", "npm", &["ci", "--no-audit", "--no-fund"]),
        ("pnpm-lock.yaml", "pnpm", &["install", "--frozen-lockfile"]),
        ("yarn.lock", "yarn", &["install", "--frozen-lockfile"]),
        ("bun.lock", "bun", &["install", "--frozen-lockfile"]),
        ("package.json", "npm", &["install", "--no-audit", "--no-fund"]),
    ];
    let found = managers.iter().find(|(file, ..)| is_file(&OsWorld, &root.join(file)));
    let Some((_, program, arguments)) = found else { return Ok(()) };
    let line = format!("{program} {}", arguments.join(" "));
    printer.note(&format!("node_modules is missing: running {line}"));
    let outcome = Command::new(program)
        .args(*arguments)
        .current_dir(root)
        .stdin(Stdio::null())
        // Standard output is for results; what the package manager says is no result of ours.
        .stdout(std::io::stderr())
        .status();
    let failed = |message: String| Err(Box::new(Diagnostic::new(Code::AB5003, message)));
    match outcome {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => failed(format!("`{line}` failed ({status})")),
        Err(error) => failed(format!("`{program}` cannot be started: {error}")),
    }
}
