//! The metadata keys that have a meaning, by kind of module. Other keys are kept as they are.

use super::{input_schema, surface_keys};
use crate::diagnostic::{Code, Fix, nearest};
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Member, Node, member};
use crate::model::{ModuleKind, is_app_address};
use std::ops::Range;

/// Longest entry of `excludeClients`, in characters.
const MAX_CLIENT_NAME: usize = 128;

/// Longest render budget, in milliseconds: one day.
const MAX_RENDER_MS: i64 = 86_400_000;

/// Checks the metadata of a module of that kind.
pub(super) fn check(kind: ModuleKind, path: &str, config: &Node, findings: &mut Findings<'_>) {
    let Some(members) = config.as_object() else { return };
    let mut keys = Keys { members, findings };
    match kind {
        ModuleKind::Tool => {
            keys.texts(&["title", "description"]);
            keys.with("annotations", annotations);
            keys.with("_meta", meta);
            keys.with("excludeClients", exclude_clients);
            keys.with("execution", execution);
            keys.with("render", render);
            keys.with("exitCode", exit_code);
            keys.with("inputJsonSchema", |value, findings| input_schema::check(&value.value, findings));
        }
        ModuleKind::Resource => {
            keys.texts(&["title", "description", "mimeType"]);
            keys.resource_uri(&config.range);
            route(&mut keys, kind);
        }
        ModuleKind::Prompt => {
            keys.texts(&["title", "description"]);
            route(&mut keys, kind);
        }
        ModuleKind::App => {
            keys.app_uri(&config.range);
            keys.with("template", template);
            keys.with("targets", targets);
            keys.with("_meta", meta);
        }
        ModuleKind::Command => surface_keys::command(path, &mut keys),
        ModuleKind::Projection => surface_keys::projection(&mut keys),
        ModuleKind::Event => surface_keys::event(path, &mut keys),
        ModuleKind::Layout
        | ModuleKind::Provider
        | ModuleKind::Entry
        | ModuleKind::View
        | ModuleKind::Script
        | ModuleKind::State => {}
    }
}

/// What resources and prompts share.
fn route(keys: &mut Keys<'_, '_, '_>, kind: ModuleKind) {
    keys.with("_meta", meta);
    keys.with("render", render);
    keys.with("inputJsonSchema", |value, findings| input_schema::check(&value.value, findings));
    keys.with("execution", |value, findings| {
        let message = format!("a {} declares `execution`, which only tools have", kind.word());
        findings.add_with_help(Code::AB4836, &value.key_range, message, "Remove the key");
    });
}

/// The members of one metadata object and where findings about them go.
pub(super) struct Keys<'n, 'f, 'd> {
    pub(super) members: &'n [Member],
    pub(super) findings: &'f mut Findings<'d>,
}

impl Keys<'_, '_, '_> {
    pub(super) fn with(&mut self, key: &str, check: impl FnOnce(&Member, &mut Findings<'_>)) {
        if let Some(found) = member(self.members, key) {
            check(found, self.findings);
        }
    }

    fn texts(&mut self, keys: &[&str]) {
        for key in keys {
            self.with(key, |found, findings| {
                if found.value.as_str().is_none() {
                    wrong(found, "a string", findings);
                }
            });
        }
    }

    fn resource_uri(&mut self, config: &Range<usize>) {
        const HELP: &str = "Give the resource its address, for example `uri: 'notes://all'`";
        match member(self.members, "uri") {
            None => {
                let message = "this resource has no `uri`";
                self.findings.add_with_help(Code::AB4805, config, message, HELP);
            }
            Some(found) if found.value.as_str().is_none_or(|uri| uri.trim().is_empty()) => {
                let message = format!("`uri` is {}, not an address", found.value.shape());
                self.findings.add_with_help(Code::AB4805, &found.value.range, message, HELP);
            }
            Some(_) => {}
        }
    }

    fn app_uri(&mut self, config: &Range<usize>) {
        match member(self.members, "resourceUri") {
            None => missing_app_uri(config, self.findings),
            Some(found) => match found.value.as_str() {
                Some(uri) if !uri.trim().is_empty() => {
                    if !is_app_address(uri) {
                        let message = format!("`{uri}` is not an App address");
                        let help =
                            "Begin `resourceUri` with `ui://` and a host, for example `ui://notes/board`";
                        self.findings.add_with_help(Code::AB4329, &found.value.range, message, help);
                    }
                }
                _ => {
                    let message = format!("`resourceUri` is {}, not an address", found.value.shape());
                    self.findings.add_with_help(Code::AB4812, &found.value.range, message, APP_URI_HELP);
                }
            },
        }
    }
}

const APP_URI_HELP: &str = "Write `export const config = { resourceUri: 'ui://<host>/<name>' }`";

/// The finding about an App without an address.
pub(super) fn missing_app_uri(at: &Range<usize>, findings: &mut Findings<'_>) {
    let message = "this App has no `resourceUri`";
    findings.add_with_help(Code::AB4812, at, message, APP_URI_HELP);
}

/// The finding about a resource without an address.
pub(super) fn missing_resource_uri(at: &Range<usize>, findings: &mut Findings<'_>) {
    let message = "this resource has no `config` with a `uri`";
    let help = "Write `export const config = { uri: '<scheme>://<path>' }`";
    findings.add_with_help(Code::AB4805, at, message, help);
}

/// The finding that a key has another shape than it must have.
pub(super) fn wrong(found: &Member, expected: &str, findings: &mut Findings<'_>) {
    let message = format!("`{}` is {}; it must be {expected}", found.key, found.value.shape());
    let help = format!("Give `{}` {expected}, or remove it", found.key);
    findings.add_with_help(Code::AB4805, &found.value.range, message, help);
}

fn annotations(found: &Member, findings: &mut Findings<'_>) {
    let Some(members) = found.value.as_object() else {
        return wrong(found, "an object of booleans", findings);
    };
    for hint in members {
        // The protocol has one annotation that is not a hint.
        let fits = matches!(hint.value.data, Data::Bool(_))
            || (hint.key == "title" && hint.value.as_str().is_some());
        if !fits {
            wrong(hint, "a boolean", findings);
        }
    }
}

fn meta(found: &Member, findings: &mut Findings<'_>) {
    let Some(members) = found.value.as_object() else {
        return wrong(found, "an object", findings);
    };
    let Some(ui) = member(members, "ui") else { return };
    let Some(members) = ui.value.as_object() else {
        return wrong(ui, "an object", findings);
    };
    if let Some(uri) = member(members, "resourceUri")
        && !matches!(uri.value.data, Data::String(_) | Data::AppReference(_))
    {
        wrong(uri, "an App's address or `appResourceUri('<app>')`", findings);
    }
}

fn exclude_clients(found: &Member, findings: &mut Findings<'_>) {
    let Some(items) = found.value.as_array() else {
        return wrong(found, "a list of client names", findings);
    };
    for item in items {
        let length = item.as_str().map(|name| name.chars().count());
        let problem = match length {
            None => format!("an entry of `excludeClients` is {}, not a client name", item.shape()),
            Some(0) => "an entry of `excludeClients` is empty and would exclude every client".to_owned(),
            Some(length) if length > MAX_CLIENT_NAME => {
                format!(
                    "an entry of `excludeClients` has {length} characters; at most {MAX_CLIENT_NAME} are compared"
                )
            }
            Some(_) => continue,
        };
        let help = "Write the beginning of the client's name, for example `'claude'`";
        findings.add_with_help(Code::AB4805, &item.range, problem, help);
    }
}

fn execution(found: &Member, findings: &mut Findings<'_>) {
    const MODES: [&str; 3] = ["forbidden", "optional", "required"];
    let Some(members) = found.value.as_object() else {
        let message = format!("`execution` is {}, not an object", found.value.shape());
        return findings.add(Code::AB4836, &found.value.range, message);
    };
    for extra in members.iter().filter(|extra| extra.key != "taskSupport") {
        let message = format!("`execution` has no key `{}`; its only key is `taskSupport`", extra.key);
        findings.add(Code::AB4836, &extra.key_range, message);
    }
    match member(members, "taskSupport") {
        None => findings.add(Code::AB4836, &found.value.range, "`execution` has no `taskSupport`"),
        Some(mode) if mode.value.as_str().is_none_or(|mode| !MODES.contains(&mode)) => {
            let message = match mode.value.as_str() {
                Some(text) => format!("`{text}` is not a task support"),
                None => format!("`taskSupport` is {}", mode.value.shape()),
            };
            match mode.value.as_str().and_then(|text| nearest(text, MODES)) {
                Some(near) => {
                    let fix = Fix::inside_quotes(&findings.span(&mode.value.range), near);
                    let help = format!("Did you mean `{near}`?");
                    findings.add_with_fix(Code::AB4836, &mode.value.range, message, help, fix);
                }
                None => findings.add(Code::AB4836, &mode.value.range, message),
            }
        }
        Some(_) => {}
    }
}

pub(super) fn render(found: &Member, findings: &mut Findings<'_>) {
    let Some(members) = found.value.as_object() else {
        let message = format!("`render` is {}, not an object", found.value.shape());
        return findings.add(Code::AB4835, &found.value.range, message);
    };
    for extra in members.iter().filter(|extra| extra.key != "maxElapsedMs") {
        let message = format!("`render` has no key `{}`; its only key is `maxElapsedMs`", extra.key);
        findings.add(Code::AB4835, &extra.key_range, message);
    }
    let Some(budget) = member(members, "maxElapsedMs") else {
        return findings.add(Code::AB4835, &found.value.range, "`render` has no `maxElapsedMs`");
    };
    let fits = match &budget.value.data {
        Data::Number(number) => number.as_i64().is_some_and(|ms| (1..=MAX_RENDER_MS).contains(&ms)),
        _ => false,
    };
    if !fits {
        let found = match &budget.value.data {
            Data::Number(number) => number.to_string(),
            _ => budget.value.shape().to_owned(),
        };
        let message = format!("`maxElapsedMs` is {found}, not whole milliseconds from 1 to {MAX_RENDER_MS}");
        findings.add(Code::AB4835, &budget.value.range, message);
    }
}

fn exit_code(found: &Member, findings: &mut Findings<'_>) {
    if found.value.as_str() != Some("result") {
        wrong(found, "`'result'`", findings);
    }
}

fn template(found: &Member, findings: &mut Findings<'_>) {
    let fits = found.value.as_str().is_some_and(|path| {
        let path = path.to_ascii_lowercase();
        path.ends_with(".html") || path.ends_with(".htm")
    });
    if !fits {
        let message = match found.value.as_str() {
            Some(path) if !path.trim().is_empty() => format!("`{path}` is not an `.html` or `.htm` file"),
            _ => format!("`template` is {}, not a path", found.value.shape()),
        };
        let help = "Give the path of an HTML page, relative to this module";
        findings.add_with_help(Code::AB4332, &found.value.range, message, help);
    }
}

fn targets(found: &Member, findings: &mut Findings<'_>) {
    let names = found.value.as_array();
    let fits = names.is_some_and(|names| {
        names.iter().all(|name| name.as_str().is_some_and(|name| !name.trim().is_empty()))
    });
    if !fits {
        wrong(found, "a list of host names", findings);
    }
}
