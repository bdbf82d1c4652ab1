//! Equal sources give equal bytes, wherever and however they are built.

use crate::support::{Project, STORE, Tree, repository};

/// A project with something of everything, at a place of that name.
fn everything(name: &str) -> Project {
    Project::plain_in(name)
        .copy_from(&repository("tests/cases/documents-on-unable-hosts"))
        .write("assets/a/b.bin", [0, 255])
        .write(
            "src/skills/tea/SKILL.md",
            "---\nname: tea\ndescription: Makes tea.\n---\nSee [water](water.md).\n",
        )
        .write("src/skills/tea/water.md", "Hot.\n")
        .write("src/providers/clock.ts", "export default () => 'noon';\n")
        .write("node_modules/old/package.json", r#"{"name": "old", "version": "1.0.0", "license": "MIT"}"#)
        .write("node_modules/old/index.js", "exports.word = require('path').sep + __filename.length;")
        .tool(
            "say",
            "import { word } from 'old';\nimport fs, * as all from 'node:fs';",
            "word + typeof fs + typeof all",
        )
        .write("src/mcp/second/tools/echo.tsx", std::fs::read(repository(ECHO)).unwrap())
}

const ECHO: &str = "tests/fixtures/plain/src/mcp/main/tools/echo.tsx";

fn build(project: &Project, arguments: &[&str]) -> Tree {
    project.run(["build"].iter().chain(arguments)).succeeded();
    project.artifact()
}

/// Removes the artifact and everything that an earlier build could be remembered by.
fn forget(project: &Project) {
    for path in [project.path("artifact"), project.path(".agent-bundle"), project.beside(STORE)] {
        drop(std::fs::remove_dir_all(&path));
        assert!(!path.exists());
    }
}

#[test]
fn what_is_remembered_gives_the_same_bytes() {
    let project = everything("project");
    let first = build(&project, &[]);
    // From the store alone, then from nothing.
    std::fs::remove_dir_all(project.path("artifact")).unwrap();
    std::fs::remove_dir_all(project.path(".agent-bundle")).unwrap();
    let report = project.built().document();
    let restored =
        report["nodes"].as_array().unwrap().iter().filter(|node| node["outcome"] == "restored").count();
    assert!(restored > 0, "{report:#}");
    project.artifact().same_as(&first);
    forget(&project);
    build(&project, &[]).same_as(&first);
}

#[test]
fn two_folders_and_any_number_of_threads_give_the_same_bytes() {
    let plain = everything("project");
    let odd = everything("a földer with spaces");
    let first = build(&plain, &["--jobs", "1"]);
    for _ in 0..3 {
        for jobs in ["1", "2", "8"] {
            forget(&odd);
            build(&odd, &["--jobs", jobs]).same_as(&first);
        }
    }
}

#[test]
fn the_order_of_targets_does_not_matter() {
    let project = everything("project");
    let hosts = ["claude", "codex", "cursor", "portable"];
    let arguments =
        |hosts: &[&'static str]| -> Vec<&str> { hosts.iter().flat_map(|host| ["--target", host]).collect() };
    let first = build(&project, &arguments(&hosts));
    let mut reversed = hosts;
    reversed.reverse();
    forget(&project);
    build(&project, &arguments(&reversed)).same_as(&first);
}

#[test]
fn the_surroundings_do_not_matter() {
    let project = everything("project");
    let first = build(&project, &[]);
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_agent-bundle"))
        .args(["build", "--root"])
        .arg(project.root())
        .current_dir(std::env::temp_dir())
        .env("AGENT_BUNDLE_CACHE_DIR", project.beside(STORE))
        .envs([
            ("LANG", "tr_TR.UTF-8"),
            ("LC_ALL", "tr_TR.UTF-8"),
            ("TZ", "Asia/Kathmandu"),
            ("NODE_ENV", "test"),
        ])
        .output();
    assert!(run.unwrap().status.success());
    project.artifact().same_as(&first);
}

#[test]
fn no_emitted_file_knows_where_it_was_built() {
    let project = everything("a földer with spaces");
    let tree = build(&project, &[]);
    let base = project.root().parent().unwrap().file_name().unwrap().to_string_lossy().into_owned();
    for trace in [project.root().to_string_lossy().as_ref(), &base, "a földer with spaces", "file:///"] {
        let mut holding = tree.holding(trace);
        // The runtime speaks of addresses in general.
        holding.retain(|path| trace != "file:///" || !path.contains("runtime-"));
        assert_eq!(holding, Vec::<&str>::new(), "{trace}");
    }
    // Nor does anything that the editor reads.
    assert_eq!(Tree::of(&project.path(".agent-bundle")).holding(&base), Vec::<&str>::new());
}

#[test]
fn command_lines_survive_a_root_with_spaces() {
    let project = everything("a földer with spaces");
    build(&project, &[]);
    // Each document starts `node` with one argument a word; nothing is left to a shell to split.
    let tree = project.artifact();
    let index = tree.json("agent-bundle.manifest.json");
    for row in index["projections"].as_array().unwrap() {
        let Some(path) = row["documents"]["mcp"].as_str() else { continue };
        for (name, server) in tree.json(path)["mcpServers"].as_object().unwrap() {
            assert_eq!(server["command"], "node", "{path} {name}");
            assert!(server["args"].is_array(), "{path} {name}");
        }
    }
    assert_eq!(
        project
            .run([
                "mcp",
                "invoke",
                "--artifact",
                "artifact",
                "--server",
                "second",
                "--tool",
                "echo",
                "--input",
                r#"{"text":"ü"}"#
            ])
            .succeeded()
            .document()["structuredContent"]["text"],
        "ü"
    );
}
