//! Values against the schema → typed manifest. All problems in one run, each at its place.

use super::codes::{help, missing, unknown, wrong_shape};
use super::shape::{Shapes, config_key};
use super::{CONFIG_FILE, MANIFEST_FILE, ProjectsData, Spans, project_schema};
use crate::diagnostic::{Code, Diagnostic, Fix, Span, has_errors, nearest};
use crate::model::pointer_step;
use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::LazyLock;

/// A schema with its compiled form.
pub(super) struct Checked {
    pub(super) schema: Value,
    validator: jsonschema::Validator,
}

impl Checked {
    fn new(schema: Value) -> Self {
        let validator = jsonschema::validator_for(&schema).expect("the generated schema is a valid schema");
        Self { schema, validator }
    }

    pub(super) fn shapes(&self) -> Shapes<'_> {
        Shapes::new(&self.schema)
    }
}

/// The schemas, compiled once a process.
pub(super) static PROJECT: LazyLock<Checked> = LazyLock::new(|| Checked::new(project_schema()));
pub(super) static PROJECTS: LazyLock<Checked> =
    LazyLock::new(|| Checked::new(crate::model::schema_of::<ProjectsData>()));

/// Where things stand, and what may stand there.
pub(super) struct Written<'a> {
    pub(super) file: &'static str,
    pub(super) spans: &'a Spans,
    pub(super) checked: &'a Checked,
}

/// The value as what it is meant to be; else `found`, what is known to be wrong with it, with what the schema refuses.
pub(super) fn typed<T: DeserializeOwned>(
    value: Value,
    written: &Written<'_>,
    mut found: Vec<Diagnostic>,
) -> Result<T, Vec<Diagnostic>> {
    let is_partial = has_errors(&found);
    let errors: Vec<ValidationError<'_>> = written.checked.validator.iter_errors(&value).collect();
    found.extend(written.explain_all(&errors, is_partial));
    if has_errors(&found) {
        return Err(found);
    }
    serde_json::from_value(value).map_err(|error| {
        let whole = Diagnostic::new(Code::AB1003, error.to_string());
        vec![whole.in_file(written.file)]
    })
}

impl Written<'_> {
    fn span(&self, pointer: &str) -> Option<Span> {
        super::span_in(self.file, self.spans, pointer)
    }

    fn key_span(&self, pointer: &str) -> Option<Span> {
        super::key_span_in(self.file, self.spans, pointer)
    }

    fn spelled(&self, pointer: &str) -> String {
        self.checked.shapes().spelled(self.file, pointer)
    }

    /// How the author spells a key at a place.
    fn key(&self, place: &str, key: &str) -> String {
        if self.file == CONFIG_FILE { config_key(place, key) } else { key.to_owned() }
    }

    /// What is to be said of `errors`. Of a partial value, some of which could not be read, nothing is missed.
    fn explain_all(&self, errors: &[ValidationError<'_>], is_partial: bool) -> Vec<Diagnostic> {
        let told = errors.iter().filter(|error| {
            let at_once = || errors.iter().filter(|other| other.instance_path() == error.instance_path());
            match error.kind() {
                ValidationErrorKind::Type { .. } => true,
                ValidationErrorKind::Required { property } => {
                    let name = property.as_str().unwrap_or_default();
                    !is_partial && !at_once().any(|other| is_slip_of(other, name))
                }
                // Of a value of the wrong kind nothing else is said.
                _ => !at_once().any(|other| matches!(other.kind(), ValidationErrorKind::Type { .. })),
            }
        });
        told.flat_map(|error| self.explain(error, is_partial)).collect()
    }

    fn explain(&self, error: &ValidationError<'_>, is_partial: bool) -> Vec<Diagnostic> {
        let pointer = error.instance_path().to_string();
        let whole = if self.file == MANIFEST_FILE { "the manifest" } else { "the configuration" };
        let place =
            if pointer.is_empty() { whole.to_owned() } else { format!("`{}`", self.spelled(&pointer)) };
        let wrong = |message: String| {
            let found = Diagnostic::new(wrong_shape(&pointer), message).with_span(self.span(&pointer));
            vec![match help(&pointer) {
                Some(help) => found.help(help),
                None => found,
            }]
        };
        let must_be = |wanted: Vec<String>| {
            let is_number = wanted.iter().any(|word| word == "integer") && error.instance().is_number();
            let found = match is_number {
                true => error.instance().to_string(),
                false => self.describe(error.instance()).to_owned(),
            };
            wrong(format!("{place} must be {}, and is {found}", self.words(wanted)))
        };
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                unexpected.iter().map(|key| self.unknown_key(&pointer, key)).collect()
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let code = missing(&pointer, name);
                let span = self.key_span(&pointer).or_else(|| Some(Span::file(self.file)));
                let name = self.key(&pointer, name);
                vec![Diagnostic::new(code, format!("{place} has no `{name}`")).with_span(span)]
            }
            ValidationErrorKind::Type { kind } => must_be(type_words(kind)),
            ValidationErrorKind::Minimum { limit } => {
                wrong(format!("{place} must be at least {limit}, and is {}", error.instance()))
            }
            ValidationErrorKind::Constant { expected_value } => {
                wrong(format!("{place} can only be `{expected_value}`"))
            }
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                // The alternative that is meant is one whose own shape fits.
                let meant = context.iter().find(|errors| !errors.iter().any(|one| is_of(one, &pointer)));
                match meant {
                    Some(errors) => self.explain_all(errors, is_partial),
                    None => must_be(context.iter().flatten().flat_map(wanted).collect()),
                }
            }
            _ => wrong(format!("{place}: {error}")),
        }
    }

    pub(super) fn unknown_key(&self, pointer: &str, key: &str) -> Diagnostic {
        let shapes = self.checked.shapes();
        let known = shapes.at(pointer).map(|node| shapes.keys(node)).unwrap_or_default();
        let known: Vec<String> = known.into_iter().map(|key| self.key(pointer, key)).collect();
        let near = nearest(key, known.iter().map(String::as_str));
        let top = shapes.at("").map(|node| shapes.keys(node)).unwrap_or_default();
        let is_misplaced = !pointer.is_empty() && top.iter().any(|known| self.key("", known) == key);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if is_misplaced && self.file == MANIFEST_FILE => {
                format!("`{key}` belongs to the whole manifest: write it above the first line in brackets")
            }
            None if is_misplaced => format!("`{key}` belongs to the outermost object"),
            None => format!("known keys here: {}", known.join(", ")),
        };
        let at = format!("{pointer}/{}", pointer_step(key));
        let message = format!("unknown key `{}`", self.spelled(&at));
        let span = self.key_span(&at);
        let fix = near.zip(span.as_ref()).map(|(near, span)| Fix::inside_quotes(span, near));
        Diagnostic::new(unknown(pointer), message).help(help).with_span(span).with_fix(fix)
    }

    fn words(&self, mut wanted: Vec<String>) -> String {
        wanted.retain(|word| word != "null");
        let mut words: Vec<String> = Vec::new();
        for word in wanted {
            let word = match word.as_str() {
                "object" if self.file == CONFIG_FILE => "an object".to_owned(),
                "object" => "a table".to_owned(),
                "array" => "a list".to_owned(),
                "integer" => "a whole number".to_owned(),
                other if other.starts_with('`') => other.to_owned(),
                other => format!("a {other}"),
            };
            if !words.contains(&word) {
                words.push(word);
            }
        }
        match words.split_last() {
            Some((last, most)) if !most.is_empty() => format!("{} or {last}", most.join(", ")),
            Some((last, _)) => last.clone(),
            None => "something else".to_owned(),
        }
    }

    fn describe(&self, value: &Value) -> &'static str {
        match value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) if self.file == CONFIG_FILE => "an object",
            Value::Object(_) => "a table",
        }
    }
}

/// Whether the error is about the kind of the value at `pointer` itself, in all alternatives.
fn is_of(error: &ValidationError<'_>, pointer: &str) -> bool {
    if error.instance_path().to_string() != pointer {
        return false;
    }
    match error.kind() {
        ValidationErrorKind::Type { .. } | ValidationErrorKind::Constant { .. } => true,
        ValidationErrorKind::AnyOf { context } => {
            context.iter().all(|errors| errors.iter().any(|one| is_of(one, pointer)))
        }
        _ => false,
    }
}

/// Whether the error is about an unknown key that is likely to mean `name`.
fn is_slip_of(error: &ValidationError<'_>, name: &str) -> bool {
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().any(|key| nearest(key, [name]).is_some())
        }
        _ => false,
    }
}

/// What an alternative asks for, as a kind or as one value.
fn wanted(error: &ValidationError<'_>) -> Vec<String> {
    match error.kind() {
        ValidationErrorKind::Type { kind } => type_words(kind),
        ValidationErrorKind::Constant { expected_value } => vec![format!("`{expected_value}`")],
        ValidationErrorKind::AnyOf { context } => context.iter().flatten().flat_map(wanted).collect(),
        _ => Vec::new(),
    }
}

fn type_words(kind: &TypeKind) -> Vec<String> {
    match kind {
        TypeKind::Single(one) => vec![one.to_string()],
        TypeKind::Multiple(many) => many.iter().map(|one| one.to_string()).collect(),
    }
}
