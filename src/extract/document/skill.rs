//! `SKILL.md`.

use super::frontmatter::{self, Layout, Shape, unknown_field, wrong_shape};
use super::{links, shell, tokens};
use crate::diagnostic::{Code, Fix};
use crate::extract::facts::{Extraction, SkillFacts};
use crate::extract::findings::Findings;
use crate::extract::node::{Member, member, to_object};

const MAX_NAME: usize = 64;
const MAX_DESCRIPTION: usize = 1024;
const MAX_COMPATIBILITY: usize = 500;

/// Fields of the portable format.
const PORTABLE: [&str; 6] = ["name", "description", "license", "compatibility", "allowed-tools", "metadata"];
/// Fields that more than one host reads.
const SHARED: [&str; 2] = ["disable-model-invocation", "paths"];
const AMP: [&str; 2] = ["builtin-tools", "mcpServers"];
const CLAUDE: [&str; 12] = [
    "agent",
    "argument-hint",
    "arguments",
    "background",
    "context",
    "disallowed-tools",
    "effort",
    "hooks",
    "model",
    "shell",
    "user-invocable",
    "when_to_use",
];
const CURSOR: [&str; 3] = ["color", "globs", "icon"];
const HOSTS: [&str; 4] = ["amp", "claude", "codex", "cursor"];
const TARGETS: &str = "targets";

/// What the `SKILL.md` at project-relative `path` declares.
///
/// `directory_name` is the name of the skill's directory, `files` are the files of that directory relative to it. The
/// facts are empty beside a finding about the frontmatter.
pub fn skill(path: &str, bytes: &[u8], directory_name: &str, files: &[String]) -> Extraction<SkillFacts> {
    let (text, mut findings) = match super::text(path, bytes, &Code::AB3000) {
        Ok(source) => source,
        Err(problem) => return Extraction { facts: SkillFacts::default(), diagnostics: vec![*problem] },
    };
    let facts = read(text, directory_name, files, &mut findings).unwrap_or_default();
    Extraction { facts, diagnostics: findings.into_list() }
}

fn read(
    text: &str,
    directory_name: &str,
    files: &[String],
    findings: &mut Findings<'_>,
) -> Option<SkillFacts> {
    const FENCE_HELP: &str =
        "Begin the file with `---`, the fields `name` and `description`, and another `---`";
    let first_line = 0..text.lines().next().unwrap_or("").len();
    let (yaml, body) = match frontmatter::layout(text) {
        Layout::Fenced { yaml, body } => (yaml, body),
        Layout::None => {
            let message = "this skill does not begin with frontmatter";
            findings.add_with_help(Code::AB3001, &first_line, message, FENCE_HELP);
            return None;
        }
        Layout::Open => {
            let message = "the frontmatter is never closed: no second `---` line follows";
            findings.add_with_help(Code::AB3001, &first_line, message, FENCE_HELP);
            return None;
        }
    };
    links::check(text, body, files, findings);
    shell::check(text, body, findings);
    let tokens = tokens::find(text, findings);
    let before = findings.count();
    let members = frontmatter::members(text, &yaml, &Code::AB3002, findings)?;
    check(&members, &first_line, directory_name, findings);
    if findings.count() > before {
        return None;
    }
    let mut facts = SkillFacts { tokens, ..SkillFacts::default() };
    for host in member(&members, TARGETS).and_then(|targets| targets.value.as_object()).unwrap_or_default() {
        let fields = to_object(host.value.as_object().unwrap_or_default());
        facts.host_frontmatter.insert(host.key.clone(), fields);
    }
    facts.frontmatter = to_object(&members);
    facts.frontmatter.shift_remove(TARGETS);
    Some(facts)
}

fn check(
    members: &[Member],
    first_line: &std::ops::Range<usize>,
    directory_name: &str,
    findings: &mut Findings<'_>,
) {
    match member(members, "name") {
        Some(name) => check_name(name, directory_name, findings),
        None => {
            let help = format!("Add `name: {directory_name}`");
            findings.add_with_help(Code::AB4002, first_line, "this skill has no `name`", help);
        }
    }
    match member(members, "description") {
        Some(description) => check_description(description, findings),
        None => {
            let help = "Add `description:` with what the skill does and when to use it";
            findings.add_with_help(Code::AB4003, first_line, "this skill has no `description`", help);
        }
    }
    let known: Vec<&str> = [&PORTABLE[..], &SHARED, &AMP, &CLAUDE, &CURSOR, &[TARGETS]].concat();
    for field in members {
        if !known.contains(&field.key.as_str()) {
            unknown_field(Code::AB3006, field, "a skill", &known, findings);
        }
        check_shape(field, findings);
    }
    if let Some(targets) = member(members, TARGETS) {
        check_targets(targets, findings);
    }
}

fn check_name(field: &Member, directory_name: &str, findings: &mut Findings<'_>) {
    let Some(name) = field.value.as_str() else {
        let message = format!("`name` is {}, not a name", field.value.shape());
        return findings.add(Code::AB4002, &field.value.range, message);
    };
    if !is_kebab_case(name) {
        let message = format!("`{name}` is not kebab-case");
        if is_kebab_case(directory_name) {
            let fix = Fix::inside_quotes(&findings.span(&field.value.range), directory_name);
            let help = format!("Write `name: {directory_name}`, which is the directory's name");
            return findings.add_with_fix(Code::AB4002, &field.value.range, message, help, fix);
        }
        findings.add(Code::AB4002, &field.value.range, message);
    } else if name.len() > MAX_NAME {
        let message = format!("`name` has {} characters; at most {MAX_NAME} are allowed", name.len());
        findings.add(Code::AB4002, &field.value.range, message);
    } else if name != directory_name {
        let message = format!("the skill is named `{name}`, its directory `{directory_name}`");
        let help = format!("Write `name: {directory_name}`, or rename the directory to `{name}`");
        let fix = Fix::inside_quotes(&findings.span(&field.value.range), directory_name);
        findings.add_with_fix(Code::AB4004, &field.value.range, message, help, fix);
    }
}

/// Runs of `a-z` and `0-9` with single hyphens between them.
fn is_kebab_case(name: &str) -> bool {
    name.split('-').all(|part| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}

fn check_description(field: &Member, findings: &mut Findings<'_>) {
    let problem = match field.value.as_str() {
        Some(text) if text.trim().is_empty() => "`description` is blank".to_owned(),
        Some(text) => {
            let length = text.chars().count();
            if length <= MAX_DESCRIPTION {
                return;
            }
            format!("`description` has {length} characters; at most {MAX_DESCRIPTION} are allowed")
        }
        None => format!("`description` is {}, not text", field.value.shape()),
    };
    findings.add(Code::AB4003, &field.value.range, problem);
}

/// The shapes of the other portable and shared fields.
fn check_shape(field: &Member, findings: &mut Findings<'_>) {
    let shape = match field.key.as_str() {
        "license" | "compatibility" => Shape::Text,
        "allowed-tools" | "paths" => Shape::Texts,
        "disable-model-invocation" => Shape::Flag,
        "metadata" => return check_metadata(field, findings),
        _ => return,
    };
    if !shape.fits(&field.value) {
        return wrong_shape(Code::AB4007, field, shape.words(), findings);
    }
    let length = field.value.as_str().map_or(0, |text| text.chars().count());
    if field.key == "compatibility" && length > MAX_COMPATIBILITY {
        let message =
            format!("`compatibility` has {length} characters; at most {MAX_COMPATIBILITY} are allowed");
        findings.add(Code::AB4007, &field.value.range, message);
    }
}

fn check_metadata(field: &Member, findings: &mut Findings<'_>) {
    let Some(members) = field.value.as_object() else {
        return wrong_shape(Code::AB4007, field, "a map of strings", findings);
    };
    for member in members.iter().filter(|member| member.value.as_str().is_none()) {
        let message = format!("`metadata.{}` is {}, not a string", member.key, member.value.shape());
        findings.add_with_help(Code::AB4007, &member.value.range, message, "Put the value in quotes");
    }
}

/// `targets.<host>`: additions for one host.
fn check_targets(field: &Member, findings: &mut Findings<'_>) {
    let Some(hosts) = field.value.as_object() else {
        return wrong_shape(Code::AB4007, field, "a map from hosts to their fields", findings);
    };
    for host in hosts {
        let own: &[&str] = match host.key.as_str() {
            "amp" => &AMP,
            "claude" => &CLAUDE,
            "codex" => &[],
            "cursor" => &CURSOR,
            _ => {
                unknown_field(Code::AB3006, host, "`targets`", &HOSTS, findings);
                continue;
            }
        };
        let Some(fields) = host.value.as_object() else {
            wrong_shape(Code::AB4007, host, "a map of fields", findings);
            continue;
        };
        // The name is one for all hosts: it is the directory's.
        let known: Vec<&str> = [&PORTABLE[1..], &SHARED, own].concat();
        for field in fields {
            if !known.contains(&field.key.as_str()) {
                unknown_field(Code::AB3006, field, &format!("`targets.{}`", host.key), &known, findings);
            }
            check_shape(field, findings);
            if field.key == "description" {
                check_description(field, findings);
            }
        }
    }
}
