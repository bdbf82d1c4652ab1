//! A built plugin root as a setup bundle, with a list of what cannot travel.

use super::document::to_yaml;
use super::export::screen::{is_credential_name, is_credential_value};
use super::problem::{Problem, ProblemCode};
use crate::artifact::{INDEX_FILE, Index};
use crate::world::World;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// A document, and what it could not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Described {
    /// The document, in YAML.
    pub document: String,
    /// What was left out or changed, and why.
    pub losses: Vec<String>,
}

/// Describes the plugin root at `directory`. Nothing is written.
pub fn describe(world: &dyn World, directory: &Path) -> Result<Described, Problem> {
    let refuse = |detail: String| Problem::new(ProblemCode::BundleInvalid, detail);
    let bytes = world
        .read(&directory.join(INDEX_FILE))
        .map_err(|error| refuse(format!("{} holds no built plugin: {error}", directory.display())))?;
    let index =
        Index::from_bytes(&bytes).map_err(|reason| refuse(format!("{INDEX_FILE} is refused: {reason}")))?;
    let mut bridge = Bridge { world, directory, index: &index, setup: BTreeMap::new(), losses: Vec::new() };
    let mcps = bridge.servers();
    let skills = bridge.skills();
    bridge.others();
    let mut document = Map::new();
    document.insert("schema_version".to_owned(), json!("0.1.0"));
    document.insert("name".to_owned(), json!(index.application.name));
    document
        .insert("description".to_owned(), json!(index.application.description.clone().unwrap_or_default()));
    document.insert("setup".to_owned(), bridge.setup.values().cloned().collect());
    document.insert("mcps".to_owned(), Value::Array(mcps));
    document.insert("skills".to_owned(), Value::Array(skills));
    let mut text = String::new();
    for loss in &bridge.losses {
        text.push_str(&format!("# {loss}\n"));
    }
    text.push_str(&to_yaml(&Value::Object(document)));
    super::document::Document::parse(text.as_bytes()).map_err(Problem::invalid)?;
    Ok(Described { document: text, losses: bridge.losses })
}

struct Bridge<'a> {
    world: &'a dyn World,
    directory: &'a Path,
    index: &'a Index,
    /// Setup fields by key.
    setup: BTreeMap<String, Value>,
    losses: Vec<String>,
}

/// A name as a key.
fn key_of(name: &str) -> String {
    let key: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if key.starts_with(|c: char| c.is_ascii_alphabetic()) { key } else { format!("k_{key}") }
}

impl Bridge<'_> {
    fn json(&self, path: &str) -> Option<Value> {
        let bytes = self.world.read(&self.directory.join(path)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Servers as the first host's document starts them.
    fn servers(&mut self) -> Vec<Value> {
        let documents: Vec<String> =
            self.index.projections.iter().filter_map(|row| row.documents.get("mcp").cloned()).collect();
        let mut servers: BTreeMap<String, Value> = BTreeMap::new();
        for document in documents.iter().filter_map(|path| self.json(path)) {
            let list =
                document.get("mcpServers").or(document.get("servers")).and_then(Value::as_object).cloned();
            for (name, server) in list.unwrap_or_default() {
                servers.entry(name).or_insert(server);
            }
        }
        for row in &self.index.executables.mcp_servers {
            if !servers.contains_key(&row.name) {
                self.losses.push(format!("server {}: no host document says how it starts", row.name));
            }
        }
        servers.into_iter().map(|(name, server)| self.server(&name, &server)).collect()
    }

    fn server(&mut self, name: &str, server: &Value) -> Value {
        let text = |member: &str| server.get(member).and_then(Value::as_str).map(str::to_owned);
        let mut json_spec = Map::new();
        let mut bindings = BTreeMap::new();
        let url = text("url");
        match &url {
            Some(url) => {
                json_spec.insert("type".to_owned(), json!("url"));
                json_spec.insert("endpoint_url".to_owned(), json!(url));
            }
            None => {
                json_spec.insert("type".to_owned(), json!("command"));
                json_spec.insert("command".to_owned(), json!(text("command").unwrap_or_default()));
                json_spec.insert("args".to_owned(), server.get("args").cloned().unwrap_or_else(|| json!([])));
            }
        }
        let (source, target) = if url.is_some() { ("headers", "headers") } else { ("env", "environment") };
        let mut literals = Map::new();
        for (variable, value) in server.get(source).and_then(Value::as_object).cloned().unwrap_or_default() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match self.reference(name, &variable, &value) {
                Some(reference) => drop(bindings.insert(variable, reference)),
                None => drop(literals.insert(variable, json!(value))),
            }
        }
        if !literals.is_empty() {
            json_spec.insert(target.to_owned(), Value::Object(literals));
        }
        if server.to_string().contains("PLUGIN_ROOT") {
            self.losses
                .push(format!("server {name}: it runs files of the plugin, so a workspace leaves it out"));
        }
        json!({"key": key_of(name), "name": name, "json_spec": json_spec, "bindings": bindings})
    }

    /// The reference that stands for a value: for `${VARIABLE}`, and for what looks like a credential.
    fn reference(&mut self, server: &str, variable: &str, value: &str) -> Option<String> {
        let inner = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        let named =
            inner.filter(|inner| !inner.contains("PLUGIN_") && !inner.contains("WORKSPACE")).map(|inner| {
                inner
                    .split([':', '.'])
                    .find(|part| !matches!(*part, "env" | "user_config"))
                    .unwrap_or(inner)
                    .to_owned()
            });
        let secret = is_credential_name(variable, value) || is_credential_value(value);
        if named.is_none() && (!secret || value.is_empty()) {
            return None;
        }
        if named.is_none() {
            self.losses.push(format!("server {server}: {variable} was a literal that looks like a credential; it became a setup field"));
        }
        let key = key_of(named.as_deref().unwrap_or(variable));
        let field = json!({"key": key, "label": key, "type": if secret || named.is_some() { "secret" } else { "string" }, "required": true});
        self.setup.entry(key.clone()).or_insert(field);
        Some(format!("${{setup.{key}}}"))
    }

    /// Skills that are one file are carried; one with further files would lose them.
    fn skills(&mut self) -> Vec<Value> {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in &self.index.files {
            if let Some((name, file)) = row.path.strip_prefix("skills/").and_then(|rest| rest.split_once('/'))
            {
                files.entry(name.to_owned()).or_default().push(file.to_owned());
            }
        }
        let mut skills = Vec::new();
        for (name, files) in files {
            let content = self.world.read(&self.directory.join("skills").join(&name).join("SKILL.md")).ok();
            match (content.and_then(|bytes| String::from_utf8(bytes).ok()), files.as_slice()) {
                (Some(content), [_]) => {
                    skills.push(json!({"key": key_of(&name), "name": name, "content": content}))
                }
                _ => self
                    .losses
                    .push(format!("skill {name}: it has {} files, and a document carries one", files.len())),
            }
        }
        skills
    }

    /// What the format has no place for.
    fn others(&mut self) {
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &self.index.files {
            if let Some((folder, _)) = row.path.split_once('/')
                && matches!(folder, "commands" | "rules" | "hooks" | "agents" | "apps" | "assets")
            {
                *kinds.entry(folder).or_default() += 1;
            }
        }
        let version = format!("version {}: a document has none", self.index.application.version);
        self.losses.push(version);
        for (folder, count) in kinds {
            self.losses.push(format!("{folder}: {count} files have no place in a document"));
        }
    }
}
