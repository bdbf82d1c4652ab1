//! `agent-bundle migrate`: a configuration becomes a manifest that validates, and what was computed is told.
#![allow(clippy::disallowed_methods, reason = "tests make and read projects")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(root: &Path, command: &str) -> (Output, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_agent-bundle"));
    let output = program.args([command, "--root"]).arg(root).output().unwrap();
    let text = String::from_utf8(output.stderr.clone()).unwrap();
    (output, text)
}

const CONFIG: &str = "import { defineConfig } from 'agent-bundle/config';\n\nconst NAME = 'demo';\n\nexport default defineConfig({\n  plugin: { name: NAME, description: 'Finds notes.' },\n  targets: ['claude', 'codex'],\n  claude: { metadata: { since: new Date() } },\n  evals: { runsDir: './runs' },\n});\n";

#[test]
fn a_configuration_becomes_a_manifest_that_validates() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    fs::write(root.join("package.json"), "{\"name\": \"demo\", \"version\": \"1.0.0\"}").unwrap();
    fs::write(root.join("agent-bundle.config.ts"), CONFIG).unwrap();
    let (output, text) = run(root, "validate");
    assert!(!output.status.success() && text.contains("error[AB4806]"), "{text}");
    assert!(text.contains("agent-bundle.config.ts:8:32") && text.contains("agent-bundle migrate"), "{text}");
    let (output, text) = run(root, "migrate");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("warning[AB4806]") && text.contains("agent-bundle.config.ts:8:32"), "{text}");
    assert!(text.contains("not carried over: unknown key `evals`"), "{text}");
    let manifest = fs::read_to_string(root.join("agent-bundle.toml")).unwrap();
    assert!(manifest.contains("name = \"demo\"") && !manifest.contains("evals"), "{manifest}");
    let (output, text) = run(root, "validate");
    assert!(output.status.success(), "{text}\n{manifest}");
    let (output, text) = run(root, "migrate");
    assert!(!output.status.success() && text.contains("AB5002"), "{text}");
    assert_eq!(fs::read_to_string(root.join("agent-bundle.toml")).unwrap(), manifest);
}

#[test]
fn a_configuration_that_is_computed_as_a_whole_is_refused_at_its_place() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    for (config, place) in [
        ("export default async () => ({});\n", "agent-bundle.config.ts:1:16"),
        ("export const x = 1;\n", "agent-bundle.config.ts"),
        ("export default {\n", "AB2000"),
    ] {
        fs::write(root.join("agent-bundle.config.ts"), config).unwrap();
        let (output, text) = run(root, "migrate");
        assert!(!output.status.success() && text.contains(place), "{text}");
        assert!(!root.join("agent-bundle.toml").exists());
    }
}

#[test]
fn a_setting_that_is_computed_costs_no_other() {
    let project = tempfile::tempdir().unwrap();
    let root = project.path();
    let config = "export default {\n  plugin: { name: 'demo', metadata: { keywords: undefined, license: 'MIT' } },\n  \
                  mcp: { servers: { good: { command: 'x' }, other: { command: 'y', env: { A: process.env.A, B: 'b' } } } },\n};\n";
    fs::write(root.join("agent-bundle.config.ts"), config).unwrap();
    let (output, text) = run(root, "migrate");
    assert!(output.status.success() && text.matches("warning[AB4806]").count() == 2, "{text}");
    let manifest = fs::read_to_string(root.join("agent-bundle.toml")).unwrap();
    for kept in ["name = \"demo\"", "license = \"MIT\"", "[mcp.servers.good]", "command = \"y\"", "B = \"b\""]
    {
        assert!(manifest.contains(kept), "{kept} is not in {manifest}");
    }
    assert!(!manifest.contains("keywords") && !manifest.contains("A ="), "{manifest}");
}
