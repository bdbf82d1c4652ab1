//! Everything that reaches a terminal or a pipe. Results go to standard output, everything else to standard error.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the one place that prints")]

use super::{Color, MessageArgs, MessageFormat};
use crate::diagnostic::render::{Rendering, summary};
use crate::diagnostic::{Diagnostic, Severity, format};
use crate::world::{OsWorld, World};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

/// At most so many findings are rendered in full; the rest is counted.
pub(super) const SCREENFUL: usize = 20;

/// The text of a project's file.
fn source(root: &Path, path: &str) -> Option<String> {
    String::from_utf8(OsWorld.read(&root.join(path)).ok()?).ok()
}

/// The way from the repository's top to the project, with a `/` at its end; empty where there is no repository.
fn repository_prefix(root: &Path) -> String {
    let Ok(root) = OsWorld.canonicalize(root) else { return String::new() };
    let top = root.ancestors().find(|place| OsWorld.metadata(&place.join(".git")).is_ok());
    let way = top.and_then(|top| root.strip_prefix(top).ok());
    let parts = way.into_iter().flat_map(Path::iter);
    parts.map(|part| format!("{}/", part.to_string_lossy())).collect()
}

/// Prints.
pub(super) struct Printer {
    color: bool,
    quiet: bool,
}

impl Printer {
    pub(super) fn new(color: Color, quiet: bool) -> Self {
        let color = match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never,
        };
        Self { color, quiet }
    }

    /// A line of result.
    pub(super) fn line(&self, text: &str) {
        self.raw(format!("{text}\n").as_bytes());
    }

    /// Bytes of result. A reader that went away is not an error of ours.
    pub(super) fn raw(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        drop(out.write_all(bytes).and_then(|()| out.flush()));
    }

    /// One JSON document.
    pub(super) fn document(&self, value: &impl Serialize) {
        let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
        bytes.push(b'\n');
        self.raw(&bytes);
    }

    /// A remark on standard error; silent with `--quiet`.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            eprintln!("{text}");
        }
    }

    /// Findings in the wanted form: text on standard error, everything else on standard output.
    pub(super) fn report(&self, args: &MessageArgs, root: &Path, diagnostics: &[Diagnostic]) {
        let source = |path: &str| source(root, path);
        match args.message_format {
            MessageFormat::Text => self.text(root, diagnostics, args.message_limit),
            MessageFormat::Json => self.document(&format::json(diagnostics, &source)),
            MessageFormat::Sarif => self.document(&format::sarif(diagnostics, &source)),
            MessageFormat::Github => {
                let prefix = repository_prefix(root);
                self.raw(format::github(diagnostics, &source, &prefix).as_bytes());
            }
        }
    }

    /// Findings on standard error: errors first, at most a screenful, then the count.
    pub(super) fn diagnostics(&self, root: &Path, diagnostics: &[Diagnostic]) {
        self.text(root, diagnostics, SCREENFUL);
    }

    fn text(&self, root: &Path, diagnostics: &[Diagnostic], limit: usize) {
        let source = |path: &str| source(root, path);
        let rendering = Rendering { color: self.color, source: &source };
        let wanted =
            |severity: Severity| diagnostics.iter().filter(move |diagnostic| diagnostic.severity == severity);
        let quiet_drops_infos = if self.quiet { 0 } else { usize::MAX };
        let ordered: Vec<&Diagnostic> = wanted(Severity::Error)
            .chain(wanted(Severity::Warning))
            .chain(wanted(Severity::Info).take(quiet_drops_infos))
            .collect();
        let shown = if limit == 0 { ordered.len() } else { limit.min(ordered.len()) };
        for diagnostic in &ordered[..shown] {
            eprintln!("{}\n", rendering.text(diagnostic));
        }
        if shown < ordered.len() {
            eprintln!("… and {} more (all with --message-limit 0)\n", ordered.len() - shown);
        }
        if let Some(text) = summary(diagnostics) {
            eprintln!("{text}");
        }
    }

    /// A progress bar on a terminal, nothing elsewhere.
    pub(super) fn progress(&self, message: &'static str) -> ProgressBar {
        if self.quiet || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{spinner} {msg} {pos} nodes, {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = ProgressBar::new_spinner().with_style(style).with_message(message);
        bar.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// Milliseconds or seconds, whichever reads well.
    pub(super) fn duration(ms: f64) -> String {
        if ms < 1000.0 { format!("{ms:.0} ms") } else { format!("{:.2} s", ms / 1000.0) }
    }
}
