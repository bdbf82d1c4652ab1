//! A document as a tree with the place of every part, built within limits.
//!
//! Parser events are counted before anything is made of them. Lists and maps are shared, so an alias costs nothing
//! to expand; its size and height still count, so that no reader of the tree can be made to do more work than the
//! limits allow.

use crate::workspace::issue::{Issue, IssueCode};
use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::{Map, Number, Value};
use std::rc::Rc;

/// The longest document, in bytes.
pub const MAX_BYTES: usize = 5 * 1024 * 1024;
/// The deepest nesting.
pub const MAX_DEPTH: usize = 64;
/// The most values, counted with aliases expanded.
pub const MAX_NODES: usize = 100_000;
/// The most uses of aliases.
pub const MAX_ALIASES: usize = 100;

/// A value and where it begins.
#[derive(Debug, Clone)]
pub struct Node {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
    /// The value.
    pub data: Data,
}

/// What a value is.
#[derive(Debug, Clone)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// Text.
    Text(Rc<str>),
    /// A list.
    List(Rc<[Node]>),
    /// An object.
    Map(Rc<[Member]>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Member {
    /// The key.
    pub key: Rc<str>,
    /// Line of the key, from 1.
    pub line: u32,
    /// Column of the key, from 1.
    pub column: u32,
    /// The value.
    pub value: Node,
}

impl Node {
    /// What the value is, in words.
    pub fn shape(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::Text(_) => "text",
            Data::List(_) => "a list",
            Data::Map(_) => "an object",
        }
    }

    /// The member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.data {
            Data::Map(members) => {
                members.iter().find(|member| &*member.key == key).map(|member| &member.value)
            }
            _ => None,
        }
    }

    /// The text.
    pub fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The plain value; objects are ordered by key.
    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
            Data::Text(text) => Value::String(text.to_string()),
            Data::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Data::Map(members) => {
                let mut members: Vec<&Member> = members.iter().collect();
                members.sort_by(|a, b| a.key.cmp(&b.key));
                let entries = members.iter().map(|member| (member.key.to_string(), member.value.to_json()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// The nearest part to a JSON pointer that the document spells out.
    pub fn locate(&self, pointer: &str) -> (u32, u32) {
        let mut node = self;
        let mut place = (self.line, self.column);
        for step in pointer.split('/').skip(1) {
            let step = step.replace("~1", "/").replace("~0", "~");
            let next = match &node.data {
                Data::List(items) => step
                    .parse::<usize>()
                    .ok()
                    .and_then(|at| items.get(at))
                    .map(|item| (item, item.line, item.column)),
                Data::Map(members) => members
                    .iter()
                    .find(|member| *member.key == *step)
                    .map(|member| (&member.value, member.line, member.column)),
                _ => None,
            };
            let Some((found, line, column)) = next else { break };
            node = found;
            place = (line, column);
        }
        place
    }
}

/// The tree of a document; `json` says how errors name the format.
pub fn parse(bytes: &[u8]) -> Result<Node, Issue> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the document has more than {MAX_BYTES} bytes");
        return Err(Issue::block(IssueCode::TooLarge, message));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        malformed("the document is not UTF-8 text", to_u32(line + 1), 1)
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = super::json::yaml_escapes(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(&text) {
        let (event, span) = event.map_err(|error| syntax(&text, &error))?;
        builder.event(event, span).map_err(|issue| with_hint(&text, issue))?;
    }
    builder.root.ok_or_else(|| malformed("the document is empty", 1, 1))
}

fn syntax(text: &str, error: &ScanError) -> Issue {
    let marker = error.marker();
    let issue = malformed(
        &format!("this is neither YAML nor JSON: {}", error.info()),
        to_u32(marker.line().max(1)),
        to_u32(marker.col() + 1),
    );
    with_hint(text, issue)
}

/// Adds advice where an unquoted `*` at the head of a value is the likely cause.
fn with_hint(text: &str, mut issue: Issue) -> Issue {
    let line = issue.line.unwrap_or(1) as usize;
    let starred = text.lines().nth(line.saturating_sub(1)).is_some_and(|line| {
        line.split_once(':').is_some_and(|(_, value)| value.trim_start().starts_with('*'))
    });
    if starred {
        issue.message.push_str("; put quotes around text that begins with `*`, such as a cron expression");
    }
    issue
}

fn malformed(message: &str, line: u32, column: u32) -> Issue {
    Issue::block(IssueCode::Malformed, message).place(line, column)
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// How much an anchored value weighs.
#[derive(Clone, Copy)]
struct Weight {
    nodes: usize,
    height: usize,
}

/// A list or object whose end has not come yet.
struct Open {
    anchor: usize,
    line: u32,
    column: u32,
    nodes_before: usize,
    height: usize,
    parts: Parts,
}

enum Parts {
    List(Vec<Node>),
    Map { members: Vec<Member>, seen: FxHashMap<Rc<str>, u32>, key: Option<(Rc<str>, u32, u32)> },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: FxHashMap<usize, (Node, Weight)>,
    nodes: usize,
    aliases: usize,
    root: Option<Node>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Issue> {
        let line = to_u32(span.start.line().max(1));
        let column = to_u32(span.start.col() + 1);
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if let Some(bad) =
                    text.chars().find(|c| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{7f}'))
                {
                    let message = format!("text holds the control character U+{:04X}", u32::from(bad));
                    return Err(malformed(&message, line, column));
                }
                if self.wants_key() {
                    return self.key(&text, style, line, column);
                }
                let data = scalar(&text, style, tag.as_deref(), line, column)?;
                self.value(Node { line, column, data }, anchor, Weight { nodes: 1, height: 0 })
            }
            Event::SequenceStart(anchor, tag) => {
                check_tag(tag.as_deref(), &["seq"], line, column)?;
                self.start(anchor, line, column, Parts::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                check_tag(tag.as_deref(), &["map"], line, column)?;
                let parts = Parts::Map { members: Vec::new(), seen: FxHashMap::default(), key: None };
                self.start(anchor, line, column, parts)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => self.alias(anchor, line, column),
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(malformed("the text holds more than one document", line, column))
            }
            _ => Ok(()),
        }
    }

    fn alias(&mut self, anchor: usize, line: u32, column: u32) -> Result<(), Issue> {
        self.aliases += 1;
        if self.aliases > MAX_ALIASES {
            return Err(malformed(&format!("more than {MAX_ALIASES} aliases are used"), line, column));
        }
        if self.wants_key() {
            return Err(malformed("an alias is used as a key", line, column));
        }
        let Some((node, weight)) = self.anchors.get(&anchor) else {
            return Err(malformed("an alias refers to the value that it is part of", line, column));
        };
        let (node, weight) = (Node { line, column, data: node.data.clone() }, *weight);
        self.nodes += weight.nodes - 1;
        if self.open.len() + weight.height > MAX_DEPTH {
            return Err(too_deep(line, column));
        }
        self.value(node, 0, weight)
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { parts: Parts::Map { key: None, .. }, .. }))
    }

    fn key(&mut self, text: &str, style: ScalarStyle, line: u32, column: u32) -> Result<(), Issue> {
        if text == "<<" && style == ScalarStyle::Plain {
            return Err(malformed("merge keys (`<<`) are not part of the format", line, column));
        }
        if let Some(Open { parts: Parts::Map { seen, key, .. }, .. }) = self.open.last_mut() {
            let text: Rc<str> = Rc::from(text);
            if let Some(first) = seen.insert(Rc::clone(&text), line) {
                let message = format!("the key `{text}` is written twice, on lines {first} and {line}");
                return Err(malformed(&message, line, column));
            }
            *key = Some((text, line, column));
        }
        Ok(())
    }

    fn start(&mut self, anchor: usize, line: u32, column: u32, parts: Parts) -> Result<(), Issue> {
        if self.wants_key() {
            return Err(malformed("a list or object is used as a key", line, column));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep(line, column));
        }
        self.open.push(Open { anchor, line, column, nodes_before: self.nodes, height: 1, parts });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Issue> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let data = match open.parts {
            Parts::List(items) => Data::List(items.into()),
            Parts::Map { members, .. } => Data::Map(members.into()),
        };
        let weight = Weight { nodes: self.nodes - open.nodes_before + 1, height: open.height };
        self.value(Node { line: open.line, column: open.column, data }, open.anchor, weight)
    }

    fn value(&mut self, node: Node, anchor: usize, weight: Weight) -> Result<(), Issue> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let message =
                format!("the document holds more than {MAX_NODES} values once its aliases are expanded");
            return Err(malformed(&message, node.line, node.column));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(open) => {
                open.height = open.height.max(weight.height + 1);
                match &mut open.parts {
                    Parts::List(items) => items.push(node),
                    Parts::Map { members, key, .. } => {
                        if let Some((key, line, column)) = key.take() {
                            members.push(Member { key, line, column, value: node });
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

fn too_deep(line: u32, column: u32) -> Issue {
    malformed(&format!("values are nested deeper than {MAX_DEPTH} levels"), line, column)
}

const CORE: &str = "tag:yaml.org,2002:";

fn check_tag(tag: Option<&Tag>, allowed: &[&str], line: u32, column: u32) -> Result<(), Issue> {
    match tag {
        Some(tag) if tag.handle != CORE || !allowed.contains(&tag.suffix.as_str()) => Err(malformed(
            &format!("the tag `{}{}` is not allowed here", tag.handle, tag.suffix),
            line,
            column,
        )),
        _ => Ok(()),
    }
}

/// Resolves a scalar by the YAML 1.2 core schema.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, line: u32, column: u32) -> Result<Data, Issue> {
    check_tag(tag, &["str", "int", "float", "bool", "null"], line, column)?;
    let tagged = tag.map(|tag| tag.suffix.as_str());
    if tagged == Some("str") || (tagged.is_none() && style != ScalarStyle::Plain) {
        return Ok(Data::Text(Rc::from(text)));
    }
    let data = match text {
        "" | "~" | "null" | "Null" | "NULL" => Data::Null,
        "true" | "True" | "TRUE" => Data::Bool(true),
        "false" | "False" | "FALSE" => Data::Bool(false),
        _ => match number(text) {
            Some(Some(number)) => Data::Number(number),
            Some(None) => return Err(malformed("the number is not finite", line, column)),
            None => Data::Text(Rc::from(text)),
        },
    };
    let fits = match tagged {
        None => true,
        Some("null") => matches!(data, Data::Null),
        Some("bool") => matches!(data, Data::Bool(_)),
        _ => matches!(data, Data::Number(_)),
    };
    if fits { Ok(data) } else { Err(malformed("the value does not fit its tag", line, column)) }
}

/// A number of the core schema; the inner `None` is one that is not finite.
fn number(text: &str) -> Option<Option<Number>> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok().map(|value| Some(Number::from(value)));
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return u64::from_str_radix(digits, 8).ok().map(|value| Some(Number::from(value)));
    }
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return Some(None);
    }
    let bytes = unsigned.as_bytes();
    let shaped = bytes.iter().any(u8::is_ascii_digit)
        && (bytes[0].is_ascii_digit() || bytes[0] == b'.')
        && bytes.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !shaped {
        return None;
    }
    if bytes.iter().all(u8::is_ascii_digit)
        && let Ok(value) = text.parse::<i64>()
    {
        return Some(Some(Number::from(value)));
    }
    let value: f64 = text.parse().ok()?;
    #[allow(clippy::cast_possible_truncation, reason = "the range is checked in the same expression")]
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        return Some(Some(Number::from(value as i64)));
    }
    Some(Number::from_f64(value))
}
