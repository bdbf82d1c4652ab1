//! On what, and with what, was measured.

use super::peers::Peers;
use std::fs;
use std::process::Command;

/// One paragraph before the tables.
pub fn facts(peers: Option<&Peers>, rounds: u32) -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?.to_owned();
        line.split_whitespace().nth(1)?.parse::<f64>().ok()
    });
    let memory = memory.map_or(String::new(), |kilobytes| format!(", {:.0} GB of memory", kilobytes / 1e6));
    let load =
        fs::read_to_string("/proc/loadavg").ok().and_then(|text| Some(text.split(' ').nth(2)?.to_owned()));
    let load = load.map_or(String::new(), |load| format!(" Mean load over the last 15 minutes: {load}."));
    let node = Command::new("node").arg("--version").output().map(|node| node.stdout).unwrap_or_default();
    let mut versions =
        vec![format!("Node.js {}", String::from_utf8_lossy(&node).trim().trim_start_matches('v'))];
    let packages = ["esbuild", "rolldown", "xmcp", "turbo", "@modelcontextprotocol/sdk", "zod"];
    versions.extend(packages.into_iter().filter_map(|name| {
        let version = peers?.version(name)?;
        Some(format!("{} {version}", if name.starts_with('@') { "MCP SDK" } else { name }))
    }));
    format!(
        "{} on {}, {cores} cores{memory}; medians of {rounds} rounds (at most 3 of the largest projects).{load} {}.\n",
        std::env::consts::OS,
        std::env::consts::ARCH,
        versions.join(", ")
    )
}
