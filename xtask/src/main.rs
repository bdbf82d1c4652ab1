//! Project tasks: `cargo xtask <task>`.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods, reason = "tasks read and write the repository that they belong to")]

mod bench;
mod codegen;
mod fuzz;
mod readme;
mod step;
mod test;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str = "\
usage: cargo xtask <task>

  test       check and test everything; what it needs is installed on the way
             (`cargo xtask test NAME…` runs only the steps whose names begin so)
  codegen    write the generated files: schemas/*.schema.json and docs/diagnostics.md
  sweep      the long forms of the random tests: a walk of 2 000 edits, 300 killed builds, ten minutes of damaged
             documents, an install killed before each write
             (`cargo xtask sweep SEED` starts the walk elsewhere)
  fuzz       the extractor, manifest, configuration and frontmatter under libFuzzer, ten minutes each
             (`cargo xtask fuzz [TARGET…] [SECONDS]`)
  bench      measure this program and its peers, and write the tables of docs/performance.md
             (--quick, --full, --rounds N, --binary PATH, --keep)
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test", ..] => test::run(&arguments[1..]),
        ["codegen"] => codegen::run(),
        ["fuzz", ..] => fuzz::run(&arguments[1..]),
        ["sweep"] => sweep(None),
        ["sweep", seed] => sweep(Some(seed)),
        ["bench", ..] => bench::run(&arguments[1..]),
        [bench::floor::TASK, directory, list] => bench::floor::run(directory, list),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            ExitCode::FAILURE
        }
    }
}

/// The random tests at full length; what they found last is printed with the seed that leads there.
fn sweep(seed: Option<&str>) -> Result<(), String> {
    let mut walk = Command::new("cargo");
    walk.current_dir(root()).args(["test", "--test", "e2e", "--", "walk::", "crash::"]);
    walk.env("AGENT_BUNDLE_WALK_STEPS", "2000").env("AGENT_BUNDLE_KILLS", "300");
    if let Some(seed) = seed {
        walk.env("AGENT_BUNDLE_WALK_SEED", seed);
    }
    done(&mut walk, "the sweep of builds")?;
    let mut texts = Command::new("cargo");
    texts.current_dir(root()).args(["test", "--test", "workspace", "--", "t310"]);
    done(texts.env("FUZZ_SECONDS", "600"), "the sweep of documents")?;
    let mut killed = Command::new("node");
    done(killed.arg("tests/workspace/killed.mjs").current_dir(root()), "the sweep of killed installs")
}

/// Runs `command` to a good end; `what` names it where there is none.
fn done(command: &mut Command, what: &str) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{what}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{what} failed")) }
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// The binary that `cargo build` leaves.
fn binary() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    target.join("debug/agent-bundle")
}
