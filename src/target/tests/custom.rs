//! Hosts that a project defines: no Rust is needed for them.

use super::*;
use crate::world::{MemoryWorld, Root};

const DEFINITION: &str = r#"
title = "Made-Up Host"
hidden-by = ["portable"]

[observed]
version = "0.1"
date = "2026-11"
evidence = ["docs"]

[shows]
commands = "names"

[components]
skills = { state = "yes" }
commands = { state = "yes", directory = "commands", keys = { description = "about" } }
compiled-servers = { state = "yes" }
command-servers = { state = "yes" }

[[documents]]
id = "plugin"
path = ".made-up/plugin.json"
template = "plugin.json"
schema = "plugin"
when = "always"
fields = ["color"]

[[documents]]
id = "mcp"
path = ".made-up/servers.json"
template = "servers.json"
when = "servers"

[mcp]
entry = { prefix = "%ROOT%/", anchor = "%ROOT%" }
stdio-type = "local"
fields = { args = "text" }
tokens = { "agent-bundle:path:plugin-root" = "%ROOT%" }
"#;

const PLUGIN: &str = r#"{"id": {{ plugin.name }}, "commands": {{ names.commands }}, "mcp": {{ pointers.mcp if pointers.mcp is defined else none }}}"#;

fn world() -> MemoryWorld {
    MemoryWorld::new([
        ("/p/hosts/made-up/target.toml", DEFINITION.as_bytes()),
        ("/p/hosts/made-up/plugin.json.jinja", PLUGIN.as_bytes()),
        ("/p/hosts/made-up/servers.json.jinja", b"{{ servers }}"),
        (
            "/p/hosts/made-up/plugin.schema.json",
            br#"{"required": ["id"], "properties": {"color": {"type": "string"}}}"#,
        ),
        ("/p/hosts/made-up/README.md", b"not read"),
    ])
}

fn load(world: &MemoryWorld, name: &str, folder: &str) -> (Registry, Vec<Diagnostic>) {
    let definitions = map(&[(name, folder)]);
    Registry::builtin().with_definitions(world, &Root::new("/p"), &definitions)
}

fn made_up() -> Registry {
    let (registry, found) = load(&world(), "made-up", "hosts/made-up");
    assert_eq!(found, []);
    registry
}

#[test]
fn a_host_from_a_folder_projects_like_any_other() {
    let registry = made_up();
    let mut model = full(&["made-up"]);
    model.servers[0].args = strings(&[&format!("{PLUGIN_ROOT}/data")]);
    model.hosts.insert("made-up".to_owned(), object(json!({"color": "red"})));
    let projection = project_all(&registry, &model).remove("made-up").unwrap();
    assert_eq!(codes(&projection.diagnostics), Vec::<String>::new());
    let manifest = json!({
        "id": "field-notes", "commands": ["capture"], "color": "red", "mcp": "./.made-up/servers.json",
    });
    assert_eq!(json_file(&projection, ".made-up/plugin.json"), manifest);
    let servers = json_file(&projection, ".made-up/servers.json");
    let entry = model.servers[0].entry_path();
    assert_eq!(servers["notes"]["args"], json!([format!("%ROOT%/{entry}"), "%ROOT%/data"]));
    assert_eq!(servers["local"], json!({"type": "local", "command": "notes-server"}));
    // The remote server is not taken, and that is said.
    assert_eq!(projection.servers, ["local", "notes"]);
    let found = check_selection(&registry, &model);
    assert!(found.iter().any(|one| one.message.contains("`shared`")), "{found:#?}");
    let surface = install_surface(&registry, &model, &project_all(&registry, &model));
    assert!(String::from_utf8_lossy(&surface["INSTALL.md"]).contains("## Made-Up Host"));
}

#[test]
fn the_portable_projection_moves_where_it_would_hide_commands() {
    let registry = made_up();
    let mut model = full(&["made-up", "portable"]);
    let all = project_all(&registry, &model);
    assert_eq!(all["portable"].root, "portable");
    assert!(all["portable"].files.keys().all(|path| path.starts_with("portable/")));
    assert_eq!(all["made-up"].root, "");

    // With nothing to hide, it lies at the root.
    model.commands.clear();
    model.servers.truncate(1);
    assert_eq!(project_all(&registry, &model)["portable"].root, "");
}

#[test]
fn commands_take_the_spelling_of_the_host() {
    let registry = made_up();
    let hosts = [registry.get("made-up").unwrap()];
    let source = b"---\ndescription: Note it\n---\nBody";
    let command = Document { body: 29, ..document("commands", "c", json!({"description": "Note it"})) };
    let bytes = lower_document(&hosts, DocumentKind::Command, &command, source);
    assert_eq!(String::from_utf8(bytes).unwrap(), "---\nabout: Note it\n---\nBody");
}

#[test]
fn fingerprints_follow_every_file_that_counts() {
    let print = |world: &MemoryWorld| {
        let (registry, found) = load(world, "made-up", "hosts/made-up");
        assert_eq!(found, []);
        registry.get("made-up").unwrap().fingerprint()
    };
    let before = print(&world());
    let mut changed = world();
    changed.write("/p/hosts/made-up/README.md", "other");
    assert_eq!(print(&changed), before);
    for (file, text) in [
        ("target.toml", format!("{DEFINITION}\n")),
        ("plugin.json.jinja", format!("{PLUGIN} ")),
        ("plugin.schema.json", "{}".to_owned()),
    ] {
        let mut changed = world();
        changed.write(format!("/p/hosts/made-up/{file}"), text);
        assert_ne!(print(&changed), before, "{file}");
    }
}

#[test]
fn broken_definitions_are_refused() {
    let refused = |change: &dyn Fn(&mut MemoryWorld), name: &str, folder: &str| {
        let mut world = world();
        change(&mut world);
        let (registry, found) = load(&world, name, folder);
        assert_eq!(codes(&found), ["AB1004"]);
        assert!(registry.names().eq(ALL));
        found[0].message.clone()
    };
    let write = |file: &'static str, text: String| {
        move |world: &mut MemoryWorld| world.write(format!("/p/hosts/made-up/{file}"), text.clone())
    };
    let good = "hosts/made-up";
    let same = |_: &mut MemoryWorld| {};
    for (message, expected) in [
        (refused(&same, "claude", good), "built-in"),
        (refused(&same, "Made Up", good), "lower-case"),
        (refused(&same, "made-up", "../hosts"), "outside"),
        (refused(&same, "made-up", "nowhere"), "cannot be read"),
        (refused(&same, "made-up", "hosts"), "`target.toml` is missing"),
        (refused(&write("target.toml", "title = 1".to_owned()), "made-up", good), "title"),
        (refused(&write("target.toml", format!("colour = 1\n{DEFINITION}")), "made-up", good), "colour"),
        (
            refused(
                &write("target.toml", DEFINITION.replace("servers.json\"\nwhen", "x\"\nwhen")),
                "made-up",
                good,
            ),
            "template `x.jinja` is missing",
        ),
        (
            refused(
                &write("target.toml", DEFINITION.replace(".made-up/plugin", "../plugin")),
                "made-up",
                good,
            ),
            "does not stay",
        ),
        (
            refused(
                &write("target.toml", DEFINITION.replace("schema = \"plugin\"", "schema = \"x\"")),
                "made-up",
                good,
            ),
            "schema `x.schema.json` is missing",
        ),
        (refused(&write("plugin.json.jinja", "{% if %}".to_owned()), "made-up", good), "line 1"),
        (refused(&write("plugin.schema.json", "{".to_owned()), "made-up", good), "schema `plugin`"),
        (refused(&write("install.md.jinja", "{{ a.b.c }}".to_owned()), "made-up", good), "install.md"),
        (
            refused(&write("target.toml", DEFINITION.replace("entry = ", "# entry = ")), "made-up", good),
            "needs `mcp.entry`",
        ),
    ] {
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn a_template_that_gives_no_json_is_reported() {
    let mut world = world();
    world.write("/p/hosts/made-up/servers.json.jinja", "{{ servers }} and more");
    let (registry, _) = load(&world, "made-up", "hosts/made-up");
    let projection = project_all(&registry, &plain(&["made-up"])).remove("made-up").unwrap();
    assert_eq!(codes(&projection.diagnostics), ["AB1004"]);
    assert!(!projection.documents.contains_key("mcp"));
}
