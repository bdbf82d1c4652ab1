//! `cargo xtask test`: everything there is to check, on a machine that has Rust and Node.js.

use crate::step::{Counts, Step};
use crate::{binary, readme, root};
use std::time::Duration;

const EXAMPLE: &str = "examples/field-notes";

fn steps() -> Vec<Step> {
    let artifact = root().join(EXAMPLE).join("artifact");
    let npm = |name, arguments: &[&str]| Step::new(name, "npm", arguments);
    let install = ["ci", "--no-audit", "--no-fund"];
    let cargo = |name, arguments: &[&str]| Step::new(name, "cargo", arguments);
    let tool = |name, arguments: &[&str]| Step::new(name, binary(), arguments).needs(&["build"]);
    vec![
        cargo("format", &["fmt", "--all", "--check"]),
        npm("runtime packages", &install).at("runtime"),
        npm("runtime types", &["run", "--silent", "check"]).at("runtime").needs(&["runtime packages"]),
        npm("runtime build", &["run", "--silent", "build"]).at("runtime").needs(&["runtime packages"]),
        npm("runtime tests", &["test", "--silent"]).at("runtime").needs(&["runtime build"]),
        cargo("build", &["build", "--workspace"]).needs(&["runtime packages"]),
        cargo("tests", &["test", "--workspace", "--no-fail-fast"]).needs(&["build"]),
        Step::new("killed installs", "node", &["tests/workspace/killed.mjs"]).needs(&["tests"]),
        Step::new("api", "node", &["tests/api/run.mjs", &binary().display().to_string()]).needs(&["build"]),
        cargo("fuzz packages", &["fetch", "--locked", "--manifest-path", "fuzz/Cargo.toml"]),
        cargo("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).needs(&["build"]),
        tool("example", &["build", "--root", EXAMPLE, "--install"]),
        tool("example artifact", &["validate", "--artifact", "examples/field-notes/artifact"])
            .needs(&["example"]),
        tool("fixture types", &["types", "--root", "tests/fixtures/plain"]),
        npm("type checker", &install).at("tests/types"),
        npm("types", &["run", "--silent", "check"])
            .at("tests/types")
            .needs(&["type checker", "example", "fixture types"])
            .env("AGENT_BUNDLE", binary()),
        npm("client packages", &install).at("tests/client"),
        npm("client", &["test", "--silent"])
            .at("tests/client")
            .needs(&["client packages", "example"])
            .env("AGENT_BUNDLE_ARTIFACT", artifact.clone()),
        readme::step().needs(&["build"]),
        Step::new("hosts", "node", &["tests/hosts/run.mjs"])
            .needs(&["example"])
            .env("AGENT_BUNDLE_ARTIFACT", artifact),
    ]
}

/// Runs the steps whose names begin with one of `wanted`, or all; then says how it went.
pub fn run(wanted: &[String]) -> Result<(), String> {
    let chosen =
        |name: &str| wanted.is_empty() || wanted.iter().any(|start| name.starts_with(start.as_str()));
    let mut rows: Vec<(&str, Counts, Duration, String)> = Vec::new();
    let mut unchecked = Vec::new();
    for step in steps().into_iter().filter(|step| chosen(step.name)) {
        let broken =
            |needed: &&&str| rows.iter().any(|(name, counts, ..)| name == *needed && counts.failed > 0);
        if let Some(needed) = step.needs.iter().find(broken) {
            let counts = Counts { failed: 1, ..Counts::default() };
            rows.push((step.name, counts, Duration::ZERO, format!("not run, for want of `{needed}`")));
            continue;
        }
        println!("\n━━ {}", step.name);
        let outcome = step.run();
        rows.push((step.name, outcome.counts, outcome.took, String::new()));
        unchecked.extend(outcome.unchecked.into_iter().map(|line| format!("{}: {line}", step.name)));
    }
    let mut total = Counts::default();
    println!("\n━━ summary");
    for (name, counts, took, remark) in &rows {
        total += *counts;
        let mark = if counts.failed > 0 { "✗" } else { "✓" };
        println!("{mark} {name:18} {:34} {:6.1} s  {remark}", counts.to_string(), took.as_secs_f64());
    }
    if !unchecked.is_empty() {
        println!("\nWhat could not be checked here:");
        unchecked.iter().for_each(|line| println!("  {line}"));
    }
    println!("\n{total}");
    match (total.failed, rows.is_empty()) {
        (_, true) => Err("no step has such a name".to_owned()),
        (0, _) => Ok(()),
        _ => Err(String::new()),
    }
}
