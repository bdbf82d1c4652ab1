//! The static value grammar: which expressions are data without being run.

use super::scope::{Scope, range};
use crate::diagnostic::Code;
use crate::extract::findings::Findings;
use crate::extract::node::{Data, MAX_VALUE_DEPTH, Member, Node, number};
use oxc::ast::ast::{
    ArrayExpression, ArrayExpressionElement, CallExpression, Expression, NumericLiteral, ObjectExpression,
    ObjectProperty, ObjectPropertyKind, PropertyKey, PropertyKind, TemplateLiteral,
};
use oxc::span::{GetSpan, Span};
use oxc::syntax::operator::UnaryOperator;
use std::borrow::Cow;
use std::ops::Range;

/// The module whose helpers are read statically.
pub(super) const ROUTES_MODULE: &str = "agent-bundle/routes";

const HELP: &str = "Write a literal here: a string, number, boolean, `null`, list or object; or name a top-level `const` \
                    of this module that holds a string";

/// The expression inside parentheses and type-only wrappers.
pub(super) fn unwrap<'a, 'p>(mut expression: &'p Expression<'a>) -> &'p Expression<'a> {
    loop {
        expression = match expression {
            Expression::ParenthesizedExpression(wrapper) => &wrapper.expression,
            Expression::TSAsExpression(wrapper) => &wrapper.expression,
            Expression::TSSatisfiesExpression(wrapper) => &wrapper.expression,
            Expression::TSTypeAssertion(wrapper) => &wrapper.expression,
            Expression::TSNonNullExpression(wrapper) => &wrapper.expression,
            _ => return expression,
        };
    }
}

/// Reads values; every rejected part becomes a finding of its own.
pub(super) struct Reader<'s, 'a, 'p, 'f, 'd> {
    scope: &'s Scope<'a, 'p>,
    findings: &'f mut Findings<'d>,
    /// Keys from the root to the value being read.
    keys: Vec<String>,
    /// Lists and objects around the value being read.
    depth: usize,
}

impl<'s, 'a, 'p, 'f, 'd> Reader<'s, 'a, 'p, 'f, 'd> {
    pub(super) fn new(scope: &'s Scope<'a, 'p>, findings: &'f mut Findings<'d>) -> Self {
        Self { scope, findings, keys: Vec::new(), depth: 0 }
    }

    /// The value of `expression`; `None` with at least one finding when some part of it is not static.
    pub(super) fn read(&mut self, expression: &Expression<'a>) -> Option<Node> {
        let inner = unwrap(expression);
        let range = range(inner.span());
        let data = match inner {
            Expression::NullLiteral(_) => Data::Null,
            Expression::BooleanLiteral(literal) => Data::Bool(literal.value),
            Expression::StringLiteral(literal) if !literal.lone_surrogates => {
                Data::String(literal.value.to_string())
            }
            Expression::TemplateLiteral(template) if template.expressions.is_empty() => {
                Data::String(self.template(template)?)
            }
            Expression::NumericLiteral(literal) => self.number(literal, 1.0, &range)?,
            Expression::UnaryExpression(unary) => match (unary.operator, unwrap(&unary.argument)) {
                (UnaryOperator::UnaryPlus, Expression::NumericLiteral(literal)) => {
                    self.number(literal, 1.0, &range)?
                }
                (UnaryOperator::UnaryNegation, Expression::NumericLiteral(literal)) => {
                    self.number(literal, -1.0, &range)?
                }
                _ => return self.reject(inner),
            },
            Expression::Identifier(name) => match self.constant(name.name.as_str()) {
                Some(text) => Data::String(text),
                None => return self.reject(inner),
            },
            Expression::CallExpression(call) if self.is_app_reference(call) => self.app_reference(call)?,
            Expression::ArrayExpression(array) => Data::Array(self.nested(&range, |it| it.array(array))?),
            Expression::ObjectExpression(object) => {
                Data::Object(self.nested(&range, |it| it.object(object, &[]))?)
            }
            _ => return self.reject(inner),
        };
        Some(Node { range, data })
    }

    /// The members of `object` except the keys in `opaque`, whose values are not looked at.
    pub(super) fn object(&mut self, object: &ObjectExpression<'a>, opaque: &[&str]) -> Option<Vec<Member>> {
        let mut members = Vec::with_capacity(object.properties.len());
        let mut complete = true;
        for property in &object.properties {
            match property {
                ObjectPropertyKind::SpreadProperty(spread) => {
                    self.refuse(spread.span, "a spread");
                    complete = false;
                }
                ObjectPropertyKind::ObjectProperty(property) => match self.member(property, opaque) {
                    Ok(Some(member)) => members.push(member),
                    Ok(None) => {}
                    Err(()) => complete = false,
                },
            }
        }
        complete.then_some(members)
    }

    /// A property; `Ok(None)` for an opaque one.
    pub(super) fn member(
        &mut self,
        property: &ObjectProperty<'a>,
        opaque: &[&str],
    ) -> Result<Option<Member>, ()> {
        let key_span = property.key.span();
        let construct = if property.computed {
            Some("a computed key")
        } else if property.kind != PropertyKind::Init {
            Some("an accessor")
        } else if property.method {
            Some("a method")
        } else {
            None
        };
        if let Some(construct) = construct {
            self.refuse(property.span, construct);
            return Err(());
        }
        let Some(key) = key_name(&property.key) else {
            self.refuse(key_span, "a key that is not a name, a string or a number");
            return Err(());
        };
        if opaque.contains(&key.as_ref()) {
            return Ok(None);
        }
        if property.shorthand {
            self.refuse(property.span, &format!("a shorthand property (`{key}`)"));
            return Err(());
        }
        if key == "__proto__" {
            self.refuse(key_span, "the key `__proto__`, which sets no property,");
            return Err(());
        }
        self.keys.push(key.to_string());
        let value = self.read(&property.value);
        self.keys.pop();
        let key_range = range(key_span);
        value.map(|value| Some(Member { key: key.into_owned(), key_range, value })).ok_or(())
    }

    fn array(&mut self, array: &ArrayExpression<'a>) -> Option<Vec<Node>> {
        let mut items = Vec::with_capacity(array.elements.len());
        let mut complete = true;
        for element in &array.elements {
            let item = match element {
                ArrayExpressionElement::SpreadElement(spread) => {
                    self.refuse(spread.span, "a spread");
                    None
                }
                ArrayExpressionElement::Elision(hole) => {
                    self.refuse(hole.span, "a hole in a list");
                    None
                }
                element => element.as_expression().and_then(|expression| self.read(expression)),
            };
            match item {
                Some(item) => items.push(item),
                None => complete = false,
            }
        }
        complete.then_some(items)
    }

    /// Reads the parts of a list or object, unless they lie too deep.
    fn nested<T>(&mut self, at: &Range<usize>, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        if self.depth >= MAX_VALUE_DEPTH {
            let message = format!("metadata is nested deeper than {MAX_VALUE_DEPTH} levels");
            self.findings.add_with_help(Code::AB4806, at, message, "Flatten the value");
            return None;
        }
        self.depth += 1;
        let parts = read(self);
        self.depth -= 1;
        parts
    }

    fn number(&mut self, literal: &NumericLiteral<'_>, sign: f64, at: &Range<usize>) -> Option<Data> {
        let value = literal.value * sign;
        let found = number(value).map(Data::Number);
        if found.is_none() {
            let construct = if value == 0.0 { "negative zero" } else { "a number that is not finite" };
            self.refuse_range(at, construct);
        }
        found
    }

    fn template(&mut self, template: &TemplateLiteral<'_>) -> Option<String> {
        let part = template.quasis.first()?;
        match (&part.value.cooked, part.lone_surrogates) {
            (Some(text), false) => Some(text.to_string()),
            _ => {
                self.refuse(template.span, LONE_SURROGATE);
                None
            }
        }
    }

    /// The string that a top-level `const` holds.
    fn constant(&self, name: &str) -> Option<String> {
        match unwrap(self.scope.constants.get(name)?) {
            Expression::StringLiteral(literal) if !literal.lone_surrogates => Some(literal.value.to_string()),
            _ => None,
        }
    }

    fn is_app_reference(&self, call: &CallExpression<'a>) -> bool {
        let Expression::Identifier(callee) = &call.callee else { return false };
        let import = self.scope.imports.get(callee.name.as_str());
        import.is_some_and(|import| {
            !import.type_only && import.source == ROUTES_MODULE && import.imported == "appResourceUri"
        })
    }

    fn app_reference(&mut self, call: &CallExpression<'a>) -> Option<Data> {
        let argument = match call.arguments.as_slice() {
            [argument] => argument.as_expression().map(unwrap),
            _ => None,
        };
        let reference = match argument {
            Some(Expression::StringLiteral(literal)) if !literal.lone_surrogates => {
                Some(literal.value.to_string())
            }
            Some(Expression::Identifier(name)) => self.constant(name.name.as_str()),
            _ => None,
        };
        if reference.is_none() {
            let span = call.arguments.first().map_or(call.span, GetSpan::span);
            let message = format!("{}`appResourceUri` takes exactly one string", self.place());
            let help = "Write the reference as one string literal, for example `appResourceUri('board')`";
            self.findings.add_with_help(Code::AB4806, &range(span), message, help);
        }
        reference.map(Data::AppReference)
    }

    fn reject<T>(&mut self, expression: &Expression<'a>) -> Option<T> {
        let construct = describe(expression, self.scope);
        self.refuse(expression.span(), &construct);
        None
    }

    fn refuse(&mut self, span: Span, construct: &str) {
        self.refuse_range(&range(span), construct);
    }

    fn refuse_range(&mut self, at: &Range<usize>, construct: &str) {
        let message = format!("{}{construct} cannot be read without running the module", self.place());
        self.findings.add_with_help(Code::AB4806, at, message, HELP);
    }

    /// `` `a.b`: `` when keys lead to the value being read.
    fn place(&self) -> String {
        if self.keys.is_empty() { String::new() } else { format!("`{}`: ", self.keys.join(".")) }
    }
}

/// The name that a property key gives.
pub(super) fn key_name<'a>(key: &PropertyKey<'a>) -> Option<Cow<'a, str>> {
    match key {
        PropertyKey::StaticIdentifier(name) => Some(Cow::Borrowed(name.name.as_str())),
        PropertyKey::StringLiteral(literal) if !literal.lone_surrogates => {
            Some(Cow::Borrowed(literal.value.as_str()))
        }
        PropertyKey::NumericLiteral(literal) => Some(Cow::Owned(number_name(literal.value))),
        _ => None,
    }
}

/// The property name that the language makes of a number.
fn number_name(value: f64) -> String {
    if value.is_infinite() {
        return "Infinity".to_owned();
    }
    if value != 0.0 && !(1e-6..1e21).contains(&value) {
        let text = format!("{value:e}");
        return if text.contains("e-") { text } else { text.replace('e', "e+") };
    }
    value.to_string()
}

const LONE_SURROGATE: &str = "a string with half of a surrogate pair";

/// What an expression outside the grammar is, in words.
fn describe(expression: &Expression<'_>, scope: &Scope<'_, '_>) -> String {
    let words = match expression {
        Expression::Identifier(name) => return describe_name(name.name.as_str(), scope),
        Expression::CallExpression(call) => return describe_call(call),
        Expression::StringLiteral(_) => LONE_SURROGATE,
        Expression::BigIntLiteral(_) => "a bigint",
        Expression::RegExpLiteral(_) => "a regular expression",
        Expression::TemplateLiteral(_) => "a template with substitutions",
        Expression::TaggedTemplateExpression(_) => "a tagged template",
        Expression::FunctionExpression(_) | Expression::ArrowFunctionExpression(_) => "a function",
        Expression::ClassExpression(_) => "a class",
        Expression::NewExpression(_) => "a `new` expression",
        Expression::AwaitExpression(_) => "an `await` expression",
        Expression::ImportExpression(_) => "a dynamic import",
        Expression::ImportMeta(_) => "`import.meta`",
        Expression::ConditionalExpression(_) => "a conditional",
        Expression::AssignmentExpression(_) | Expression::UpdateExpression(_) => "an assignment",
        Expression::BinaryExpression(_) | Expression::LogicalExpression(_) => "an operator",
        Expression::UnaryExpression(_) => "an operator",
        Expression::SequenceExpression(_) => "a sequence",
        Expression::JSXElement(_) | Expression::JSXFragment(_) => "JSX",
        Expression::ThisExpression(_) | Expression::Super(_) => "`this`",
        found if found.is_member_expression() => "a member access",
        Expression::ChainExpression(_) => "a member access",
        _ => "an expression",
    };
    words.to_owned()
}

fn describe_name(name: &str, scope: &Scope<'_, '_>) -> String {
    if let Some(import) = scope.imports.get(name) {
        return format!("`{name}`, imported from `{}`,", import.source);
    }
    if scope.constants.contains_key(name) {
        return format!("`{name}`, a `const` that is not a string literal,");
    }
    if name == "undefined" { "`undefined`".to_owned() } else { format!("the identifier `{name}`") }
}

fn describe_call(call: &CallExpression<'_>) -> String {
    match &call.callee {
        Expression::Identifier(name) => format!("a call of `{}`", name.name),
        _ => "a call".to_owned(),
    }
}
