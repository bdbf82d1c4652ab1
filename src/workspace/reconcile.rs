//! Three values of each field (as written, as it is, as the document says) and what follows. Pure.

use super::entity::RowKind;
use super::render::is_state;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// A row as a flat map from field paths to values. Objects are taken apart one level, so that two people may change
/// two variables; secrets stand in it as keyed hashes under `secrets/<field>`.
pub type Flat = BTreeMap<String, Value>;

/// Flattens a row.
pub fn flatten(
    kind: RowKind,
    name: &str,
    fields: &Map<String, Value>,
    secrets: &BTreeMap<String, String>,
) -> Flat {
    let mut flat = Flat::new();
    flat.insert("name".to_owned(), Value::String(name.to_owned()));
    for (member, value) in fields.iter().filter(|(member, _)| !is_state(kind, member)) {
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    flat.insert(format!("{member}/{key}"), value.clone());
                }
            }
            Value::Null => {}
            other => {
                flat.insert(member.clone(), other.clone());
            }
        }
    }
    for (field, mac) in secrets {
        flat.insert(format!("secrets/{field}"), Value::String(mac.clone()));
    }
    flat
}

/// Puts a flat row back together. `shape` says which members are objects and holds the row's own state.
pub fn restore(flat: &Flat, shape: &Map<String, Value>, kind: RowKind) -> (String, Map<String, Value>) {
    let mut fields = Map::new();
    for (member, value) in shape {
        let kept = match value {
            other if is_state(kind, member) => other.clone(),
            Value::Object(_) => Value::Object(Map::new()),
            _ => Value::Null,
        };
        fields.insert(member.clone(), kept);
    }
    for (path, value) in flat {
        match path.split_once('/') {
            Some(("secrets", _)) => {}
            Some((member, key)) => {
                if let Some(Value::Object(entries)) = fields.get_mut(member) {
                    entries.insert(key.to_owned(), value.clone());
                }
            }
            None if path == "name" => {}
            None => {
                fields.insert(path.clone(), value.clone());
            }
        }
    }
    let name = flat.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    (name, fields)
}

/// What becomes of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Only the document changed: it takes the new value.
    Update,
    /// Only the workspace changed: it keeps its value.
    Keep,
    /// Both changed to the same value.
    Adopt,
    /// Both changed, to different values.
    Conflict,
}

/// Which side wins a conflict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnConflict {
    /// Nothing is written.
    #[default]
    Fail,
    /// The workspace.
    Keep,
    /// The document.
    Take,
}

/// A field that differs somewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FieldChange {
    /// Path of the field.
    pub field: String,
    /// What becomes of it.
    pub outcome: Outcome,
    /// The value as it is; absent where there is none or where it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub live: Option<Value>,
    /// The value of the document; absent where there is none or where it is secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<Value>,
}

/// Compares three rows field by field.
pub fn compare(base: &Flat, live: &Flat, new: &Flat) -> Vec<FieldChange> {
    let paths: BTreeSet<&String> = base.keys().chain(live.keys()).chain(new.keys()).collect();
    paths
        .into_iter()
        .filter_map(|path| {
            let (base, live, new) = (base.get(path), live.get(path), new.get(path));
            let outcome = match (base == live, base == new) {
                (true, true) => return None,
                (true, false) => Outcome::Update,
                (false, true) => Outcome::Keep,
                (false, false) if live == new => Outcome::Adopt,
                (false, false) => Outcome::Conflict,
            };
            let shown = |value: Option<&Value>| value.filter(|_| !path.starts_with("secrets/")).cloned();
            Some(FieldChange { field: path.clone(), outcome, live: shown(live), new: shown(new) })
        })
        .collect()
}

/// The row after the changes.
pub fn merge(live: &Flat, new: &Flat, changes: &[FieldChange], conflicts: OnConflict) -> Flat {
    let mut merged = live.clone();
    for change in changes {
        let take = match change.outcome {
            Outcome::Update => true,
            Outcome::Conflict => conflicts == OnConflict::Take,
            Outcome::Keep | Outcome::Adopt => false,
        };
        if take {
            match new.get(&change.field) {
                Some(value) => merged.insert(change.field.clone(), value.clone()),
                None => merged.remove(&change.field),
            };
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn flat(value: Option<&str>) -> Flat {
        value.map(|value| ("text".to_owned(), json!(value))).into_iter().collect()
    }

    /// All combinations of three values, absence included.
    #[test]
    fn the_table_holds_for_every_combination() {
        let values = [None, Some("a"), Some("b"), Some("c")];
        for base in values {
            for live in values {
                for new in values {
                    let changes = compare(&flat(base), &flat(live), &flat(new));
                    let outcome = changes.first().map(|change| change.outcome);
                    let expected = match (base == live, base == new, live == new) {
                        (true, true, _) => None,
                        (true, false, _) => Some(Outcome::Update),
                        (false, true, _) => Some(Outcome::Keep),
                        (false, false, true) => Some(Outcome::Adopt),
                        (false, false, false) => Some(Outcome::Conflict),
                    };
                    assert_eq!(outcome, expected, "{base:?} {live:?} {new:?}");
                    let kept = merge(&flat(live), &flat(new), &changes, OnConflict::Keep);
                    let taken = merge(&flat(live), &flat(new), &changes, OnConflict::Take);
                    let expected_kept = if expected == Some(Outcome::Update) { new } else { live };
                    let expected_taken = match expected {
                        Some(Outcome::Update | Outcome::Conflict) => new,
                        _ => live,
                    };
                    assert_eq!((kept, taken), (flat(expected_kept), flat(expected_taken)));
                    // What was applied is no change any more.
                    let after = merge(&flat(live), &flat(new), &changes, OnConflict::Take);
                    let again = compare(&flat(new), &after, &flat(new));
                    assert!(again.iter().all(|change| change.outcome == Outcome::Keep));
                }
            }
        }
    }

    #[test]
    fn rows_survive_taking_apart() {
        let fields = json!({"spec_id": "s", "environment": {"A": "1"}, "headers": {}, "context_secret": null,
                            "context_signing": false});
        let Value::Object(fields) = fields else { unreachable!() };
        let flat = flatten(RowKind::Mcp, "Web", &fields, &BTreeMap::new());
        assert_eq!(restore(&flat, &fields, RowKind::Mcp), ("Web".to_owned(), fields));
    }

    #[test]
    fn secrets_are_not_shown() {
        let side = |mac: &str| Flat::from([("secrets/tok".to_owned(), json!(mac))]);
        let changes = compare(&side("a"), &side("a"), &side("b"));
        assert_eq!((&changes[0].live, &changes[0].new, changes[0].outcome), (&None, &None, Outcome::Update));
    }
}
