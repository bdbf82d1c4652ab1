//! From the settings of `agent-bundle.config.ts` to the text of a manifest.

use super::edit::edit;
use super::parse;
use crate::diagnostic::{Code, Fix};
use crate::model::JsonObject;
use serde_json::{Map, Value, json};

/// A manifest, and the settings that have no place in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The manifest's text.
    pub text: String,
    /// Dotted paths of what was left out, each with the reason.
    pub left_out: Vec<String>,
}

/// Writes `config` as a manifest. What the manifest does not know is left out and named.
pub fn migrate(config: &JsonObject) -> Migrated {
    let mut left_out = Vec::new();
    let mut value = Value::Object(config.clone());
    respell(&mut value);
    without_null(&mut value, "", &mut left_out);
    let mut text = match toml_edit::ser::to_string_pretty(&value) {
        Ok(text) => text,
        Err(error) => {
            return Migrated { text: String::new(), left_out: vec![format!("everything: {error}")] };
        }
    };
    // Unknown keys go one after the other; each round removes at least one.
    while let Err(found) = parse(&text) {
        let unknown: Vec<_> = found.iter().filter(|one| one.code == Code::AB1002).collect();
        let fixes: Vec<Fix> =
            unknown.iter().filter_map(|one| one.span.as_ref()).map(Fix::remove_member).collect();
        let fixes: Vec<&Fix> = fixes.iter().collect();
        let shorter = edit(&text, &fixes);
        if shorter == text {
            break;
        }
        left_out.extend(unknown.iter().map(|one| one.message.clone()));
        text = shorter;
    }
    left_out.sort();
    left_out.dedup();
    Migrated { text, left_out }
}

/// Settings that are written in another way.
fn respell(value: &mut Value) {
    let Some(config) = value.as_object_mut() else { return };
    for key in ["skills", "assets", "targets"] {
        if let Some(one) = config.get_mut(key).filter(|one| one.is_string()) {
            *one = json!([one.clone()]);
        }
    }
    if let Some(metadata) = config.get_mut("plugin").and_then(|plugin| plugin.get_mut("metadata")) {
        // `null` withholds a field there, `false` does here.
        for field in metadata.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if field.is_null() {
                *field = Value::Bool(false);
            }
        }
    }
    if let Some(output) = config.get_mut("output").and_then(Value::as_object_mut) {
        rename(output, "distPath", "path");
    }
    if let Some(routes) = config.get_mut("routes").and_then(Value::as_object_mut) {
        rename(routes, "mcpCommands", "mcp-commands");
        if routes.get("mcp-commands") == Some(&Value::Bool(true)) {
            routes.insert("mcp-commands".to_owned(), json!({}));
        }
    }
    let servers = value.pointer_mut("/mcp/servers").and_then(Value::as_object_mut);
    for server in servers.into_iter().flat_map(Map::values_mut) {
        let apps = server.get_mut("apps").and_then(Value::as_object_mut);
        for app in apps.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
            rename(app, "resourceUri", "resource-uri");
        }
    }
}

fn rename(members: &mut JsonObject, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}

/// TOML has no null: a setting without a value is no setting.
fn without_null(value: &mut Value, place: &str, left_out: &mut Vec<String>) {
    match value {
        Value::Object(members) => members.retain(|key, value| {
            let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
            if value.is_null() {
                left_out.push(format!("`{place}` is `null`"));
                return false;
            }
            without_null(value, &place, left_out);
            true
        }),
        Value::Array(items) => items.retain(|item| {
            if item.is_null() {
                left_out.push(format!("an item of `{place}` is `null`"));
            }
            !item.is_null()
        }),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_place_is_carried_and_the_rest_is_named() {
        let config = json!({
            "plugin": {"name": "demo", "metadata": {"license": null}, "extra": 1},
            "targets": ["claude"], "skills": "src/skills/*",
            "mcp": {"servers": {"notes": {
                "entry": "src/server.ts",
                "apps": {"board": {"entry": "a.tsx", "resourceUri": "ui://notes/board"}},
            }}},
            "routes": {"mcpCommands": true}, "output": {"distPath": "out"},
            "hooks": {"stop": "x.ts"}, "bin": false, "claude": {"x": {"y": null}},
        });
        let Migrated { text, left_out } = migrate(config.as_object().unwrap());
        let manifest = parse(&text).unwrap_or_else(|found| panic!("{found:?}\n{text}")).data;
        assert_eq!(manifest.plugin.name, "demo");
        assert_eq!(manifest.plugin.metadata.license, Some(Value::Bool(false)));
        assert_eq!(manifest.skills.as_deref(), Some(&["src/skills/*".to_owned()][..]));
        assert_eq!(manifest.mcp.servers["notes"].apps["board"].resource_uri, "ui://notes/board");
        assert!(manifest.routes.mcp_commands.is_some());
        assert_eq!(manifest.output.path.as_deref(), Some("out"));
        let expected = [
            "`claude.x.y` is `null`",
            "unknown key `bin`",
            "unknown key `hooks`",
            "unknown key `plugin.extra`",
        ];
        assert_eq!(left_out, expected);
    }
}
