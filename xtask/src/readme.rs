//! Runs what the README tells people to run.

use crate::step::Step;
use crate::{binary, root};
use std::fs;

/// The command that this very task answers to.
const SELF: &str = "cargo xtask test";

/// How the README starts the program from a clone.
const FROM_CLONE: &str = "cargo run --release --";

/// A step that runs every block of the README, with the binary at hand in the place of a release build.
pub fn step() -> Step {
    let scratch = root().join("target/readme");
    drop(fs::remove_dir_all(&scratch));
    let text = fs::read_to_string(root().join("README.md")).unwrap_or_default();
    let mut script = String::from("set -e\n");
    script.push_str(&format!("agent-bundle() {{ '{}' \"$@\"; }}\n", binary().display()));
    script.push_str(&format!("mkdir -p '{}'\n", scratch.display()));
    for block in blocks(&text) {
        script.push_str(&match runnable(&block) {
            Ok(lines) if block.contains(FROM_CLONE) => format!("( cd '{}'\n{lines})\n", root().display()),
            Ok(lines) => format!("( cd '{}'\n{lines})\n", scratch.display()),
            Err(line) => format!("echo 'the README has a command that no test runs: {line}' >&2\nexit 1\n"),
        });
    }
    Step::new("readme", "bash", &["-c", &script])
}

/// The text of every fenced block of shell commands.
fn blocks(text: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "```sh" {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            blocks.push(inside.join("\n"));
        }
    }
    blocks
}

/// The lines to run, each shown before; or the first one that is not known here.
fn runnable(block: &str) -> Result<String, String> {
    let mut script = String::new();
    for line in block.lines().filter(|line| !line.trim().is_empty() && *line != SELF) {
        let known = ["agent-bundle ", "cd ", FROM_CLONE].iter().any(|start| line.starts_with(start));
        if !known {
            return Err(line.replace('\'', "\""));
        }
        let line = line.replace(FROM_CLONE, "agent-bundle");
        script.push_str(&format!("echo '$ {}'\n{line}\n", line.replace('\'', "\"")));
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_commands_are_run() {
        let text =
            "x\n```sh\nagent-bundle build\ncd a\n```\n```toml\nrm\n```\n```sh\ncargo xtask test\n```\n";
        let found = blocks(text);
        assert_eq!(found, ["agent-bundle build\ncd a", "cargo xtask test"]);
        assert!(runnable(&found[0]).is_ok());
        assert_eq!(runnable(&found[1]), Ok(String::new()));
        assert_eq!(runnable("rm -r x"), Err("rm -r x".to_owned()));
    }

    #[test]
    fn the_readme_has_both_commands() {
        let text = fs::read_to_string(root().join("README.md")).unwrap();
        let blocks = blocks(&text);
        assert!(blocks.iter().any(|block| block == SELF));
        assert!(blocks.iter().any(|block| block.starts_with(FROM_CLONE) && block.contains("mcp invoke")));
        for block in blocks {
            runnable(&block).unwrap();
        }
    }
}
