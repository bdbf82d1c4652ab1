//! Commands and rules as they are emitted.
//!
//! All hosts that take commands read one `commands/` folder. So one file serves them all: it has the frontmatter
//! that any of them reads, each field in the spelling of its reader, and hosts pass over fields they do not know.

use super::{Registry, Target};
use crate::diagnostic::Code;
use crate::model::{Document, Model};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A command or a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentKind {
    /// `commands/<name>.md`
    Command,
    /// `rules/<name>.mdc`
    Rule,
}

impl DocumentKind {
    /// Both kinds.
    pub const ALL: [Self; 2] = [Self::Command, Self::Rule];

    /// The word of messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Command => "command",
            Self::Rule => "rule",
        }
    }

    /// The folder of the artifact; the component kind of target definitions.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Command => "commands",
            Self::Rule => "rules",
        }
    }

    /// The path at which the document `name` is emitted.
    pub fn path(self, name: &str) -> String {
        match self {
            Self::Command => format!("commands/{name}.md"),
            Self::Rule => format!("rules/{name}.mdc"),
        }
    }

    pub(super) fn unknown_host(self) -> Code {
        match self {
            Self::Command => Code::AB4924,
            Self::Rule => Code::AB4904,
        }
    }

    pub(super) fn unsupported_host(self) -> Code {
        match self {
            Self::Command => Code::AB4925,
            Self::Rule => Code::AB4905,
        }
    }

    pub(super) fn feature_refused(self) -> Code {
        match self {
            Self::Command => Code::AB4927,
            Self::Rule => Code::AB4907,
        }
    }

    pub(super) fn feature_left_out(self) -> Code {
        match self {
            Self::Command => Code::AB4928,
            Self::Rule => Code::AB4908,
        }
    }
}

/// The documents of one kind.
pub(super) fn documents(model: &Model, kind: DocumentKind) -> &[Document] {
    match kind {
        DocumentKind::Command => &model.commands,
        DocumentKind::Rule => &model.rules,
    }
}

/// The selected hosts that get `document`, sorted. Where there is none, nothing is emitted.
pub fn document_hosts<'a>(
    registry: &'a Registry,
    model: &'a Model,
    kind: DocumentKind,
    document: &Document,
) -> Vec<&'a Target> {
    let meant = |target: &&Target| {
        document.targets.as_ref().is_none_or(|named| named.iter().any(|host| host == target.name()))
    };
    registry.selected(&model.targets).filter(|target| target.takes(kind.folder())).filter(meant).collect()
}

/// The emitted bytes of a command or rule for the hosts that get it. Where nothing has to change, these are the
/// source's; else its frontmatter is edited in place, with the author's own lines wherever that can be done.
pub fn lower_document(hosts: &[&Target], kind: DocumentKind, document: &Document, source: &[u8]) -> Vec<u8> {
    let mut spelling: BTreeMap<&str, &str> = BTreeMap::new();
    for target in hosts {
        let component = target.definition.components.get(kind.folder());
        let keys = component.and_then(|component| component.keys.as_ref());
        spelling.extend(keys.into_iter().flatten().map(|(key, word)| (key.as_str(), word.as_str())));
    }
    let mut edit = Edit { authoring: document.targets.is_some(), ..Edit::default() };
    for key in document.frontmatter.keys() {
        match spelling.get(key.as_str()) {
            None => drop(edit.remove.insert(key)),
            Some(word) if word != key => drop(edit.rename.insert(key, word)),
            Some(_) => {}
        }
    }
    edit.apply(source, document.body, &document.frontmatter)
}

/// A change of frontmatter. The authoring key `targets` always goes.
#[derive(Debug, Default)]
pub(super) struct Edit<'a> {
    /// Whether the authoring key is known to be there, in whatever style.
    pub(super) authoring: bool,
    /// Keys to take out.
    pub(super) remove: BTreeSet<&'a str>,
    /// Keys to respell.
    pub(super) rename: BTreeMap<&'a str, &'a str>,
    /// Keys to add, or to give another value.
    pub(super) set: BTreeMap<&'a str, &'a Value>,
}

const AUTHORING_KEY: &str = "targets";
const FENCES: [&str; 2] = ["---", "..."];

impl Edit<'_> {
    /// The edited document: `body` is the offset of the body in `source`, `frontmatter` what stands before it.
    pub(super) fn apply(
        &self,
        source: &[u8],
        body: usize,
        frontmatter: &crate::model::JsonObject,
    ) -> Vec<u8> {
        let Some((header, body)) = source.split_at_checked(body) else { return source.to_vec() };
        let Ok(header) = std::str::from_utf8(header) else { return source.to_vec() };
        let blocks = blocks(header).filter(|blocks| {
            let expected = frontmatter.keys().map(String::as_str);
            let found = blocks.iter().filter_map(|block| block.key).filter(|key| *key != AUTHORING_KEY);
            found.collect::<BTreeSet<_>>() == expected.collect()
        });
        let authoring =
            self.authoring || blocks.iter().flatten().any(|block| block.key == Some(AUTHORING_KEY));
        if !authoring && self.remove.is_empty() && self.rename.is_empty() && self.set.is_empty() {
            return source.to_vec();
        }
        let lines = match blocks {
            Some(blocks) => self.edit(&blocks),
            None => self.write(frontmatter),
        };
        if lines.is_empty() {
            return body.to_vec();
        }
        let end = if header.contains("\r\n") { "\r\n" } else { "\n" };
        let fence = |line: Option<&str>| {
            let line = line.filter(|line| FENCES.contains(&line.trim_start_matches('\u{feff}').trim_end()));
            line.map_or_else(|| format!("---{end}"), str::to_owned)
        };
        let mut out = fence(header.split_inclusive('\n').next());
        for line in lines {
            out.push_str(&line);
            out.push_str(if line.ends_with('\n') { "" } else { end });
        }
        out.push_str(&fence(header.split_inclusive('\n').rfind(|line| !line.trim().is_empty())));
        let mut out = out.into_bytes();
        out.extend_from_slice(body);
        out
    }

    /// The author's lines, edited.
    fn edit(&self, blocks: &[Block<'_>]) -> Vec<String> {
        let gone =
            |key: &str| key == AUTHORING_KEY || self.remove.contains(key) || self.set.contains_key(key);
        let mut lines = Vec::new();
        for block in blocks {
            match block.key {
                Some(key) if gone(key) => {}
                Some(key) if self.rename.contains_key(key) => {
                    let first = block.lines[0];
                    let colon = first.find(':').unwrap_or(first.len());
                    lines.push(format!("{}{}", self.rename[key], &first[colon..]));
                    lines.extend(block.lines[1..].iter().map(|line| (*line).to_owned()));
                }
                _ => lines.extend(block.lines.iter().map(|line| (*line).to_owned())),
            }
        }
        if lines.iter().all(|line| line.trim().is_empty()) {
            lines.clear();
        }
        lines.extend(self.set.iter().map(|(key, value)| line(key, value)));
        lines
    }

    /// The values, where the author's lines cannot be told apart.
    fn write(&self, frontmatter: &crate::model::JsonObject) -> Vec<String> {
        let kept = frontmatter
            .iter()
            .filter(|(key, _)| !self.remove.contains(key.as_str()) && !self.set.contains_key(key.as_str()));
        let kept =
            kept.map(|(key, value)| line(self.rename.get(key.as_str()).unwrap_or(&key.as_str()), value));
        kept.chain(self.set.iter().map(|(key, value)| line(key, value))).collect()
    }
}

/// One line of YAML; JSON is YAML.
fn line(key: &str, value: &Value) -> String {
    format!("{key}: {value}")
}

/// A top-level key of block frontmatter with the lines that belong to it; comments before the first have no key.
struct Block<'a> {
    key: Option<&'a str>,
    lines: Vec<&'a str>,
}

/// The frontmatter's keys with their lines; `None` where it is not written as one key after the other.
fn blocks(header: &str) -> Option<Vec<Block<'_>>> {
    let mut lines = header.trim_start_matches('\u{feff}').split_inclusive('\n');
    lines.next().filter(|line| line.trim_end() == "---")?;
    let mut lines: Vec<&str> = lines.collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines.pop().filter(|line| FENCES.contains(&line.trim_end()))?;
    let mut blocks: Vec<Block<'_>> = Vec::new();
    for line in lines {
        let belongs = line.trim().is_empty() || line.starts_with([' ', '\t', '#', '-']);
        match blocks.last_mut() {
            Some(block) if belongs => block.lines.push(line),
            None if belongs && !line.starts_with('-') => blocks.push(Block { key: None, lines: vec![line] }),
            _ => blocks.push(Block { key: Some(key(line)?), lines: vec![line] }),
        }
    }
    Some(blocks)
}

/// The plain key that a line begins with.
fn key(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let plain = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    (plain && (rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))).then_some(key)
}
