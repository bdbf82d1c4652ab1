//! Skills as they are emitted.
//!
//! All hosts that install the artifact's root read one `skills/` folder, so a skill has one form there. A form
//! for one host alone (fields under `targets.<host>`, tokens that this host expands) is possible where that host
//! has a folder of its own, or is the only one selected; otherwise the hosts disagree and AB4103 names them. The
//! portable projection moves to its own folder when that settles it.

use super::documents::Edit;
use super::slice::{self, Slice};
use super::{Registry, Target, tokens};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::{JsonObject, Model, Skill};
use serde_json::Value;
use std::collections::BTreeMap;

/// One place where a skill's document lies.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillOutput {
    /// Path in the artifact.
    pub path: String,
    /// Hosts that read it there, sorted.
    pub hosts: Vec<String>,
}

/// Emitted bytes, with what the hosts refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The problems.
    pub diagnostics: Vec<Diagnostic>,
}

/// Where the `SKILL.md` of `skill` lies: in the shared folder, and in the folder of each host that has its own.
/// The skill's other files follow through the projections' mounts.
pub fn skill_outputs(
    registry: &Registry,
    model: &Model,
    slices: &BTreeMap<String, Slice>,
    skill: &Skill,
) -> Vec<SkillOutput> {
    let mut by_root = BTreeMap::from([(String::new(), Vec::new())]);
    for target in registry.selected(&model.targets).filter(|target| target.takes("skills")) {
        let Some(slice) = slices.get(target.name()) else { continue };
        let root = slice::root(&target.definition, slice);
        by_root.entry(root).or_insert_with(Vec::new).push(target.name().to_owned());
    }
    let path = |root: &str| match root {
        "" => format!("skills/{}/SKILL.md", skill.name),
        root => format!("{root}/skills/{}/SKILL.md", skill.name),
    };
    by_root.into_iter().map(|(root, hosts)| SkillOutput { path: path(&root), hosts }).collect()
}

/// The emitted bytes of one `SKILL.md` for the hosts that read it in one place. A skill without tokens and host
/// fields passes byte for byte.
pub fn lower_skill(registry: &Registry, output: &SkillOutput, skill: &Skill, source: &[u8]) -> Lowered {
    let path = format!("{}/SKILL.md", skill.directory);
    let mut diagnostics = Vec::new();
    let mut forms: Vec<(&Target, Vec<u8>)> = Vec::new();
    for target in registry.selected(&output.hosts) {
        let bytes = form(target, skill, source, &path, &mut diagnostics);
        diagnostics.extend(foreign(registry, target, &bytes, source, &path));
        diagnostics.extend(frontmatter_breach(target, skill, &path));
        forms.push((target, bytes));
    }
    let Some((first, bytes)) = forms.first() else {
        return Lowered { bytes: edited(&JsonObject::new(), skill, source), diagnostics };
    };
    if let Some((other, _)) = forms.iter().find(|(_, other)| other != bytes)
        && diagnostics.is_empty()
    {
        let message = format!(
            "The skill `{}` has another form for {} than for {}, and both read `{}`",
            skill.name,
            first.title(),
            other.title(),
            output.path
        );
        diagnostics.push(Diagnostic::new(Code::AB4103, message).in_file(&path).generated(&output.path));
    }
    Lowered { bytes: bytes.clone(), diagnostics }
}

/// The skill in the host's words.
fn form(
    target: &Target,
    skill: &Skill,
    source: &[u8],
    path: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<u8> {
    let none = JsonObject::new();
    let added = skill.host_frontmatter.get(target.name()).unwrap_or(&none);
    let bytes = edited(added, skill, source);
    let Ok(text) = std::str::from_utf8(&bytes) else { return bytes };
    let spelling = &target.definition.skills.tokens;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut refused = Vec::new();
    while let Some((start, token)) = tokens::first(rest) {
        out.push_str(&rest[..start]);
        out.push_str(spelling.get(token).map_or(token, String::as_str));
        if !spelling.contains_key(token) && !refused.contains(&token) {
            refused.push(token);
        }
        rest = &rest[start + token.len()..];
    }
    out.push_str(rest);
    diagnostics.extend(refused.into_iter().map(|token| {
        let message = format!("{} puts nothing in place of `{token}` in a skill", target.title());
        locate(Diagnostic::new(Code::AB3008, message), source, token, path).target(target.name())
    }));
    out.into_bytes()
}

/// The source without the authoring key and with `added` fields; the source itself where it has neither.
fn edited(added: &JsonObject, skill: &Skill, source: &[u8]) -> Vec<u8> {
    let set: BTreeMap<&str, &Value> = added.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let authoring = !skill.host_frontmatter.is_empty();
    Edit { authoring, set, ..Edit::default() }.apply(source, body_offset(source), &skill.frontmatter)
}

/// Where the body begins: after the line of the second fence.
fn body_offset(source: &[u8]) -> usize {
    let mut offset = 0;
    let mut fences = 0;
    for line in source.split_inclusive(|byte| *byte == b'\n') {
        offset += line.len();
        let text = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii_end();
        fences += usize::from(text == b"---" || fences > 0 && text == b"...");
        if fences == 2 {
            return offset;
        }
    }
    0
}

/// Placeholders of other hosts that are left in the text.
fn foreign(registry: &Registry, target: &Target, bytes: &[u8], source: &[u8], path: &str) -> Vec<Diagnostic> {
    let own = &target.definition.skills.placeholders;
    let text = String::from_utf8_lossy(bytes);
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    for other in registry.all().filter(|other| other.name() != target.name()) {
        let placeholders = other.definition.skills.placeholders.iter();
        for placeholder in placeholders.filter(|one| !own.contains(one) && text.contains(one.as_str())) {
            found.entry(placeholder).or_insert(other.title());
        }
    }
    let report = |(placeholder, owner): (&str, &str)| {
        let message = format!("`{placeholder}` means something to {owner} and nothing to {}", target.title());
        locate(Diagnostic::new(Code::AB3009, message), source, placeholder, path).target(target.name())
    };
    found.into_iter().map(report).collect()
}

fn locate(diagnostic: Diagnostic, source: &[u8], needle: &str, path: &str) -> Diagnostic {
    let at = std::str::from_utf8(source).ok().and_then(|text| text.find(needle));
    match at {
        Some(at) => diagnostic.at(path, at..at + needle.len()),
        None => diagnostic.in_file(path),
    }
}

fn frontmatter_breach(target: &Target, skill: &Skill, path: &str) -> Option<Diagnostic> {
    let schema = target.definition.skills.schema.as_deref()?;
    let mut frontmatter = skill.frontmatter.clone();
    frontmatter.extend(skill.host_frontmatter.get(target.name()).cloned().unwrap_or_default());
    let problem = target.schemas.breach(schema, &Value::Object(frontmatter))?;
    let message =
        format!("The frontmatter of the skill `{}` does not fit {}: {problem}", skill.name, target.title());
    Some(Diagnostic::new(Code::AB3010, message).in_file(path).target(target.name()))
}
