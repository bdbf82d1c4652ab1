//! The forms of event routes, views, scripts and state.

use super::config;
use super::definition::{Form, read_call};
use super::scope::{Binding, Export, Scope, range};
use super::value::{ROUTES_MODULE, key_name, unwrap};
use crate::diagnostic::{Code, Fix};
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Member, Node};
use oxc::ast::ast::{CallExpression, Expression, ObjectPropertyKind};
use oxc::span::GetSpan;

/// The metadata of an event route.
pub(super) fn event(
    path: &str,
    scope: &Scope<'_, '_>,
    findings: &mut Findings<'_>,
) -> Result<Option<Node>, ()> {
    const GATES: [&str; 4] = ["before", "preflight", "execute", "render"];
    for export in scope.exports.iter().filter(|export| GATES.contains(&export.name)) {
        let message = format!("an event route exports `{}`, which nothing calls", export.name);
        let help = "Remove the export: the handler decides, and `ctx.render` shows a view";
        findings.add_with_help(Code::AB4840, &export.range, message, help);
    }
    let expected = helper_of(path);
    let form = format!(
        "Write `export default {expected}({{ … }}, handler)`, with `events` imported from `{ROUTES_MODULE}`"
    );
    let Some(default) = scope.export("default") else {
        findings.add_with_help(Code::AB4810, &(0..0), "this event route has no default export", form);
        return Err(());
    };
    let Some((call, name, written)) = event_call(default, scope) else {
        let message = match scope.imports.get("events") {
            Some(import) if import.source != ROUTES_MODULE => {
                format!("`events` comes from `{}`, not from `{ROUTES_MODULE}`", import.source)
            }
            _ => "the default export is not a direct call of an event helper".to_owned(),
        };
        findings.add_with_help(Code::AB4810, &default.range, message, form);
        return Err(());
    };
    let at = range(call.callee.span());
    let right = expected.replacen("events", name, 1);
    if written != right {
        let message = format!("`{written}` is not the event of `{path}`, which is `{right}`");
        let fix = Fix::exact(&findings.span(&at), right.clone());
        findings.add_with_fix(
            Code::AB4840,
            &at,
            message,
            format!("Write `{right}`, or move the module"),
            fix,
        );
    }
    let form = Form { helper: &right, help: &form, schemas: &[] };
    read_call(call, &form, scope, findings).map(Some)
}

/// `events.tool.before` for `src/events/tool/before.ts`.
fn helper_of(path: &str) -> String {
    let inner = path.strip_prefix("src/events/").unwrap_or(path);
    let inner = inner.rsplit_once('.').map_or(inner, |(inner, _)| inner);
    let mut text = "events".to_owned();
    for part in inner.split('/') {
        text.push('.');
        for (at, word) in part.split('-').enumerate() {
            let mut letters = word.chars();
            match letters.next() {
                Some(first) if at > 0 => text.extend(first.to_uppercase()),
                Some(first) => text.push(first),
                None => {}
            }
            text.push_str(letters.as_str());
        }
    }
    text
}

/// `export default <events>.<family>.<event>(…)` with the local name of `events` and the callee as written.
fn event_call<'a, 'p>(
    export: &Export<'a, 'p>,
    scope: &Scope<'a, 'p>,
) -> Option<(&'p CallExpression<'a>, &'a str, String)> {
    let Binding::Default(default) = export.binding else { return None };
    let Expression::CallExpression(call) = unwrap(default.declaration.as_expression()?) else { return None };
    let mut names = Vec::new();
    let mut object = &call.callee;
    while let Some(member) = object.as_member_expression() {
        names.push(member.static_property_name()?);
        object = member.object();
    }
    let Expression::Identifier(root) = object else { return None };
    let import = scope.imports.get(root.name.as_str())?;
    let is_events = !import.type_only && import.source == ROUTES_MODULE && import.imported == "events";
    if !is_events || names.is_empty() {
        return None;
    }
    names.push(root.name.as_str());
    names.reverse();
    Some((call, root.name.as_str(), names.join(".")))
}

/// A module whose default export is all that matters.
pub(super) fn default_export(what: &str, code: Code, scope: &Scope<'_, '_>, findings: &mut Findings<'_>) {
    if scope.export("default").is_none() {
        let help = "Export the component as the default export";
        findings.add_with_help(code, &(0..0), format!("this {what} has no default export"), help);
    }
}

/// What a script lacks that is also a command of the package, which calls `main`.
pub(super) fn command_script(path: &str, scope: &Scope<'_, '_>, findings: &mut Findings<'_>) {
    let (default, main) = (scope.export("default"), scope.export("main"));
    let help = "Export `main`, a function that gets the arguments";
    match (path.ends_with(".ts"), default, main) {
        (true, Some(default), None) => {
            let message = "this script is a command of the package and exports nothing but a default";
            findings.add_with_help(Code::AB4738, &default.range, message, help);
        }
        (false, Some(default), None) => {
            let message = "this rendered script is a command of the package and exports no `main`";
            findings.add_with_help(Code::AB4737, &default.range, message, help);
        }
        // Without a component it is no rendered script at all, which is told of every one.
        _ => {}
    }
}

const STATE_FORM: &str = "Write `export default defineState({ id: '…', lifetime: 'process', … })`, with `defineState` imported from \
     `@agent-bundle/runtime/state`";
const LIFETIMES: [&str; 3] = ["request", "process", "workspace-durable"];
const RESERVED_STATE: &str = "@agent-bundle/runtime/agent-notice-ledger/v1";

/// The id and lifetime of the project's state.
pub(super) fn state(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) -> Result<Option<Node>, ()> {
    let Some(default) = scope.export("default") else {
        findings.add_with_help(Code::AB4818, &(0..0), "this state module has no default export", STATE_FORM);
        return Err(());
    };
    let call = match default.binding {
        Binding::Default(default) => match default.declaration.as_expression().map(unwrap) {
            Some(Expression::CallExpression(call)) if is_state_helper(&call.callee, scope) => Some(call),
            _ => None,
        },
        _ => None,
    };
    let Some(call) = call else {
        let message = "the default export is not a direct call of `defineState`";
        findings.add_with_help(Code::AB4818, &default.range, message, STATE_FORM);
        return Err(());
    };
    let object = match call.arguments.as_slice() {
        [argument] => argument.as_expression().map(unwrap),
        _ => None,
    };
    let Some(Expression::ObjectExpression(object)) = object else {
        let message = "`defineState` takes exactly one object, written out in place";
        findings.add_with_help(Code::AB4818, &range(call.span), message, STATE_FORM);
        return Err(());
    };
    let mut members = Vec::new();
    for property in &object.properties {
        let ObjectPropertyKind::ObjectProperty(property) = property else {
            let message = "a spread in `defineState` hides what the state is";
            findings.add_with_help(Code::AB4818, &range(property.span()), message, STATE_FORM);
            return Err(());
        };
        let key = if property.computed { None } else { key_name(&property.key) };
        if key.as_deref().is_some_and(|key| matches!(key, "id" | "lifetime")) {
            members.push((key.unwrap_or_default().into_owned(), &property.value));
        }
    }
    let before = findings.count();
    let mut read = Vec::new();
    for key in ["id", "lifetime"] {
        let Some((_, value)) = members.iter().rev().find(|(name, _)| name == key) else {
            let message = format!("this state has no `{key}`");
            findings.add_with_help(Code::AB4819, &range(object.span), message, STATE_FORM);
            continue;
        };
        let at = range(value.span());
        match unwrap(value) {
            Expression::StringLiteral(literal) => {
                check_state(key, literal.value.as_str(), &at, findings);
                read.push(Member {
                    key: key.to_owned(),
                    key_range: at.clone(),
                    value: Node { range: at, data: Data::String(literal.value.to_string()) },
                });
            }
            _ => {
                let message = format!("`{key}` is not a string literal");
                findings.add_with_help(Code::AB4819, &at, message, "Write the text out in quotes");
            }
        }
    }
    if findings.count() > before {
        return Err(());
    }
    Ok(Some(Node { range: range(object.span), data: Data::Object(read) }))
}

fn is_state_helper(callee: &Expression<'_>, scope: &Scope<'_, '_>) -> bool {
    let Expression::Identifier(name) = callee else { return false };
    scope.imports.get(name.name.as_str()).is_some_and(|import| {
        let is_ours =
            import.source == "@agent-bundle/runtime/state" || import.source == "@agent-bundle/runtime";
        !import.type_only && import.imported == "defineState" && is_ours
    })
}

fn check_state(key: &str, text: &str, at: &std::ops::Range<usize>, findings: &mut Findings<'_>) {
    match (key, text) {
        ("id", RESERVED_STATE) => {
            findings.add(Code::AB4821, at, "this id belongs to the ledger of notices");
        }
        ("id", text) if text.trim().is_empty() => findings.add(Code::AB4819, at, "`id` is blank"),
        ("lifetime", "external") => {
            findings.add(
                Code::AB4820,
                at,
                "a state whose lifetime is `external` needs a store that the project brings",
            );
        }
        ("lifetime", text) if !LIFETIMES.contains(&text) => {
            let words = LIFETIMES.map(|word| format!("`{word}`")).join(", ");
            let message = format!("`{text}` is no lifetime");
            match crate::diagnostic::nearest(text, LIFETIMES) {
                Some(near) => {
                    let fix = Fix::inside_quotes(&findings.span(at), near);
                    findings.add_with_fix(Code::AB4819, at, message, format!("Did you mean `{near}`?"), fix);
                }
                None => {
                    findings.add_with_help(Code::AB4819, at, message, format!("The lifetimes are {words}"))
                }
            }
        }
        _ => {}
    }
}

/// The metadata of a CLI projection, with `mapInput: true` where it exports that function.
pub(super) fn projection(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) -> Result<Option<Node>, ()> {
    const HELP: &str =
        "Write `export const config = { … }` in this module, with literal values; `{}` will do";
    let before = findings.count();
    let read = config::read(scope, findings);
    findings.recode(before, &Code::AB4844);
    match read? {
        None => {
            findings.add_with_help(Code::AB4844, &(0..0), "this CLI projection exports no `config`", HELP);
            Err(())
        }
        Some(Node { range, data: Data::Object(mut members) }) => {
            if let Some(export) = scope.export("mapInput") {
                let value = Node { range: export.range.clone(), data: Data::Bool(true) };
                let key_range = export.range.clone();
                members.push(Member { key: MAP_INPUT.to_owned(), key_range, value });
            }
            Ok(Some(Node { range, data: Data::Object(members) }))
        }
        Some(_) => Err(()),
    }
}

/// The key under which facts note that a projection exports the function of that name.
pub(super) const MAP_INPUT: &str = "mapInput";
