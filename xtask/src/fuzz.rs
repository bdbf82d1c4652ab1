//! `cargo xtask fuzz`: inputs that reach new code, sought by libFuzzer, one target after the other on two cores.

use crate::{done, root};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGETS: [&str; 4] = ["module", "manifest", "config", "frontmatter"];
/// Pinned, and installed beside the other programs that checks need.
const CARGO_FUZZ: &str = "0.13.2";
const SECONDS: &str = "600";
const JOBS: usize = 2;

/// Fuzzes the named targets, or all of them; `seconds` is the time for each.
pub fn run(arguments: &[String]) -> Result<(), String> {
    let (numbers, names): (Vec<_>, Vec<_>) =
        arguments.iter().map(String::as_str).partition(|one| one.parse::<u32>().is_ok());
    let seconds = numbers.first().copied().unwrap_or(SECONDS);
    let wanted = if names.is_empty() { TARGETS.to_vec() } else { names };
    let folder = install()?;
    for target in wanted {
        fuzz(&folder, target, seconds)?;
    }
    Ok(())
}

/// Inputs that are found go to `target/`, so that the committed corpus stays small.
fn fuzz(folder: &Path, target: &str, seconds: &str) -> Result<(), String> {
    let found = root().join("target/fuzz-corpus").join(target);
    std::fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    let committed = root().join("fuzz/corpus").join(target);
    let mut command = Command::new(folder.join("bin/cargo-fuzz"));
    // Without the assertions that the parser makes to itself, as in the program that people have. The code has no
    // `unsafe` for a sanitizer to look into, and without one the pinned toolchain suffices.
    command.current_dir(root()).args(["fuzz", "run", "--release", "--sanitizer", "none", target]);
    command.arg(&found).arg(&committed).arg("--");
    command.arg(format!("-max_total_time={seconds}")).arg(format!("-fork={JOBS}"));
    command.args(["-timeout=10", "-rss_limit_mb=4096", "-ignore_timeouts=0", "-ignore_ooms=0"]);
    done(&mut command, &format!("fuzzing `{target}`"))
}

fn install() -> Result<PathBuf, String> {
    let folder = root().join("target/tools").join(format!("cargo-fuzz-{CARGO_FUZZ}"));
    if !folder.join("bin/cargo-fuzz").is_file() {
        let mut command = Command::new("cargo");
        command.args(["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ, "--root"]).arg(&folder);
        done(&mut command, "installing cargo-fuzz")?;
    }
    Ok(folder)
}
