//! The metadata keys of commands, CLI projections and event routes.

use super::input_schema;
use super::keys::{Keys, render, wrong};
use crate::diagnostic::{Code, Fix, nearest};
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Member, Node, member};
use crate::model::{TOOL_SELECTORS, is_tool_selector};

/// The rows of capabilities that an event route may require.
pub const CAPABILITIES: [&str; 4] =
    ["events.sessionStart.context", "events.stop.deny", "events.toolAfter.context", "events.toolBefore.deny"];

/// A shape in words, and whether a value has it.
type Rule = (&'static str, &'static str, fn(&Node) -> bool);

fn is_text(node: &Node) -> bool {
    node.as_str().is_some()
}

fn are_texts(node: &Node) -> bool {
    node.as_array()
        .is_some_and(|items| items.iter().all(|item| item.as_str().is_some_and(|text| !text.is_empty())))
}

fn is_flag(node: &Node) -> bool {
    matches!(node.data, Data::Bool(_))
}

fn shape(code: &Code, found: &Member, expected: &str, findings: &mut Findings<'_>) {
    let message = format!("`{}` is {}; it must be {expected}", found.key, found.value.shape());
    let help = format!("Give `{}` {expected}, or remove it", found.key);
    findings.add_with_help(code.clone(), &found.value.range, message, help);
}

fn shapes(code: &Code, members: &[Member], rules: &[Rule], findings: &mut Findings<'_>) {
    for (key, expected, fits) in rules {
        if let Some(found) = member(members, key).filter(|found| !fits(&found.value)) {
            shape(code, found, expected, findings);
        }
    }
}

/// What commands and projections share.
const COMMAND: [Rule; 4] = [
    ("description", "a string", is_text),
    ("aliases", "a list of names", are_texts),
    ("positionals", "a list of keys", are_texts),
    ("input", "`'json'`", |node| node.as_str() == Some("json")),
];

/// A module under `src/cli`.
pub(super) fn command(path: &str, keys: &mut Keys<'_, '_, '_>) {
    shapes(&Code::AB4815, keys.members, &COMMAND, keys.findings);
    let exit: [Rule; 1] = [("exitCode", "`'result'`", |node| node.as_str() == Some("result"))];
    shapes(&Code::AB4815, keys.members, &exit, keys.findings);
    keys.with("inputJsonSchema", |found, findings| input_schema::check(&found.value, findings));
    keys.with("render", |found, findings| {
        if path.ends_with(".tsx") {
            return render(found, findings);
        }
        let message = "a plain command renders nothing, so it has no render budget";
        let help = "Remove the key, or rename the module to `.tsx`";
        findings.add_with_help(Code::AB4835, &found.key_range, message, help);
    });
}

/// `<tool>.cli.ts`: a closed set of keys.
pub(super) fn projection(keys: &mut Keys<'_, '_, '_>) {
    const KEYS: [&str; 8] =
        ["command", "description", "aliases", "positionals", "flags", "confirm", "exitCode", "input"];
    let code = Code::AB4844;
    // The last member may be the note that the module exports `mapInput`, which stands where the export does.
    let is_note =
        |found: &&Member| found.key == super::surfaces::MAP_INPUT && found.key_range == found.value.range;
    let maps = keys.members.last().filter(is_note).is_some();
    let written = &keys.members[..keys.members.len() - usize::from(maps)];
    closed(&code, "a CLI projection", written, &KEYS, keys.findings);
    shapes(&code, written, &COMMAND, keys.findings);
    let own: [Rule; 3] = [
        ("command", "a nonempty list of words", |node| are_texts(node) && node.as_array() != Some(&[])),
        ("confirm", "`true` or `false`", is_flag),
        ("exitCode", "`'result'` or `'zero'`", |node| matches!(node.as_str(), Some("result" | "zero"))),
    ];
    shapes(&code, written, &own, keys.findings);
    keys.with("flags", |found, findings| match found.value.as_object() {
        None => shape(&code, found, "an object by key", findings),
        Some(flags) => flags.iter().for_each(|one| flag(one, findings)),
    });
    let json = member(written, "input").is_some();
    for key in ["flags", "positionals"] {
        if let Some(found) = member(written, key).filter(|_| json) {
            let message = format!("`{key}` beside `input: 'json'`, which takes the input as one JSON object");
            findings_remove(keys, &code, found, message);
        }
    }
    if let Some(found) = keys.members.last().filter(|_| maps && json) {
        let message = "`mapInput` beside `input: 'json'`, which takes the input as it is".to_owned();
        findings_remove(keys, &code, found, message);
    }
}

fn findings_remove(keys: &mut Keys<'_, '_, '_>, code: &Code, found: &Member, message: String) {
    keys.findings.add_with_help(code.clone(), &found.key_range, message, "Remove one of the two");
}

/// Findings about keys outside a closed set.
fn closed(code: &Code, what: &str, members: &[Member], known: &[&str], findings: &mut Findings<'_>) {
    for extra in members.iter().filter(|extra| !known.contains(&extra.key.as_str())) {
        let message = format!("{what} takes no key `{}`; its keys are {}", extra.key, known.join(", "));
        match nearest(&extra.key, known.iter().copied()) {
            Some(near) => {
                let fix = Fix::inside_quotes(&findings.span(&extra.key_range), near);
                let help = format!("Did you mean `{near}`?");
                findings.add_with_fix(code.clone(), &extra.key_range, message, help, fix);
            }
            None => findings.add_with_help(code.clone(), &extra.key_range, message, "Remove the key"),
        }
    }
}

fn flag(found: &Member, findings: &mut Findings<'_>) {
    let code = Code::AB4844;
    let Some(members) = found.value.as_object() else {
        return shape(&code, found, "an object", findings);
    };
    let what = format!("the flag `{}`", found.key);
    closed(&code, &what, members, &["name", "aliases", "description", "default", "required"], findings);
    let scalar = |node: &Node| matches!(node.data, Data::Bool(_) | Data::Number(_) | Data::String(_));
    let rules: [Rule; 4] = [
        ("name", "a string", is_text),
        ("aliases", "a list of names", are_texts),
        ("description", "a string", is_text),
        ("required", "`false`", |node| node.data == Data::Bool(false)),
    ];
    shapes(&code, members, &rules, findings);
    if let Some(default) = member(members, "default") {
        let fits =
            scalar(&default.value) || default.value.as_array().is_some_and(|items| items.iter().all(scalar));
        if !fits {
            shape(&code, default, "a string, number or boolean, or a list of these", findings);
        }
    }
}

/// An event route.
pub(super) fn event(path: &str, keys: &mut Keys<'_, '_, '_>) {
    let named = |node: &Node| are_texts(node) && node.as_array() != Some(&[]);
    for key in ["targets", "requires"] {
        if let Some(found) = member(keys.members, key).filter(|found| !named(&found.value)) {
            shape(&Code::AB4825, found, "a nonempty list of names", keys.findings);
        }
    }
    if let (Some(_), Some(second)) = (member(keys.members, "targets"), member(keys.members, "requires")) {
        let message = "`requires` beside `targets`: both choose the hosts";
        keys.findings.add_with_help(Code::AB4825, &second.key_range, message, "Keep one of the two");
    }
    keys.with("requires", requires);
    let rules: [Rule; 3] = [
        ("runtime", "`'standalone'` or `'shared'`", |node| {
            matches!(node.as_str(), Some("standalone" | "shared"))
        }),
        ("fallback", "`'none'` or `'standalone'`", |node| {
            matches!(node.as_str(), Some("none" | "standalone"))
        }),
        ("delivery", "a list of `'immediate'`", |node| {
            node.as_array().is_some_and(|items| items.iter().all(|item| item.as_str() == Some("immediate")))
        }),
    ];
    shapes(&Code::AB4805, keys.members, &rules, keys.findings);
    keys.with("timeoutMs", |found, findings| {
        let fits =
            matches!(&found.value.data, Data::Number(number) if number.as_i64().is_some_and(|ms| ms > 0));
        if !fits {
            wrong(found, "a positive whole number of milliseconds", findings);
        }
    });
    let event = path.trim_start_matches("src/events/");
    let on_tools = event.starts_with("tool/before.") || event.starts_with("tool/after.");
    keys.with("tools", |found, findings| {
        if !on_tools {
            let message = "`tools` chooses tools, which only `tool/before` and `tool/after` have";
            return findings.add_with_help(Code::AB4805, &found.key_range, message, "Remove the key");
        }
        tools(found, findings);
    });
}

fn requires(found: &Member, findings: &mut Findings<'_>) {
    for row in found.value.as_array().into_iter().flatten() {
        let Some(name) = row.as_str().filter(|name| !CAPABILITIES.contains(name)) else { continue };
        let message = format!("`{name}` is no capability of hosts; they are {}", CAPABILITIES.join(", "));
        match nearest(name, CAPABILITIES) {
            Some(near) => {
                let fix = Fix::inside_quotes(&findings.span(&row.range), near);
                findings.add_with_fix(
                    Code::AB4824,
                    &row.range,
                    message,
                    format!("Did you mean `{near}`?"),
                    fix,
                );
            }
            None => findings.add(Code::AB4824, &row.range, message),
        }
    }
}

fn tools(found: &Member, findings: &mut Findings<'_>) {
    let Some(items) = found.value.as_array() else {
        return wrong(found, "a list of tools", findings);
    };
    for item in items {
        if !is_tool_selector(item.as_str().unwrap_or_default()) {
            let message = format!("an entry of `tools` is {}, which names no tool", item.shape());
            let help = format!("Use {}, or `<host>:<its own name>`", TOOL_SELECTORS.join(", "));
            findings.add_with_help(Code::AB4805, &item.range, message, help);
        }
    }
}
