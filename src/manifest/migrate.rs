//! From the settings of `agent-bundle.config.ts` to the text of a manifest.

use super::config::manifest_form;
use super::shape::dotted;
use crate::extract::Node;
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A manifest, and the settings that have no place in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The manifest's text.
    pub text: String,
    /// Dotted paths of what was left out, each with the reason.
    pub left_out: Vec<String>,
}

/// Writes `config` as a manifest. What the manifest does not know is left out and named.
pub fn migrate(config: &Node) -> Migrated {
    let mut form = manifest_form(config);
    let unknown = form.unknown.iter().map(|(place, key)| {
        let place = dotted(place);
        let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
        format!("unknown key `{place}`")
    });
    let mut left_out: Vec<String> = unknown.collect();
    without_null(&mut form.value, "", &mut left_out);
    let text = toml_edit::ser::to_string_pretty(&Plain(&form.value)).unwrap_or_else(|error| {
        left_out.push(format!("everything: {error}"));
        String::new()
    });
    left_out.sort();
    Migrated { text, left_out }
}

/// A value whose numbers are numbers to every format; `serde_json` writes them in a form of its own where another crate
/// asks it for exact decimals.
struct Plain<'a>(&'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => match number.as_i64() {
                Some(whole) => serializer.serialize_i64(whole),
                None => serializer.serialize_f64(number.as_f64().unwrap_or_default()),
            },
            Value::Array(items) => serializer.collect_seq(items.iter().map(Plain)),
            Value::Object(members) => {
                serializer.collect_map(members.iter().map(|(key, value)| (key, Plain(value))))
            }
            other => other.serialize(serializer),
        }
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
    use super::super::parse;
    use super::*;
    use crate::extract::config_file;
    use serde_json::json;

    #[test]
    fn what_has_a_place_is_carried_and_the_rest_is_named() {
        let config = "export default {
            plugin: { name: 'demo', metadata: { license: null }, extra: 1 },
            targets: ['claude'], skills: 'src/skills/*',
            mcp: { servers: { notes: {
                entry: 'src/server.ts',
                apps: { board: { entry: 'a.tsx', resourceUri: 'ui://notes/board' } },
            } } },
            routes: { mcpCommands: true }, output: { distPath: 'out' },
            'mcp-commands': {}, claude: { x: { y: null } }, evals: {},
            codex: { numbers: [1, -2.5, 1e21] },
        };";
        let (config, found) = config_file("agent-bundle.config.ts", config.as_bytes());
        assert!(found.is_empty(), "{found:?}");
        let Migrated { text, left_out } = migrate(&config);
        let manifest = parse(&text).unwrap_or_else(|found| panic!("{found:?}\n{text}")).data;
        assert_eq!(manifest.plugin.name, "demo");
        assert_eq!(manifest.plugin.metadata.license, Some(Value::Bool(false)));
        assert_eq!(manifest.skills.as_deref(), Some(&["src/skills/*".to_owned()][..]));
        assert_eq!(manifest.mcp.servers["notes"].apps["board"].resource_uri, "ui://notes/board");
        assert!(manifest.routes.mcp_commands.is_some());
        assert_eq!(manifest.output.path.as_deref(), Some("out"));
        assert_eq!(manifest.codex.unwrap().fields["numbers"], json!([1, -2.5, 1e21]));
        let expected = [
            "`claude.x.y` is `null`",
            "unknown key `evals`",
            "unknown key `mcp-commands`",
            "unknown key `plugin.extra`",
        ];
        assert_eq!(left_out, expected);
    }
}
