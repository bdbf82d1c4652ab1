//! The two ways JSON is written: canonical (keys sorted, nothing between tokens) and pretty (keys sorted, two
//! spaces). Both end in one newline.

use serde_json::{Map, Value};

fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort();
            let pairs = keys.into_iter().map(|key| (key.clone(), sorted(&members[key])));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// A name as a step of a JSON pointer.
pub fn pointer_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Canonical bytes of `value`.
pub fn canonical_json(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(&sorted(value)).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// Readable bytes of `value`, for documents that people open.
pub fn pretty_json(value: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(&sorted(value)).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The JSON Schema (2020-12) of a type.
pub fn schema_of<T: schemars::JsonSchema>() -> Value {
    schemars::generate::SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>().to_value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_at_every_depth() {
        let value = json!({"b": [{"d": 1, "c": 2}], "a": null});
        assert_eq!(canonical_json(&value), b"{\"a\":null,\"b\":[{\"c\":2,\"d\":1}]}\n");
    }
}
