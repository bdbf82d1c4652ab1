//! References from metadata to Apps, which only the whole project resolves.

use crate::model::{JsonObject, pointer_step};
use serde_json::Value;

/// The only key of the object that stands for a call `appResourceUri(<reference>)`; its value is the reference as
/// written. Whoever resolves the reference puts the App's address in the object's place.
pub const APP_REFERENCE_KEY: &str = "agent-bundle:app-resource-uri";

/// The App references in `config`: the JSON pointer of each and the reference, in source order.
pub fn app_references(config: &JsonObject) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in config {
        collect(value, &mut pointer_part(key), &mut found);
    }
    found
}

fn pointer_part(key: &str) -> String {
    format!("/{}", pointer_step(key))
}

fn collect(value: &Value, pointer: &mut String, found: &mut Vec<(String, String)>) {
    let length = pointer.len();
    match value {
        Value::Object(members) => {
            if let (1, Some(Value::String(reference))) = (members.len(), members.get(APP_REFERENCE_KEY)) {
                found.push((pointer.clone(), reference.clone()));
                return;
            }
            for (key, value) in members {
                pointer.push_str(&pointer_part(key));
                collect(value, pointer, found);
                pointer.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                pointer.push_str(&format!("/{index}"));
                collect(value, pointer, found);
                pointer.truncate(length);
            }
        }
        _ => {}
    }
}
