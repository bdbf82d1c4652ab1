//! The project tree as discovery sees it: listed directory by directory, links not followed.

use super::names::{is_private, split};
use crate::diagnostic::{Code, Diagnostic};
use crate::world::{Kind, Root, World};
use std::collections::BTreeSet;
use std::io;

/// Directories that no convention looks into, wherever they lie.
const IGNORED: [&str; 4] = ["node_modules", ".git", ".agent-bundle", "dist"];

/// Files that operating systems leave behind.
const LITTER: [&str; 2] = [".DS_Store", "Thumbs.db"];

/// The project itself, as a directory to list.
pub(super) const PROJECT: &str = ".";

/// One name in a directory.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) name: String,
    /// Project-relative path.
    pub(super) path: String,
    pub(super) kind: Kind,
}

/// A module found by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) stem: String,
    pub(super) path: String,
}

/// The tree, with what was met while looking at it.
pub(super) struct Tree<'w> {
    world: &'w dyn World,
    root: &'w Root,
    /// Project-relative path of the output directory.
    output: String,
    /// Modules that the manifest names; they are no longer conventional.
    claimed: BTreeSet<String>,
    diagnostics: Vec<Diagnostic>,
}

impl<'w> Tree<'w> {
    pub(super) fn new(
        world: &'w dyn World,
        root: &'w Root,
        output: String,
        claimed: BTreeSet<String>,
    ) -> Self {
        Self { world, root, output, claimed, diagnostics: Vec::new() }
    }

    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    pub(super) fn is_claimed(&self, path: &str) -> bool {
        self.claimed.contains(path)
    }

    /// What lies at `path` itself; `None` when nothing does.
    pub(super) fn kind(&self, path: &str) -> Option<Kind> {
        self.world.symlink_metadata(&self.root.absolute(path)).ok().map(|found| found.kind)
    }

    /// The items of a top-level directory; none when there is no such directory.
    pub(super) fn top(&mut self, directory: &str) -> Vec<Item> {
        match self.kind(directory) {
            Some(Kind::Dir) => self.list(directory),
            Some(Kind::Link) => {
                self.linked_directory(directory);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The items of a directory, sorted by name, without ignored directories and litter.
    pub(super) fn list(&mut self, directory: &str) -> Vec<Item> {
        let entries = match self.world.list(&self.root.absolute(directory)) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Vec::new();
            }
            Err(error) => {
                let message = format!("the directory `{directory}` cannot be read: {error}");
                let help = "Check its permissions";
                self.report(Diagnostic::new(Code::AB2005, message).in_file(directory).help(help));
                return Vec::new();
            }
        };
        let mut items = Vec::with_capacity(entries.len());
        for entry in entries {
            let Some(name) = entry.name.to_str() else {
                let shown = entry.name.to_string_lossy();
                let message = format!("the name `{shown}` in `{directory}` is not UTF-8 text");
                let path = format!("{directory}/{shown}");
                self.report(Diagnostic::new(Code::AB4803, message).in_file(path));
                continue;
            };
            let path = if directory == PROJECT { name.to_owned() } else { format!("{directory}/{name}") };
            let skip = match entry.kind {
                Kind::File => LITTER.contains(&name),
                Kind::Dir | Kind::Link => self.is_ignored(name, &path),
                Kind::Other => false,
            };
            if !skip {
                items.push(Item { name: name.to_owned(), path, kind: entry.kind });
            }
        }
        items
    }

    fn is_ignored(&self, name: &str, path: &str) -> bool {
        IGNORED.contains(&name) || path == self.output
    }

    /// Whether `item`, whose name makes it a conventional file, is one that can be read. A link is read through when
    /// it leads to a regular file of the project; anything else becomes a finding.
    pub(super) fn is_readable_file(&mut self, item: &Item) -> bool {
        match item.kind {
            Kind::File => true,
            Kind::Link => match self.link_target(&item.path) {
                Some(Kind::File) => true,
                Some(_) => self.not_a_file(item, "a link to a directory or special file"),
                None => false,
            },
            Kind::Dir => self.not_a_file(item, "a directory"),
            Kind::Other => self.not_a_file(item, "a special file"),
        }
    }

    fn not_a_file(&mut self, item: &Item, what: &str) -> bool {
        let message = format!("`{}` is {what} where a file is meant", item.path);
        let help = "Replace it with a file, or rename it";
        self.report(Diagnostic::new(Code::AB2006, message).in_file(&item.path).help(help));
        false
    }

    /// What a link inside the project leads to; `None` after a finding when it leads out of the project or nowhere.
    fn link_target(&mut self, path: &str) -> Option<Kind> {
        let absolute = self.root.absolute(path);
        let target = self.world.canonicalize(&absolute);
        let problem = match &target {
            Ok(target) if self.root.contains(target) => match self.world.metadata(&absolute) {
                Ok(found) => return Some(found.kind),
                Err(error) => {
                    Diagnostic::new(Code::AB2005, format!("the link `{path}` cannot be followed: {error}"))
                }
            },
            Ok(_) => Diagnostic::new(Code::AB2004, format!("the link `{path}` leads out of the project"))
                .help("Replace the link with a copy of the file"),
            Err(error) => {
                Diagnostic::new(Code::AB2005, format!("the link `{path}` cannot be followed: {error}"))
                    .help("Correct the link, or remove it")
            }
        };
        self.report(problem.in_file(path));
        None
    }

    /// The finding about a link where a conventional directory is meant. A link to a file is no directory and no
    /// matter of ours.
    pub(super) fn linked_directory(&mut self, path: &str) {
        if let Some(Kind::Dir) = self.link_target(path) {
            let message = format!("`{path}` is a link to a directory, and links are not followed");
            let help = "Move the directory here";
            self.report(Diagnostic::new(Code::AB2006, message).in_file(path).help(help));
        }
    }

    /// The modules among `items` that are files, neither private nor claimed, in order of their names.
    pub(super) fn modules(&mut self, items: &[Item], extensions: &[&str]) -> Vec<Found> {
        let mut found = Vec::new();
        for item in items {
            let Some((stem, _)) = split(&item.name, extensions) else { continue };
            if !is_private(stem) && !self.is_claimed(&item.path) && self.is_readable_file(item) {
                found.push(Found { stem: stem.to_owned(), path: item.path.clone() });
            }
        }
        found
    }

    /// Whether the link at `path` leads out of the project, or nowhere.
    pub(super) fn leads_out(&self, path: &str) -> bool {
        let target = self.world.canonicalize(&self.root.absolute(path));
        !target.is_ok_and(|target| self.root.contains(&target))
    }

    /// The files among `items` and below that `wanted` accepts by path and that can be read, in order. Links to
    /// directories and special files become findings.
    pub(super) fn matching(&mut self, items: Vec<Item>, wanted: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut files = Vec::new();
        let mut pending = items;
        while let Some(item) = pending.pop() {
            match item.kind {
                Kind::Dir => {
                    let below = self.list(&item.path);
                    pending.extend(below);
                }
                _ if wanted(&item.path) && self.is_readable_file(&item) => files.push(item.path),
                _ => {}
            }
        }
        files.sort();
        files
    }

    /// All files among `items` and below that can be read, in order.
    pub(super) fn files(&mut self, items: Vec<Item>) -> Vec<String> {
        self.matching(items, &|_| true)
    }
}
