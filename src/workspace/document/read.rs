//! From a tree to the types of the format. Every problem is found in one pass; no value is ever quoted.

use super::tree::{Data, Member, Node};
use crate::diagnostic::nearest;
use crate::model::pointer_step;
use crate::workspace::issue::{Issue, IssueCode};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// So many problems are listed; the rest is counted.
const LISTED: usize = 50;

/// Collects problems while values are read. Reading goes on behind a problem with an empty value.
#[derive(Default)]
pub(super) struct Reader {
    issues: Vec<Issue>,
    unlisted: usize,
}

/// An object with its place.
pub(super) struct Object<'n> {
    pub(super) node: &'n Node,
    pub(super) path: String,
    members: &'n [Member],
}

impl<'n> Object<'n> {
    pub(super) fn get(&self, key: &str) -> Option<&'n Node> {
        self.members.iter().find(|member| &*member.key == key).map(|member| &member.value)
    }

    pub(super) fn path_of(&self, key: &str) -> String {
        format!("{}/{key}", self.path)
    }
}

impl Reader {
    /// All problems, the unlisted ones as one.
    pub(super) fn finish(mut self) -> Vec<Issue> {
        if self.unlisted > 0 {
            let message = format!("{} more problems are not listed", self.unlisted);
            self.issues.push(Issue::block(IssueCode::More, message));
        }
        self.issues
    }

    pub(super) fn add(&mut self, code: IssueCode, node: &Node, path: &str, message: String) {
        if self.issues.len() >= LISTED {
            self.unlisted += 1;
            return;
        }
        self.issues.push(Issue::block(code, message).at(path).place(node.line, node.column));
    }

    fn wrong(&mut self, node: &Node, path: &str, expected: &str) {
        let name = path.rsplit('/').next().unwrap_or_default();
        let message = format!("`{name}` must be {expected}, not {}", node.shape());
        self.add(IssueCode::WrongType, node, path, message);
    }

    pub(super) fn object<'n>(&mut self, node: &'n Node, path: &str, known: &[&str]) -> Option<Object<'n>> {
        let Data::Map(members) = &node.data else {
            self.wrong(node, path, "an object");
            return None;
        };
        for member in members.iter().filter(|member| !known.contains(&&*member.key)) {
            let shown: String = member.key.chars().take(80).collect();
            let shown = crate::workspace::display::visible(&shown);
            let mut message = format!("there is no member `{shown}` here");
            if let Some(candidate) = nearest(&member.key, known.iter().copied()) {
                message.push_str(&format!("; did you mean `{candidate}`?"));
            }
            if self.issues.len() >= LISTED {
                self.unlisted += 1;
                continue;
            }
            let issue = Issue::block(IssueCode::UnknownMember, message)
                .at(format!("{path}/{}", pointer_step(&member.key)))
                .place(member.line, member.column);
            self.issues.push(issue);
        }
        Some(Object { node, path: path.to_owned(), members })
    }

    fn missing(&mut self, object: &Object<'_>, key: &str) {
        let message = format!("`{key}` is missing");
        self.add(IssueCode::MissingMember, object.node, &object.path, message);
    }

    fn text_of(&mut self, node: &Node, path: &str) -> Option<String> {
        match &node.data {
            Data::Text(text) => Some(text.to_string()),
            _ => {
                self.wrong(node, path, "text (put it in quotes)");
                None
            }
        }
    }

    pub(super) fn text_or(&mut self, object: &Object<'_>, key: &str, default: &str) -> String {
        match object.get(key) {
            None => default.to_owned(),
            Some(node) => self.text_of(node, &object.path_of(key)).unwrap_or_default(),
        }
    }

    pub(super) fn optional_text(&mut self, object: &Object<'_>, key: &str) -> Option<String> {
        match object.get(key) {
            None | Some(Node { data: Data::Null, .. }) => None,
            Some(node) => self.text_of(node, &object.path_of(key)),
        }
    }

    /// Text that must be there.
    pub(super) fn text(&mut self, object: &Object<'_>, key: &str) -> String {
        if object.get(key).is_none() {
            self.missing(object, key);
        }
        self.text_or(object, key, "")
    }

    /// Text that must be there and hold more than blanks.
    pub(super) fn filled(&mut self, object: &Object<'_>, key: &str) -> String {
        let text = self.text(object, key);
        self.not_blank(object, key, &text);
        text
    }

    pub(super) fn not_blank(&mut self, object: &Object<'_>, key: &str, text: &str) {
        if let Some(node @ Node { data: Data::Text(_), .. }) = object.get(key)
            && text.trim().is_empty()
        {
            self.add(IssueCode::InvalidValue, node, &object.path_of(key), format!("`{key}` is blank"));
        }
    }

    /// A key: letter first, then letters, digits and underscores, all ASCII.
    pub(super) fn key(&mut self, object: &Object<'_>, longest: usize) -> String {
        let text = self.text(object, "key");
        let shaped = text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let problem = if !shaped {
            "a key is a letter, then letters, digits and `_`, all ASCII".to_owned()
        } else if text.len() > longest {
            format!("a key has at most {longest} characters here")
        } else {
            return text;
        };
        if let Some(node @ Node { data: Data::Text(_), .. }) = object.get("key") {
            self.add(IssueCode::InvalidValue, node, &object.path_of("key"), problem);
        }
        text
    }

    pub(super) fn flag(&mut self, object: &Object<'_>, key: &str, default: bool) -> bool {
        match object.get(key) {
            None => default,
            Some(Node { data: Data::Bool(value), .. }) => *value,
            Some(node) => {
                self.wrong(node, &object.path_of(key), "`true` or `false`");
                default
            }
        }
    }

    pub(super) fn integer(&mut self, object: &Object<'_>, key: &str, default: i64) -> i64 {
        let Some(node) = object.get(key) else { return default };
        if let Data::Number(number) = &node.data
            && let Some(value) = number.as_i64()
        {
            return value;
        }
        self.wrong(node, &object.path_of(key), "a whole number");
        default
    }

    pub(super) fn optional_number(&mut self, object: &Object<'_>, key: &str) -> Option<f64> {
        match object.get(key) {
            None | Some(Node { data: Data::Null, .. }) => None,
            Some(Node { data: Data::Number(number), .. }) => number.as_f64(),
            Some(node) => {
                self.wrong(node, &object.path_of(key), "a number");
                None
            }
        }
    }

    /// One of `words`.
    pub(super) fn word<T: Copy>(
        &mut self,
        object: &Object<'_>,
        key: &str,
        words: &[(&str, T)],
        default: Option<T>,
    ) -> T {
        let fallback = default.unwrap_or(words[0].1);
        let Some(node) = object.get(key) else {
            if default.is_none() {
                self.missing(object, key);
            }
            return fallback;
        };
        let path = object.path_of(key);
        let Some(text) = self.text_of(node, &path) else { return fallback };
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text) {
            return *value;
        }
        let names: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        self.add(IssueCode::InvalidValue, node, &path, format!("`{key}` is one of {}", names.join(", ")));
        fallback
    }

    /// The items of a list with their paths.
    pub(super) fn list<'n>(
        &mut self,
        object: &Object<'n>,
        key: &str,
        most: usize,
    ) -> Vec<(&'n Node, String)> {
        let path = object.path_of(key);
        let Some(node) = object.get(key) else { return Vec::new() };
        let Data::List(items) = &node.data else {
            self.wrong(node, &path, "a list");
            return Vec::new();
        };
        if items.len() > most {
            let message = format!("`{key}` has {} entries; at most {most} are allowed", items.len());
            self.add(IssueCode::TooLarge, node, &path, message);
            return Vec::new();
        }
        items.iter().enumerate().map(|(at, item)| (item, format!("{path}/{at}"))).collect()
    }

    pub(super) fn texts(&mut self, object: &Object<'_>, key: &str) -> Vec<String> {
        let items = self.list(object, key, super::MAX_LIST);
        items.iter().filter_map(|(node, path)| self.text_of(node, path)).collect()
    }

    pub(super) fn text_map(&mut self, object: &Object<'_>, key: &str) -> BTreeMap<String, String> {
        let Some(node) = object.get(key) else { return BTreeMap::new() };
        let path = object.path_of(key);
        let Data::Map(members) = &node.data else {
            self.wrong(node, &path, "an object");
            return BTreeMap::new();
        };
        let mut map = BTreeMap::new();
        for member in members.iter() {
            if let Some(text) = self.text_of(&member.value, &format!("{path}/{}", pointer_step(&member.key)))
            {
                map.insert(member.key.to_string(), text);
            }
        }
        map
    }

    /// A part of the document that the format leaves open.
    pub(super) fn open(&mut self, object: &Object<'_>, key: &str, required: bool) -> Map<String, Value> {
        match object.get(key) {
            Some(node @ Node { data: Data::Map(_), .. }) => match node.to_json() {
                Value::Object(map) => map,
                _ => Map::new(),
            },
            Some(node) => {
                self.wrong(node, &object.path_of(key), "an object");
                Map::new()
            }
            None => {
                if required {
                    self.missing(object, key);
                }
                Map::new()
            }
        }
    }
}
