//! Commands and rules, and documents in locations that are no longer read.

use super::inventory::{DocumentFile, SkillDir};
use super::names::{is_identity, is_private, split, unsafe_identity};
use super::tree::{Item, Tree};
use crate::diagnostic::{Code, Diagnostic};
use crate::world::Kind;

/// The documents among the items of `src/commands` (`md`) or `src/rules` (`mdc`).
pub(super) fn find(tree: &mut Tree<'_>, items: &[Item], extension: &str, what: &str) -> Vec<DocumentFile> {
    let mut documents = Vec::new();
    for found in tree.modules(items, &[extension]) {
        if is_identity(&found.stem) {
            documents.push(DocumentFile { name: found.stem, source: found.path });
        } else {
            tree.report(unsafe_identity(&found.stem, what, &found.path));
        }
    }
    documents
}

/// Reports documents in `skills/`, `commands/` and `rules/` of the project root. Skills that the manifest names are
/// not among them.
pub(super) fn report_removed_locations(tree: &mut Tree<'_>, skills: &[SkillDir]) {
    for (directory, extension) in [("commands", "md"), ("rules", "mdc")] {
        for item in own_directory(tree, directory) {
            let is_document = item.kind == Kind::File && split(&item.name, &[extension]).is_some();
            if is_document && !is_private(&item.name) {
                report(tree, &item.path, directory);
            }
        }
    }
    for item in own_directory(tree, "skills") {
        let configured = skills.iter().any(|skill| skill.directory == item.path);
        if item.kind != Kind::Dir || is_private(&item.name) || configured {
            continue;
        }
        let items = tree.list(&item.path);
        let document =
            items.iter().find(|item| matches!(item.name.as_str(), "SKILL.md" | "SKILL.tsx" | "SKILL.ts"));
        if let Some(document) = document {
            report(tree, &document.path, "skills");
        }
    }
}

/// The items of a directory of the project root. What a link leads to has its place elsewhere.
fn own_directory(tree: &mut Tree<'_>, directory: &str) -> Vec<Item> {
    match tree.kind(directory) {
        Some(Kind::Dir) => tree.list(directory),
        _ => Vec::new(),
    }
}

fn report(tree: &mut Tree<'_>, path: &str, directory: &str) {
    let message = format!("`{path}` lies in `{directory}/`, which is not read");
    let help = format!("Move it to `src/{path}`");
    tree.report(Diagnostic::new(Code::AB4736, message).in_file(path).help(help));
}
