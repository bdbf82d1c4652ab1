//! Which hosts get what, and hosts that a project brings along.

use crate::support::Project;

const DEFINITION: &str = r#"
title = "Tea House"

[observed]
version = "0.1"
date = "2026-11"
evidence = ["docs"]

[components]
skills = { state = "yes" }
compiled-servers = { state = "yes" }

[[documents]]
id = "plugin"
path = ".tea/plugin.json"
template = "plugin.json"
schema = "plugin"
when = "always"
fields = ["leaf"]

[[documents]]
id = "mcp"
path = ".tea/servers.json"
template = "servers.json"
when = "servers"

[mcp]
entry = { prefix = "%HOUSE%/", anchor = "%HOUSE%" }
fields = { args = "text" }
tokens = { "agent-bundle:path:plugin-root" = "%HOUSE%" }
"#;

/// The plain project with a host that lies in a folder of its own.
pub(crate) fn tea_house() -> Project {
    Project::plain()
        .write("hosts/tea/target.toml", DEFINITION)
        .write("hosts/tea/plugin.json.jinja", "{\"id\": {{ plugin.name }}, \"mcp\": {{ pointers.mcp }}}")
        .write("hosts/tea/servers.json.jinja", "{\"mcpServers\": {{ servers }}}")
        .write(
            "hosts/tea/plugin.schema.json",
            r#"{"required": ["id"], "properties": {"leaf": {"type": "string"}}}"#,
        )
        .edit("agent-bundle.toml", "\"claude\", ", "\"tea\", \"claude\", ")
        .edit("agent-bundle.toml", "[plugin]", "[target-definitions]\ntea = \"hosts/tea\"\n\n[plugin]")
}

#[test]
fn a_host_from_a_folder_needs_no_other_program() {
    let project = tea_house();
    project.built();
    let tree = project.artifact();
    assert_eq!(tree.json(".tea/plugin.json")["id"], "plain");
    let entry = tree.only("mcp/mcp-main-");
    assert_eq!(tree.json(".tea/servers.json")["mcpServers"]["main"]["args"][0], format!("%HOUSE%/{entry}"));
    assert!(tree.text("INSTALL.md").contains("Tea House"));
    let rows = tree.json("agent-bundle.manifest.json")["projections"].as_array().unwrap().clone();
    let row = rows.iter().find(|row| row["host"] == "tea").unwrap();
    assert!(row.get("builtInHost").is_none(), "it is no built-in host: {row:#}");
    project.run(["validate", "--artifact", "artifact"]).succeeded();
}

#[test]
fn a_broken_definition_is_named() {
    let project = tea_house().write("hosts/tea/plugin.json.jinja", "{% if %}");
    let run = project.build();
    assert!(run.codes().contains(&"AB1004".to_owned()), "{}", run.stdout);
    assert!(run.finding("AB1004").message().contains("plugin.json"), "{}", run.stdout);
}

#[test]
fn a_document_of_that_host_is_checked_against_its_schema() {
    let project = tea_house().write("hosts/tea/plugin.json.jinja", "{\"leaf\": 5}");
    let run = project.build();
    assert_eq!((run.code, run.codes()), (1, vec!["tea.schema.plugin".to_owned()]), "{}", run.stdout);
}

#[test]
fn one_target_gets_its_own_documents_alone() {
    let project = Project::plain();
    let markers = [
        ("claude", ".claude-plugin/plugin.json"),
        ("codex", ".codex-plugin/plugin.json"),
        ("cursor", ".cursor-plugin/plugin.json"),
        ("portable", "plugin.json"),
    ];
    for (host, marker) in markers {
        let run = project.run(["build", "--json", "--target", host]).succeeded();
        assert_eq!(run.document()["targets"], serde_json::json!([host]));
        let tree = project.artifact();
        for (other, path) in markers {
            assert_eq!(tree.has(path), other == host, "{path} for {host}");
        }
        assert!(tree.has(marker));
    }
}

#[test]
fn an_unknown_target_on_the_command_line_is_refused() {
    let project = Project::plain();
    let run = project.run(["build", "--json", "--target", "claud"]);
    assert_eq!((run.code, run.codes()), (1, vec!["AB4100".to_owned()]));
    assert!(run.finding("AB4100").help().contains("`claude`"), "{}", run.stdout);
}

#[test]
fn without_a_selection_the_portable_format_is_built() {
    let project = Project::plain().edit(
        "agent-bundle.toml",
        "targets = [\"claude\", \"codex\", \"cursor\", \"portable\"]\n",
        "",
    );
    assert_eq!(project.built().document()["targets"], serde_json::json!(["portable"]));
}

#[test]
fn what_a_host_does_not_get_is_said() {
    let project = Project::plain()
        .edit("agent-bundle.toml", "\"claude\", ", "\"amp\", \"claude\", ")
        .write("src/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nPour.\n")
        .write("src/rules/style.mdc", "---\ndescription: Style\n---\nBrief.\n");
    let run = project.build();
    let said: Vec<String> = run.findings().iter().map(|finding| finding.message().to_owned()).collect();
    assert!(said.iter().any(|text| text.contains("rule `style`") && text.contains("`amp`")), "{said:#?}");
    assert!(
        said.iter().any(|text| text.contains("`main`") && text.to_lowercase().contains("amp")),
        "{said:#?}"
    );
}

#[test]
fn the_install_surface_names_every_host() {
    let project = Project::plain();
    project.built();
    let text = project.artifact().text("INSTALL.md");
    for title in ["Claude Code", "Codex", "Cursor", "Agent Plugins"] {
        assert!(text.contains(title), "{title}: {text}");
    }
    assert!(project.artifact().has("install.mjs"));
    project.run(["build", "--target", "claude"]).succeeded();
    assert!(!project.artifact().has("install.mjs"), "Claude Code needs no script");
}

#[test]
fn two_hosts_that_differ_about_one_path_are_refused() {
    let second = |project: Project, plugin: &str| {
        project
            .write("hosts/inn/target.toml", DEFINITION.replace("Tea House", "Inn"))
            .write("hosts/inn/plugin.json.jinja", plugin)
            .write("hosts/inn/servers.json.jinja", "{\"mcpServers\": {{ servers }}}")
            .write("hosts/inn/plugin.schema.json", "{}")
            .edit("agent-bundle.toml", "\"tea\", ", "\"tea\", \"inn\", ")
            .edit("agent-bundle.toml", "tea = ", "inn = \"hosts/inn\"\ntea = ")
    };
    let run = second(tea_house(), "{\"id\": \"other\"}").build();
    assert_eq!((run.code, run.codes()), (1, vec!["AB4103".to_owned()]), "{}", run.stdout);
    let message = run.finding("AB4103").message().to_owned();
    for part in ["inn", "tea", ".tea/plugin.json"] {
        assert!(message.contains(part), "{message}");
    }
    // The same bytes are one file.
    let project = second(tea_house(), "{\"id\": {{ plugin.name }}, \"mcp\": {{ pointers.mcp }}}");
    project.built();
    assert!(project.artifact().has(".tea/plugin.json"));
}
