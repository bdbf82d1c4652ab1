//! What looking at the files costs when nothing else is done: the least that an unchanged build can take.

use super::measure::Job;
use std::fs;
use std::path::{Path, PathBuf};

/// The task that runs as a process of its own.
pub const TASK: &str = "bench-floor";

/// Reads the index of the project at `directory` and asks for the state of every path in `list`, one after another.
pub fn run(directory: &str, list: &str) -> Result<(), String> {
    let directory = Path::new(directory);
    let failed = |error: std::io::Error| format!("{list}: {error}");
    let index = fs::read(directory.join(".agent-bundle/index")).map_err(failed)?;
    let list = fs::read_to_string(list).map_err(failed)?;
    let found = list.split('\0').filter(|path| fs::symlink_metadata(directory.join(path)).is_ok()).count();
    if index.is_empty() || found == 0 { Err("nothing was looked at".to_owned()) } else { Ok(()) }
}

/// The loop over what the last build of the project used and wrote, absent paths included. `depfile` is the JSON list
/// that the build left; the paths go to a file beside it.
pub fn job(project: &Path, depfile: &Path) -> Result<Job, String> {
    let failed = |error: String| format!("{}: {error}", depfile.display());
    let bytes = fs::read(depfile).map_err(|error| failed(error.to_string()))?;
    let listed: serde_json::Value =
        serde_json::from_slice(&bytes).map_err(|error| failed(error.to_string()))?;
    let of = |key: &str| listed[key].as_array().into_iter().flatten().filter_map(|path| path.as_str());
    let paths: Vec<&str> = ["inputs", "absent", "outputs"].into_iter().flat_map(of).collect();
    let list: PathBuf = depfile.with_extension("paths");
    fs::write(&list, paths.join("\0")).map_err(|error| failed(error.to_string()))?;
    let (directory, list) = (project.display().to_string(), list.display().to_string());
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(Job::new(own, &[TASK, &directory, &list], project))
}
