//! What scripts rely on: exit codes, one document on standard output, quiet pipes.

use crate::support::{Project, Run};
use serde_json::Value;

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_build_reports_these_keys() {
    let project = Project::plain();
    let run = project.built();
    let report = run.document();
    assert_eq!(keys(&report), ["plugin", "output", "targets", "nodes", "files", "diagnostics", "ms"]);
    assert_eq!(report["plugin"], "plain");
    assert_eq!(report["output"], "artifact");
    assert_eq!(report["targets"], serde_json::json!(["claude", "codex", "cursor", "portable"]));
    let files: Vec<&str> =
        report["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    assert_eq!(files, project.artifact().paths());
    let nodes = report["nodes"].as_array().unwrap();
    for node in nodes {
        assert!(node["id"].is_string() && node["kind"].is_string() && node["ms"].is_number(), "{node:#}");
        assert!(
            ["executed", "restored", "unchanged"].contains(&node["outcome"].as_str().unwrap()),
            "{node:#}"
        );
    }
    let ids: Vec<&str> = nodes.iter().map(|node| node["id"].as_str().unwrap()).collect();
    for id in [
        "route:tool:main/echo",
        "surface:mcp:main",
        "projection:claude",
        "projection:codex",
        "projection:cursor",
        "projection:portable",
        "composite",
        "index",
    ] {
        assert!(ids.contains(&id), "{id} in {ids:?}");
    }
}

#[test]
fn a_failed_build_reports_the_same_keys() {
    let project = Project::plain().write("src/mcp/main/tools/bad.tsx", "export default (");
    let run = project.build().exited(1);
    assert_eq!(keys(&run.document()), ["plugin", "output", "targets", "nodes", "files", "diagnostics", "ms"]);
    let finding = &run.errors()[0].0;
    assert_eq!(keys(&finding["span"]), ["path", "start", "end"]);
    assert_eq!(finding["severity"], "error");
    let run = Project::empty_in("nothing").build().exited(1);
    assert_eq!(keys(&run.document()), ["plugin", "output", "targets", "nodes", "files", "diagnostics", "ms"]);
}

/// Every command that reports, on a good project and on one without a manifest.
#[test]
fn json_is_one_document_for_every_command() {
    let project = Project::plain();
    project.built();
    let empty = Project::empty_in("empty");
    let commands: [&[&str]; 12] = [
        &["build", "--json"],
        &["validate", "--json"],
        &["validate", "--json", "--artifact", "artifact"],
        &["inspect", "--json"],
        &["inspect", "--json", "--routes"],
        &["inspect", "--json", "--bundler"],
        &["inspect", "--json", "--skills"],
        &["types", "--json"],
        &["mcp", "list", "--json"],
        &["mcp", "list", "--json", "--artifact", "artifact"],
        &["mcp", "invoke", "--json", "--tool", "echo", "--input", "{\"text\":\"x\"}"],
        &["init", "--json", "fresh"],
    ];
    for command in commands {
        let run = project.run(command).succeeded();
        assert!(run.document().is_object(), "{command:?}");
        assert_eq!(run.stderr, "", "{command:?} is quiet when all is well");
    }
    for command in &commands[..11] {
        let run = empty.run(*command).exited(1);
        assert!(!run.errors().is_empty(), "{command:?}");
        assert!(run.stderr.contains("error["), "{command:?} says it to people, too");
    }
}

#[test]
fn exit_codes() {
    let project = Project::plain();
    for success in
        [vec!["--help"], vec!["--version"], vec!["build", "--help"], vec!["build"], vec!["validate"]]
    {
        project.run(&success).exited(0);
    }
    for wrong in [
        vec![],
        vec!["bild"],
        vec!["build", "--no-such"],
        vec!["build", "--jobs", "0"],
        vec!["build", "--jobs", "many"],
        vec!["inspect", "--routes", "--skills"],
        vec!["mcp"],
        vec!["mcp", "invoke", "--tool", "echo"],
        vec!["mcp", "invoke", "--tool", "echo", "--input", "{}", "--input-file", "x"],
        vec!["mcp", "invoke", "--input", "{}"],
        vec!["completions", "cobol"],
    ] {
        let run = project.run(&wrong).exited(2);
        assert_eq!(run.stdout, "", "{wrong:?}");
        assert!(!run.stderr.is_empty(), "{wrong:?}");
    }
    for failure in [
        vec!["mcp", "invoke", "--tool", "echo", "--input", "[]"],
        vec!["mcp", "invoke", "--tool", "echo", "--input", "{"],
        vec!["mcp", "invoke", "--tool", "no-such", "--input", "{}"],
        vec!["mcp", "invoke", "--tool", "echo", "--input-file", "no-such.json"],
        vec!["mcp", "invoke", "--server", "other", "--tool", "echo", "--input", "{}"],
        vec!["validate", "--artifact", "no-such"],
    ] {
        let run = project.run(&failure).exited(1);
        assert!(!run.stderr.is_empty() || !run.stdout.is_empty(), "{failure:?}");
    }
}

/// No escape sequences, no spinner, no carriage return.
#[track_caller]
fn plain(run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text:?}");
    }
}

#[test]
fn pipes_are_quiet() {
    let project = Project::plain();
    let run = project.run(["build"]).succeeded();
    plain(&run);
    assert_eq!(run.stderr, "");
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    plain(&project.run(["inspect"]).succeeded());
    let project = project.write("src/mcp/main/tools/bad.tsx", "export default (");
    let run = project.run(["build"]).exited(1);
    plain(&run);
    assert_eq!(run.stdout, "");
    assert!(project.run(["build", "--color", "always"]).exited(1).stderr.contains('\u{1b}'));
}

#[test]
fn warnings_come_before_the_success_line_and_stop_nothing() {
    let project = Project::plain().edit("agent-bundle.toml", "[plugin]\n", "[plugin]\nversion = \"2.0.0\"\n");
    let run = project.run(["build"]).succeeded();
    assert!(run.stderr.contains("warning[AB4008]") && run.stdout.starts_with("Built plain"), "{run:#?}");
}

#[test]
fn quiet_keeps_warnings_and_drops_remarks() {
    let project = Project::plain().write("src/rules/style.mdc", "---\ndescription: Style\n---\nBrief.\n");
    assert!(project.run(["build"]).succeeded().stderr.contains("info["));
    assert!(!project.run(["build", "--quiet"]).succeeded().stderr.contains("info["));
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let project = Project::plain();
    let script =
        format!("'{}' inspect --bundler | head -c 1 > /dev/null", env!("CARGO_BIN_EXE_agent-bundle"));
    let output =
        std::process::Command::new("sh").args(["-c", &script]).current_dir(project.root()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_tool_that_fails_is_exit_code_one_with_its_result() {
    let project = Project::plain().tool("fail", "", "(() => { throw new Error('no tea left'); })()");
    project.built();
    let run =
        project.run(["mcp", "invoke", "--artifact", "artifact", "--tool", "fail", "--input", "{}"]).exited(1);
    assert_eq!(run.document()["isError"], true);
    assert!(run.stdout.contains("no tea left"), "{}", run.stdout);
}
