//! The commands beside `build`.

use crate::support::{Project, Tree, repository};
use serde_json::json;
use std::fs;

/// Lays a stand-in for the package that a new project names into its `node_modules`, as an installation would.
fn install(project: Project, directory: &str) -> Project {
    let schema = r#"
const wrap = (json) => ({ describe: () => wrap(json), "~standard": { version: 1, vendor: "stand-in",
  validate: (value) => ({ value }), jsonSchema: { input: () => json, output: () => json } } });
const entries = (fields) => Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field["~standard"].jsonSchema.input()]));
export const z = {
  string: () => wrap({ type: "string" }),
  object: (fields) => wrap({ type: "object", properties: entries(fields), required: Object.keys(fields) }),
};
"#;
    project.write(&format!("{directory}/node_modules/zod/index.mjs"), schema).write(
        &format!("{directory}/node_modules/zod/package.json"),
        r#"{"name": "zod", "version": "4.2.0", "exports": "./index.mjs"}"#,
    )
}

#[test]
fn a_new_project_builds_and_its_server_answers() {
    let project = Project::empty_in("home");
    let run = project.run(["init", "My Plugin"]).succeeded();
    assert!(run.stdout.contains("agent-bundle build --root"), "{}", run.stdout);
    assert!(project.path("My Plugin/agent-bundle.toml").is_file());
    let project = install(project, "My Plugin");
    project.run(["build", "--root", "My Plugin", "--install"]).succeeded();
    let artifact = Tree::of(&project.path("My Plugin/artifact"));
    assert_eq!(artifact.json(".claude-plugin/plugin.json")["name"], "my-plugin");
    let input = r#"{"name":"tea"}"#;
    let arguments = ["mcp", "invoke", "--root", "My Plugin", "--tool", "greet", "--input", input];
    let result = project.run(arguments).succeeded().document();
    assert_eq!(result["structuredContent"]["greeting"], "Hello, tea!");
}

#[test]
fn init_overwrites_nothing() {
    let project = Project::empty_in("home").write("x/package.json", "mine");
    let before = Tree::of(project.root());
    let run = project.run(["init", "--json", "x"]).exited(1);
    assert_eq!(run.codes(), ["AB5002"]);
    Tree::of(project.root()).same_as(&before);
}

#[test]
fn an_installation_that_fails_is_said() {
    let project = Project::plain().write("package-lock.json", "{ not json");
    let run = project.run(["build", "--json", "--install"]).exited(1);
    assert_eq!(run.codes(), ["AB5003"]);
    assert!(run.finding("AB5003").message().contains("npm ci"), "{}", run.stdout);
    assert!(run.stderr.contains("node_modules is missing: running npm ci"), "{}", run.stderr);
}

#[test]
fn packages_that_are_not_installed_are_named_with_the_way_out() {
    let manifest = r#"{"name": "plain", "version": "1.0.0", "dependencies": {"far": "1"}}"#;
    let project =
        Project::plain().write("package.json", manifest).tool("far", "import { far } from 'far';", "far");
    let run = project.build().exited(1);
    assert_eq!(run.codes(), ["AB2009"]);
    let finding = run.finding("AB2009");
    assert!(finding.help().contains("--install"), "{finding:#?}");
    assert_eq!(finding.quoted(project.root()), "'far'");
}

#[test]
fn validate_finds_what_a_build_would_and_writes_no_artifact() {
    let project = Project::plain();
    assert_eq!(project.run(["validate"]).succeeded().stdout, "plain is valid\n");
    let project =
        project.write("src/mcp/main/tools/bad.tsx", "export default (").write("src/skills/x/SKILL.md", "");
    let validated = project.run(["validate", "--json"]).exited(1);
    assert_eq!(validated.codes(), project.build().codes());
    assert!(!project.path("artifact").exists());
}

#[test]
fn inspect_shows_servers_bundles_and_documents() {
    let project = Project::plain()
        .write("src/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nPour.\n")
        .write("src/providers/word-list.ts", "export default () => [];\n");
    let inspect =
        |focus: &str| project.run(["inspect", "--json", focus]).succeeded().document()["inspection"].clone();
    let routes = inspect("--routes");
    assert_eq!(routes["servers"][0]["routes"][0]["id"], "tool:main/echo", "{routes:#}");
    assert_eq!(routes["servers"][0]["routes"][0]["config"]["annotations"]["readOnlyHint"], true);
    assert_eq!(routes["providers"][0]["name"], "wordList");
    let bundler = inspect("--bundler");
    assert!(bundler["surfaces"][0]["id"].as_str().unwrap().starts_with("mcp/mcp-main-"), "{bundler:#}");
    let skills = inspect("--skills");
    assert_eq!(skills["skills"][0]["name"], "tea", "{skills:#}");
    let plans =
        project.run(["inspect", "--json", "--target", "codex"]).succeeded().document()["inspection"].clone();
    assert_eq!(plans["hosts"].as_object().unwrap().keys().collect::<Vec<_>>(), ["codex"]);
    assert!(!project.path("artifact").exists());
}

#[test]
fn inspect_shows_every_other_surface() {
    let project = Project::plain()
        .write(
            "src/cli/notes/tidy.ts",
            "export const inputSchema = 1, resultSchema = 1;\n\
             export const config = { description: 'Tidies.', aliases: ['clean'], inputJsonSchema: { type: 'object', \
             additionalProperties: false, properties: { olderThan: { type: 'number' } }, required: ['olderThan'] } };\n\
             export default () => null;\n",
        )
        .write("src/mcp/main/tools/echo.cli.ts", "export const config = { command: ['say'], confirm: false };\n")
        .write("src/events/stop.ts", "import { events } from 'agent-bundle/routes';\nexport default events.stop({}, () => {});\n")
        .write("src/scripts/sweep.ts", "console.log('swept');\n");
    let routes = project.run(["inspect", "--json", "--routes"]).succeeded().document()["inspection"].clone();
    let command = |at: usize, key: &str| routes["commands"][at][key].clone();
    assert_eq!(command(0, "path"), json!(["notes", "tidy"]), "{routes:#}");
    assert_eq!(command(0, "aliases"), json!(["clean"]));
    assert_eq!(
        command(0, "options"),
        json!([{"key": "olderThan", "name": "older-than", "kind": "number", "required": true}])
    );
    assert_eq!(command(1, "path"), json!(["say"]));
    assert_eq!(command(1, "id"), "tool:main/echo");
    assert_eq!(routes["events"][0]["id"], "event:stop");
    assert_eq!(routes["scripts"][0]["id"], "script:sweep");
    let contract = &routes["contracts"][0];
    assert_eq!(contract["id"], "contract:src/cli/notes/tidy.ts#inputJsonSchema");
    assert_eq!(contract["origin"], json!({"module": "src/cli/notes/tidy.ts", "binding": "inputJsonSchema"}));
    assert_eq!(contract["routes"], json!(["cli:notes/tidy"]));
    assert_eq!(contract["input"]["required"], json!(["olderThan"]));
    let plain = Project::plain().run(["inspect", "--json", "--routes"]).succeeded();
    assert!(plain.document()["inspection"].get("contracts").is_none());
}

#[test]
fn types_are_written_once_and_fit_the_routes() {
    let project = Project::plain().write("src/providers/word-list.ts", "export default () => ['a'];\n");
    project.run(["types"]).succeeded();
    let routes = fs::read_to_string(project.path(".agent-bundle/routes.d.ts")).unwrap();
    assert!(routes.contains("\"tool:main/echo\"") && routes.contains("\"wordList\""), "{routes}");
    assert!(routes.contains("import(\"../src/mcp/main/tools/echo.js\")"), "{routes}");
    let at = project.path(".agent-bundle/routes.d.ts");
    let before = fs::metadata(&at).unwrap().modified().unwrap();
    project.run(["types"]).succeeded();
    assert_eq!(fs::metadata(&at).unwrap().modified().unwrap(), before, "an equal file is not touched");
    // What cannot be read keeps the last good declarations.
    let project = project.write("src/mcp/main/tools/bad.tsx", "export default (");
    project.run(["types"]).exited(1);
    assert_eq!(fs::read_to_string(&at).unwrap(), routes);
}

#[test]
fn schemas_are_schemas_and_the_manifest_schema_knows_the_example() {
    let project = Project::empty_in("home");
    for name in ["manifest", "index", "evidence"] {
        let schema = project.run(["schema", name]).succeeded().document();
        jsonschema::meta::validate(&schema).unwrap();
    }
    let schema = project.run(["schema"]).succeeded().document();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for path in ["examples/field-notes/agent-bundle.toml", "tests/fixtures/plain/agent-bundle.toml"] {
        let text = fs::read_to_string(repository(path)).unwrap();
        let value: serde_json::Value = toml_edit::de::from_str(&text).unwrap();
        assert!(validator.is_valid(&value), "{path}");
        let mut odd = value;
        odd["tragets"] = serde_json::json!([]);
        assert!(!validator.is_valid(&odd), "{path}");
    }
}

#[test]
fn completions_for_every_shell() {
    let project = Project::empty_in("home");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let run = project.run(["completions", shell]).succeeded();
        assert!(run.stdout.contains("validate") && run.stdout.contains("install"), "{shell}");
    }
}

#[test]
fn mcp_commands_build_into_a_temporary_directory() {
    let project = Project::plain();
    let run = project.run(["mcp", "list", "--json"]).succeeded();
    assert_eq!(run.document()["servers"]["main"]["tools"][0]["name"], "echo");
    assert!(!project.path("artifact").exists());
    fs::write(project.path("input.json"), r#"{"text": "from a file"}"#).unwrap();
    let run = project.run(["mcp", "invoke", "--tool", "echo", "--input-file", "input.json"]).succeeded();
    assert_eq!(run.document()["structuredContent"]["text"], "from a file");
}
