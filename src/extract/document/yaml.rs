//! YAML with the place of every part, within limits.
//!
//! Nodes are built from parser events, so that nesting costs no stack and aliases are counted before they are
//! expanded.

use crate::extract::node::{Data, MAX_VALUE_DEPTH, Member, Node, number};
use saphyr::Scalar;
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::Number;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The most values that a block may hold once its aliases are expanded.
const MAX_NODES: usize = 10_000;

/// Why a text is not usable YAML.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) range: Range<usize>,
    pub(super) message: String,
}

/// The value of `text`, which starts at byte `start` of its source.
pub(super) fn parse(text: &str, start: usize) -> Result<Node, Problem> {
    let places = Places::new(text, start);
    let mut builder =
        Builder { places: &places, open: Vec::new(), anchors: BTreeMap::new(), nodes: 0, root: None };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| places.problem(&error))?;
        builder.event(event, span)?;
    }
    let end = start + text.len();
    Ok(builder.root.unwrap_or(Node { range: start..end, data: Data::Null }))
}

/// From character positions to bytes of the source.
struct Places<'t> {
    text: &'t str,
    /// Byte offset of each character and of the end; empty when all characters are one byte long.
    offsets: Vec<usize>,
    start: usize,
    length: usize,
}

impl<'t> Places<'t> {
    fn new(text: &'t str, start: usize) -> Self {
        let mut offsets = Vec::new();
        if !text.is_ascii() {
            offsets.extend(text.char_indices().map(|(offset, _)| offset));
            offsets.push(text.len());
        }
        Self { text, offsets, start, length: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        let offset = match self.offsets.is_empty() {
            true => character,
            false => self.offsets.get(character).copied().unwrap_or(self.length),
        };
        self.start + offset.min(self.length)
    }

    fn range(&self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }

    /// A scalar without the comment behind it: the parser counts that in where the scalar is quoted.
    fn scalar(&self, span: Span) -> Range<usize> {
        let range = self.range(span);
        let written = self.text.get(range.start - self.start..range.end - self.start).unwrap_or_default();
        let Some(quote) = written.chars().next().filter(|mark| matches!(mark, '"' | '\'')) else {
            return range;
        };
        let mut escaped = false;
        let inner = written[1..].char_indices().find(|(_, letter)| {
            let ends = *letter == quote && !escaped;
            escaped = quote == '"' && *letter == '\\' && !escaped;
            ends
        });
        let (doubled, at) = (written.contains("''"), inner.map(|(at, _)| range.start + at + 2));
        // A quotation mark that stands for itself is doubled, which is too rare to be told from an end here.
        at.filter(|_| !(quote == '\'' && doubled)).map_or(range.clone(), |end| range.start..end)
    }

    fn problem(&self, error: &ScanError) -> Problem {
        let at = self.byte(error.marker().index());
        Problem { range: at..at, message: error.info().to_owned() }
    }
}

/// A list or mapping whose end has not come yet.
struct Open {
    anchor: usize,
    start: usize,
    parts: Parts,
}

enum Parts {
    List(Vec<Node>),
    Map { members: Vec<Member>, key: Option<(String, Range<usize>)> },
}

struct Builder<'t> {
    places: &'t Places<'t>,
    open: Vec<Open>,
    /// Anchored values with the number of values in each.
    anchors: BTreeMap<usize, (Node, usize)>,
    nodes: usize,
    root: Option<Node>,
}

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let range = match &event {
            Event::Scalar(..) => self.places.scalar(span),
            _ => self.places.range(span),
        };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                if self.wants_key() {
                    return self.key(text.into_owned(), range);
                }
                let data = scalar(text, style, tag.as_ref(), &range)?;
                self.value(Node { range, data }, anchor)
            }
            Event::SequenceStart(anchor, _) => self.start(anchor, &range, Parts::List(Vec::new())),
            Event::MappingStart(anchor, _) => {
                self.start(anchor, &range, Parts::Map { members: Vec::new(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(&range),
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor).cloned() else {
                    return Err(problem(&range, "an alias refers to a value that is not complete"));
                };
                if self.wants_key() {
                    return Err(problem(&range, "an alias is used as a key"));
                }
                self.nodes += size - 1;
                self.value(Node { range, data: node.data }, 0)
            }
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(problem(&range, "the block holds more than one YAML document"))
            }
            _ => Ok(()),
        }
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { parts: Parts::Map { key: None, .. }, .. }))
    }

    fn key(&mut self, text: String, range: Range<usize>) -> Result<(), Problem> {
        if let Some(Open { parts: Parts::Map { members, key }, .. }) = self.open.last_mut() {
            if members.iter().any(|member| member.key == text) {
                return Err(problem(&range, &format!("the key `{text}` is written twice")));
            }
            *key = Some((text, range));
        }
        Ok(())
    }

    fn start(&mut self, anchor: usize, range: &Range<usize>, parts: Parts) -> Result<(), Problem> {
        if self.wants_key() {
            return Err(problem(range, "a list or mapping is used as a key"));
        }
        if self.open.len() >= MAX_VALUE_DEPTH {
            return Err(problem(range, &format!("values are nested deeper than {MAX_VALUE_DEPTH} levels")));
        }
        self.open.push(Open { anchor, start: range.start, parts });
        Ok(())
    }

    fn end(&mut self, closing: &Range<usize>) -> Result<(), Problem> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let (data, last) = match open.parts {
            Parts::List(items) => {
                let last = items.last().map(|item| item.range.end);
                (Data::Array(items), last)
            }
            Parts::Map { members, .. } => {
                let last = members.last().map(|member| member.value.range.end);
                (Data::Object(members), last)
            }
        };
        // Only brackets end with a token; a block ends with its last part.
        let end = if closing.is_empty() { last.unwrap_or(closing.end) } else { closing.end };
        self.value(Node { range: open.start..end.max(open.start), data }, open.anchor)
    }

    fn value(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            let message =
                format!("the block holds more than {MAX_NODES} values once its aliases are expanded");
            return Err(problem(&node.range, &message));
        }
        if anchor != 0 {
            let size = count(&node);
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open { parts: Parts::List(items), .. }) => items.push(node),
            Some(Open { parts: Parts::Map { members, key }, .. }) => {
                if let Some((key, key_range)) = key.take() {
                    members.push(Member { key, key_range, value: node });
                }
            }
        }
        Ok(())
    }
}

fn count(node: &Node) -> usize {
    1 + match &node.data {
        Data::Array(items) => items.iter().map(count).sum(),
        Data::Object(members) => members.iter().map(|member| count(&member.value)).sum(),
        _ => 0,
    }
}

fn scalar(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<&Cow<'_, Tag>>,
    range: &Range<usize>,
) -> Result<Data, Problem> {
    let written = text.to_string();
    match Scalar::parse_from_cow_and_metadata(text, style, tag) {
        None => Err(problem(range, &format!("`{written}` does not fit its tag"))),
        Some(Scalar::Null) => Ok(Data::Null),
        Some(Scalar::Boolean(value)) => Ok(Data::Bool(value)),
        Some(Scalar::Integer(value)) => Ok(Data::Number(Number::from(value))),
        Some(Scalar::String(text)) => Ok(Data::String(text.into_owned())),
        Some(Scalar::FloatingPoint(value)) => number(value.into_inner())
            .map(Data::Number)
            .ok_or_else(|| problem(range, &format!("`{written}` is not a number that JSON can hold"))),
    }
}

fn problem(range: &Range<usize>, message: &str) -> Problem {
    Problem { range: range.clone(), message: message.to_owned() }
}
