//! One host's files, from its slice.

use super::definition::DocumentRule;
use super::slice::{Slice, is_written, root};
use super::{Target, lower, settings, template, tokens};
use crate::diagnostic::{Code, Diagnostic, nearest};
use crate::manifest::MANIFEST_FILE;
use crate::model::{JsonObject, pretty_json};
use crate::world::is_safe_relative;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Copies of shared files: everything below `from` lies below `to` too. A planned file at the same place wins.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Mount {
    /// Folder of the artifact, with a final `/`.
    pub from: String,
    /// Folder of the artifact, with a final `/`.
    pub to: String,
}

/// What one host adds to the artifact.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Projection {
    /// Bytes by path in the artifact.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Shared folders that the host needs below its own root.
    pub mounts: Vec<Mount>,
    /// Paths of the host's documents by id: `plugin`, `marketplace`, `mcp`, `entry`, …
    pub documents: BTreeMap<String, String>,
    /// The folder of the artifact from which the host installs; empty for the artifact itself.
    pub root: String,
    /// The marketplace's name, where there is a document of one.
    pub marketplace: Option<String>,
    /// Servers that the host starts.
    pub servers: Vec<String>,
    /// Variables that the user must set, with the key of the value that each holds.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: BTreeMap<String, String>,
    /// What the host's rules refuse.
    pub diagnostics: Vec<Diagnostic>,
}

/// The files of one host. Equal slices and equal targets give equal bytes.
pub fn project(target: &Target, slice: &Slice) -> Projection {
    let mut projection = Projection { root: root(&target.definition, slice), ..Projection::default() };
    if !projection.root.is_empty() && !is_safe_relative(&projection.root) {
        // The name of the plugin is refused by `check_selection`; no path is made of it.
        return projection;
    }
    let written: Vec<(&DocumentRule, String)> = target
        .definition
        .documents
        .iter()
        .filter(|rule| is_written(&rule.when, slice) || slice.shields.contains(&rule.id))
        .map(|rule| (rule, document_path(rule, slice)))
        .collect();
    let lower::Lowered { servers, variables, mut diagnostics } = lower::servers(target, slice);
    let table = table(target, slice, &mut diagnostics);
    let has_marketplace = written.iter().any(|(rule, _)| rule.id == "marketplace");
    projection.marketplace = target
        .definition
        .marketplace
        .as_ref()
        .filter(|_| has_marketplace)
        .map(|name| name.replace("{plugin}", &slice.name));
    let pointers: BTreeMap<&str, String> = written
        .iter()
        .filter(|(rule, _)| !rule.found)
        .map(|(rule, path)| (rule.id.as_str(), format!("./{path}")))
        .collect();
    let context = json!({
        "plugin": with_absent(&slice.plugin),
        "servers": servers,
        "settings": settings::questions(&slice.settings),
        "present": slice.present,
        "names": slice.names,
        "table": table,
        "pointers": pointers,
        "marketplace": projection.marketplace,
    });
    for (rule, path) in written {
        let place = below(&projection.root, &path);
        match render(target, rule, &context, &table) {
            Ok(bytes) => {
                diagnostics.extend(breach(target, rule, &place, &bytes));
                projection.documents.insert(rule.id.clone(), place.clone());
                projection.files.insert(place, bytes);
            }
            Err(problem) => diagnostics.push(
                Diagnostic::new(Code::AB1004, format!("target `{}`: {problem}", target.name()))
                    .target(target.name())
                    .generated(place),
            ),
        }
    }
    let copies = match &target.definition.relocation {
        Some(place) if slice.relocated => &place.copies,
        _ => &target.definition.copies,
    };
    let mount = |from: &String| Mount { from: from.clone(), to: below(&projection.root, from) };
    projection.mounts = copies.iter().map(mount).collect();
    projection.servers = servers.keys().cloned().collect();
    projection.servers.sort();
    projection.variables = variables;
    projection.diagnostics = diagnostics;
    projection
}

fn below(root: &str, path: &str) -> String {
    if root.is_empty() { path.to_owned() } else { format!("{root}/{path}") }
}

fn document_path(rule: &DocumentRule, slice: &Slice) -> String {
    let skill = slice.names.get("skills").and_then(|skills| skills.first()).map_or("", String::as_str);
    rule.path.replace("{plugin}", &slice.name).replace("{skill}", skill)
}

/// The identity with `null` for what is absent, so that templates may name every field.
fn with_absent(plugin: &JsonObject) -> Value {
    let fields =
        ["name", "version", "description", "logo", "author", "homepage", "keywords", "license", "repository"];
    let mut value: JsonObject = fields
        .into_iter()
        .map(|field| (field.to_owned(), plugin.get(field).cloned().unwrap_or(Value::Null)))
        .collect();
    let author = plugin.get("author").cloned().unwrap_or_else(|| json!({}));
    let part = |key: &str| author.get(key).cloned().unwrap_or(Value::Null);
    value.insert(
        "author".to_owned(),
        json!({"name": part("name"), "email": part("email"), "url": part("url")}),
    );
    Value::Object(value)
}

fn render(
    target: &Target,
    rule: &DocumentRule,
    context: &Value,
    table: &JsonObject,
) -> Result<Vec<u8>, String> {
    let source = target.templates.get(&rule.template).map_or("", String::as_str);
    let text = template::render(&rule.template, source, context)?;
    if !rule.path.ends_with(".json") {
        return Ok(text.into_bytes());
    }
    let mut value: Value = serde_json::from_str(&text)
        .map_err(|error| format!("template `{}.jinja` gives no JSON: {error}", rule.template))?;
    drop_null(&mut value);
    for field in &rule.fields {
        if let (Some(over), Some(object)) = (table.get(field), value.as_object_mut()) {
            overlay(object.entry(field.clone()).or_insert(Value::Null), over);
        }
    }
    Ok(pretty_json(&value))
}

fn drop_null(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(drop_null);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_null),
        _ => {}
    }
}

/// Lays `over` on `value`: objects are joined, everything else is replaced.
fn overlay(value: &mut Value, over: &Value) {
    match (value, over) {
        (Value::Object(members), Value::Object(over)) => {
            for (key, over) in over {
                overlay(members.entry(key.clone()).or_insert(Value::Null), over);
            }
        }
        (value, over) => *value = over.clone(),
    }
}

fn breach(target: &Target, rule: &DocumentRule, place: &str, bytes: &[u8]) -> Option<Diagnostic> {
    let schema = rule.schema.as_deref()?;
    let value = serde_json::from_slice(bytes).ok()?;
    let problem = target.schemas.breach(schema, &value)?;
    let message = format!("{}'s `{}` document does not fit: {problem}", target.title(), rule.id);
    Some(
        Diagnostic::new(Code::host(target.name(), &format!("schema.{}", rule.id)), message)
            .in_file(MANIFEST_FILE)
            .help("Correct the manifest's value that the message names")
            .target(target.name())
            .generated(place),
    )
}

/// The host's table with its tokens spelled; what no document takes is refused.
fn table(target: &Target, slice: &Slice, diagnostics: &mut Vec<Diagnostic>) -> JsonObject {
    let definition = &target.definition;
    let mut known: Vec<&str> = definition.table.keys.iter().map(String::as_str).collect();
    for rule in &definition.documents {
        known.extend(rule.fields.iter().map(String::as_str));
        if let super::definition::When::Table(key) = &rule.when {
            known.push(key);
        }
    }
    let refuse = |rule: String, message: String| {
        Diagnostic::new(Code::host(target.name(), &rule), message)
            .in_file(MANIFEST_FILE)
            .target(target.name())
    };
    let mut table = JsonObject::new();
    for (key, value) in &slice.table {
        if !known.contains(&key.as_str()) {
            let hint = nearest(key, known.iter().copied());
            let help = hint.map_or("Remove it".to_owned(), |hint| format!("Did you mean `{hint}`?"));
            let message = format!("`[{}]` has no key `{key}`", target.name());
            diagnostics.push(refuse(format!("manifest.{key}.unknown"), message).help(help));
            continue;
        }
        let mut value = value.clone();
        if let Err(token) = spell(&mut value, target) {
            let message = format!("`{}.{key}` cannot hold `{token}`", target.name());
            diagnostics.push(refuse(format!("manifest.{key}.token"), message).help("Remove the token"));
        }
        table.insert(key.clone(), value);
    }
    table
}

fn spell(value: &mut Value, target: &Target) -> Result<(), String> {
    match value {
        Value::String(text) => {
            let none = BTreeMap::new();
            let spelling = if target.definition.table.tokens { &target.definition.mcp.tokens } else { &none };
            let spelled = tokens::spell(text, spelling).map_err(str::to_owned)?;
            *text = spelled;
            Ok(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| spell(item, target)),
        Value::Object(members) => members.values_mut().try_for_each(|member| spell(member, target)),
        _ => Ok(()),
    }
}
