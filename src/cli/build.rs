//! `agent-bundle build`

use super::{Exit, MessageArgs, MessageFormat, Printer, ProjectArgs};
use crate::build::{
    BuildReport, DepfileFormat, Hooks, MemberReport, ProjectsReport, Settings, build, build_directory,
    build_projects, depfile, load_history, open_root, place,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::engine::{LastBuild, Outcome, view};
use crate::world::{OsWorld, World, is_dir, is_file};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
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
    /// Under a root manifest: build only this member, named by directory or plugin (repeatable).
    #[arg(long = "project", value_name = "NAME")]
    only: Vec<String>,
    /// Install the project's packages first when `node_modules` is missing.
    #[arg(long)]
    install: bool,
    /// Publish nothing; exit 1 and list the differences when the artifact on disk is not what the sources give.
    #[arg(long, conflicts_with = "watch")]
    check: bool,
    /// Build again whenever something changes, until interrupted.
    #[arg(long, conflicts_with = "json")]
    pub(super) watch: bool,
    /// Write what the build read to this file.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    depfile: Option<PathBuf>,
    /// In which form.
    #[arg(long, value_enum, default_value_t = DepfileChoice::Make, requires = "depfile")]
    depfile_format: DepfileChoice,
    /// Write the nodes' times to this file, in Chrome's trace format.
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    trace: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DepfileChoice {
    Make,
    Json,
    Nul,
}

/// What one round of building gave.
pub(super) enum Built {
    /// One project.
    One(PathBuf, BuildReport),
    /// The members of a root manifest.
    Many(PathBuf, ProjectsReport),
}

pub(super) fn run(args: &BuildArgs, printer: &Printer) -> Exit {
    if args.watch {
        return super::watch::run(args, printer);
    }
    let built = once(args, printer);
    if args.project.json {
        match &built {
            Built::One(_, report) => printer.document(report),
            Built::Many(_, report) => printer.document(report),
        }
    }
    built.print_findings(args, printer);
    built.print_outcome(args, printer);
    if built.succeeded() && write_records(args, &built, printer) { Exit::Success } else { Exit::Failure }
}

/// Builds once.
pub(super) fn once(args: &BuildArgs, printer: &Printer) -> Built {
    let root = args.project.root.clone();
    let settings = Settings { check: args.check, ..args.project.settings(args.output.as_deref()) };
    let bar = printer.progress("building");
    let waiting = |owner: &str| {
        bar.suspend(|| printer.note(&format!("waiting for another build of this project ({owner})")));
    };
    let hooks = Hooks { progress: &|_| bar.inc(1), waiting: &waiting };
    if args.install
        && let Err(error) = install_packages(&root, printer)
    {
        return Built::One(root, BuildReport::failed(vec![*error]));
    }
    let world: Arc<dyn World> = Arc::new(OsWorld);
    let built = match build_projects(&settings, &args.only, &world, hooks) {
        Some(report) => Built::Many(root.clone(), report),
        None if !args.only.is_empty() => {
            let message = "--project needs a root manifest with a `projects` table";
            Built::One(root.clone(), BuildReport::failed(vec![Diagnostic::new(Code::AB5005, message)]))
        }
        None => Built::One(root.clone(), build(&settings, world, hooks)),
    };
    bar.finish_and_clear();
    built
}

impl Built {
    fn reports(&self) -> Vec<(PathBuf, &BuildReport)> {
        match self {
            Self::One(root, report) => vec![(build_directory(root), report)],
            Self::Many(root, report) => {
                let directory = |project: &str| build_directory(&root.join(project));
                report.projects.iter().map(|member| (directory(&member.project), &member.report)).collect()
            }
        }
    }

    fn succeeded(&self) -> bool {
        match self {
            Self::One(_, report) => report.succeeded(),
            Self::Many(_, report) => report.succeeded(),
        }
    }

    /// Project directories.
    pub(super) fn roots(&self) -> Vec<PathBuf> {
        let root = |(root, _): (PathBuf, &BuildReport)| OsWorld.canonicalize(&root).ok();
        self.reports().into_iter().filter_map(root).collect()
    }

    /// Whether any node ran or any file was written.
    pub(super) fn worked(&self) -> bool {
        let ran = |report: &BuildReport| report.nodes.iter().any(|node| node.outcome == Outcome::Executed);
        self.reports()
            .iter()
            .any(|(_, report)| ran(report) || report.published != crate::artifact::Published::default())
    }

    /// Everything worth saying again when it changes.
    pub(super) fn story(&self) -> String {
        let findings = self.reports().into_iter().map(|(_, report)| &report.diagnostics).collect::<Vec<_>>();
        serde_json::to_string(&findings).unwrap_or_default()
    }

    /// All findings, with places relative to the root that was asked for.
    pub(super) fn print_findings(&self, args: &BuildArgs, printer: &Printer) {
        let (root, found) = match self {
            Self::One(root, report) => (root, report.diagnostics.clone()),
            Self::Many(root, report) => {
                let mut found = report.diagnostics.clone();
                found.extend(report.projects.iter().flat_map(MemberReport::findings));
                (root, found)
            }
        };
        printer.report(&args.messages, place(root), &found);
    }

    /// Whether standard output is for sentences.
    fn speaks(args: &BuildArgs) -> bool {
        !args.project.json && args.messages.message_format == MessageFormat::Text
    }

    /// Where the artifact lies, from the project that was named; from where the program runs when something else was.
    fn shown(&self, directory: &Path, report: &BuildReport) -> String {
        let output = report.output.as_deref().unwrap_or("its output");
        match self {
            Self::One(root, _) if root == directory => output.to_owned(),
            _ => {
                let path = directory.join(output);
                path.strip_prefix(".").unwrap_or(&path).display().to_string()
            }
        }
    }

    /// A line a project that was built, and for several projects a line that counts them.
    pub(super) fn print_outcome(&self, args: &BuildArgs, printer: &Printer) {
        for (root, report) in self.reports() {
            for drift in report.drift.iter().flatten() {
                printer.note(&format!("{}: {}", drift.change, root.join(&drift.path).display()));
            }
            if report.succeeded() && Self::speaks(args) {
                printer.line(&success(report, &self.shown(&root, report)));
            } else if args.watch {
                printer.note(&format!("{} not built; watching for the next change", root.display()));
            }
        }
        if let Self::Many(_, report) = self
            && Self::speaks(args)
        {
            let failed = report.projects.iter().filter(|member| !member.report.succeeded()).count();
            let count = report.projects.len();
            printer.line(&format!(
                "{} of {count} projects built ({})",
                count - failed,
                Printer::duration(report.ms)
            ));
        }
    }
}

/// Writes the dependency list and the trace; says and returns whether that went well.
fn write_records(args: &BuildArgs, built: &Built, printer: &Printer) -> bool {
    if args.depfile.is_none() && args.trace.is_none() {
        return true;
    }
    let mut builds: Vec<(String, LastBuild)> = Vec::new();
    for (root, report) in built.reports() {
        let Ok(opened) = open_root(&root, &OsWorld) else { continue };
        let Some(mut last) = load_history(&opened).builds.into_iter().next() else { continue };
        if report.nodes.iter().all(|node| node.outcome == Outcome::Unchanged) {
            for node in &mut last.nodes {
                (node.outcome, node.start, node.ms) = (Outcome::Unchanged, 0.0, 0.0);
            }
        }
        let prefix = if root == Path::new(".") { String::new() } else { format!("{}/", root.display()) };
        builds.push((prefix, last));
    }
    let format = match args.depfile_format {
        DepfileChoice::Make => DepfileFormat::Make,
        DepfileChoice::Json => DepfileFormat::Json,
        DepfileChoice::Nul => DepfileFormat::Nul,
    };
    let files = [
        (&args.depfile, depfile(&builds, format)),
        (&args.trace, crate::model::pretty_json(&view::chrome_trace(builds.iter().map(|(_, build)| build)))),
    ];
    files.into_iter().all(|(path, bytes)| {
        let Some(path) = path else { return true };
        let Err(error) = write(path, &bytes) else { return true };
        let message = format!("{} cannot be written: {error}", path.display());
        printer.diagnostics(Path::new("."), &[Diagnostic::new(Code::AB5001, message)]);
        false
    })
}

#[allow(clippy::disallowed_methods, reason = "a file that the user named")]
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    std::fs::write(path, bytes)
}

fn success(report: &BuildReport, output: &str) -> String {
    if report.drift.is_some() {
        return format!("{output} is what the sources give");
    }
    let count = |outcome: Outcome| report.nodes.iter().filter(|node| node.outcome == outcome).count();
    let mut parts = vec![format!("{} executed", count(Outcome::Executed))];
    for (outcome, word) in [(Outcome::Restored, "restored"), (Outcome::Unchanged, "unchanged")] {
        if count(outcome) > 0 {
            parts.push(format!("{} {word}", count(outcome)));
        }
    }
    format!(
        "Built {} to {output} for {} ({} files, {}, {})",
        report.plugin.as_deref().unwrap_or("the plugin"),
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
