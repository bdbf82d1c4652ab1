//! The root of a tool's input, as far as syntax shows it. Schemas are never read; which function of a schema library
//! makes the outermost one is plain to see, and models take no choice there.

use super::scope::{Binding, Scope, range};
use super::value::{key_name, unwrap};
use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use oxc::ast::ast::{CallExpression, Expression, ObjectPropertyKind};
use oxc::span::GetSpan;

/// Functions and methods that make one schema of several.
const COMPOSED: [&str; 8] =
    ["and", "discriminatedUnion", "intersect", "intersection", "or", "union", "variant", "xor"];
/// Methods that leave the root as it is.
const KEPT: [&str; 9] =
    ["brand", "check", "describe", "meta", "readonly", "refine", "register", "strict", "superRefine"];
/// More steps than anybody writes.
const MAX_STEPS: usize = 64;

/// Finds a choice at the root of `inputSchema`: in the first argument of `call`, or among the exports.
pub(super) fn check<'a>(
    call: Option<&CallExpression<'a>>,
    scope: &Scope<'a, '_>,
    findings: &mut Findings<'_>,
) {
    let written = match call {
        Some(call) => of_call(call, scope),
        None => scope.export("inputSchema").and_then(|export| match export.binding {
            Binding::Const(value) => Some(value),
            Binding::Listed(name) => scope.constants.get(name).copied(),
            _ => None,
        }),
    };
    let Some((word, at)) = written.and_then(|schema| composed(schema, scope)) else { return };
    let message = format!("the input of this tool is a choice at its root, made by `{word}`");
    let help = "Put it into a field: `z.object({ choice: … })`. Hosts leave such a tool out without a word";
    findings.add_with_help(Code::AB4113, &at, message, help);
}

fn of_call<'a, 'p>(call: &'p CallExpression<'a>, scope: &Scope<'a, 'p>) -> Option<&'p Expression<'a>> {
    let Expression::ObjectExpression(object) = unwrap(call.arguments.first()?.as_expression()?) else {
        return None;
    };
    let mut properties = object.properties.iter().filter_map(ObjectPropertyKind::as_property);
    let property = properties
        .find(|property| !property.computed && key_name(&property.key).as_deref() == Some("inputSchema"))?;
    match &property.value {
        Expression::Identifier(name) => scope.constants.get(name.name.as_str()).copied(),
        value => Some(value),
    }
}

/// The function that makes the root, and where it is called.
fn composed<'a, 'p>(
    schema: &'p Expression<'a>,
    scope: &Scope<'a, 'p>,
) -> Option<(&'a str, std::ops::Range<usize>)> {
    let mut schema = schema;
    for _ in 0..MAX_STEPS {
        schema = match unwrap(schema) {
            Expression::Identifier(name) => scope.constants.get(name.name.as_str())?,
            Expression::CallExpression(call) => {
                let (word, before) = callee(call, scope)?;
                if COMPOSED.contains(&word) {
                    return Some((word, range(call.callee.span())));
                }
                match before {
                    Some(before) if KEPT.contains(&word) => before,
                    _ if word == "pipe" => call.arguments.first()?.as_expression()?,
                    _ => return None,
                }
            }
            _ => return None,
        };
    }
    None
}

/// The last word of what is called, and what it is called on.
fn callee<'a, 'p>(
    call: &'p CallExpression<'a>,
    scope: &Scope<'a, 'p>,
) -> Option<(&'a str, Option<&'p Expression<'a>>)> {
    match &call.callee {
        Expression::Identifier(name) => Some((scope.imports.get(name.name.as_str())?.imported, None)),
        Expression::StaticMemberExpression(member) => {
            Some((member.property.name.as_str(), Some(&member.object)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::extract::extract_module;
    use crate::model::ModuleKind;

    /// What is told of a tool with that schema.
    fn told(schema: &str) -> Vec<String> {
        let text = format!(
            "import {{ defineTool }} from 'agent-bundle/routes';\nimport {{ z, union as either }} from 'zod';\nconst a = z.object({{}});\n\
             const made = a.or(a);\nexport default defineTool({{ inputSchema: {schema}, resultSchema: a }}, () => null);\n"
        );
        let found = extract_module(ModuleKind::Tool, "src/mcp/a/tools/b.ts", text.as_bytes());
        assert_eq!(found.diagnostics.iter().filter(|one| one.code.to_string() != "AB4113").count(), 0);
        let place = |span: &crate::diagnostic::Span| text[span.start..span.end].to_owned();
        found.diagnostics.iter().filter_map(|one| one.span.as_ref().map(place)).collect()
    }

    #[test]
    fn choices_at_the_root_are_found_under_what_keeps_them() {
        for (schema, place) in [
            ("z.union([a, a])", "z.union"),
            ("z.discriminatedUnion('k', [a, a]).describe('x')", "z.discriminatedUnion"),
            ("a.or(a).refine(() => true)", "a.or"),
            ("z.pipe(z.intersection(a, a), z.check())", "z.intersection"),
            ("either([a, a])", "either"),
            ("made", "a.or"),
            ("(made as never)", "a.or"),
        ] {
            assert_eq!(told(schema), [place], "{schema}");
        }
    }

    #[test]
    fn what_is_an_object_or_cannot_be_seen_is_left_alone() {
        for schema in [
            "a",
            "z.object({ x: z.union([a, a]) })",
            "a.extend({})",
            "z.lazy(() => made)",
            "elsewhere()",
            "z",
        ] {
            assert_eq!(told(schema), Vec::<String>::new(), "{schema}");
        }
    }

    #[test]
    fn the_older_form_is_looked_at_too() {
        let text = b"import { z } from 'zod';\nexport const inputSchema = z.union([]);\nexport const resultSchema = z.object({});\n\
                     export default function A() { return null; }\n";
        let found = extract_module(ModuleKind::Tool, "src/mcp/a/tools/b.tsx", text).diagnostics;
        assert_eq!(found.iter().map(|one| one.code.to_string()).collect::<Vec<_>>(), ["AB4113"]);
        let prompt = extract_module(ModuleKind::Prompt, "src/mcp/a/prompts/b.tsx", text).diagnostics;
        assert!(prompt.is_empty());
    }

    #[test]
    fn names_that_mean_each_other_come_to_an_end() {
        let text = b"import { defineTool } from 'agent-bundle/routes';\nconst a = b;\nconst b = a;\n\
                     export default defineTool({ inputSchema: a, resultSchema: b }, () => null);\n";
        assert!(extract_module(ModuleKind::Tool, "src/a.ts", text).diagnostics.is_empty());
    }
}
