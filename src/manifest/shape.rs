//! Ways through the manifest's JSON Schema, and the spellings of its keys.

use super::CONFIG_FILE;
use serde_json::Value;

/// A schema with its references.
#[derive(Clone, Copy)]
pub(super) struct Shapes<'s> {
    root: &'s Value,
}

impl<'s> Shapes<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root }
    }

    /// The shape at a JSON pointer of the manifest.
    pub(super) fn at(self, pointer: &str) -> Option<&'s Value> {
        let mut parts = pointer.split('/').skip(1);
        parts.try_fold(self.root, |node, part| self.below(node, &unescape(part)))
    }

    /// Everything that may stand in one place: a shape with its references followed and its alternatives side by side.
    fn alternatives(self, node: &'s Value) -> Vec<&'s Value> {
        if let Some(reference) = node.get("$ref").and_then(Value::as_str) {
            let found = self.root.pointer(reference.trim_start_matches('#'));
            return found.map(|node| self.alternatives(node)).unwrap_or_default();
        }
        match node.get("anyOf").or_else(|| node.get("oneOf")).and_then(Value::as_array) {
            Some(nodes) => nodes.iter().flat_map(|node| self.alternatives(node)).collect(),
            None => vec![node],
        }
    }

    /// The shape of the member `key`, or of an item.
    pub(super) fn below(self, node: &'s Value, key: &str) -> Option<&'s Value> {
        let nodes = self.alternatives(node);
        let own = nodes.iter().find_map(|node| node.get("properties")?.get(key));
        own.or_else(|| {
            nodes.iter().find_map(|node| node.get("additionalProperties").or_else(|| node.get("items")))
        })
    }

    /// The keys that are known by name.
    pub(super) fn keys(self, node: &'s Value) -> Vec<&'s str> {
        let nodes = self.alternatives(node);
        let members = nodes.into_iter().filter_map(|node| node.get("properties")?.as_object());
        members.flat_map(|members| members.keys().map(String::as_str)).collect()
    }

    /// Whether any other key may stand there.
    pub(super) fn is_open(self, node: &'s Value) -> bool {
        let open = |node: &Value| match node.get("additionalProperties") {
            Some(others) => *others != Value::Bool(false),
            None => node.get("properties").is_none(),
        };
        self.alternatives(node).into_iter().any(open)
    }

    /// Whether a list may stand there, and no text.
    pub(super) fn is_list(self, node: &'s Value) -> bool {
        let takes = |word: &str| {
            self.alternatives(node).into_iter().any(|node| match node.get("type") {
                Some(Value::Array(words)) => words.iter().any(|one| one == word),
                Some(one) => one == word,
                None => false,
            })
        };
        takes("array") && !takes("string")
    }

    /// The dotted path of a pointer as the author of `file` spells it.
    pub(super) fn spelled(self, file: &str, pointer: &str) -> String {
        if file != CONFIG_FILE {
            return dotted(pointer);
        }
        let mut node = Some(self.root);
        let mut place = String::new();
        let mut words = Vec::new();
        for part in pointer.split('/').skip(1) {
            let key = unescape(part);
            let known = node.is_some_and(|node| self.keys(node).contains(&key.as_str()));
            words.push(if known { config_key(&place, &key) } else { key.clone() });
            node = node.and_then(|node| self.below(node, &key));
            place = format!("{place}/{part}");
        }
        words.join(".")
    }
}

/// How the configuration spells the manifest's key at `place`.
pub(super) fn config_key(place: &str, key: &str) -> String {
    if (place, key) == ("/output", "path") {
        return "distPath".to_owned();
    }
    let mut words = key.split('-');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        name.push_str(&first.to_ascii_uppercase());
        name.push_str(rest);
    }
    name
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A JSON pointer as the manifest's own dotted path.
pub(super) fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}
