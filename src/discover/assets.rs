//! Files that are copied byte for byte.

use super::globs::{Selector, Unusable, selector};
use super::tree::{PROJECT, Tree};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::manifest::Manifest;
use crate::world::Kind;
use std::collections::BTreeSet;

/// The directory of assets where the manifest names none.
const DIRECTORY: &str = "assets";

/// Asset files, sorted.
pub(super) fn find(tree: &mut Tree<'_>, manifest: &Manifest) -> Vec<String> {
    let Some(entries) = &manifest.data.assets else {
        return match tree.kind(DIRECTORY) {
            Some(Kind::Dir) => {
                let items = tree.list(DIRECTORY);
                tree.files(items)
            }
            Some(Kind::Link) => {
                tree.linked_directory(DIRECTORY);
                Vec::new()
            }
            _ => Vec::new(),
        };
    };
    let mut assets = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        let span = manifest.span(&format!("/assets/{index}"));
        assets.extend(select(tree, entry, span));
    }
    assets.into_iter().collect()
}

fn select(tree: &mut Tree<'_>, entry: &str, span: Option<Span>) -> Vec<String> {
    let problem = match selector(entry) {
        Ok(Selector::Path(path)) => match tree.kind(&path) {
            Some(Kind::File) => return vec![path],
            Some(Kind::Dir) => {
                let items = tree.list(&path);
                return tree.files(items);
            }
            Some(Kind::Link) if tree.leads_out(&path) => outside(entry),
            Some(Kind::Link) => return vec![path],
            Some(Kind::Other) => {
                Diagnostic::new(Code::AB4602, format!("the asset `{entry}` is a special file"))
            }
            None => Diagnostic::new(Code::AB4602, format!("the asset `{entry}` does not exist")),
        },
        Ok(Selector::Pattern { matcher, base, .. }) => {
            let base = if base.is_empty() { PROJECT } else { &base };
            if tree.kind(base) != Some(Kind::Dir) {
                return Vec::new();
            }
            let items = tree.list(base);
            return tree.matching(items, &|path| matcher.is_match(path));
        }
        Err(Unusable::Outside) => outside(entry),
        Err(Unusable::Shape(reason)) => {
            Diagnostic::new(Code::AB4600, format!("`{entry}` is no path or pattern of assets: {reason}"))
        }
    };
    tree.report(problem.with_span(span));
    Vec::new()
}

fn outside(entry: &str) -> Diagnostic {
    Diagnostic::new(Code::AB4601, format!("the asset `{entry}` lies outside the project"))
}
