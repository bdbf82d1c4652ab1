//! What can be asked of a build afterwards: explanations, the graph, dependency lists, traces, the store.

use crate::support::{Project, STORE};
use serde_json::Value;
use std::fs;

fn project() -> Project {
    Project::plain().write("src/lib/shared.ts", "export const word = 'one';\n").tool(
        "say",
        "import { word } from '../../../lib/shared.js';",
        "word",
    )
}

#[test]
fn without_a_build_there_is_nothing_to_explain() {
    let run = project().run(["explain", "--json"]).exited(1);
    assert_eq!(run.document()["diagnostics"][0]["code"], "AB5005");
}

#[test]
fn a_build_tells_what_ran_and_why() {
    let project = project();
    project.built();
    let project = project.edit("src/lib/shared.ts", "one", "two");
    project.built();
    let told = project.run(["explain", "--json"]).succeeded().document();
    let reasons: Vec<(&str, &str)> = told["executed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["id"].as_str().unwrap(), node["reason"].as_str().unwrap()))
        .collect();
    assert_eq!(reasons[0], ("surface:mcp:main", "src/lib/shared.ts changed"));
    assert!(reasons[1].1.starts_with("input surface:mcp:main changed: "), "{reasons:?}");
    assert_eq!(told["stale"], Value::Null);
    let text = project.run(["explain"]).succeeded().stdout;
    assert!(text.contains("surface:mcp:main") && text.contains("a build now would run nothing"), "{text}");
}

#[test]
fn a_node_tells_the_first_difference_with_both_values() {
    let project = project();
    project.built();
    let manifest = fs::read_to_string(project.path("package.json")).unwrap();
    let version = serde_json::from_str::<Value>(&manifest).unwrap()["version"].as_str().unwrap().to_owned();
    let project = project.edit("package.json", &version, "9.8.7");
    project.built();
    let told = project.run(["explain", "projection:claude", "--json"]).succeeded().document();
    let reason = told["reason"].as_str().unwrap();
    assert!(reason.contains(&version) && reason.contains("9.8.7"), "{reason}");
    assert!(told["dependants"].as_array().unwrap().contains(&"composite".into()));
}

#[test]
fn a_path_tells_who_reads_it_and_whether_it_changed() {
    let project = project();
    project.built();
    let told = |path: &str| project.run(["explain", path, "--json"]).succeeded().document();
    let readers = |told: &Value| -> Vec<String> {
        told["readers"].as_array().unwrap().iter().map(|row| row[0].as_str().unwrap().to_owned()).collect()
    };
    let shared = told("src/lib/shared.ts");
    assert!(readers(&shared).contains(&"surface:mcp:main".to_owned()), "{shared:#}");
    assert_eq!(shared["unchanged"], true);
    // A place where a file was looked for and not found matters as much.
    let absent = told("src/mcp/main/tools/tsconfig.json");
    assert!(absent["readers"][0][1].as_str().unwrap().contains("looked in vain for"), "{absent:#}");
    assert_eq!(readers(&told("agent-bundle.toml")).len(), 2, "the index and discovery");
    project.put("src/lib/shared.ts", b"export const word = 'two';\n");
    assert_eq!(told("src/lib/shared.ts")["unchanged"], false);
    let node = project.run(["explain", "surface:mcp:main", "--json"]).succeeded().document();
    assert_eq!(node["stale"], "src/lib/shared.ts changed");
    let run = project.run(["explain", "surface:mcp:mian"]).exited(1);
    assert!(run.stderr.contains("did you mean `surface:mcp:main`?"), "{}", run.stderr);
}

#[test]
fn the_graph_has_five_forms() {
    let project = project();
    project.built();
    let graph = |format: &str| project.run(["graph", "--format", format]).succeeded().stdout;
    let document: Value = serde_json::from_str(&graph("json")).unwrap();
    let index =
        document["nodes"].as_array().unwrap().iter().find(|node| node["id"] == "index").unwrap().clone();
    assert_eq!(index["inputs"], serde_json::json!(["composite"]));
    assert!(graph("text").contains("surface:mcp:main (executed, "));
    assert!(graph("dot").contains("\"surface:mcp:main\" -> \"composite\";"));
    assert!(graph("mermaid").starts_with("flowchart LR\n"));
    let page = graph("html");
    assert!(page.contains("surface:mcp:main") && !page.contains("<link") && !page.contains("src=\""));
}

#[test]
fn dependency_lists_name_what_was_read() {
    let project = project();
    let list = |format: &str| {
        project.run(["build", "--depfile", "deps", "--depfile-format", format]).succeeded();
        fs::read_to_string(project.path("deps")).unwrap()
    };
    let make = list("make");
    assert!(make.starts_with("artifact/agent-bundle.manifest.json: \\\n"), "{make}");
    assert!(make.contains(" \\\n  src/lib/shared.ts"), "{make}");
    let nul = list("nul");
    assert!(nul.split('\0').any(|path| path == "agent-bundle.toml"), "{nul:?}");
    let json: Value = serde_json::from_str(&list("json")).unwrap();
    let has = |key: &str, path: &str| json[key].as_array().unwrap().contains(&path.into());
    assert!(has("inputs", "package.json") && has("outputs", "artifact/INSTALL.md"), "{json:#}");
    assert!(has("absent", "src/mcp/main/tools/tsconfig.json") && !has("inputs", "node_modules"), "{json:#}");
}

#[test]
fn a_trace_holds_every_node_in_its_lane() {
    let project = project();
    project.run(["build", "--trace", "trace.json"]).succeeded();
    let trace: Value =
        serde_json::from_str(&fs::read_to_string(project.path("trace.json")).unwrap()).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let surface = events.iter().find(|event| event["name"] == "surface:mcp:main").unwrap();
    assert_eq!((surface["ph"].as_str(), surface["args"]["outcome"].as_str()), (Some("X"), Some("executed")));
    assert!(surface["dur"].as_f64().unwrap() > 0.0);
}

#[test]
fn the_store_is_looked_after() {
    let project = project();
    project.built();
    let cache = |arguments: &[&str]| {
        project.run(["cache"].iter().chain(arguments).chain(&["--json"])).succeeded().document()
    };
    let stats = cache(&["stats"]);
    let blobs = stats["blobs"].as_u64().unwrap();
    assert!(blobs > 5 && stats["directory"].as_str().unwrap().contains(STORE), "{stats:#}");
    assert_eq!(cache(&["verify"])["removed"], 0);
    let first = fs::read_dir(project.beside(STORE).join("v1/cas")).unwrap().next().unwrap().unwrap().path();
    let blob = fs::read_dir(first).unwrap().next().unwrap().unwrap().path();
    fs::write(blob, "damaged").unwrap();
    assert_eq!(cache(&["verify"])["removed"], 1);
    assert_eq!(cache(&["prune", "--to", "0"])["kept"], 0);
    project.run(["build", "--cache-dir", "elsewhere"]).succeeded();
    assert_eq!(cache(&["clear"])["removed"], 0);
    let other = project.run(["cache", "stats", "--cache-dir", "elsewhere", "--json"]).succeeded().document();
    assert_eq!(other["blobs"], 0, "an unchanged build writes nothing to any store");
}
