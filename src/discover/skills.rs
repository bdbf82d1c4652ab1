//! Skill directories, by convention or by the manifest.

use super::globs::{Selector, Unusable, selector};
use super::inventory::{SkillDir, Unsupported};
use super::names::is_private;
use super::servers::twice;
use super::tree::{Item, PROJECT, Tree};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::manifest::Manifest;
use crate::world::Kind;
use std::collections::BTreeMap;

const DOCUMENT: &str = "SKILL.md";
const RENDERED: [&str; 2] = ["SKILL.ts", "SKILL.tsx"];

/// Skills and rendered skills; `items` are those of `src/skills`.
pub(super) fn find(
    tree: &mut Tree<'_>,
    items: &[Item],
    manifest: &Manifest,
) -> (Vec<SkillDir>, Vec<Unsupported>) {
    let mut skills = Vec::new();
    let mut unsupported = Vec::new();
    match &manifest.data.skills {
        None => {
            for directory in conventional(tree, items) {
                collect(tree, &directory, None, &mut skills, &mut unsupported);
            }
        }
        Some(entries) => {
            let mut chosen: BTreeMap<String, Option<Span>> = BTreeMap::new();
            for (index, entry) in entries.iter().enumerate() {
                let span = manifest.span(&format!("/skills/{index}"));
                for directory in select(tree, entry, span.as_ref()) {
                    chosen.entry(directory).or_insert_with(|| span.clone());
                }
            }
            for (directory, span) in &chosen {
                collect(tree, directory, span.as_ref(), &mut skills, &mut unsupported);
            }
            for directory in conventional(tree, items) {
                if !chosen.contains_key(&directory) && has_source(tree, &directory) {
                    let message = format!("`{directory}` is not covered by `skills` in the manifest");
                    tree.report(Diagnostic::new(Code::AB4734, message).in_file(directory));
                }
            }
        }
    }
    skills.sort_by(|a: &SkillDir, b| a.directory.cmp(&b.directory));
    report_duplicates(tree, &skills);
    (skills, unsupported)
}

/// Directories that the convention takes for skills.
fn conventional(tree: &mut Tree<'_>, items: &[Item]) -> Vec<String> {
    let mut directories = Vec::new();
    for item in items.iter().filter(|item| !is_private(&item.name)) {
        match item.kind {
            Kind::Dir => directories.push(item.path.clone()),
            Kind::Link => tree.linked_directory(&item.path),
            _ => {}
        }
    }
    directories
}

fn has_source(tree: &mut Tree<'_>, directory: &str) -> bool {
    tree.list(directory).iter().any(|item| is_source(&item.name))
}

fn is_source(name: &str) -> bool {
    name == DOCUMENT || RENDERED.contains(&name)
}

/// Adds the skill of `directory`. `span` is the manifest entry that chose it.
fn collect(
    tree: &mut Tree<'_>,
    directory: &str,
    span: Option<&Span>,
    skills: &mut Vec<SkillDir>,
    unsupported: &mut Vec<Unsupported>,
) {
    let items = tree.list(directory);
    let rendered =
        items.iter().find(|item| RENDERED.contains(&item.name.as_str()) && item.kind == Kind::File);
    let Some(document) = items.iter().find(|item| item.name == DOCUMENT) else {
        match rendered {
            Some(module) => unsupported
                .push(Unsupported { source: module.path.clone(), surface: "rendered skill".to_owned() }),
            None if items.is_empty() && span.is_none() => {}
            None => report_empty(tree, directory, &items, span),
        }
        return;
    };
    if !tree.is_readable_file(document) {
        return;
    }
    if let Some(module) = rendered {
        let message = format!("`{}` is not used: `{}` lies beside it", module.path, document.path);
        tree.report(Diagnostic::new(Code::AB4735, message).in_file(&module.path));
    }
    let prefix = directory.len() + 1;
    let files = tree.files(items);
    let files = files
        .into_iter()
        .map(|file| file[prefix..].to_owned())
        .filter(|file| !RENDERED.contains(&file.as_str()))
        .collect();
    let name = directory.rsplit('/').next().unwrap_or(directory).to_owned();
    skills.push(SkillDir { name, directory: directory.to_owned(), files });
}

fn report_empty(tree: &mut Tree<'_>, directory: &str, items: &[Item], span: Option<&Span>) {
    let slip = items.iter().find(|item| item.name.eq_ignore_ascii_case(DOCUMENT));
    let help = match slip {
        Some(item) => format!("Rename `{}` to `{DOCUMENT}`", item.name),
        None => format!("Add `{DOCUMENT}`, or begin the directory's name with `_`"),
    };
    let message = format!("the skill directory `{directory}` has no `{DOCUMENT}`");
    let span = span.cloned().unwrap_or_else(|| Span::file(directory));
    tree.report(Diagnostic::new(Code::AB3000, message).with_span(Some(span)).help(help));
}

/// The directories that an entry of `skills` names.
fn select(tree: &mut Tree<'_>, entry: &str, span: Option<&Span>) -> Vec<String> {
    let chosen = match selector(entry) {
        Ok(Selector::Path(path)) => return literal(tree, entry, &path, span),
        Ok(Selector::Pattern { matcher, base, depth }) => {
            let mut found = Vec::new();
            let mut pending = vec![base];
            while let Some(directory) = pending.pop() {
                let level = if directory.is_empty() { 0 } else { directory.split('/').count() };
                let items = tree.list(if directory.is_empty() { PROJECT } else { &directory });
                let has_document = items.iter().any(|item| is_source(&item.name));
                let matches = matcher.is_match(&directory)
                    || items.iter().any(|item| is_source(&item.name) && matcher.is_match(&item.path));
                if has_document && matches && !directory.is_empty() {
                    found.push(directory);
                }
                if depth.is_none_or(|depth| level < depth) {
                    let below = items.into_iter().filter(|item| item.kind == Kind::Dir);
                    pending.extend(below.map(|item| item.path));
                }
            }
            return found;
        }
        Err(problem) => problem,
    };
    let diagnostic = match chosen {
        Unusable::Outside => {
            Diagnostic::new(Code::AB2004, format!("the skill `{entry}` lies outside the project"))
        }
        Unusable::Shape(reason) => {
            Diagnostic::new(Code::AB1003, format!("`{entry}` is no path or pattern of skills: {reason}"))
        }
    };
    tree.report(diagnostic.with_span(span.cloned()));
    Vec::new()
}

fn literal(tree: &mut Tree<'_>, entry: &str, path: &str, span: Option<&Span>) -> Vec<String> {
    let directory = match path.rsplit_once('/') {
        Some((directory, name)) if is_source(name) => directory,
        _ => path,
    };
    if tree.kind(directory) == Some(Kind::Dir) && !directory.is_empty() {
        return vec![directory.to_owned()];
    }
    let message = format!("`skills` names `{entry}`, which is no directory of the project");
    let help = "Create the directory with a `SKILL.md`, or correct the path";
    tree.report(Diagnostic::new(Code::AB3000, message).with_span(span.cloned()).help(help));
    Vec::new()
}

fn report_duplicates(tree: &mut Tree<'_>, skills: &[SkillDir]) {
    let mut directories: BTreeMap<&str, &str> = BTreeMap::new();
    for skill in skills {
        match directories.get(skill.name.as_str()) {
            Some(first) => {
                let what = format!("the skill `{}`", skill.name);
                tree.report(twice(Code::AB4006, &what, first, &skill.directory));
            }
            None => {
                directories.insert(&skill.name, &skill.directory);
            }
        }
    }
}
