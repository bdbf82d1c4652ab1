//! Which third-party packages a bundle holds, with the licence each asks to be passed on.

use crate::world::{Kind, Root, World};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

/// The package that the module at `path` belongs to; `None` for the author's own modules.
///
/// A linked workspace package is third-party here when it lies outside the project root.
pub(super) fn owner(path: &Path, world: &Arc<dyn World>, root: &Root) -> Option<Package> {
    let in_modules = path.components().any(|part| part.as_os_str() == "node_modules");
    if !in_modules && root.contains(path) {
        return None;
    }
    let directory = package_directory(path, world.as_ref())?;
    let manifest: serde_json::Value =
        serde_json::from_slice(&world.read(&directory.join("package.json")).ok()?).ok()?;
    let text = |key: &str| manifest.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    Some(Package {
        name: text("name")?,
        version: text("version").unwrap_or_default(),
        license: text("license"),
        text: license_text(&directory, world.as_ref()),
    })
}

/// The nearest directory above `path` whose `package.json` has a name; inner ones only set the module type.
fn package_directory(path: &Path, world: &dyn World) -> Option<PathBuf> {
    path.ancestors().skip(1).map(Path::to_owned).find(|directory| {
        let at_top = directory
            .parent()
            .and_then(Path::file_name)
            .is_some_and(|name| name == "node_modules" || name.to_string_lossy().starts_with('@'));
        let named = || {
            let bytes = world.read(&directory.join("package.json")).ok()?;
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
