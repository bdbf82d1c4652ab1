//! Which third-party packages a bundle holds, with the licence each asks to be passed on.

use crate::world::{Kind, Root, World};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// One inlined package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Package {
    /// npm name.
    pub name: String,
    /// Version; empty where the package states none.
    pub version: String,
    /// SPDX expression, as stated.
    pub license: Option<String>,
    /// The licence file's text, when the package carries one.
    pub text: Option<String>,
}

/// Whether the file at `path` belongs to somebody else: it lies in a package store, or outside of the project (a linked
/// workspace package).
pub(super) fn is_foreign(path: &Path, root: &Root) -> bool {
    !root.contains(path) || path.components().any(|part| part.as_os_str() == "node_modules")
}

/// The packages that hold `files`.
pub(super) fn owners(files: &BTreeSet<PathBuf>, world: &dyn World) -> BTreeSet<Package> {
    let mut known: BTreeMap<PathBuf, Option<PathBuf>> = BTreeMap::new();
    let mut directories = BTreeSet::new();
    for file in files {
        let Some(parent) = file.parent() else { continue };
        let package = known.entry(parent.to_owned()).or_insert_with(|| package_directory(parent, world));
        directories.extend(package.clone());
    }
    directories.iter().filter_map(|directory| describe(directory, world)).collect()
}

fn describe(directory: &Path, world: &dyn World) -> Option<Package> {
    let manifest: serde_json::Value =
        serde_json::from_slice(&world.read(&directory.join("package.json")).ok()?).ok()?;
    let text = |key: &str| manifest.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    Some(Package {
        name: text("name")?,
        version: text("version").unwrap_or_default(),
        license: text("license"),
        text: license_text(directory, world),
    })
}

/// The nearest of `directory` and those above it that is a package: the direct child of a store, or one whose
/// `package.json` has a name (inner ones only set the module type).
fn package_directory(directory: &Path, world: &dyn World) -> Option<PathBuf> {
    let is_store = |path: &Path| path.file_name().is_some_and(|name| name == "node_modules");
    let is_scope = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'));
    directory.ancestors().map(Path::to_owned).find(|candidate| {
        let at_top = candidate.parent().is_some_and(|parent| {
            is_store(parent) && !is_scope(candidate)
                || is_scope(parent) && parent.parent().is_some_and(is_store)
        });
        let named = || {
            let bytes = world.read(&candidate.join("package.json")).ok()?;
            let manifest: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
            manifest.get("name").cloned()
        };
        at_top || named().is_some()
    })
}

fn license_text(directory: &Path, world: &dyn World) -> Option<String> {
    let names = world.list(directory).ok()?;
    let is_license = |name: &str| {
        let lower = name.to_ascii_lowercase();
        ["license", "licence", "copying"].iter().any(|word| lower.starts_with(word))
    };
    let entry =
        names.iter().find(|entry| entry.kind == Kind::File && is_license(&entry.name.to_string_lossy()))?;
    String::from_utf8(world.read(&directory.join(&entry.name)).ok()?)
        .ok()
        .map(|text| text.replace("\r\n", "\n"))
}
