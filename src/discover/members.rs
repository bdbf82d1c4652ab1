//! Member projects of a root manifest.

use super::globs::{Selector, Unusable, selector};
use crate::diagnostic::{Code, Diagnostic};
use crate::manifest::{MANIFEST_FILE, Projects, ProjectsManifest, is_project};
use crate::workspace::plugin::stem;
use crate::world::{Kind, Root, World, is_file};
use std::collections::BTreeSet;

/// Deepest directory that a `**` looks into.
const DEEPEST: usize = 12;

/// Root-relative directories of the member projects and paths of member documents, sorted: everything that `members`
/// matches, that holds a manifest or is the document of a setup bundle, and that is not matched by `exclude`.
pub fn members(
    world: &dyn World,
    root: &Root,
    manifest: &ProjectsManifest,
) -> (Vec<String>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let Projects { members, exclude, .. } = &manifest.data.projects;
    let mut list = |name: &str, patterns: &[String]| -> Vec<Selector> {
        let read = |(at, text): (usize, &String)| {
            selector(text).map_err(|reason| found.push(unusable(manifest, name, at, text, &reason))).ok()
        };
        patterns.iter().enumerate().filter_map(read).collect()
    };
    let members = list("members", members);
    let exclude = list("exclude", exclude);
    let mut directories = BTreeSet::new();
    for (at, member) in members.iter().enumerate() {
        let mut matched = BTreeSet::new();
        match member {
            Selector::Path(path) if stem(path).is_some() => {
                if is_file(world, &root.absolute(path)) {
                    matched.insert(path.clone());
                }
            }
            Selector::Path(path) => drop(matched.insert(path.clone())),
            Selector::Pattern { base, depth, .. } => {
                let depth = depth.unwrap_or(DEEPEST);
                walk(world, root, base, depth, &mut |path| {
                    let is_member = || stem(path).is_some() || is_project(world, &root.absolute(path));
                    if matches(member, path) && is_member() {
                        matched.insert(path.to_owned());
                    }
                });
            }
        }
        if matched.is_empty() {
            let message = format!("`{}` finds no project", manifest.data.projects.members[at]);
            let span = manifest.spans.get(&format!("/projects/members/{at}")).cloned();
            let diagnostic = Diagnostic::new(Code::AB1005, message);
            found.push(match span {
                Some(span) => diagnostic.at(MANIFEST_FILE, span),
                None => diagnostic.in_file(MANIFEST_FILE),
            });
        }
        directories.append(&mut matched);
    }
    directories.retain(|path| !path.is_empty() && !exclude.iter().any(|pattern| matches(pattern, path)));
    (directories.into_iter().collect(), found)
}

fn unusable(manifest: &ProjectsManifest, name: &str, at: usize, text: &str, reason: &Unusable) -> Diagnostic {
    let reason = match reason {
        Unusable::Shape(reason) => reason.clone(),
        Unusable::Outside => "it leads out of the project".to_owned(),
    };
    let diagnostic = Diagnostic::new(Code::AB1003, format!("`{text}` cannot be used: {reason}"));
    match manifest.spans.get(&format!("/projects/{name}/{at}")) {
        Some(span) => diagnostic.at(MANIFEST_FILE, span.clone()),
        None => diagnostic.in_file(MANIFEST_FILE),
    }
}

fn matches(selector: &Selector, path: &str) -> bool {
    match selector {
        Selector::Path(exact) => exact == path,
        Selector::Pattern { matcher, .. } => matcher.is_match(path),
    }
}

/// Calls `visit` with every directory and every document of a setup bundle from `base` down to `depth` parts; stores
/// and hidden directories are left out.
fn walk(world: &dyn World, root: &Root, base: &str, depth: usize, visit: &mut dyn FnMut(&str)) {
    let parts = if base.is_empty() { 0 } else { base.split('/').count() };
    if parts > 0 {
        visit(base);
    }
    if parts >= depth {
        return;
    }
    for entry in world.list(&root.absolute(base)).unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        if entry.kind == Kind::File && stem(&name).is_some() {
            visit(&if base.is_empty() { name.to_string() } else { format!("{base}/{name}") });
        }
        if entry.kind == Kind::Dir && !name.starts_with('.') && name != "node_modules" {
            let below = if base.is_empty() { name.into_owned() } else { format!("{base}/{name}") };
            walk(world, root, &below, depth, visit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::MemoryWorld;

    fn found(text: &str) -> (Vec<String>, Vec<String>) {
        let files = ["a/one", "a/two", "a/three/deep", "b", "node_modules/x", "a/empty/src"];
        let world = MemoryWorld::new(files.iter().map(|at| {
            let name = if at.ends_with("src") { "x" } else { MANIFEST_FILE };
            (format!("/p/{at}/{name}"), "")
        }));
        let manifest = crate::manifest::parse_projects(text).unwrap();
        let (members, found) = members(&world, &Root::new("/p"), &manifest);
        (members, found.iter().map(|one| one.code.to_string()).collect())
    }

    #[test]
    fn patterns_find_directories_with_a_manifest() {
        let none: Vec<String> = Vec::new();
        assert_eq!(found("[projects]\nmembers = ['a/*', 'b']").0, ["a/one", "a/two", "b"]);
        assert_eq!(found("[projects]\nmembers = ['a/**']\nexclude = ['a/t*']").0, ["a/one", "a/three/deep"]);
        assert_eq!(found("[projects]\nmembers = ['c/*']"), (none.clone(), vec!["AB1005".to_owned()]));
        assert_eq!(found("[projects]\nmembers = ['../x']"), (none, vec!["AB1003".to_owned()]));
    }
}
