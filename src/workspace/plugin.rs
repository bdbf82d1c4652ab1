//! A setup bundle as a plugin: what a build can carry of a document, and what stays behind. Pure.

use super::analyze::literals::credential_in;
use super::analyze::mcp::{self, Server, Transport};
use super::analyze::{Caller, analyze};
use super::document::reference::{Piece, template};
use super::document::{Bundle, Document, FieldType, Kind, Mcp, SetupField, Skill, SkillSource, digest};
use super::entity::Snapshot;
use super::export::screen::is_credential_name;
use super::issue::{Issue, IssueCode};
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::manifest::{HostTable, MANIFEST_FILE, Manifest, ManifestData, Plugin, PluginMetadata, ServerData};
use crate::model::{Setting, SettingKind, setting_word};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How the name of a document ends, before the extension of its format.
const MARK: &str = ".bundle";
const EXTENSIONS: [&str; 3] = [".yaml", ".yml", ".json"];

/// The name of a document without its extension; `None` where the path names no document.
pub fn stem(path: &str) -> Option<&str> {
    let stem = EXTENSIONS.iter().find_map(|extension| path.strip_suffix(extension))?;
    let name = stem.strip_suffix(MARK)?;
    (!name.is_empty() && !name.ends_with('/')).then_some(stem)
}

/// A document in the shape in which a project is read.
#[derive(Debug, Clone)]
pub struct Drawn {
    /// The document's file name.
    pub file: String,
    /// What stands in for a manifest; places are those of the document.
    pub manifest: Manifest,
    /// Version of the plugin, made of the document's digest.
    pub version: String,
    /// Skills: the path that each would have in a project, with its text.
    pub skills: BTreeMap<String, Vec<u8>>,
    /// Place of each skill in the document.
    skill_places: BTreeMap<String, Range<usize>>,
    /// What stays behind, and remarks.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the document `file`.
pub fn draw(file: &str, bytes: &[u8]) -> Result<Drawn, Vec<Diagnostic>> {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let source = Source { file, text: &text };
    let refuse = |issue: &Issue| source.issue(Code::AB1008, issue);
    let document = Document::parse(bytes).map_err(|issues| issues.iter().map(refuse).collect::<Vec<_>>())?;
    let caller = Caller { admin: true, origin: "pasted".to_owned(), ..Caller::default() };
    let issues = analyze(&document, &Snapshot::empty(), &caller).issues;
    // What is built is given away, so what is a warning in a workspace of one's own is not one here.
    let stops = |issue: &&Issue| issue.blocks() || issue.code == IssueCode::SecretLikeLiteral;
    let wrong: Vec<Diagnostic> = issues.iter().filter(stops).map(refuse).collect();
    if !wrong.is_empty() {
        return Err(wrong);
    }
    let mut drawing = Drawing { document: &document, source: &source, found: Vec::new() };
    drawing.remarks(&issues);
    Ok(drawing.finish())
}

/// The text, for places.
struct Source<'a> {
    file: &'a str,
    text: &'a str,
}

impl Source<'_> {
    /// The word at a line and column, both from 1.
    fn range(&self, line: u32, column: u32) -> Range<usize> {
        let mut start = 0;
        for _ in 1..line {
            start += self.text[start..].find('\n').map_or(self.text.len() - start, |at| at + 1);
        }
        let row = self.text[start..].lines().next().unwrap_or_default();
        let at = row.char_indices().nth(column.saturating_sub(1) as usize).map_or(row.len(), |(at, _)| at);
        let rest = &row[at..];
        let length = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map_or(rest.len(), |end| end + 2),
            Some(c) if c.is_alphanumeric() => {
                rest.find(|c: char| !c.is_alphanumeric() && !"_-.".contains(c)).unwrap_or(rest.len())
            }
            Some(c) => c.len_utf8(),
            None => 0,
        };
        start + at..start + at + length
    }

    /// Reports quote the line of a finding and its neighbours; where a credential may stand there, none is quoted.
    fn issue(&self, code: Code, issue: &Issue) -> Diagnostic {
        let line = issue.line.unwrap_or(1);
        if self.is_delicate(line) {
            let message = format!("{} (line {line})", issue.message);
            return Diagnostic::new(code, message).in_file(self.file);
        }
        let range = self.range(line, issue.column.unwrap_or(1));
        Diagnostic::new(code, issue.message.clone()).at(self.file, range)
    }

    fn is_delicate(&self, line: u32) -> bool {
        let around = self.text.lines().skip((line as usize).saturating_sub(2)).take(3);
        around
            .into_iter()
            .any(|line| credential_in(line).is_some() || line.split([',', '{', '}']).any(is_credential))
    }
}

/// Whether `member`, as it is written, may hold a credential.
fn is_credential(member: &str) -> bool {
    let Some((name, value)) = member.split_once(':') else { return false };
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    let value = value.trim();
    // `key` names things everywhere in a document.
    let is_named = name != "key" && (name == "default" || is_credential_name(name, value));
    // What ends in `$` was cut off before a reference.
    is_named && !value.is_empty() && !value.ends_with('$')
}

struct Drawing<'a> {
    document: &'a Document,
    source: &'a Source<'a>,
    found: Vec<Diagnostic>,
}

impl Drawing<'_> {
    fn bundle(&self) -> &Bundle {
        &self.document.bundle
    }

    fn place(&self, pointer: &str) -> Range<usize> {
        let (line, column) = self.document.locate(pointer);
        self.source.range(line, column)
    }

    fn behind(&mut self, pointer: &str, message: String) {
        let place = self.place(pointer);
        self.found.push(Diagnostic::new(Code::AB4115, message).at(self.source.file, place));
    }

    /// Warnings about what is built; those about the rest of the document matter to a workspace alone.
    fn remarks(&mut self, issues: &[Issue]) {
        let built = |issue: &&Issue| {
            matches!(issue.kind.as_deref(), Some("mcp" | "skill"))
                && !matches!(issue.code, IssueCode::McpSkipped)
        };
        self.found.extend(issues.iter().filter(built).map(|issue| self.source.issue(Code::AB1007, issue)));
    }

    fn finish(mut self) -> Drawn {
        let bundle = &self.document.bundle;
        let mut spans = BTreeMap::from([(String::new(), 0..0)]);
        for (pointer, place) in [("/plugin", "/name"), ("/plugin/name", "/name")] {
            spans.insert(pointer.to_owned(), self.place(place));
        }
        let mut data = ManifestData {
            plugin: self.plugin(),
            settings: bundle.setup.iter().map(|field| setting(&bundle.name, field)).collect(),
            ..ManifestData::default()
        };
        if let Some(name) = &bundle.display_name {
            let table = |value: Value| {
                let fields = value.as_object().cloned()?;
                Some(HostTable { fields, ..HostTable::default() })
            };
            data.claude = table(json!({ "displayName": name }));
            data.cursor = table(json!({ "displayName": name }));
            data.codex = table(json!({"interface": { "displayName": name }}));
        }
        for (at, mcp) in bundle.mcps.iter().enumerate() {
            if let Some(server) = self.server(at, mcp) {
                let pointer = format!("/mcp/servers/{}", mcp.key);
                spans.insert(pointer.clone(), self.place(&format!("/mcps/{at}/key")));
                for (member, own) in [("command", "command"), ("args", "args"), ("url", "endpoint_url")] {
                    spans.insert(
                        format!("{pointer}/{member}"),
                        self.place(&format!("/mcps/{at}/json_spec/{own}")),
                    );
                }
                data.mcp.servers.insert(mcp.key.clone(), server);
            }
        }
        let (mut skills, mut skill_places) = (BTreeMap::new(), BTreeMap::new());
        for (at, skill) in bundle.skills.iter().enumerate() {
            let Some(content) = self.skill(at, skill) else { continue };
            let directory = unused(&skill_name(&skill.key), |name| skills.contains_key(&skill_path(name)));
            let path = skill_path(&directory);
            skill_places.insert(path.clone(), self.place(&format!("/skills/{at}/content")));
            skills.insert(path, skill_text(&directory, &skill.name, content).into_bytes());
        }
        self.others();
        Drawn {
            file: self.source.file.to_owned(),
            manifest: Manifest { data, spans, text: self.source.text.to_owned(), file: MANIFEST_FILE },
            version: format!("0.0.0-{}", &digest(bundle).replace("sha256:", "d")[..13]),
            skills,
            skill_places,
            diagnostics: self.found,
        }
    }

    fn plugin(&self) -> Plugin {
        let bundle = self.bundle();
        let description = Some(bundle.description.trim()).filter(|text| !text.is_empty());
        let metadata = &bundle.metadata;
        let keywords = (!metadata.capabilities.is_empty()).then(|| json!(metadata.capabilities));
        Plugin {
            name: bundle.name.clone(),
            description: description.or(bundle.display_name.as_deref()).map(str::to_owned),
            metadata: PluginMetadata {
                author: metadata.developer.as_ref().map(|name| json!(name)),
                homepage: metadata.website.as_ref().map(|address| json!(address)),
                keywords,
                ..PluginMetadata::default()
            },
            ..Plugin::default()
        }
    }

    fn server(&mut self, at: usize, mcp: &Mcp) -> Option<ServerData> {
        let (server, _) = mcp::server(mcp);
        if let Some(reason) = mcp::skip_reason(&server) {
            self.behind(&format!("/mcps/{at}"), format!("server `{}` stays behind: {reason}", mcp.key));
            return None;
        }
        if mcp.context_secret.is_some() {
            let message = format!(
                "the signing key of server `{}` stays behind: hosts do not sign their calls",
                mcp.key
            );
            self.behind(&format!("/mcps/{at}/context_secret"), message);
        }
        Some(server_data(mcp, &server))
    }

    fn skill<'s>(&mut self, at: usize, skill: &'s Skill) -> Option<&'s str> {
        if skill.source_type == SkillSource::Github {
            let message = format!(
                "skill `{}` stays behind: it would have to be fetched, and a build uses no network",
                skill.key
            );
            self.behind(&format!("/skills/{at}"), message);
            return None;
        }
        skill.content.as_deref()
    }

    /// Sections that no plugin has.
    fn others(&mut self) {
        for kind in [Kind::Agent, Kind::Channel, Kind::Automation, Kind::Policy] {
            let entities = self.bundle().entities();
            let keys: Vec<String> = entities
                .iter()
                .filter(|(other, ..)| *other == kind)
                .map(|(_, _, key, _)| format!("`{key}`"))
                .collect();
            if keys.is_empty() {
                continue;
            }
            let section = kind.section();
            let message = format!("`{section}` stay behind ({}): plugins have none", keys.join(", "));
            self.behind(&format!("/{section}"), message);
        }
    }
}

/// The field as a host asks for it.
fn setting(bundle: &str, field: &SetupField) -> Setting {
    let kind = match field.field_type {
        FieldType::Number => SettingKind::Number,
        FieldType::Boolean => SettingKind::Boolean,
        FieldType::Secret | FieldType::String | FieldType::Select => SettingKind::String,
    };
    Setting {
        key: field.key.clone(),
        variable: variable(&format!("{bundle}_{}", field.key)),
        title: field.label.clone(),
        description: field.help.clone().unwrap_or_else(|| field.label.clone()),
        kind,
        required: field.required,
        sensitive: field.field_type == FieldType::Secret,
        default: field.default.clone().filter(|_| field.field_type != FieldType::Secret),
        options: field.options.clone(),
        min: field.min,
        max: field.max,
    }
}

/// A name in the form of an environment variable.
fn variable(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// Text of a live place, with the words of a build for its references.
fn live(text: &str) -> String {
    let Ok(pieces) = template(text) else { return text.to_owned() };
    let piece = |piece| match piece {
        Piece::Text(text) => text,
        Piece::Field(key) => setting_word(&key),
    };
    pieces.into_iter().map(piece).collect()
}

fn server_data(mcp: &Mcp, server: &Server) -> ServerData {
    let bindings = mcp.bindings.iter().map(|(name, text)| (name.clone(), live(text)));
    let over = |mut literals: BTreeMap<String, String>| {
        literals.retain(|name, _| !mcp.bindings.keys().any(|bound| bound.eq_ignore_ascii_case(name)));
        literals.extend(bindings.clone());
        literals
    };
    match server.transport {
        Transport::Command => ServerData {
            command: Some(server.command.clone()),
            args: server.args.iter().map(|text| live(text)).collect(),
            env: over(server.environment.clone()),
            ..ServerData::default()
        },
        Transport::Docker => {
            let env = over(server.environment.clone());
            let mut args: Vec<String> = ["run", "--rm", "-i"].map(str::to_owned).to_vec();
            // The name alone: the value comes from the environment of the program, and shows in no list of processes.
            args.extend(env.keys().flat_map(|name| ["-e".to_owned(), name.clone()]));
            args.push(server.image.clone());
            ServerData { command: Some("docker".to_owned()), args, env, ..ServerData::default() }
        }
        Transport::Url => ServerData {
            url: Some(live(&server.url)),
            transport: Some("streamable-http".to_owned()),
            headers: over(server.headers.clone()),
            ..ServerData::default()
        },
    }
}

/// A key as the name of a skill.
fn skill_name(key: &str) -> String {
    let words: Vec<String> =
        key.split('_').filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-").chars().take(60).collect::<String>().trim_end_matches('-').to_owned()
}

fn unused(name: &str, is_used: impl Fn(&str) -> bool) -> String {
    let mut candidates = (2..).map(|number| format!("{name}-{number}"));
    if is_used(name) { candidates.find(|name| !is_used(name)).unwrap_or_default() } else { name.to_owned() }
}

fn skill_path(name: &str) -> String {
    format!("src/skills/{name}/SKILL.md")
}

/// The text of a `SKILL.md`: the document's, under the name by which hosts know it.
fn skill_text(name: &str, title: &str, content: &str) -> String {
    let (head, body) = split(content);
    let tree = super::document::parse_tree(head.as_bytes()).map(|tree| tree.to_json());
    let mut members: Map<String, Value> =
        tree.ok().and_then(|tree| tree.as_object().cloned()).unwrap_or_default();
    let description = members
        .remove("description")
        .filter(|value| value.as_str().is_some_and(|text| !text.trim().is_empty()));
    members.remove("name");
    let mut text =
        format!("---\nname: {name}\ndescription: {}\n", description.unwrap_or_else(|| json!(title)));
    for (key, value) in &members {
        text.push_str(&format!("{key}: {value}\n"));
    }
    text.push_str("---\n");
    text.push_str(body);
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// What stands between the fences, and what follows.
fn split(content: &str) -> (&str, &str) {
    let mut lines = content.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else { return ("", content) };
    let mut at = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            return (&content[first.len()..at], &content[at + line.len()..]);
        }
        at += line.len();
    }
    ("", content)
}

impl Drawn {
    /// A finding of a later room, at the place of the document that it is about. Edits and advice are those of a
    /// project and go.
    pub fn placed(&self, mut one: Diagnostic) -> Diagnostic {
        one.fixes.clear();
        for span in one.places_mut() {
            if let Some(place) = self.skill_places.get(&span.path) {
                *span = Span::new(&self.file, place.clone());
            } else if span.path == MANIFEST_FILE {
                span.path.clone_from(&self.file);
            }
        }
        match one.code {
            Code::AB4110 => one.help = Code::AB4110.recovery().map(str::to_owned),
            // The format has these runtimes and no other.
            Code::AB4112 => {
                one.severity = crate::diagnostic::Severity::Info;
                one.help = None;
            }
            _ => {}
        }
        one
    }

    /// Names of the skills.
    pub fn skill_names(&self) -> BTreeSet<&str> {
        self.skills.keys().filter_map(|path| path.split('/').nth(2)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_documents() {
        assert_eq!(stem("a/research.bundle.yaml"), Some("a/research.bundle"));
        assert_eq!(stem("x.bundle.json"), Some("x.bundle"));
        for other in ["research.yaml", "a/.bundle.yaml", ".bundle.yml", "x.bundle.toml", "x.bundle"] {
            assert_eq!(stem(other), None, "{other}");
        }
    }

    #[test]
    fn skills_get_the_front_matter_that_hosts_want() {
        let text = skill_text("notes", "Note taking", "# Notes\nbody");
        assert_eq!(text, "---\nname: notes\ndescription: \"Note taking\"\n---\n# Notes\nbody\n");
        let own = "---\nname: Other\ndescription: \"a: b\"\nlicense: MIT\n---\nbody\n";
        let text = skill_text("notes", "x", own);
        assert_eq!(text, "---\nname: notes\ndescription: \"a: b\"\nlicense: \"MIT\"\n---\nbody\n");
    }

    #[test]
    fn two_keys_that_differ_in_case_are_two_skills() {
        let text =
            "name: a\nskills:\n- {key: Notes, name: A, content: a}\n- {key: notes, name: B, content: b}\n";
        let drawn = draw("a.bundle.yaml", text.as_bytes()).unwrap();
        assert_eq!(drawn.skill_names().into_iter().collect::<Vec<_>>(), ["notes", "notes-2"]);
    }

    #[test]
    fn places_are_words_of_the_document() {
        let text = "name: a\nmcps:\n- key: s\n  name: S\n  json_spec: {type: command, command: ./x}\n";
        let drawn = draw("a.bundle.yaml", text.as_bytes()).unwrap();
        let span = drawn.diagnostics[0].span.clone().unwrap();
        assert_eq!((&text[span.start..span.end], drawn.diagnostics[0].code.clone()), ("key", Code::AB4115));
        let wrong = draw("a.bundle.yaml", b"name: a\nnmae: b\n").unwrap_err();
        let span = wrong[0].span.clone().unwrap();
        assert_eq!(span.start..span.end, 8..12);
    }
}
