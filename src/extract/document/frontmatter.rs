//! The fenced block at the head of a Markdown document.

use super::yaml;
use crate::diagnostic::{Code, Fix, nearest};
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Member, Node};
use std::ops::Range;

/// The longest block that is read, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;

/// Where the block and the body of a document lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layout {
    /// The first line is no fence.
    None,
    /// The fence is never closed.
    Open,
    /// The YAML between the fences, and the first byte after them.
    Fenced { yaml: Range<usize>, body: usize },
}

/// Finds the block of `text`.
pub(super) fn layout(text: &str) -> Layout {
    let mut lines = lines(text, 0);
    let Some(first) = lines.next().filter(|line| is_fence(&text[line.clone()])) else { return Layout::None };
    for line in lines {
        if is_fence(&text[line.clone()]) {
            return Layout::Fenced { yaml: first.end..line.start, body: line.end };
        }
    }
    Layout::Open
}

/// Ranges of the lines from `start`, line breaks included.
fn lines(text: &str, start: usize) -> impl Iterator<Item = Range<usize>> {
    let mut at = start;
    text[start..].split_inclusive('\n').map(move |line| {
        let range = at..at + line.len();
        at = range.end;
        range
    })
}

fn is_fence(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The members of the block; `None` after a finding with `code`. An empty block has no members.
pub(super) fn members(
    text: &str,
    yaml: &Range<usize>,
    code: &Code,
    findings: &mut Findings<'_>,
) -> Option<Vec<Member>> {
    if yaml.len() > MAX_FRONTMATTER_BYTES {
        let message =
            format!("the frontmatter has {} bytes; at most {MAX_FRONTMATTER_BYTES} are read", yaml.len());
        findings.add_with_help(
            code.clone(),
            &(yaml.start..yaml.start),
            message,
            "Move the text into the body",
        );
        return None;
    }
    match yaml::parse(&text[yaml.clone()], yaml.start) {
        Ok(Node { data: Data::Object(members), .. }) => Some(members),
        Ok(Node { data: Data::Null, .. }) => Some(Vec::new()),
        Ok(other) => {
            let message = format!("the frontmatter is {}, not a list of fields", other.shape());
            findings.add_with_help(
                code.clone(),
                &other.range,
                message,
                "Write one `field: value` on each line",
            );
            None
        }
        Err(problem) => {
            let message = format!("the frontmatter is not valid YAML: {}", problem.message);
            findings.add(code.clone(), &problem.range, message);
            None
        }
    }
}

/// The finding about a field that `known` does not hold.
pub(super) fn unknown_field(
    code: Code,
    field: &Member,
    place: &str,
    known: &[&str],
    findings: &mut Findings<'_>,
) {
    let message = format!("{place} has no field `{}`", field.key);
    match nearest(&field.key, known.iter().copied()).or_else(|| respelled(&field.key, known)) {
        Some(candidate) => {
            let fix = Fix::inside_quotes(&findings.span(&field.key_range), candidate);
            findings.add_with_fix(
                code,
                &field.key_range,
                message,
                format!("Did you mean `{candidate}`?"),
                fix,
            );
        }
        None => {
            let help = format!("Remove it; the fields are {}", quoted(known));
            findings.add_with_help(code, &field.key_range, message, help);
        }
    }
}

/// The field that has the same letters in another case style, as `argument-hint` has of `argumentHint`.
fn respelled<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    let letters = |text: &str| text.replace(['-', '_'], "").to_ascii_lowercase();
    known.iter().copied().find(|candidate| letters(candidate) == letters(key))
}

/// The finding about a field of another shape.
pub(super) fn wrong_shape(code: Code, field: &Member, expected: &str, findings: &mut Findings<'_>) {
    let message = format!("`{}` is {}; it must be {expected}", field.key, field.value.shape());
    let help = format!("Give `{}` {expected}, or remove it", field.key);
    findings.add_with_help(code, &field.value.range, message, help);
}

/// `` `a`, `b` and `c` ``
pub(super) fn quoted(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        _ => names.concat(),
    }
}

/// Shapes that a field may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Flag,
    /// One string or a list of strings.
    Texts,
}

impl Shape {
    pub(super) fn fits(self, value: &Node) -> bool {
        match self {
            Self::Text => value.as_str().is_some(),
            Self::Flag => matches!(value.data, Data::Bool(_)),
            Self::Texts => {
                value.as_str().is_some()
                    || value.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
            }
        }
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "`true` or `false`",
            Self::Texts => "a string or a list of strings",
        }
    }
}
