//! Commands and rules: one Markdown file each.

use super::frontmatter::{self, Layout, Shape, unknown_field, wrong_shape};
use super::shell;
use crate::diagnostic::Code;
use crate::extract::facts::{DocumentFacts, DocumentKind, Extraction};
use crate::extract::findings::Findings;
use crate::extract::node::{Member, to_object};

const TARGETS: &str = "targets";

/// What differs between the kinds.
struct Rules {
    word: &'static str,
    fields: &'static [(&'static str, Shape)],
    unreadable: Code,
    invalid: Code,
    unknown: Code,
    shape: Code,
    /// Whether hosts run commands in the text.
    runs: bool,
}

impl Rules {
    fn check_body(&self, text: &str, body: usize, findings: &mut Findings<'_>) {
        if self.runs {
            shell::check(text, body, findings);
        }
    }
}

fn rules(kind: DocumentKind) -> Rules {
    match kind {
        DocumentKind::Command => Rules {
            word: "a command",
            fields: &[
                ("description", Shape::Text),
                ("argumentHint", Shape::Text),
                ("allowedTools", Shape::Texts),
                ("model", Shape::Text),
                ("disableModelInvocation", Shape::Flag),
            ],
            unreadable: Code::AB4920,
            invalid: Code::AB4921,
            unknown: Code::AB4922,
            shape: Code::AB4923,
            runs: true,
        },
        DocumentKind::Rule => Rules {
            word: "a rule",
            fields: &[("description", Shape::Text), ("globs", Shape::Texts), ("alwaysApply", Shape::Flag)],
            unreadable: Code::AB4900,
            invalid: Code::AB4901,
            unknown: Code::AB4902,
            shape: Code::AB4903,
            runs: false,
        },
    }
}

/// What the command or rule at project-relative `path` declares. A document without frontmatter declares nothing and
/// is all body; the facts are empty beside a finding.
pub fn document(kind: DocumentKind, path: &str, bytes: &[u8]) -> Extraction<DocumentFacts> {
    let rules = rules(kind);
    let (text, mut findings) = match super::text(path, bytes, &rules.unreadable) {
        Ok(source) => source,
        Err(problem) => return Extraction { facts: DocumentFacts::default(), diagnostics: vec![*problem] },
    };
    let shift = bytes.len() - text.len();
    let mut facts = read(text, &rules, &mut findings).unwrap_or_default();
    facts.body += shift;
    Extraction { facts, diagnostics: findings.into_list() }
}

fn read(text: &str, rules: &Rules, findings: &mut Findings<'_>) -> Option<DocumentFacts> {
    let (yaml, body) = match frontmatter::layout(text) {
        Layout::Fenced { yaml, body } => (yaml, body),
        Layout::None => {
            rules.check_body(text, 0, findings);
            return None;
        }
        Layout::Open => {
            let first_line = 0..text.lines().next().unwrap_or("").len();
            let message = "the frontmatter is never closed: no second `---` line follows";
            findings.add_with_help(rules.invalid.clone(), &first_line, message, "Close it with a line `---`");
            return None;
        }
    };
    rules.check_body(text, body, findings);
    let before = findings.count();
    let members = frontmatter::members(text, &yaml, &rules.invalid, findings)?;
    let known: Vec<&str> = rules.fields.iter().map(|(name, _)| *name).chain([TARGETS]).collect();
    let mut targets = None;
    for field in &members {
        match rules.fields.iter().find(|(name, _)| *name == field.key) {
            Some((_, shape)) if shape.fits(&field.value) => {}
            Some((_, shape)) => wrong_shape(rules.shape.clone(), field, shape.words(), findings),
            None if field.key == TARGETS => targets = read_targets(field, rules, findings),
            None => unknown_field(rules.unknown.clone(), field, rules.word, &known, findings),
        }
    }
    if findings.count() > before {
        return None;
    }
    let mut frontmatter = to_object(&members);
    frontmatter.shift_remove(TARGETS);
    Some(DocumentFacts { frontmatter, targets, body })
}

fn read_targets(field: &Member, rules: &Rules, findings: &mut Findings<'_>) -> Option<Vec<String>> {
    let names: Option<Vec<String>> = field.value.as_array().and_then(|items| {
        items
            .iter()
            .map(|item| item.as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned))
            .collect()
    });
    if names.as_ref().is_none_or(Vec::is_empty) {
        wrong_shape(rules.shape.clone(), field, "a nonempty list of host names", findings);
        return None;
    }
    names
}
