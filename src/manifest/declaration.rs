//! The type of a configuration, for an editor: the manifest's JSON Schema in TypeScript, with the configuration's keys.

use super::config::is_short;
use super::project_schema;
use super::shape::config_key;
use serde_json::Value;

const HEAD: &str = "\
// Made from the manifest's schema; changes are overwritten.

/** The configuration itself, unchanged: it is read as it is written and never run. */
export declare function defineConfig<const Given extends Config>(config: Given): Given;

/** `agent-bundle.config.ts`, where there is no `agent-bundle.toml`. Every value is a literal. */
export interface Config ";

/// `agent-bundle/config.d.ts`
pub fn config_declaration() -> String {
    let root = project_schema();
    let members = members(&root, &root, "", 0);
    format!("{HEAD}{members}\n")
}

fn members(root: &Value, node: &Value, place: &str, depth: usize) -> String {
    let indent = "  ".repeat(depth + 1);
    let required: Vec<&str> = list(node, "required").filter_map(Value::as_str).collect();
    let mut text = "{\n".to_owned();
    for (key, member) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let below = format!("{place}/{key}");
        let note = member.get("description").and_then(Value::as_str).unwrap_or_default();
        let note = note.replace("*/", "*\\/").replace('\n', &format!("\n{indent} * "));
        let mark = if required.contains(&key.as_str()) { "" } else { "?" };
        let shape = with_short_form(&below, type_of(root, member, &below, depth + 1));
        let key = config_key(place, key);
        text.push_str(&format!("{indent}/** {note} */\n{indent}readonly {key}{mark}: {shape};\n"));
    }
    text + &"  ".repeat(depth) + "}"
}

fn type_of(root: &Value, node: &Value, place: &str, depth: usize) -> String {
    if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
        let named = root.pointer(reference.trim_start_matches('#')).unwrap_or(&Value::Null);
        return type_of(root, named, place, depth);
    }
    if let Some(words) = node.get("enum").and_then(Value::as_array) {
        return words.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    let alternatives: Vec<&Value> = list(node, "anyOf").chain(list(node, "oneOf")).collect();
    let mut shapes: Vec<String> = match (alternatives.is_empty(), node.get("type")) {
        (false, _) => alternatives.into_iter().map(|one| type_of(root, one, place, depth)).collect(),
        (_, Some(Value::Array(words))) => words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| simple(root, node, word, place, depth))
            .collect(),
        (_, Some(Value::String(word))) => vec![simple(root, node, word, place, depth)],
        _ => vec!["unknown".to_owned()],
    };
    shapes.dedup();
    // A setting that is `null` is no setting, but says so.
    shapes.sort_by_key(|shape| shape == "null");
    shapes.join(" | ")
}

fn simple(root: &Value, node: &Value, word: &str, place: &str, depth: usize) -> String {
    match word {
        "array" => {
            let item = node.get("items").map_or_else(
                || "unknown".to_owned(),
                |item| type_of(root, item, &format!("{place}/0"), depth),
            );
            match item.contains(' ') {
                true => format!("readonly ({item})[]"),
                false => format!("readonly {item}[]"),
            }
        }
        "object" => match (node.get("properties"), node.get("additionalProperties")) {
            (Some(_), _) => members(root, node, place, depth),
            (None, Some(value)) if value.is_object() => {
                let value = type_of(root, value, &format!("{place}/*"), depth);
                format!("{{ readonly [name: string]: {value} }}")
            }
            _ => "{ readonly [key: string]: unknown }".to_owned(),
        },
        "integer" => "number".to_owned(),
        other => other.to_owned(),
    }
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
            "  readonly plugin: {\n    /** The name under which hosts install the plugin. */\n    readonly name: string;\n",
            "  readonly skills?: string | readonly string[] | null;\n",
            "  readonly targetDefinitions?: { readonly [name: string]: string };\n",
            "    readonly mcpCommands?: true | {",
            "    readonly distPath?: string | null;\n",
            "        readonly resourceUri: string;\n",
            "  readonly claude?: { readonly [key: string]: unknown } | null;\n",
        ] {
            assert!(text.contains(row), "{row} is not in {text}");
        }
    }
}
