//! The emitted tree as it lies on disk.

use crate::world::{Kind, World, slash};
use std::io;
use std::path::{Path, PathBuf};

/// Names that an operator or an installer may add to an artifact; they are not ours, and no reader minds them.
pub fn is_operator_file(path: &str) -> bool {
    let first = path.split('/').next().unwrap_or_default().to_ascii_lowercase();
    matches!(first.as_str(), ".env" | ".env.local" | "state" | ".agent-bundle-install.json")
}

/// Everything below `directory` that is not a directory: relative path and kind, sorted. Empty directories are listed
/// with a trailing `/`.
pub fn list_files(world: &dyn World, directory: &Path) -> io::Result<Vec<(String, Kind)>> {
    let mut files = Vec::new();
    let mut open: Vec<PathBuf> = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let entries = world.list(&directory.join(&below))?;
        if entries.is_empty() && !below.as_os_str().is_empty() {
            files.push((format!("{}/", slash(&below)), Kind::Dir));
        }
        for entry in entries {
            let path = below.join(&entry.name);
            match entry.kind {
                Kind::Dir => open.push(path),
                kind => files.push((slash(&path), kind)),
            }
        }
    }
    files.sort();
    Ok(files)
}
