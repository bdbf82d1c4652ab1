//! JSON values with the place of every part: what both TypeScript literals and YAML are read into.

use super::APP_REFERENCE_KEY;
use crate::model::JsonObject;
use serde_json::{Number, Value};
use std::ops::Range;

/// The deepest nesting of a value that is read. JSON readers commonly stop at 128.
pub(super) const MAX_VALUE_DEPTH: usize = 100;

/// A value and the bytes it was written with.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Byte offsets in the source.
    pub range: Range<usize>,
    /// The value.
    pub data: Data,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A finite number.
    Number(Number),
    /// Text.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// An object; of equal keys the last counts.
    Object(Vec<Member>),
    /// A call `appResourceUri(<reference>)`.
    AppReference(String),
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key, without quotation marks.
    pub key: String,
    /// Byte offsets of the key.
    pub key_range: Range<usize>,
    /// The value.
    pub value: Node,
}

impl Node {
    /// What the value is, in words that fit after "found".
    pub(super) fn shape(&self) -> &'static str {
        match &self.data {
            Data::Null => "null",
            Data::Bool(_) => "a boolean",
            Data::Number(_) => "a number",
            Data::String(text) if text.trim().is_empty() => "a blank string",
            Data::String(_) => "a string",
            Data::Array(_) => "a list",
            Data::Object(_) => "an object",
            Data::AppReference(_) => "an App reference",
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&[Node]> {
        match &self.data {
            Data::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_object(&self) -> Option<&[Member]> {
        match &self.data {
            Data::Object(members) => Some(members),
            _ => None,
        }
    }

    /// Moves all places by `offset` bytes.
    pub(super) fn shift(&mut self, offset: usize) {
        let moved = |range: &mut Range<usize>| *range = range.start + offset..range.end + offset;
        moved(&mut self.range);
        match &mut self.data {
            Data::Array(items) => items.iter_mut().for_each(|item| item.shift(offset)),
            Data::Object(members) => {
                for member in members {
                    moved(&mut member.key_range);
                    member.value.shift(offset);
                }
            }
            _ => {}
        }
    }

    /// Whether this is a list or an object that holds nothing.
    pub fn is_empty(&self) -> bool {
        match &self.data {
            Data::Array(items) => items.is_empty(),
            Data::Object(members) => members.is_empty(),
            _ => false,
        }
    }

    /// The plain value.
    pub fn to_json(&self) -> Value {
        match &self.data {
            Data::Null => Value::Null,
            Data::Bool(value) => Value::Bool(*value),
            Data::Number(number) => Value::Number(number.clone()),
            Data::String(text) => Value::String(text.clone()),
            Data::Array(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Data::Object(members) => Value::Object(to_object(members)),
            Data::AppReference(reference) => {
                let mut object = JsonObject::new();
                object.insert(APP_REFERENCE_KEY.to_owned(), Value::String(reference.clone()));
                Value::Object(object)
            }
        }
    }

    /// The part at a JSON pointer.
    pub(super) fn at_pointer(&self, pointer: &str) -> Option<&Node> {
        let mut node = self;
        for part in pointer.split('/').skip(1) {
            let key = part.replace("~1", "/").replace("~0", "~");
            node = match &node.data {
                Data::Object(members) => member(members, &key).map(|found| &found.value)?,
                Data::Array(items) => items.get(key.parse::<usize>().ok()?)?,
                _ => return None,
            };
        }
        Some(node)
    }
}

/// The members as a JSON object. Of equal keys the last wins, at the place of the first.
pub(super) fn to_object(members: &[Member]) -> JsonObject {
    members.iter().map(|member| (member.key.clone(), member.value.to_json())).collect()
}

/// The member that counts for `key`.
pub(super) fn member<'n>(members: &'n [Member], key: &str) -> Option<&'n Member> {
    members.iter().rev().find(|member| member.key == key)
}

/// A JSON number for a double; `None` for what JSON cannot tell (infinities, NaN, negative zero). Whole numbers
/// that a double holds exactly become integers.
pub(super) fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value == 0.0 && value.is_sign_negative() {
        return None;
    }
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}
