//! Tests over whole projections.

mod components;
mod custom;
mod install;
mod projections;
mod selection;

use super::*;
use crate::diagnostic::Diagnostic;
use crate::model::{Author, Document, Identity, JsonObject, Launch, Metadata, Model, Module, ModuleKind};
use crate::model::{Server, Skill};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// All built-in hosts.
const ALL: [&str; 5] = ["amp", "claude", "codex", "cursor", "portable"];

fn object(value: Value) -> JsonObject {
    value.as_object().cloned().unwrap()
}

fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}

fn map(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
}

fn tool(server: &str, name: &str) -> Module {
    Module {
        id: format!("tool:{server}/{name}"),
        kind: ModuleKind::Tool,
        name: name.to_owned(),
        source: format!("src/mcp/{server}/tools/{name}.tsx"),
        config: object(json!({"description": "Finds notes"})),
    }
}

fn server(name: &str, launch: Launch) -> Server {
    Server {
        name: name.to_owned(),
        launch,
        args: Vec::new(),
        env: BTreeMap::new(),
        targets: Vec::new(),
        explicit_targets: false,
    }
}

fn generated(name: &str) -> Server {
    server(name, Launch::Generated { routes: vec![tool(name, "search")], layout: None })
}

fn remote(name: &str) -> Server {
    let headers = map(&[("Authorization", "Bearer none")]);
    server(name, Launch::Remote { url: "https://notes.example/mcp".to_owned(), headers })
}

fn command(name: &str, program: &str) -> Server {
    server(name, Launch::Command { command: program.to_owned(), cwd: None })
}

fn skill(name: &str) -> Skill {
    Skill {
        name: name.to_owned(),
        directory: format!("src/skills/{name}"),
        frontmatter: object(json!({"name": name, "description": "Keep notes."})),
        host_frontmatter: BTreeMap::new(),
        tokens: Vec::new(),
        files: strings(&["SKILL.md"]),
    }
}

fn document(folder: &str, name: &str, frontmatter: Value) -> Document {
    Document {
        name: name.to_owned(),
        source: format!("src/{folder}/{name}.md"),
        frontmatter: object(frontmatter),
        targets: None,
        body: 0,
    }
}

/// A plugin with one generated server and one skill, for these hosts.
fn plain(targets: &[&str]) -> Model {
    let mut model = Model {
        plugin: Identity {
            name: "field-notes".to_owned(),
            version: "1.2.3".to_owned(),
            description: Some("Search “notes” & \"read\" them \\ in Zürich’s `folder`.".to_owned()),
            logo: Some("assets/logo.png".to_owned()),
            metadata: Metadata {
                author: Some(Author {
                    name: Some("Zoë \"Z\" Müller".to_owned()),
                    email: Some("zoe@example.org".to_owned()),
                    url: Some("https://example.org".to_owned()),
                }),
                homepage: Some("https://example.org/notes".to_owned()),
                keywords: Some(strings(&["notes", "search"])),
                license: Some("MIT".to_owned()),
                repository: Some("https://example.org/notes.git".to_owned()),
            },
            package_name: Some("field-notes".to_owned()),
            package_version: Some("1.2.3".to_owned()),
        },
        targets: strings(targets),
        settings: Vec::new(),
        servers: vec![generated("notes")],
        root_layout: None,
        providers: Vec::new(),
        skills: vec![skill("field-notes")],
        commands: Vec::new(),
        rules: Vec::new(),
        surfaces: Default::default(),
        declared: Default::default(),
        assets: strings(&["assets/logo.png"]),
        hosts: BTreeMap::new(),
        marketplace: false,
    };
    select(&mut model, targets);
    model
}

/// The plugin with everything that some host shows.
fn full(targets: &[&str]) -> Model {
    let mut model = plain(targets);
    model.servers[0].args = strings(&["--data", "a b"]);
    model.servers[0].env = map(&[("NOTES_DIR", "notes"), ("A", "1")]);
    model.servers.push(remote("shared"));
    model.servers.push(command("local", "notes-server"));
    model.commands = vec![document("commands", "capture", json!({"description": "Note it"}))];
    model.rules = vec![document("rules", "style", json!({"description": "How", "globs": "notes/**"}))];
    model.marketplace = true;
    select(&mut model, targets);
    model
}

/// Selects hosts; servers go to all of them.
fn select(model: &mut Model, targets: &[&str]) {
    model.targets = strings(targets);
    for server in &mut model.servers {
        server.targets = strings(targets);
    }
}

fn project_all(registry: &Registry, model: &Model) -> BTreeMap<String, Projection> {
    let slices = slices(registry, model);
    slices.iter().map(|(host, slice)| (host.clone(), project(registry.get(host).unwrap(), slice))).collect()
}

fn projected(model: &Model, host: &str) -> Projection {
    project_all(&Registry::builtin(), model).remove(host).unwrap()
}

fn json_file(projection: &Projection, path: &str) -> Value {
    let bytes = projection.files.get(path).unwrap_or_else(|| panic!("{:?}", projection.files.keys()));
    serde_json::from_slice(bytes).unwrap()
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<String> {
    let mut codes: Vec<String> = diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect();
    codes.sort();
    codes
}

/// All files of a projection as one text.
fn shown(projection: &Projection) -> String {
    let mut text = format!(
        "root: {:?}\nservers: {:?}\nmarketplace: {:?}\ndocuments: {:?}\n",
        projection.root, projection.servers, projection.marketplace, projection.documents
    );
    for mount in &projection.mounts {
        text.push_str(&format!("mount: {} -> {}\n", mount.from, mount.to));
    }
    for (path, bytes) in &projection.files {
        text.push_str(&format!("\n--- {path}\n{}", String::from_utf8_lossy(bytes)));
    }
    text
}
