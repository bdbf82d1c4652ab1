//! The project's own record of earlier builds, `.agent-bundle/index`.
#![allow(clippy::disallowed_methods, reason = "the record is this file's own")]

use super::tool_fingerprint;
use crate::engine::{History, LastBuild};
use crate::world::Root;
use std::fs;
use std::io::Write;

/// Where the record lies, relative to the project root.
pub const INDEX_PATH: &str = ".agent-bundle/index";

/// What is remembered; nothing where the record is missing, damaged or another program's.
pub fn load_history(root: &Root) -> History {
    let bytes = fs::read(root.absolute(INDEX_PATH)).unwrap_or_default();
    History::from_bytes(bytes, &tool_fingerprint()).unwrap_or_default()
}

/// Replaces the record. A failure costs the next build its speed and nothing else.
pub(super) fn save_history(root: &Root, builds: &[LastBuild], traces: &[u8]) {
    let bytes = History::to_bytes(builds, traces, &tool_fingerprint());
    let write = || {
        let path = root.absolute(INDEX_PATH);
        let parent = path.parent().unwrap_or(root.path());
        let mut temporary = tempfile::NamedTempFile::new_in(parent)?;
        temporary.write_all(&bytes)?;
        temporary.persist(&path).map_err(|error| error.error)
    };
    drop(write());
}
