//! The literal `inputJsonSchema`: a small, closed subset of JSON Schema.

use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Member, Node, member};
use std::ops::Range;

/// Checks the whole schema.
pub(super) fn check(schema: &Node, findings: &mut Findings<'_>) {
    let mut check = Check { findings };
    let Some(members) = check.object(schema, "`inputJsonSchema`") else { return };
    check.closed(members, &["type", "additionalProperties", "properties", "required"], "`inputJsonSchema`");
    check.constant(schema, members, "type", &Data::String("object".to_owned()), "'object'");
    check.constant(schema, members, "additionalProperties", &Data::Bool(false), "false");
    let Some(properties) = member(members, "properties") else {
        return check.fail(&schema.range, "`inputJsonSchema` has no `properties`");
    };
    let Some(properties) = check.object(&properties.value, "`properties`") else { return };
    for property in properties {
        check.property(property);
    }
    if let Some(required) = member(members, "required") {
        check.required(&required.value, properties);
    }
}

struct Check<'f, 'd> {
    findings: &'f mut Findings<'d>,
}

impl Check<'_, '_> {
    fn fail(&mut self, at: &Range<usize>, message: impl Into<String>) {
        self.findings.add(Code::AB4814, at, message);
    }

    fn object<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Member]> {
        let members = node.as_object();
        if members.is_none() {
            self.fail(&node.range, format!("{what} is {}, not an object", node.shape()));
        }
        members
    }

    fn closed(&mut self, members: &[Member], known: &[&str], what: &str) {
        for extra in members.iter().filter(|extra| !known.contains(&extra.key.as_str())) {
            let message = format!("{what} takes no key `{}`; its keys are {}", extra.key, list(known));
            self.fail(&extra.key_range, message);
        }
    }

    fn constant(&mut self, schema: &Node, members: &[Member], key: &str, expected: &Data, text: &str) {
        match member(members, key) {
            None => self.fail(&schema.range, format!("`inputJsonSchema` lacks `{key}: {text}`")),
            Some(found) if found.value.data != *expected => {
                self.fail(&found.value.range, format!("`{key}` must be `{text}`"));
            }
            Some(_) => {}
        }
    }

    fn property(&mut self, property: &Member) {
        let what = format!("the property `{}`", property.key);
        let Some(members) = self.object(&property.value, &what) else { return };
        let Some(kind) =
            self.kind(&property.value, members, &what, &["boolean", "number", "string", "array"])
        else {
            return;
        };
        let mut known = vec!["type", "description", "default"];
        known.extend(match kind {
            "string" => Some("enum"),
            "array" => Some("items"),
            _ => None,
        });
        self.closed(members, &known, &what);
        if let Some(text) = member(members, "description")
            && text.value.as_str().is_none_or(|text| text.trim().is_empty())
        {
            let message = format!("the description of `{}` is {}", property.key, text.value.shape());
            self.fail(&text.value.range, message);
        }
        if let Some(default) = member(members, "default") {
            self.default(&default.value, &property.key);
        }
        match kind {
            "string" => self.choices(members, &what),
            "array" => self.items(&property.value, members, &what),
            _ => {}
        }
    }

    fn kind<'n>(
        &mut self,
        schema: &Node,
        members: &'n [Member],
        what: &str,
        known: &[&str],
    ) -> Option<&'n str> {
        let Some(kind) = member(members, "type") else {
            self.fail(&schema.range, format!("{what} has no `type`"));
            return None;
        };
        let found = kind.value.as_str().filter(|kind| known.contains(kind));
        if found.is_none() {
            self.fail(&kind.value.range, format!("the type of {what} must be one of {}", list(known)));
        }
        found
    }

    fn default(&mut self, value: &Node, key: &str) {
        let scalar = |node: &Node| matches!(node.data, Data::Bool(_) | Data::Number(_) | Data::String(_));
        let fits = scalar(value) || value.as_array().is_some_and(|items| items.iter().all(scalar));
        if !fits {
            let message = format!(
                "the default of `{key}` must be a string, number or boolean, or a list of these; found {}",
                value.shape()
            );
            self.fail(&value.range, message);
        }
    }

    fn choices(&mut self, members: &[Member], what: &str) {
        let Some(choices) = member(members, "enum") else { return };
        let fits = choices
            .value
            .as_array()
            .is_some_and(|items| !items.is_empty() && items.iter().all(|item| item.as_str().is_some()));
        if !fits {
            let message = format!("the `enum` of {what} must be a nonempty list of strings");
            self.fail(&choices.value.range, message);
        }
    }

    fn items(&mut self, schema: &Node, members: &[Member], what: &str) {
        let Some(items) = member(members, "items") else {
            return self.fail(&schema.range, format!("{what} is an array without `items`"));
        };
        let what = format!("`items` of {what}");
        let Some(members) = self.object(&items.value, &what) else { return };
        let Some(kind) = self.kind(&items.value, members, &what, &["boolean", "number", "string"]) else {
            return;
        };
        let known: &[&str] = if kind == "string" { &["type", "enum"] } else { &["type"] };
        self.closed(members, known, &what);
        if kind == "string" {
            self.choices(members, &what);
        }
    }

    fn required(&mut self, required: &Node, properties: &[Member]) {
        let Some(names) = required.as_array() else {
            return self.fail(&required.range, format!("`required` is {}, not a list", required.shape()));
        };
        for name in names {
            match name.as_str() {
                None => self.fail(&name.range, format!("an entry of `required` is {}", name.shape())),
                Some(text) if member(properties, text).is_none() => {
                    self.fail(&name.range, format!("`required` names `{text}`, which is no property"));
                }
                Some(_) => {}
            }
        }
    }
}

fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
