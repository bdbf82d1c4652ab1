//! The command line of one command: what its input schema, its positionals and its flags make of it.

use crate::model::{CommandOption, JsonObject, OptionKind};
use serde_json::Value;
use std::collections::BTreeMap;

/// Spellings that every command has already.
const RESERVED: [&str; 4] = ["help", "json", "ndjson", "version"];

/// What a command declares about its input.
pub(super) struct Input<'a> {
    /// `inputJsonSchema` of the route or the tool.
    pub(super) schema: Option<&'a JsonObject>,
    /// The metadata of the module that declares the command.
    pub(super) config: &'a JsonObject,
    /// Whether the command is called with `--yes`.
    pub(super) confirm: bool,
    /// Whether the module maps the input itself.
    pub(super) maps: bool,
}

/// Where a fault stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// In the metadata of the command.
    Command,
    /// In the schema.
    Schema,
}

/// Something that does not fit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) side: Side,
    /// JSON pointer into the metadata of that side.
    pub(super) pointer: String,
    /// Whether the fault is one of the projection alone, whatever the schema.
    pub(super) contract: bool,
    pub(super) message: String,
}

/// The options and positionals of a command, with everything that does not fit.
pub(super) fn read(input: &Input<'_>) -> (Vec<CommandOption>, Vec<String>, Vec<Fault>) {
    let positionals: Vec<String> = input
        .config
        .get("positionals")
        .and_then(Value::as_array)
        .map(|items| items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect())
        .unwrap_or_default();
    let mut reader = Reader { input, options: Vec::new(), faults: Vec::new() };
    let is_json = input.config.contains_key("input");
    match input.schema.and_then(|schema| Some((schema, schema.get("properties")?.as_object()?))) {
        Some((schema, properties)) if !is_json => {
            reader.flags(properties);
            for (key, property) in properties {
                reader.option(schema, key, property, positionals.contains(key));
            }
            reader.positionals(properties, &positionals);
            reader.relaxed(schema);
            (reader.options, positionals, reader.faults)
        }
        Some(_) => (Vec::new(), Vec::new(), Vec::new()),
        None => {
            for key in ["positionals", "flags"] {
                if input.config.contains_key(key) {
                    let message =
                        format!("`{key}` needs an `inputJsonSchema`, which says what keys there are");
                    reader.fault(Side::Command, format!("/{key}"), message);
                }
            }
            (Vec::new(), Vec::new(), reader.faults)
        }
    }
}

struct Reader<'a> {
    input: &'a Input<'a>,
    options: Vec<CommandOption>,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, side: Side, pointer: String, message: String) {
        self.faults.push(Fault { side, pointer, contract: false, message });
    }

    fn flag(&self, key: &str) -> Option<&Value> {
        self.input.config.get("flags")?.get(key)
    }

    /// Flags name keys of the schema.
    fn flags(&mut self, properties: &JsonObject) {
        let flags = self.input.config.get("flags").and_then(Value::as_object);
        for key in flags.into_iter().flat_map(JsonObject::keys) {
            if !properties.contains_key(key) {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                let message =
                    format!("`flags` names `{key}`, which is no key of the input ({})", known.join(", "));
                self.fault(Side::Command, format!("/flags/{key}"), message);
            }
        }
    }

    fn option(&mut self, schema: &JsonObject, key: &str, property: &Value, positional: bool) {
        let flag = self.flag(key).cloned().unwrap_or_default();
        let place = format!("/inputJsonSchema/properties/{key}");
        let own = flag.get("name").and_then(Value::as_str).map(str::to_owned);
        if positional && (own.is_some() || flag.get("aliases").is_some()) {
            let message = format!("`{key}` is given by position and has no name on the command line");
            self.fault(Side::Command, format!("/flags/{key}"), message);
        }
        let is_named = own.is_some();
        let name = own.unwrap_or_else(|| spelling(key));
        let (side, at) = match is_named {
            true => (Side::Command, format!("/flags/{key}/name")),
            false => (Side::Schema, place.clone()),
        };
        if !is_kebab_case(&name) {
            let message = format!("`{key}` would be the option `--{name}`, which nobody could type safely");
            self.fault(side, at, message);
        } else if !positional {
            self.spellings(key, &name, side, at, &flag);
        }
        if self.input.confirm && key == "yes" {
            self.fault(
                Side::Schema,
                place.clone(),
                "the key `yes` would be taken for the confirmation".to_owned(),
            );
        }
        let kind = match property.get("type").and_then(Value::as_str) {
            Some("boolean") => OptionKind::Flag,
            Some("number") => OptionKind::Number,
            Some("array") => OptionKind::Repeated,
            _ if property.get("enum").is_some() => OptionKind::Enum,
            _ => OptionKind::String,
        };
        if kind == OptionKind::Repeated
            && property.pointer("/items/type").and_then(Value::as_str) == Some("boolean")
        {
            let message = format!("`{key}` is a list of booleans, which no option can repeat");
            self.fault(Side::Schema, place.clone(), message);
        }
        let listed = schema.get("required").and_then(Value::as_array);
        let listed = listed.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)));
        let relaxed = flag.get("required").is_some() || flag.get("default").is_some();
        let required = listed && property.get("default").is_none() && !relaxed;
        if required && kind == OptionKind::Flag {
            let message = format!("`{key}` is a required boolean, and a flag that is left out says nothing");
            self.fault(Side::Schema, place, message);
        }
        self.options.push(CommandOption { key: key.to_owned(), name, kind, required });
    }

    /// Every spelling means one key.
    fn spellings(&mut self, key: &str, name: &str, side: Side, at: String, flag: &Value) {
        let aliases = flag.get("aliases").and_then(Value::as_array).into_iter().flatten().enumerate();
        let aliases = aliases.filter_map(|(index, alias)| {
            Some((alias.as_str()?.to_owned(), Side::Command, format!("/flags/{key}/aliases/{index}")))
        });
        let all: Vec<_> = std::iter::once((name.to_owned(), side, at)).chain(aliases).collect();
        let mut own: BTreeMap<String, ()> = BTreeMap::new();
        for (spelled, side, at) in all {
            let reserved = RESERVED.contains(&spelled.as_str()) || (self.input.confirm && spelled == "yes");
            let taken =
                self.options.iter().find(|other| other.name == spelled).map(|other| other.key.clone());
            let twice = own.insert(spelled.clone(), ()).is_some();
            let message = match taken {
                _ if !is_kebab_case(&spelled) => {
                    format!("`{spelled}` is not lower-case words joined by hyphens")
                }
                _ if reserved => format!("`--{spelled}` of `{key}` belongs to every command"),
                Some(other) => format!("`--{spelled}` would mean `{other}` and `{key}`"),
                None if twice => format!("`--{spelled}` is given twice to `{key}`"),
                None => continue,
            };
            self.fault(side, at, message);
        }
    }

    fn positionals(&mut self, properties: &JsonObject, positionals: &[String]) {
        let mut optional: Option<&str> = None;
        for (at, key) in positionals.iter().enumerate() {
            let place = format!("/positionals/{at}");
            if positionals[..at].contains(key) {
                self.fault(Side::Command, place, format!("`{key}` is named twice"));
                continue;
            }
            let Some(option) = self.options.iter().find(|option| option.key == *key).cloned() else {
                let known: Vec<&str> = properties.keys().map(String::as_str).collect();
                let message = format!(
                    "`positionals` names `{key}`, which is no key of the input ({})",
                    known.join(", ")
                );
                self.fault(Side::Command, place, message);
                continue;
            };
            let is_last = at + 1 == positionals.len();
            if option.kind == OptionKind::Flag {
                self.fault(
                    Side::Command,
                    place,
                    format!("`{key}` is a boolean and cannot be given by position"),
                );
            } else if option.kind == OptionKind::Repeated && !is_last {
                let message = format!("`{key}` takes all that follows, so it must be the last");
                self.fault(Side::Command, place, message);
            } else if let Some(earlier) = optional.filter(|_| option.required) {
                let message = format!("`{key}` must be given and follows `{earlier}`, which may be left out");
                self.fault(Side::Command, place, message);
            }
            if !option.required {
                optional = optional.or(Some(key));
            }
        }
    }

    /// What the schema requires can be left out only when the module fills it in.
    fn relaxed(&mut self, schema: &JsonObject) {
        let names = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in names.filter_map(Value::as_str) {
            let Some(flag) = self.flag(key).filter(|_| !self.input.maps) else { continue };
            let given = ["required", "default"].into_iter().find(|member| flag.get(member).is_some());
            if let Some(member) = given {
                let message =
                    format!("the tool requires `{key}`; `{member}` here needs an exported `mapInput`");
                let pointer = format!("/flags/{key}/{member}");
                self.faults.push(Fault { side: Side::Command, pointer, contract: true, message });
            }
        }
    }
}

/// The option of a key: words in lower case with hyphens between them.
pub(super) fn spelling(key: &str) -> String {
    let letters: Vec<char> = key.chars().collect();
    let mut name = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| letters[at]);
        let after = letters.get(at + 1);
        let starts_word = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || (before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase))
            });
        if starts_word {
            name.push('-');
        }
        name.extend(letter.to_lowercase());
    }
    name
}

fn is_kebab_case(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.split('-').all(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> JsonObject {
        value.as_object().unwrap().clone()
    }

    fn faults(properties: Value, required: Value, config: Value, confirm: bool, maps: bool) -> Vec<String> {
        let schema = object(json!({"properties": properties, "required": required}));
        let config = object(config);
        let input = Input { schema: Some(&schema), config: &config, confirm, maps };
        read(&input).2.into_iter().map(|fault| fault.pointer).collect()
    }

    #[test]
    fn keys_are_spelled_as_options() {
        for (key, name) in [
            ("maxItems", "max-items"),
            ("userID", "user-id"),
            ("HTTPServer", "http-server"),
            ("v2Name", "v2-name"),
            ("snake_case", "snake_case"),
        ] {
            assert_eq!(spelling(key), name);
        }
        assert!(!is_kebab_case("snake_case"));
    }

    #[test]
    fn what_cannot_be_an_option_is_refused() {
        let property = |schema: Value| json!({"a": schema});
        let at = "/inputJsonSchema/properties/a";
        let none = || faults(json!({"a": {"type": "string"}}), json!(["a"]), json!({}), true, false);
        assert!(none().is_empty());
        let found = faults(property(json!({"type": "boolean"})), json!(["a"]), json!({}), false, false);
        assert_eq!(found, [at]);
        let booleans = json!({"type": "array", "items": {"type": "boolean"}});
        assert_eq!(faults(property(booleans), json!([]), json!({}), false, false), [at]);
        for key in ["snake_case", "help", "json", "Version"] {
            let found = faults(json!({key: {"type": "string"}}), json!([]), json!({}), false, false);
            assert_eq!(found, [format!("/inputJsonSchema/properties/{key}")]);
        }
        let two = json!({"maxItems": {"type": "number"}, "MaxItems": {"type": "number"}});
        assert_eq!(faults(two, json!([]), json!({}), false, false).len(), 1);
        let yes = || json!({"yes": {"type": "string"}});
        assert!(!faults(yes(), json!([]), json!({}), true, false).is_empty());
        assert!(faults(yes(), json!([]), json!({}), false, false).is_empty());
    }

    #[test]
    fn positionals_follow_their_policy() {
        let properties = || {
            json!({
                "a": {"type": "string"}, "b": {"type": "string", "default": "x"}, "c": {"type": "boolean"},
                "d": {"type": "array", "items": {"type": "string"}},
            })
        };
        let check =
            |list: Value| faults(properties(), json!(["a"]), json!({"positionals": list}), false, false);
        for good in [json!(["a"]), json!(["a", "b"]), json!(["a", "b", "d"]), json!([])] {
            assert!(check(good.clone()).is_empty(), "{good}");
        }
        for (bad, at) in [
            (json!(["x"]), "/positionals/0"),
            (json!(["a", "a"]), "/positionals/1"),
            (json!(["c"]), "/positionals/0"),
            (json!(["d", "a"]), "/positionals/0"),
            (json!(["b", "a"]), "/positionals/1"),
        ] {
            assert_eq!(check(bad.clone())[0], at, "{bad}");
        }
        let without = object(json!({"positionals": ["a"]}));
        let input = Input { schema: None, config: &without, confirm: false, maps: false };
        assert_eq!(read(&input).2[0].pointer, "/positionals");
    }

    #[test]
    fn flags_bind_to_the_tool() {
        let check = |flags: Value, maps| {
            let properties = json!({"a": {"type": "string"}, "b": {"type": "number"}});
            faults(properties, json!(["a"]), json!({"flags": flags}), false, maps)
        };
        assert!(check(json!({"a": {"name": "query", "aliases": ["q"]}}), false).is_empty());
        assert_eq!(check(json!({"x": {}}), false), ["/flags/x"]);
        assert_eq!(check(json!({"a": {"name": "Q"}}), false), ["/flags/a/name"]);
        assert_eq!(check(json!({"a": {"name": "b"}}), false), ["/inputJsonSchema/properties/b"]);
        assert_eq!(check(json!({"a": {"aliases": ["json"]}}), false), ["/flags/a/aliases/0"]);
        assert_eq!(check(json!({"a": {"required": false}}), false), ["/flags/a/required"]);
        assert!(check(json!({"a": {"required": false}}), true).is_empty());
        assert!(check(json!({"b": {"default": 1}}), false).is_empty());
    }
}
