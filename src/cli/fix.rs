//! `agent-bundle validate --fix`
#![allow(clippy::disallowed_methods, reason = "writes the sources that the author asked to be mended")]

use super::{Exit, Printer};
use crate::build::{Inspection, Settings};
use crate::diagnostic::{Code, Diagnostic, fix};
use crate::manifest::{self, MANIFEST_FILE};
use crate::world::{OsWorld, World};
use similar::TextDiff;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Edits that lead to further edits (a key that is known now may hold a wrong value) are made this often at most.
const ROUNDS: usize = 4;

/// Files before and after all edits, by project-relative path.
type Changes = BTreeMap<String, (String, String)>;

/// The texts that the edits of `inspection` give.
fn changes(root: &Path, diagnostics: &[Diagnostic]) -> Changes {
    let mut changes = Changes::new();
    for (path, fixes) in fix::fixes_by_path(diagnostics) {
        let bytes = OsWorld.read(&root.join(path)).unwrap_or_default();
        let Ok(before) = String::from_utf8(bytes) else { continue };
        let is_manifest = path.rsplit('/').next() == Some(MANIFEST_FILE);
        let after = if is_manifest { manifest::edit(&before, &fixes) } else { fix::apply(&before, &fixes) };
        if after != before {
            changes.insert(path.to_owned(), (before, after));
        }
    }
    changes
}

/// Prints what would change; fails when anything would.
pub(super) fn check(root: &Path, diagnostics: &[Diagnostic], printer: &Printer) -> Exit {
    let changes = changes(root, diagnostics);
    for (path, (before, after)) in &changes {
        let diff = TextDiff::from_lines(before, after);
        let text = diff.unified_diff().header(&format!("a/{path}"), &format!("b/{path}")).to_string();
        printer.raw(text.as_bytes());
    }
    if changes.is_empty() { Exit::Success } else { Exit::Failure }
}

/// Makes the edits and looks again; yields what is left to say.
pub(super) fn run(settings: &Settings, mut inspection: Inspection, printer: &Printer) -> Inspection {
    for _ in 0..ROUNDS {
        let changes = changes(&settings.root, &inspection.diagnostics);
        if changes.is_empty() {
            break;
        }
        for (path, (_, after)) in &changes {
            if let Err(error) = replace(&settings.root.join(path), after) {
                let message = format!("{path} cannot be written: {error}");
                inspection.diagnostics.push(Diagnostic::new(Code::AB5001, message));
                return inspection;
            }
            printer.note(&format!("mended {path}"));
        }
        inspection = Inspection::of(settings, Arc::new(OsWorld));
    }
    inspection
}

/// A file is there whole or not at all, and keeps its permissions.
fn replace(to: &Path, text: &str) -> io::Result<()> {
    // A link stays a link: what it leads to is written.
    let to = fs::canonicalize(to)?;
    let temporary = tempfile::NamedTempFile::new_in(to.parent().unwrap_or(Path::new("/")))?;
    fs::write(temporary.path(), text)?;
    fs::set_permissions(temporary.path(), fs::metadata(&to)?.permissions())?;
    temporary.persist(&to).map(drop).map_err(|error| error.error)
}
