//! The carrier `export default defineTool({ … }, handler)` and the older form with named schemas.

use super::scope::{Binding, Export, Scope, range};
use super::value::{ROUTES_MODULE, Reader, key_name, unwrap};
use super::{config, schema_root};
use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use crate::extract::node::{Data, Node};
use crate::model::ModuleKind;
use oxc::ast::ast::{
    Argument, CallExpression, ExportDefaultDeclarationKind, Expression, ObjectExpression, ObjectPropertyKind,
    PropertyKind,
};
use oxc::span::GetSpan;
use rustc_hash::FxHashSet;

/// The properties of a definition that hold schemas; their values are never looked at.
pub(super) const SCHEMAS: [&str; 2] = ["inputSchema", "resultSchema"];

const TOOL_FORM: &str = "Write `export default defineTool({ inputSchema, resultSchema, … }, handler)`, with `defineTool` \
                         imported from `agent-bundle/routes` and the object written out in place";

/// The metadata of a tool. `Ok(None)` when it has none; `Err` after a finding.
pub(super) fn tool(scope: &Scope<'_, '_>, findings: &mut Findings<'_>) -> Result<Option<Node>, ()> {
    if let Some(default) = scope.export("default") {
        if let Some(call) = direct_call(default, scope) {
            let form = Form { helper: "defineTool", help: TOOL_FORM, schemas: &SCHEMAS };
            let definition = read_call(call, &form, scope, findings)?;
            schema_root::check(Some(call), scope, findings);
            return match scope.export("config") {
                None => Ok(Some(definition)),
                Some(config) => {
                    let message = "metadata is declared twice: in `config` and in `defineTool`";
                    let help = "Move the keys of `config` into the first argument of `defineTool`";
                    findings.add_with_help(Code::AB4805, &config.range, message, help);
                    Err(())
                }
            };
        }
        if indirect(default, scope) {
            let message = "`defineTool` is not called directly in the default export";
            findings.add_with_help(Code::AB4810, &default.range, message, TOOL_FORM);
            return Err(());
        }
    }
    schema_root::check(None, scope, findings);
    named(ModuleKind::Tool, scope, findings)
}

/// The metadata of a module in the form with named exports (resources, prompts, and tools without a helper).
pub(super) fn named(
    kind: ModuleKind,
    scope: &Scope<'_, '_>,
    findings: &mut Findings<'_>,
) -> Result<Option<Node>, ()> {
    let mut missing = Vec::new();
    if scope.export("default").is_none() {
        missing.push("a default export");
    }
    if scope.export("inputSchema").is_none() {
        missing.push("an export `inputSchema`");
    }
    if scope.export("resultSchema").is_none() {
        missing.push("an export `resultSchema`");
    }
    if !missing.is_empty() {
        let at = scope.export("default").map_or(0..0, |default| default.range.clone());
        let message = match kind {
            ModuleKind::Tool if calls_unknown_helper(scope) => {
                "`defineTool` is not imported as a value from `agent-bundle/routes`".to_owned()
            }
            kind => format!("this {} lacks {}", kind.noun(), join(&missing)),
        };
        let help = match kind {
            ModuleKind::Tool => TOOL_FORM.to_owned(),
            _ => "Export `inputSchema`, `resultSchema` and a default component by name".to_owned(),
        };
        let code = if kind == ModuleKind::Command { Code::AB4815 } else { Code::AB4810 };
        findings.add_with_help(code, &at, message, help);
    }
    config::read(scope, findings)
}

/// Findings about exports that a generated route must not have.
pub(super) fn forbid_gates(kind: ModuleKind, scope: &Scope<'_, '_>, findings: &mut Findings<'_>) {
    for export in scope.exports.iter().filter(|export| matches!(export.name, "execute" | "render")) {
        let message = format!("a {} exports `{}`, which nothing calls", kind.word(), export.name);
        let help = "Remove the export: the default export is what runs";
        findings.add_with_help(Code::AB4811, &export.range, message, help);
    }
}

fn join(parts: &[&str]) -> String {
    match parts {
        [head @ .., last] if !head.is_empty() => format!("{} and {last}", head.join(", ")),
        _ => parts.concat(),
    }
}

/// `export default defineTool(…)`.
fn direct_call<'a, 'p>(export: &Export<'a, 'p>, scope: &Scope<'a, 'p>) -> Option<&'p CallExpression<'a>> {
    let Binding::Default(default) = export.binding else { return None };
    match unwrap(default.declaration.as_expression()?) {
        Expression::CallExpression(call) if is_helper(&call.callee, scope, &["defineTool"]) => Some(call),
        _ => None,
    }
}

/// Whether the default export calls something named `defineTool` that is not the helper.
fn calls_unknown_helper(scope: &Scope<'_, '_>) -> bool {
    let Some(Export { binding: Binding::Default(default), .. }) = scope.export("default") else {
        return false;
    };
    match default.declaration.as_expression().map(unwrap) {
        Some(Expression::CallExpression(call)) => {
            call.callee.is_specific_id("defineTool") && !is_helper(&call.callee, scope, &["defineTool"])
        }
        _ => false,
    }
}

/// Whether `callee` is a local name of one of the helpers.
fn is_helper(callee: &Expression<'_>, scope: &Scope<'_, '_>, helpers: &[&str]) -> bool {
    let Expression::Identifier(name) = callee else { return false };
    scope.imports.get(name.name.as_str()).is_some_and(|import| {
        !import.type_only && import.source == ROUTES_MODULE && helpers.contains(&import.imported)
    })
}

/// Whether a helper takes part in the default export without being its direct callee.
fn indirect(export: &Export<'_, '_>, scope: &Scope<'_, '_>) -> bool {
    let mut visited = FxHashSet::default();
    match export.binding {
        Binding::Default(default) => match &default.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_) => false,
            declaration => declaration
                .as_expression()
                .is_some_and(|expression| involves_helper(expression, scope, &mut visited)),
        },
        Binding::Listed(local) => constant_involves_helper(local, scope, &mut visited),
        _ => false,
    }
}

fn involves_helper<'a>(
    expression: &Expression<'a>,
    scope: &Scope<'a, '_>,
    visited: &mut FxHashSet<&'a str>,
) -> bool {
    match unwrap(expression) {
        Expression::Identifier(name) => constant_involves_helper(name.name.as_str(), scope, visited),
        Expression::CallExpression(call) => {
            is_helper(&call.callee, scope, &["defineTool", "events"])
                || root_is_helper(&call.callee, scope)
                || call
                    .arguments
                    .iter()
                    .filter_map(Argument::as_expression)
                    .any(|argument| involves_helper(argument, scope, visited))
        }
        _ => false,
    }
}

fn constant_involves_helper<'a>(
    name: &'a str,
    scope: &Scope<'a, '_>,
    visited: &mut FxHashSet<&'a str>,
) -> bool {
    visited.insert(name)
        && scope.constants.get(name).is_some_and(|value| involves_helper(value, scope, visited))
}

/// `routes.defineTool(…)` of a namespace import, `events.stop(…)`.
fn root_is_helper(callee: &Expression<'_>, scope: &Scope<'_, '_>) -> bool {
    let mut object = callee;
    while let Some(member) = object.as_member_expression() {
        object = member.object();
    }
    let Expression::Identifier(name) = object else { return false };
    scope.imports.get(name.name.as_str()).is_some_and(|import| {
        !import.type_only && import.source == ROUTES_MODULE && matches!(import.imported, "*" | "events")
    })
}

/// What a direct definition looks like.
pub(super) struct Form<'f> {
    /// The helper as it is written.
    pub(super) helper: &'f str,
    /// The form in words.
    pub(super) help: &'f str,
    /// Properties that hold schemas and must be there.
    pub(super) schemas: &'f [&'static str],
}

/// The metadata of a direct definition.
pub(super) fn read_call<'a>(
    call: &CallExpression<'a>,
    form: &Form<'_>,
    scope: &Scope<'a, '_>,
    findings: &mut Findings<'_>,
) -> Result<Node, ()> {
    let spread = call.arguments.iter().find(|argument| matches!(argument, Argument::SpreadElement(_)));
    if spread.is_some() || call.arguments.len() != 2 {
        let at = range(spread.map_or(call.span, GetSpan::span));
        let found = if spread.is_some() { "a spread".to_owned() } else { call.arguments.len().to_string() };
        let message = format!(
            "`{}` takes exactly two arguments, the metadata and the handler; found {found}",
            form.helper
        );
        findings.add_with_help(Code::AB4810, &at, message, form.help);
        return Err(());
    }
    let Some(first) = call.arguments.first().and_then(Argument::as_expression) else { return Err(()) };
    let Expression::ObjectExpression(object) = unwrap(first) else {
        let message =
            format!("the first argument of `{}` is not an object written out in place", form.helper);
        findings.add_with_help(Code::AB4810, &range(first.span()), message, form.help);
        return Err(());
    };
    check_schemas(object, form, findings)?;
    let members = Reader::new(scope, findings).object(object, form.schemas).ok_or(())?;
    Ok(Node { range: range(object.span), data: Data::Object(members) })
}

fn check_schemas(
    object: &ObjectExpression<'_>,
    form: &Form<'_>,
    findings: &mut Findings<'_>,
) -> Result<(), ()> {
    let mut missing = form.schemas.to_vec();
    let mut sound = true;
    for property in &object.properties {
        match property {
            ObjectPropertyKind::SpreadProperty(spread) => {
                let message =
                    format!("a spread in the first argument of `{}` hides what is declared", form.helper);
                findings.add_with_help(Code::AB4810, &range(spread.span), message, form.help);
                sound = false;
            }
            ObjectPropertyKind::ObjectProperty(property) if !property.computed => {
                let Some(key) = key_name(&property.key) else { continue };
                let Some(at) = missing.iter().position(|schema| *schema == key) else { continue };
                missing.remove(at);
                if property.method || property.kind != PropertyKind::Init {
                    let message = format!("`{key}` is a method or accessor, not a schema");
                    findings.add_with_help(Code::AB4810, &range(property.span), message, form.help);
                    sound = false;
                }
            }
            ObjectPropertyKind::ObjectProperty(_) => {}
        }
    }
    if sound && !missing.is_empty() {
        let names: Vec<String> = missing.iter().map(|schema| format!("`{schema}`")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = format!("the first argument of `{}` lacks {}", form.helper, join(&names));
        findings.add_with_help(Code::AB4810, &range(object.span), message, form.help);
        sound = false;
    }
    if sound { Ok(()) } else { Err(()) }
}
