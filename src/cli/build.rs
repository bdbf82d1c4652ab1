//! `agent-bundle build`

use super::{Exit, Printer, ProjectArgs};
use crate::build::{BuildReport, ProjectLock, build, open_root};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Outcome;
use crate::world::{OsWorld, is_dir, is_file};
use clap::Args;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Args)]
pub(super) struct BuildArgs {
    #[command(flatten)]
    project: ProjectArgs,
    /// Output directory; default: the manifest's, else `artifact`.
    #[arg(long, value_name = "DIR")]
    output: Option<String>,
    /// Install the project's packages first when `node_modules` is missing.
    #[arg(long)]
    install: bool,
}

pub(super) fn run(args: &BuildArgs, printer: &Printer) -> Exit {
    let started = Instant::now();
    let mut report = work(args, printer, started);
    report.stop(started);
    if args.project.json {
        printer.document(&report);
    }
    printer.diagnostics(&args.project.root, &report.diagnostics);
    if !report.succeeded() {
        return Exit::Failure;
    }
    if !args.project.json {
        printer.line(&success(&report));
    }
    Exit::Success
}

fn work(args: &BuildArgs, printer: &Printer, started: Instant) -> BuildReport {
    let root = match open_root(&args.project.root, &OsWorld) {
        Ok(root) => root,
        Err(error) => return BuildReport::failed(vec![*error], started),
    };
    let lock = ProjectLock::take(&root, &|owner| {
        printer.note(&format!("waiting for another build of this project ({owner})"));
    });
    let _lock = match lock {
        Ok(lock) => lock,
        Err(error) => {
            let message = format!("{} cannot be written: {}", root.relative(&error.path), error.error);
            return BuildReport::failed(vec![Diagnostic::new(Code::AB5001, message)], started);
        }
    };
    if args.install
        && let Err(error) = install_packages(root.path(), printer)
    {
        return BuildReport::failed(vec![*error], started);
    }
    let bar = printer.progress("building");
    let settings = args.project.settings(args.output.as_deref());
    let report = args.project.with_threads(|| build(&settings, Arc::new(OsWorld), &|_| bar.inc(1)));
    bar.finish_and_clear();
    report
}

fn success(report: &BuildReport) -> String {
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
