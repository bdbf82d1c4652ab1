//! Checks of each section by itself.

use super::collect::Collector;
use super::mcp::{self, Transport};
use super::{literals, policy, schedule, skill};
use crate::model::pointer_step;
use crate::workspace::document::reference::{self, Piece};
use crate::workspace::document::{Bundle, ChannelType, Document, FieldType, Kind, Mcp, SkillSource};
use crate::workspace::issue::{Issue, IssueCode};
use crate::workspace::values;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const MAX_NAME: usize = 255;
const MAX_CHANNEL_NAME: usize = 1_000;

pub(super) fn check(document: &Document, issues: &mut Collector) {
    let bundle = &document.bundle;
    names(bundle, issues);
    duplicates(bundle, issues);
    setup(bundle, issues);
    for (index, mcp) in bundle.mcps.iter().enumerate() {
        self::mcp(bundle, index, mcp, issues);
    }
    for index in 0..bundle.skills.len() {
        skills(document, index, issues);
    }
    channels(bundle, issues);
    automations(bundle, issues);
    for (index, policy) in bundle.policies.iter().enumerate() {
        if let Some(reason) = policy::unenforceable(policy) {
            issues.add(Kind::Policy, index, Issue::block(IssueCode::PolicyUnenforceable, reason));
        }
    }
    dead_places(bundle, issues);
}

fn names(bundle: &Bundle, issues: &mut Collector) {
    let name = &bundle.name;
    let usual = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-".contains(&byte));
    if name.chars().count() > MAX_NAME {
        let message = format!("`name` has more than {MAX_NAME} characters");
        issues.root(Issue::block(IssueCode::NameTooLong, message).at("/name"));
    } else if !usual {
        let message = "`name` is best written in small letters, digits, `.`, `_` and `-`";
        issues.root(Issue::warn(IssueCode::UnusualName, message).at("/name"));
    }
    for (kind, index, _, shown) in bundle.entities() {
        let trigger = matches!(kind, Kind::Channel | Kind::Automation);
        if kind != Kind::Policy && shown.chars().count() > MAX_NAME {
            let what = if trigger { "the name `<bundle>:<key>`" } else { "`name`" };
            let message = format!("{what} has more than {MAX_NAME} characters");
            issues.add(kind, index, Issue::block(IssueCode::NameTooLong, message));
        }
    }
    for (index, channel) in bundle.channels.iter().enumerate() {
        if channel.name.chars().count() > MAX_CHANNEL_NAME {
            let message = format!("`name` has more than {MAX_CHANNEL_NAME} characters");
            issues.add(Kind::Channel, index, Issue::block(IssueCode::NameTooLong, message));
        }
    }
}

fn duplicates(bundle: &Bundle, issues: &mut Collector) {
    let mut fields = BTreeSet::new();
    for (index, field) in bundle.setup.iter().enumerate() {
        if !fields.insert(field.key.as_str()) {
            let message = format!("the key `{}` occurs twice in `setup`", field.key);
            issues.setup(index, Issue::block(IssueCode::DuplicateKey, message));
        }
    }
    let mut seen = BTreeSet::new();
    for (kind, index, key, _) in bundle.entities() {
        if !seen.insert((kind, key)) {
            let message = format!("the key `{key}` occurs twice in `{}`", kind.section());
            issues.add(kind, index, Issue::block(IssueCode::DuplicateKey, message));
        }
        if kind == Kind::Automation && seen.contains(&(Kind::Channel, key)) {
            let message =
                format!("`{key}` is the key of a channel too; both would be named `{}:{key}`", bundle.name);
            issues.add(kind, index, Issue::block(IssueCode::TriggerKeyClash, message));
        }
        if kind == Kind::Agent && key == "workspace" {
            let message = "`workspace` is the subject of policies for everybody and no key of an agent";
            issues.add(kind, index, Issue::block(IssueCode::ReservedKey, message));
        }
    }
}

fn setup(bundle: &Bundle, issues: &mut Collector) {
    let used = used_fields(bundle);
    for (index, field) in bundle.setup.iter().enumerate() {
        let mut invalid = |message: &str| {
            let message = format!("`{}` {message}", field.key);
            issues.setup(index, Issue::block(IssueCode::SetupFieldInvalid, message));
        };
        let number = field.field_type == FieldType::Number;
        if !number && (field.min.is_some() || field.max.is_some()) {
            invalid("has bounds, which only a number can have");
        }
        if field.min.zip(field.max).is_some_and(|(min, max)| min > max) {
            invalid("has a `min` above its `max`");
        }
        if let Some(options) = &field.options {
            if field.field_type != FieldType::Select {
                invalid("has options, which only a `select` can have");
            }
            if options.iter().collect::<BTreeSet<_>>().len() < options.len() {
                invalid("has an option twice");
            }
        }
        if let Some(default) = &field.default {
            if field.field_type == FieldType::Secret {
                invalid("is a secret and has a `default`; a document holds no credential");
            } else if let Err(problem) = values::check(field, default) {
                invalid(&format!("has a `default` that {problem}"));
            } else if default.as_str().is_some_and(|text| !reference::fields(text).is_empty()) {
                invalid("has a `default` with a reference, which is not resolved");
            }
        }
        if !used.contains(field.key.as_str()) {
            let message = format!("nothing refers to `{}`", field.key);
            issues.setup(index, Issue::warn(IssueCode::SetupFieldUnused, message));
        } else if field.required && used_by_skipped_only(bundle, &field.key) {
            let message = format!(
                "`{}` is only used by servers that are skipped; its value will not be used",
                field.key
            );
            issues.setup(index, Issue::warn(IssueCode::SetupFieldUnused, message));
        }
    }
}

/// Texts of the live places of a server.
fn live_texts(mcp: &Mcp, server: &mcp::Server) -> Vec<String> {
    let mut texts: Vec<String> = mcp.bindings.values().cloned().collect();
    texts.extend(mcp.context_secret.clone());
    texts.extend(server.args.iter().cloned());
    texts.push(server.url.clone());
    texts
}

fn other_texts(bundle: &Bundle) -> impl Iterator<Item = &String> {
    let channels = bundle.channels.iter().flat_map(|channel| channel.bindings.values());
    channels.chain(bundle.agents.iter().filter_map(|agent| agent.model.as_ref()))
}

fn used_fields(bundle: &Bundle) -> BTreeSet<String> {
    let servers = bundle.mcps.iter().flat_map(|mcp| live_texts(mcp, &mcp::server(mcp).0));
    servers.chain(other_texts(bundle).cloned()).flat_map(|text| reference::fields(&text)).collect()
}

fn used_by_skipped_only(bundle: &Bundle, field: &str) -> bool {
    let names = |text: &String| reference::fields(text).iter().any(|key| key == field);
    let runs = bundle.mcps.iter().any(|mcp| {
        let (server, _) = mcp::server(mcp);
        mcp::skip_reason(&server).is_none() && live_texts(mcp, &server).iter().any(names)
    });
    !runs && !other_texts(bundle).any(names)
}

/// What a live place says wrongly.
pub(super) fn live(bundle: &Bundle, text: &str, place: &str) -> Vec<Issue> {
    match reference::template(text) {
        Err(reference::Malformed(shown)) => {
            let shown = crate::workspace::display::visible(&shown);
            let message = format!("`{place}` holds `{shown}`, which begins like a reference and is none");
            vec![Issue::block(IssueCode::MalformedReference, message)]
        }
        Ok(pieces) => {
            let mut found: Vec<Issue> = pieces
                .iter()
                .filter_map(|piece| match piece {
                    Piece::Field(key) if bundle.field(key).is_none() => {
                        let message = format!("`{place}` refers to `{key}`, which is no declared field");
                        Some(Issue::block(IssueCode::UnknownSetupField, message))
                    }
                    _ => None,
                })
                .collect();
            let plain =
                pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if reference::resembles(text)));
            if plain && found.is_empty() && !text.contains("$${") {
                let message = format!("`{place}` holds text that resembles a reference and is not resolved");
                found.push(Issue::warn(IssueCode::ReferenceNotResolved, message));
            }
            found
        }
    }
}

fn mcp(bundle: &Bundle, index: usize, mcp: &Mcp, issues: &mut Collector) {
    let (server, findings) = mcp::server(mcp);
    let base = format!("/mcps/{index}");
    for (member, message) in findings.wrong {
        let issue = Issue::block(IssueCode::McpSpecInvalid, message);
        issues.add(Kind::Mcp, index, issue.at(format!("{base}/json_spec/{member}")));
    }
    for (member, message) in findings.ignored {
        let issue = Issue::warn(IssueCode::McpMemberIgnored, message);
        issues.add(Kind::Mcp, index, issue.at(format!("{base}/json_spec/{}", pointer_step(&member))));
    }
    for (name, text) in &mcp.bindings {
        let path = format!("{base}/bindings/{}", pointer_step(name));
        let place = format!("bindings.{name}");
        let found = live(bundle, text, &place);
        if found.is_empty() && reference::fields(text).is_empty() {
            let message = format!(
                "the binding `{name}` holds no reference; a literal belongs in `environment` or `headers`"
            );
            issues.add(Kind::Mcp, index, Issue::block(IssueCode::BindingWithoutReference, message).at(&path));
        }
        for issue in found {
            issues.add(Kind::Mcp, index, issue.at(&path));
        }
        if let Some(problem) = mcp::name_problem(server.transport, name) {
            issues.add(Kind::Mcp, index, Issue::block(IssueCode::McpSpecInvalid, problem).at(&path));
        }
    }
    for (at, text) in server.args.iter().enumerate() {
        for issue in live(bundle, text, &format!("args/{at}")) {
            issues.add(Kind::Mcp, index, issue.at(format!("{base}/json_spec/args/{at}")));
        }
    }
    literal_members(&server, index, mcp, issues);
    if server.transport == Transport::Url {
        address(bundle, index, &server, issues);
    }
    if let Some(text) = &mcp.context_secret {
        context_secret(bundle, index, text, &server, mcp, issues);
    }
    if let Some(reason) = mcp::skip_reason(&server) {
        let message = format!("mcp `{}` is left out: {reason}", mcp.key);
        issues.add(Kind::Mcp, index, Issue::warn(IssueCode::McpSkipped, message));
    }
}

/// Literal variables and headers: their names, and references that are not resolved there.
fn literal_members(server: &mcp::Server, index: usize, mcp: &Mcp, issues: &mut Collector) {
    let maps = [("environment", &server.environment), ("headers", &server.headers)];
    for (member, map) in maps {
        let transport = if member == "headers" { Transport::Url } else { Transport::Command };
        for (name, text) in map {
            let path = format!("/mcps/{index}/json_spec/{member}/{}", pointer_step(name));
            if reference::resembles(text) {
                let message =
                    format!("`{member}.{name}` holds a reference, which is resolved in `bindings` only");
                issues.add(
                    Kind::Mcp,
                    index,
                    Issue::block(IssueCode::ReferenceNotResolved, message).at(&path),
                );
            }
            if let Some(problem) = mcp::name_problem(transport, name) {
                issues.add(Kind::Mcp, index, Issue::block(IssueCode::McpSpecInvalid, problem).at(&path));
            }
            if member == "headers" && text.contains(['\r', '\n']) {
                let message = format!("the header `{name}` holds a line break");
                issues.add(Kind::Mcp, index, Issue::block(IssueCode::McpSpecInvalid, message).at(&path));
            }
        }
    }
    let url = server.transport == Transport::Url;
    let bindings: Vec<&String> = if url { mcp.bindings.keys().collect() } else { Vec::new() };
    for names in [bindings, server.headers.keys().collect()] {
        let mut seen: BTreeMap<String, &String> = BTreeMap::new();
        for name in names {
            if let Some(other) = seen.insert(name.to_ascii_lowercase(), name) {
                let message = format!("`{other}` and `{name}` are one header in two spellings");
                issues.add(Kind::Mcp, index, Issue::block(IssueCode::McpSpecInvalid, message));
            }
        }
    }
}

fn address(bundle: &Bundle, index: usize, server: &mcp::Server, issues: &mut Collector) {
    let path = format!("/mcps/{index}/json_spec/{}", server.url_member);
    let found = live(bundle, &server.url, server.url_member);
    let broken = !found.is_empty();
    for issue in found {
        issues.add(Kind::Mcp, index, issue.at(&path));
    }
    let pieces = reference::template(&server.url).unwrap_or_default();
    if broken || matches!(pieces.as_slice(), [] | [Piece::Field(_)]) {
        return;
    }
    // The host stands in the text before the first reference, with something behind it that ends a host.
    let fixed = match pieces.as_slice() {
        [Piece::Text(text)] => return literal_address(text, index, &path, issues),
        [Piece::Text(head), ..] => head
            .split_once("://")
            .is_some_and(|(_, rest)| rest.find(['/', '?', '#']).is_some_and(|at| !rest[..at].contains('@'))),
        _ => false,
    };
    if !fixed {
        let message = "a value would choose scheme or host; make the whole address one reference";
        issues.add(Kind::Mcp, index, Issue::block(IssueCode::UrlReference, message).at(&path));
    }
}

fn literal_address(text: &str, index: usize, path: &str, issues: &mut Collector) {
    let fits =
        url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    if !fits {
        let message = "the address is not an http(s) URL";
        issues.add(Kind::Mcp, index, Issue::block(IssueCode::McpSpecInvalid, message).at(path));
    }
}

fn context_secret(
    bundle: &Bundle,
    index: usize,
    text: &str,
    server: &mcp::Server,
    mcp: &Mcp,
    issues: &mut Collector,
) {
    let path = format!("/mcps/{index}/context_secret");
    for issue in live(bundle, text, "context_secret") {
        issues.add(Kind::Mcp, index, issue.at(&path));
    }
    if server.transport != Transport::Url {
        let message = format!("mcp `{}` is not reached by URL and cannot verify signed context", mcp.key);
        issues.add(Kind::Mcp, index, Issue::block(IssueCode::ContextSecretNotUrl, message).at(&path));
    }
    let field = reference::single(text).and_then(|key| bundle.field(&key));
    if field.is_some_and(|field| field.field_type != FieldType::Secret) {
        let message = "`context_secret` refers to a field whose type is not `secret`";
        issues.add(Kind::Mcp, index, Issue::block(IssueCode::ContextSecretNotSecret, message).at(&path));
    }
}

fn skills(document: &Document, index: usize, issues: &mut Collector) {
    let entry = &document.bundle.skills[index];
    match entry.source_type {
        SkillSource::Content => {
            let content = entry.content.as_deref().unwrap_or_default();
            if let Some((line, problem)) = skill::front_matter_problem(content) {
                let message = format!("skill `{}`, line {line}: {problem}", entry.key);
                let issue = Issue::block(IssueCode::SkillFrontMatter, message);
                issues.add(Kind::Skill, index, issue.at(format!("/skills/{index}/content")));
            }
        }
        SkillSource::Github => {
            if let Err(problem) = skill::github_source(entry.source_url.as_deref().unwrap_or_default()) {
                let issue = Issue::block(IssueCode::SkillSource, problem);
                issues.add(Kind::Skill, index, issue.at(format!("/skills/{index}/source_url")));
            }
        }
    }
    let ignored = match entry.source_type {
        SkillSource::Content => entry.source_url.as_ref().map(|_| "source_url"),
        SkillSource::Github => entry.content.as_ref().map(|_| "content"),
    };
    if let Some(member) = ignored {
        let message = format!("`{member}` has no effect on a skill of this `source_type`");
        issues.add(Kind::Skill, index, Issue::warn(IssueCode::SkillMemberIgnored, message));
    }
}

fn channels(bundle: &Bundle, issues: &mut Collector) {
    for (index, channel) in bundle.channels.iter().enumerate() {
        for (name, text) in &channel.bindings {
            let path = format!("/channels/{index}/bindings/{}", pointer_step(name));
            let found = live(bundle, text, &format!("bindings.{name}"));
            if found.is_empty() && reference::fields(text).is_empty() {
                let message = format!(
                    "the binding `{name}` holds no reference; a credential never stands in a document"
                );
                issues.add(
                    Kind::Channel,
                    index,
                    Issue::block(IssueCode::BindingWithoutReference, message).at(&path),
                );
            }
            for issue in found {
                issues.add(Kind::Channel, index, issue.at(&path));
            }
        }
        let telegram = channel.channel_type == ChannelType::Telegram;
        if telegram && channel.enabled && !channel.bindings.contains_key("bot_token") {
            let message = "a Telegram channel that starts at once binds `bot_token`";
            issues.add(Kind::Channel, index, Issue::block(IssueCode::ChannelCredential, message));
        }
        if channel.enabled {
            issues.add(Kind::Channel, index, starts_enabled("channel", &channel.key));
        }
    }
}

fn starts_enabled(kind: &str, key: &str) -> Issue {
    let message =
        format!("{kind} `{key}` asks to be enabled; it is installed disabled unless the install allows it");
    Issue::warn(IssueCode::StartsEnabled, message)
}

fn automations(bundle: &Bundle, issues: &mut Collector) {
    for (index, automation) in bundle.automations.iter().enumerate() {
        match schedule::check(&automation.cron, &automation.timezone) {
            Err(problem) => {
                issues.add(Kind::Automation, index, Issue::block(IssueCode::AutomationSchedule, problem));
            }
            Ok(true) => {
                let message = format!("automation `{}` runs more often than once a minute", automation.key);
                issues.add(Kind::Automation, index, Issue::warn(IssueCode::AutomationFrequent, message));
            }
            Ok(false) => {}
        }
        if automation.enabled {
            issues.add(Kind::Automation, index, starts_enabled("automation", &automation.key));
        }
    }
}

/// References and credentials in text that is kept as it stands.
fn dead_places(bundle: &Bundle, issues: &mut Collector) {
    let value = serde_json::to_value(bundle).unwrap_or_default();
    for kind in Kind::ALL {
        let items = value.get(kind.section()).and_then(Value::as_array).cloned().unwrap_or_default();
        for (index, item) in items.iter().enumerate() {
            walk(item, &format!("/{}/{index}", kind.section()), &mut |path, text| {
                if !is_live(kind, path) && reference::resembles(text) {
                    let message = "a reference in this text is not resolved; the text is kept as it stands";
                    issues.add(kind, index, Issue::warn(IssueCode::ReferenceNotResolved, message).at(path));
                }
                if let Some(what) = literals::credential_in(text) {
                    let message = format!("this text looks like {what}; a document holds no credential");
                    issues.add(kind, index, Issue::warn(IssueCode::SecretLikeLiteral, message).at(path));
                }
            });
        }
    }
    for member in ["display_name", "description", "metadata", "setup"] {
        walk(&value[member], &format!("/{member}"), &mut |path, text| {
            if let Some(what) = literals::credential_in(text) {
                let message = format!("this text looks like {what}; a document holds no credential");
                issues.root(Issue::warn(IssueCode::SecretLikeLiteral, message).at(path));
            }
        });
    }
}

/// Whether references are resolved, or already reported, at that place.
fn is_live(kind: Kind, path: &str) -> bool {
    let rest = path.splitn(4, '/').nth(3).unwrap_or_default();
    match kind {
        Kind::Mcp => {
            ["bindings/", "json_spec/args/", "json_spec/environment/", "json_spec/headers/"]
                .iter()
                .any(|head| rest.starts_with(head))
                || matches!(rest, "context_secret" | "json_spec/endpoint_url" | "json_spec/url")
        }
        Kind::Channel => rest.starts_with("bindings/"),
        Kind::Agent => rest == "model",
        _ => false,
    }
}

fn walk(value: &Value, path: &str, visit: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(text) => visit(path, text),
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                walk(item, &format!("{path}/{at}"), visit);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                walk(value, &format!("{path}/{}", pointer_step(key)), visit);
            }
        }
        _ => {}
    }
}
