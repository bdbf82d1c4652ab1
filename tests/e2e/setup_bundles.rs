//! Setup bundles as members of a root manifest.

use crate::support::{Project, Run, STORE, Tree};
use serde_json::{Value, json};

const DOCUMENT: &str = "setups/research.bundle.yaml";
const ARTIFACT: &str = "setups/research.bundle/artifact";

const TEXT: &str = r##"schema_version: "0.1.0"
name: research
display_name: Research
description: Search and sum up.
setup:
  - { key: token, label: Search token, type: secret, required: true, help: From your account page }
  - { key: region, label: Region, type: select, options: [eu, us], default: eu }
mcps:
  - key: search
    name: Search
    json_spec: { type: command, command: uvx, args: ["search-server==2.1.0"], environment: { LOG: info } }
    bindings: { SEARCH_TOKEN: "${setup.token}" }
  - key: remote
    name: Remote
    json_spec: { type: url, endpoint_url: "https://example.org/mcp" }
    bindings: { Authorization: "Bearer ${setup.token}", X-Region: "${setup.region}" }
  - key: wide
    name: Wide
    json_spec: { type: docker, image: "example/wide:1" }
    bindings: { WIDE_URL: "https://${setup.region}.example.org" }
  - key: open
    name: Open
    json_spec: { type: command, command: uvx, args: ["open-server==1.0.0", "$${setup.region}"] }
skills:
  - key: note_taking
    name: Note taking
    content: "# Notes\n\nKeep one file a topic."
  - { key: cite, name: Citing, source_type: github, source_url: "https://github.com/someone/skills/tree/main/cite" }
agents:
  - { key: reader, name: Reader, model: small-1, mcps: [search], skills: [note_taking, cite] }
policies:
  - { key: budget, subject: reader, target: spend, effect: cap, params: { amount_usd: 5 } }
"##;

fn root(targets: &str) -> Project {
    let manifest = format!("[projects]\nmembers = [\"setups/*\"]\nbundle-targets = [{targets}]\n");
    Project::empty_in("root").write("agent-bundle.toml", manifest).write(DOCUMENT, TEXT)
}

fn everywhere() -> Project {
    root("\"amp\", \"claude\", \"codex\", \"cursor\", \"portable\"")
}

fn artifact(project: &Project) -> Tree {
    Tree::of(&project.path(ARTIFACT))
}

fn outcomes(run: &Run) -> Vec<String> {
    let document = run.document();
    let nodes = document["projects"][0]["nodes"].as_array().unwrap();
    nodes.iter().map(|node| node["outcome"].as_str().unwrap().to_owned()).collect()
}

fn messages(run: &Run, code: &str) -> Vec<String> {
    let document = run.document();
    let found = document["projects"][0]["diagnostics"].as_array().unwrap();
    let of_code = found.iter().filter(|one| one["code"] == code);
    of_code.map(|one| one["message"].as_str().unwrap().to_owned()).collect()
}

fn servers(tree: &Tree, path: &str) -> Value {
    tree.json(path)["mcpServers"].clone()
}

#[test]
fn each_host_asks_for_values_in_its_own_way() {
    let project = everywhere();
    project.built();
    let tree = artifact(&project);
    let plugin = tree.json(".claude-plugin/plugin.json");
    assert_eq!(plugin["displayName"], "Research");
    assert_eq!(
        plugin["userConfig"]["token"],
        json!({"title": "Search token", "description": "From your account page", "type": "string",
               "required": true, "sensitive": true})
    );
    assert_eq!(plugin["userConfig"]["region"]["options"], json!(["eu", "us"]));
    let claude = servers(&tree, ".mcp.json");
    assert_eq!(claude["search"]["env"], json!({"LOG": "info", "SEARCH_TOKEN": "${user_config.token}"}));
    assert_eq!(claude["wide"]["args"], json!(["run", "--rm", "-i", "-e", "WIDE_URL", "example/wide:1"]));
    let cursor = servers(&tree, ".cursor-plugin/mcp.json");
    assert_eq!(cursor["remote"]["headers"]["Authorization"], "Bearer ${env:RESEARCH_TOKEN}");
    assert_eq!(cursor["search"]["env"]["SEARCH_TOKEN"], "${env:SEARCH_TOKEN}");
    let codex = servers(&tree, ".codex-plugin/mcp.json");
    assert_eq!(codex["search"]["env_vars"], json!(["SEARCH_TOKEN"]));
    assert_eq!(codex["search"]["env"], json!({"LOG": "info"}));
    assert_eq!(codex["remote"]["bearer_token_env_var"], "RESEARCH_TOKEN");
    assert_eq!(codex["remote"]["env_http_headers"], json!({"X-Region": "RESEARCH_REGION"}));
    let portable = servers(&tree, "portable/mcp.json");
    assert_eq!(portable.as_object().unwrap().keys().collect::<Vec<_>>(), ["open"]);
    assert_eq!(portable["open"]["args"][1], "${setup.region}", "an escaped reference is text");
    assert!(tree.text("INSTALL.md").contains("- `RESEARCH_REGION`: Region (optional); usually `eu`\n"));
    assert!(tree.text("skills/note-taking/SKILL.md").starts_with("---\nname: note-taking\n"));
}

#[test]
fn what_cannot_travel_is_told() {
    let project = everywhere();
    let run = project.run(["build", "--json"]).succeeded();
    let behind = messages(&run, "AB4115");
    for part in ["skill `cite`", "`agents` stay behind (`reader`)", "`policies` stay behind (`budget`)"] {
        assert!(behind.iter().any(|message| message.starts_with(part)), "{part}: {behind:?}");
    }
    let unreached = messages(&run, "AB4110");
    let told = |part: &str| unreached.iter().any(|message| message.starts_with(part));
    assert!(told("Server `search` does not reach `amp` and `portable`: it needs values"), "{unreached:?}");
    assert!(told("Server `wide` does not reach `codex`: `WIDE_URL` in `env`"), "{unreached:?}");
}

#[test]
fn a_build_again_gives_the_same_bytes_and_does_nothing() {
    let project = everywhere();
    project.built();
    let first = artifact(&project);
    let again = project.run(["build", "--json"]).succeeded();
    assert!(outcomes(&again).iter().all(|outcome| outcome == "unchanged"), "{:?}", outcomes(&again));
    assert_eq!(messages(&again, "AB4115").len(), 3, "what was said is said again");
    project.run(["build", "--check"]).succeeded();
    std::fs::remove_dir_all(project.path("setups/research.bundle")).unwrap();
    std::fs::remove_dir_all(project.beside(STORE)).unwrap();
    project.built();
    artifact(&project).same_as(&first);
    let elsewhere = everywhere();
    elsewhere.built();
    artifact(&elsewhere).same_as(&first);
}

#[test]
fn an_edit_reaches_the_hosts_that_show_it() {
    let project = everywhere();
    project.built();
    let first = artifact(&project);
    let project = project.edit(DOCUMENT, "Keep one file a topic.", "Keep two.");
    let run = project.run(["build", "--json"]).succeeded();
    assert!(outcomes(&run).iter().any(|outcome| outcome == "unchanged"), "{:?}", outcomes(&run));
    let second = artifact(&project);
    assert!(second.text("skills/note-taking/SKILL.md").contains("Keep two."));
    assert_eq!(first.text(".mcp.json"), second.text(".mcp.json"));
    let version = |tree: &Tree| tree.json(".claude-plugin/plugin.json")["version"].clone();
    assert_ne!(version(&first), version(&second), "hosts know an update by its version");
    project.run(["build", "--check"]).succeeded();
    let project = project.edit(DOCUMENT, "Keep two.", "Keep three.");
    project.run(["build", "--check"]).exited(1);
}

#[test]
fn a_secret_is_nowhere() {
    let canary = "ghp_0123456789abcdefABCDEFGH";
    let project = root("\"claude\"").edit(DOCUMENT, "help: From", &format!("default: {canary}, help: From"));
    let run = project.run(["build", "--json"]).exited(1);
    assert!(!project.path(ARTIFACT).exists());
    assert!(!run.stdout.contains(canary) && !run.stderr.contains(canary));
    assert_eq!(run.document()["projects"][0]["diagnostics"][0]["code"], "AB1008");
    let project =
        root("\"claude\"").edit(DOCUMENT, "name: research", "name: research\npassword: ghp_hunter2");
    let run = project.run(["build"]).exited(1);
    assert!(run.stderr.contains("(line 3)") && !run.stderr.contains("hunter2"), "{}", run.stderr);
    let project = root("\"claude\"").edit(DOCUMENT, "LOG: info", &format!("LOG: {canary}"));
    let run = project.run(["build", "--json"]).exited(1);
    assert!(messages(&run, "AB1008")[0].contains("looks like a token"), "{}", run.stdout);
    assert!(!project.path(ARTIFACT).exists());
}

#[test]
fn places_are_those_of_the_document() {
    let project = root("\"claude\"").edit(
        DOCUMENT,
        "${setup.token}\" }\n  - key: remote",
        "${setup.tokn}\" }\n  - key: remote",
    );
    let run = project.run(["build"]).exited(1);
    assert!(run.stderr.contains("setups/research.bundle.yaml:12:17"), "{}", run.stderr);
    let run = project.run(["validate"]).exited(1);
    assert!(run.stderr.contains("setups/research.bundle.yaml:12:17"), "{}", run.stderr);
    let unknown = root("\"claud\"").run(["build", "--json"]).exited(1);
    assert_eq!(unknown.document()["projects"][0]["diagnostics"][0]["code"], "AB4100");
    let name = root("\"claude\"").edit(DOCUMENT, "name: research", "name: Re search");
    let run = name.run(["build"]).exited(1);
    assert!(run.stderr.contains("error[AB4803]") && run.stderr.contains("yaml:2:1"), "{}", run.stderr);
}

#[test]
fn a_document_is_built_by_itself_too() {
    let project = Project::empty_in("alone").write(
        "one.bundle.json",
        "{\"name\": \"one\", \"skills\": [{\"key\": \"a\", \"name\": \"A\", \"content\": \"Text.\"}]}",
    );
    let run = project.run(["build", "--root", "one.bundle.json", "--target", "claude", "--json"]).succeeded();
    assert_eq!(run.document()["plugin"], "one");
    assert!(project.path("one.bundle/artifact/skills/a/SKILL.md").exists());
    let run = project.run(["explain", "--root", "one.bundle.json"]).succeeded();
    assert!(!run.stdout.is_empty());
    let list = project.run([
        "build",
        "--root",
        "one.bundle.json",
        "--target",
        "claude",
        "--depfile",
        "deps",
        "--depfile-format",
        "nul",
    ]);
    list.succeeded();
    let inputs = std::fs::read_to_string(project.path("deps")).unwrap();
    assert!(inputs.contains("one.bundle.json") && !inputs.contains("SKILL.md"), "{inputs}");
}

#[test]
fn a_pattern_finds_documents_and_a_path_must_be_there() {
    let project =
        root("\"claude\"").write("setups/notes.txt", "no member").write("setups/.hidden.bundle.yaml/x", "");
    let document = project.run(["build", "--json", "--project", "research"]).succeeded().document();
    assert_eq!(document["projects"].as_array().unwrap().len(), 1);
    let missing = project.edit("agent-bundle.toml", "setups/*", "setups/other.bundle.yaml");
    assert_eq!(missing.run(["build", "--json"]).exited(1).document()["diagnostics"][0]["code"], "AB1005");
}

#[test]
fn a_server_that_a_host_does_not_get_is_pointed_at() {
    let project = everywhere();
    let run = project.run(["build"]).succeeded();
    assert!(run.stderr.contains("info[AB4110]: Server `search` does not reach"), "{}", run.stderr);
    assert!(run.stderr.contains("--> setups/research.bundle.yaml:9:5"), "{}", run.stderr);
}
