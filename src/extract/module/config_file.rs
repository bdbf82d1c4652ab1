//! `agent-bundle.config.ts`, read under the grammar of routes.

use super::scope::{Binding, Scope, range};
use super::value::{Reader, key_name, unwrap};
use super::{source, syntax};
use crate::diagnostic::{Code, Diagnostic};
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Member, Node};
use oxc::ast::ast::{Expression, ObjectExpression, ObjectPropertyKind};
use oxc::span::GetSpan;

const FORM: &str = "Write `export default defineConfig({ … })` with literal values, or move the setting into the manifest by hand";

/// Deeper than any setting lies; what is below is read as one value.
const SETTINGS_DEPTH: usize = 16;

/// The settings of the configuration at `path`, an object. A setting that must be computed is left out and told at its
/// place; the others are read all the same.
pub fn config_file(path: &str, bytes: &[u8]) -> (Node, Vec<Diagnostic>) {
    let empty = || Node { range: 0..0, data: Data::Object(Vec::new()) };
    let (text, mut findings) = match source::text(path, bytes) {
        Ok(source) => source,
        Err(problem) => return (empty(), vec![*problem]),
    };
    let config = syntax::with_tree(path, text, &mut findings, |parsed, findings| {
        let scope = Scope::of(&parsed.program);
        read(&scope, findings)
    });
    let mut config = config.flatten().unwrap_or_else(empty);
    // What was parsed begins after the byte order mark.
    config.shift(bytes.len() - text.len());
    (config, findings.into_list())
}

fn read<'a>(scope: &Scope<'a, '_>, findings: &mut Findings<'_>) -> Option<Node> {
    let Some(default) = scope.export("default") else {
        findings.add_with_help(Code::AB4805, &(0..0), "the configuration has no default export", FORM);
        return None;
    };
    let value = match default.binding {
        Binding::Default(default) => default.declaration.as_expression(),
        Binding::Listed(name) => scope.constants.get(name).copied(),
        _ => None,
    };
    let Some(object) = value.and_then(|value| object(value, scope)) else {
        let message = "the configuration is not one object written out in place";
        findings.add_with_help(Code::AB4805, &default.range, message, FORM);
        return None;
    };
    Some(settings(object, scope, findings, 0))
}

/// The object itself, or the argument of the only call around it.
fn object<'a, 'p>(value: &'p Expression<'a>, scope: &Scope<'a, 'p>) -> Option<&'p ObjectExpression<'a>> {
    match unwrap(value) {
        Expression::ObjectExpression(object) => Some(object),
        Expression::Identifier(name) => match unwrap(scope.constants.get(name.name.as_str())?) {
            Expression::ObjectExpression(object) => Some(object),
            _ => None,
        },
        Expression::CallExpression(call) => match call.arguments.as_slice() {
            [argument] => match unwrap(argument.as_expression()?) {
                Expression::ObjectExpression(object) => Some(object),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

/// Each setting by itself, so that one that is computed costs no other.
fn settings<'a>(
    object: &ObjectExpression<'a>,
    scope: &Scope<'a, '_>,
    findings: &mut Findings<'_>,
    depth: usize,
) -> Node {
    let mut members = Vec::new();
    for property in &object.properties {
        let ObjectPropertyKind::ObjectProperty(property) = property else {
            let message = "a spread cannot be read without running the configuration";
            findings.add_with_help(Code::AB4806, &range(property.span()), message, FORM);
            continue;
        };
        // An object is read setting by setting, so that one that is computed costs no other.
        if depth < SETTINGS_DEPTH
            && let Expression::ObjectExpression(inner) = unwrap(&property.value)
            && let Some(key) = key_name(&property.key).filter(|key| !property.computed && key != "__proto__")
        {
            let value = settings(inner, scope, findings, depth + 1);
            members.push(Member { key: key.to_string(), key_range: range(property.key.span()), value });
        } else if let Ok(Some(member)) = Reader::new(scope, findings).member(property, &[]) {
            members.push(member);
        }
    }
    Node { range: range(object.span), data: Data::Object(members) }
}
