//! Setup bundles: a large document analyzed, and a hundred entities installed. Nothing is compared with peers.

use super::generate::{copy, remove, write};
use super::measure::{Job, Sample, summarize};
use serde_json::{Value, json};
use std::path::Path;

const STORE: &str = "store";
/// Made anew for each install.
const ROUND: &str = "round";

/// A document with so many servers, skills and agents, whose texts have so many lines.
fn document(servers: usize, skills: usize, agents: usize, lines: usize) -> Value {
    let server = |at: usize| {
        json!({
            "key": format!("m{at}"),
            "name": format!("Server {at}"),
            "json_spec": {"type": "command", "command": "uvx", "args": ["server==1.0.0"], "environment": {"LEVEL": "info"}},
            "bindings": {"TOKEN": "${setup.token}"},
        })
    };
    let skill = |at: usize| {
        let text = "Words about the work and how it is done.\n".repeat(lines);
        let content = format!("---\ndescription: Skill number {at}.\n---\n# Skill\n\n{text}");
        json!({"key": format!("s{at}"), "name": format!("Skill {at}"), "content": content})
    };
    let agent = |at: usize| {
        json!({
            "key": format!("a{at}"),
            "name": format!("Agent {at}"),
            "model": "small-1",
            "instruction": "Do the work well.\n".repeat(lines),
            "mcps": [format!("m{}", at % servers)],
            "skills": [format!("s{}", at % skills)],
        })
    };
    json!({
        "schema_version": "0.1.0",
        "name": "bench",
        "setup": [{"key": "token", "label": "Token", "type": "secret", "required": true}],
        "mcps": (0..servers).map(server).collect::<Vec<_>>(),
        "skills": (0..skills).map(skill).collect::<Vec<_>>(),
        "agents": (0..agents).map(agent).collect::<Vec<_>>(),
    })
}

fn job(binary: &Path, arguments: &[&str], work: &Path, store: &str) -> Job {
    let mut job = Job::new(binary, arguments, work);
    job.environment.push(("AGENT_BUNDLE_STORE", work.join(store).display().to_string()));
    job.environment.push(("TOKEN", "not a secret".to_owned()));
    job
}

/// The table of this half, measured in `work`.
pub fn table(binary: &Path, work: &Path, rounds: u32) -> Result<String, String> {
    let large = serde_json::to_string_pretty(&document(200, 250, 250, 56)).unwrap_or_default();
    let size = large.len();
    write(&work.join("large.json"), &large)?;
    write(&work.join("hundred.json"), &document(40, 40, 20, 10).to_string())?;
    job(binary, &["workspace", "create", "default"], work, STORE).run()?;
    let (mut start, mut analyze, mut install) = (Vec::new(), Vec::new(), Vec::new());
    let arguments = ["bundle", "install", "hundred.json", "--yes", "--set-env", "token=TOKEN", "--json"];
    for _ in 0..rounds {
        start.push(job(binary, &["--version"], work, STORE).run()?);
        analyze.push(job(binary, &["bundle", "analyze", "large.json"], work, STORE).run()?);
        copy(&work.join(STORE), &work.join(ROUND), &[])?;
        install.push(job(binary, &arguments, work, ROUND).run()?);
        remove(&work.join(ROUND))?;
    }
    let row = |name: String, samples: &[Sample]| {
        let Some(summary) = summarize(samples) else { return String::new() };
        let Sample { wall, cpu, peak } = summary.median;
        format!("| {name} | {wall:.1} | {:.1} | {cpu:.1} | {peak:.0} |\n", summary.least)
    };
    Ok([
        "### Setup bundles\n\nWhole processes, from start to end; an install waits for the disk until it is safe.\n\n".to_owned(),
        "| | wall, ms | least, ms | processors, ms | peak, MB |\n| --- | ---: | ---: | ---: | ---: |\n".to_owned(),
        row(format!("analyze a document of {:.2} MB", size as f64 / 1e6), &analyze),
        row("install 100 entities with 40 secrets".to_owned(), &install),
        row("start and end".to_owned(), &start),
    ]
    .concat())
}

#[cfg(test)]
mod tests {
    use super::document;

    #[test]
    fn the_documents_have_their_sizes() {
        let large = serde_json::to_string_pretty(&document(200, 250, 250, 56)).unwrap();
        assert!((950_000..1_100_000).contains(&large.len()), "{}", large.len());
        let hundred = document(40, 40, 20, 10);
        let count = |section: &str| hundred[section].as_array().unwrap().len();
        assert_eq!(count("mcps") + count("skills") + count("agents"), 100);
    }
}
