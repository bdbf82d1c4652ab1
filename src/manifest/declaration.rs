//! The type of a configuration, for an editor: the manifest's JSON Schema in TypeScript, with the configuration's keys.

use super::check::PROJECT;
use super::config::is_short;
use super::shape::config_key;
use serde_json::Value;
use std::collections::BTreeMap;

const HEAD: &str = "\
// Made from the manifest's schema; changes are overwritten.

/** The configuration itself, unchanged: it is read as it is written and never run. */
export declare function defineConfig<const Given extends Config>(config: Given): Given;

/** `agent-bundle.config.ts`, where there is no `agent-bundle.toml`. Every value is a literal. */
export interface Config ";

/// `agent-bundle/config.d.ts`
pub fn config_declaration() -> String {
    let schema = &PROJECT.schema;
    let mut writer = Writer { root: schema, named: BTreeMap::new() };
    let members = writer.members(schema, "", 0);
    let named: Vec<String> = writer.named.into_values().flatten().collect();
    format!("{HEAD}{members}\n{}", named.concat())
}

struct Writer<'s> {
    root: &'s Value,
    /// Declarations of the schema's definitions; `None` while one is being written.
    named: BTreeMap<&'s str, Option<String>>,
}

impl<'s> Writer<'s> {
    fn members(&mut self, node: &'s Value, place: &str, depth: usize) -> String {
        let indent = "  ".repeat(depth + 1);
        let required: Vec<&str> = list(node, "required").filter_map(Value::as_str).collect();
        let mut text = "{\n".to_owned();
        for (key, member) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let below = format!("{place}/{key}");
            let note = comment(member, &indent);
            let mark = if required.contains(&key.as_str()) { "" } else { "?" };
            let shape = with_short_form(&below, self.type_of(member, &below, depth + 1));
            let key = config_key(place, key);
            text.push_str(&format!("{note}{indent}readonly {key}{mark}: {shape};\n"));
        }
        if let Some(others) = node.get("additionalProperties").filter(|others| **others != Value::Bool(false))
        {
            let shape = if others.is_object() {
                self.type_of(others, place, depth + 1)
            } else {
                "unknown".to_owned()
            };
            // What is known by name need not fit what else may stand there.
            let shape = if node.get("properties").is_some() { "unknown".to_owned() } else { shape };
            text.push_str(&format!("{indent}readonly [name: string]: {shape};\n"));
        }
        text + &"  ".repeat(depth) + "}"
    }

    fn type_of(&mut self, node: &'s Value, place: &str, depth: usize) -> String {
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            return self.definition(reference.trim_start_matches('#'), place);
        }
        if let Some(word) = node.get("const") {
            return word.to_string();
        }
        if let Some(words) = node.get("enum").and_then(Value::as_array) {
            return words.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
        }
        let alternatives: Vec<&Value> = list(node, "anyOf").chain(list(node, "oneOf")).collect();
        let mut shapes: Vec<String> = match (alternatives.is_empty(), node.get("type")) {
            (false, _) => alternatives.into_iter().map(|one| self.type_of(one, place, depth)).collect(),
            (_, Some(Value::Array(words))) => {
                let words = words.iter().filter_map(Value::as_str);
                words.map(|word| self.simple(node, word, place, depth)).collect()
            }
            (_, Some(Value::String(word))) => vec![self.simple(node, word, place, depth)],
            _ => vec!["unknown".to_owned()],
        };
        // A setting that is `null` is no setting, but says so.
        shapes.sort_by_key(|shape| shape == "null");
        shapes.dedup();
        shapes.join(" | ")
    }

    /// The name of a definition, which is declared once.
    fn definition(&mut self, pointer: &str, place: &str) -> String {
        let name = pointer.rsplit('/').next().unwrap_or_default();
        let (Some(node), Some(name)) = (self.root.pointer(pointer), key_of(self.root, name)) else {
            return "unknown".to_owned();
        };
        if !self.named.contains_key(name) {
            self.named.insert(name, None);
            let note = comment(node, "");
            let declared = match node.get("properties") {
                Some(_) => format!("\n{note}export interface {name} {}\n", self.members(node, place, 0)),
                None => format!("\n{note}export type {name} = {};\n", self.type_of(node, place, 0)),
            };
            self.named.insert(name, Some(declared));
        }
        name.to_owned()
    }

    fn simple(&mut self, node: &'s Value, word: &str, place: &str, depth: usize) -> String {
        match word {
            "array" => {
                let item = node.get("items").map(|item| self.type_of(item, &format!("{place}/0"), depth));
                match item.unwrap_or_else(|| "unknown".to_owned()) {
                    item if item.contains(' ') => format!("readonly ({item})[]"),
                    item => format!("readonly {item}[]"),
                }
            }
            "object" => match (node.get("properties"), node.get("additionalProperties")) {
                (Some(_), _) => self.members(node, place, depth),
                (None, Some(value)) if value.is_object() => {
                    let value = self.type_of(value, &format!("{place}/*"), depth);
                    format!("{{ readonly [name: string]: {value} }}")
                }
                _ => "{ readonly [name: string]: unknown }".to_owned(),
            },
            "integer" => "number".to_owned(),
            other => other.to_owned(),
        }
    }
}

/// The schema's own copy of a definition's name.
fn key_of<'s>(root: &'s Value, name: &str) -> Option<&'s str> {
    let definitions = root.get("$defs")?.as_object()?;
    definitions.get_key_value(name).map(|(name, _)| name.as_str())
}

fn comment(node: &Value, indent: &str) -> String {
    let note = node.get("description").and_then(Value::as_str).unwrap_or_default();
    if note.is_empty() {
        return String::new();
    }
    let note = note.replace("*/", "*\\/").replace('\n', &format!("\n{indent} * "));
    format!("{indent}/** {note} */\n")
}

/// What the configuration may say more shortly than the manifest.
fn with_short_form(place: &str, shape: String) -> String {
    match place {
        "/routes/mcp-commands" => format!("true | {shape}"),
        _ if is_short(place) && !shape.contains("string |") => format!("string | {shape}"),
        _ => shape,
    }
}

fn list<'v>(node: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    node.get(key).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_spelled_as_the_configuration_is() {
        let text = config_declaration();
        for row in [
            "  /** Who the plugin is. */\n  readonly plugin: Plugin;\n",
            "  readonly skills?: string | readonly string[] | null;\n",
            "  readonly targetDefinitions?: { readonly [name: string]: string };\n",
            "  readonly mcpCommands?: true | McpCommands | null;\n",
            "export interface Output {\n  /** Project-relative directory. Default: `artifact`. */\n  readonly distPath?: string | null;\n}\n",
            "  readonly resourceUri: string;\n",
            "  readonly beforeTool?: ",
        ] {
            assert!(text.contains(row), "{row} is not in {text}");
        }
    }
}
