//! The emitted server on its own: moved away, without sources, started with `node` and nothing else.

use crate::support::{Project, Server, Tree};
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Builds, moves the artifact, deletes the sources. Gives the new home of the artifact and the server's entry.
fn moved(project: &Project) -> (PathBuf, PathBuf) {
    project.built();
    let home = project.beside("some where else é");
    fs::rename(project.path("artifact"), &home).unwrap();
    fs::remove_dir_all(project.root()).unwrap();
    let entry = home.join(Tree::of(&home).only("mcp/mcp-main-"));
    (home, entry)
}

fn start(entry: &Path) -> Server {
    Server::start(entry, entry.parent().unwrap()).initialize("tests")
}

#[test]
fn it_works_where_it_was_moved_to() {
    let project = Project::plain();
    let (home, entry) = moved(&project);
    let mut server = start(&entry);
    assert_eq!(server.tools(), ["echo", "talk"]);
    let result = server.call("echo", json!({"text": "tea"}));
    assert_eq!(result["structuredContent"], json!({"text": "tea"}));
    assert_eq!(result["content"][0]["text"], "tea");
    // The tool's own commands read it there, too.
    let here = home.to_string_lossy();
    let at = home.parent().unwrap();
    let listed = crate::support::agent_bundle(at, ["mcp", "list", "--json", "--artifact", &here]).succeeded();
    let tools = listed.document()["servers"]["main"]["tools"].as_array().unwrap().clone();
    assert!(tools.iter().all(|tool| tool["inputSchema"].is_object() && tool["outputSchema"].is_object()));
    crate::support::agent_bundle(at, ["validate", "--artifact", &here]).succeeded();
}

#[test]
fn it_works_in_a_root_that_cannot_be_written() {
    let project = Project::plain();
    let (home, entry) = moved(&project);
    let before = Tree::of(&home);
    let mut server = start(&entry);
    assert_eq!(server.call("echo", json!({"text": "x"}))["structuredContent"]["text"], "x");
    server.close();
    // Whoever runs this may be allowed to write anywhere; what counts is that nothing was.
    Tree::of(&home).same_as(&before);
}

#[test]
fn standard_output_carries_the_protocol_alone() {
    let project = Project::plain();
    let (_, entry) = moved(&project);
    let mut server = start(&entry);
    let result = server.call("talk", json!({}));
    assert_eq!(result["structuredContent"], json!({"said": 4}));
    // `Server` has refused every line that is no message; what the route said is on standard error.
    let (_, _, said) = server.close();
    for line in ["while it is loaded", "console.log", "console.info", "console.error", "process.stdout"] {
        assert!(said.contains(line), "{line} is lost: {said}");
    }
}

#[test]
fn it_ends_within_a_second_of_its_input() {
    let project = Project::plain();
    let (_, entry) = moved(&project);
    let mut server = start(&entry);
    server.tools();
    let (took, code, _) = server.close();
    assert!(took < Duration::from_secs(1), "{took:?}");
    assert_eq!(code, Some(0));
    let (took, code, _) = Server::start(&entry, entry.parent().unwrap()).close();
    assert!(took < Duration::from_secs(2), "before the handshake, node's own start counts: {took:?}");
    assert_eq!(code, Some(0));
}

#[test]
fn it_ends_although_a_route_keeps_a_timer() {
    let project = Project::plain().tool("wait", "setInterval(() => {}, 1000);", "'waiting'");
    let (_, entry) = moved(&project);
    let mut server = start(&entry);
    assert_eq!(server.call("wait", json!({}))["structuredContent"]["text"], "waiting");
    let (took, _, _) = server.close();
    assert!(took < Duration::from_secs(1), "{took:?}");
}

#[test]
fn input_that_does_not_fit_is_an_error_the_model_can_read() {
    let project = Project::plain();
    let (_, entry) = moved(&project);
    let mut server = start(&entry);
    let result = server.call("echo", json!({"text": 5}));
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("expected a string"), "{result:#}");
}

#[test]
fn an_excluded_client_does_not_see_the_tool() {
    let project = Project::plain().edit(
        "src/mcp/main/tools/talk.tsx",
        "description:",
        "excludeClients: ['odd'], description:",
    );
    let (_, entry) = moved(&project);
    let tools = |client: &str| Server::start(&entry, entry.parent().unwrap()).initialize(client).tools();
    assert_eq!(tools("Odd-Client"), ["echo"]);
    assert_eq!(tools("another"), ["echo", "talk"]);
}

#[test]
fn a_route_that_throws_while_it_is_loaded_is_named() {
    let project = Project::plain().tool("bad", "throw new Error('no such luck');", "''");
    project.built();
    let run = project.run(["mcp", "list", "--artifact", "artifact"]).exited(1);
    assert!(run.stderr.contains("no such luck"), "{}", run.stderr);
}
