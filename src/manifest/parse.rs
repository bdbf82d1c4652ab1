//! TOML text → values with spans → checked against the schema → typed manifest. All problems in one run.

use super::{MANIFEST_FILE, Manifest, ManifestData, ProjectsData, ProjectsManifest, project_schema};
use crate::diagnostic::{Code, Diagnostic, Fix, Span, has_errors, nearest};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;
use toml_edit::{Document, Item, TableLike};

/// A schema with its compiled form.
struct Checked {
    schema: Value,
    validator: jsonschema::Validator,
}

impl Checked {
    fn new(schema: Value) -> Self {
        let validator = jsonschema::validator_for(&schema).expect("the generated schema is a valid schema");
        Self { schema, validator }
    }
}

/// The schemas, compiled once a process.
static PROJECT: LazyLock<Checked> = LazyLock::new(|| Checked::new(project_schema()));
static PROJECTS: LazyLock<Checked> =
    LazyLock::new(|| Checked::new(crate::model::schema_of::<ProjectsData>()));

/// Byte ranges by JSON pointer.
type Spans = BTreeMap<String, Range<usize>>;

/// Reads a project's manifest. The error holds at least one finding of severity error.
pub fn parse(text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let (data, spans) = read::<ManifestData>(text, &PROJECT)?;
    Ok(Manifest { data, spans, text: text.to_owned() })
}

/// Reads a root manifest.
pub fn parse_projects(text: &str) -> Result<ProjectsManifest, Vec<Diagnostic>> {
    let (data, spans) = read::<ProjectsData>(text, &PROJECTS)?;
    Ok(ProjectsManifest { data, spans })
}

fn read<T: DeserializeOwned>(text: &str, checked: &Checked) -> Result<(T, Spans), Vec<Diagnostic>> {
    let document = Document::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        vec![Diagnostic::new(Code::AB1001, first_line(error.message())).at(MANIFEST_FILE, place)]
    })?;
    let mut reader = Reader::default();
    let value = Value::Object(reader.table(document.as_table(), ""));
    let places = Places { spans: &reader.spans, schema: &checked.schema };
    let mut diagnostics = reader.diagnostics;
    diagnostics.extend(checked.validator.iter_errors(&value).flat_map(|error| explain(&places, &error)));
    if has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    match serde_json::from_value(value) {
        Ok(data) => Ok((data, reader.spans)),
        Err(error) => Err(vec![Diagnostic::new(Code::AB1003, error.to_string()).in_file(MANIFEST_FILE)]),
    }
}

/// Where things stand, and what may stand there.
struct Places<'a> {
    spans: &'a Spans,
    schema: &'a Value,
}

impl Places<'_> {
    fn span(&self, pointer: &str) -> Option<Span> {
        super::span_in(self.spans, pointer)
    }

    fn key_span(&self, pointer: &str) -> Option<Span> {
        super::key_span_in(self.spans, pointer)
    }
}

/// Where everything stands, whether the manifest is right or not.
pub(super) fn places(text: &str) -> BTreeMap<String, Range<usize>> {
    let mut reader = Reader::default();
    if let Ok(document) = Document::parse(text) {
        reader.table(document.as_table(), "");
    }
    reader.spans
}

fn first_line(message: &str) -> String {
    message.lines().next().unwrap_or("this is not TOML").to_owned()
}

/// Turns TOML into JSON and notes where everything stands.
#[derive(Default)]
struct Reader {
    spans: BTreeMap<String, Range<usize>>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn table(&mut self, table: &dyn TableLike, pointer: &str) -> Map<String, Value> {
        let mut members = Map::new();
        for (name, item) in table.iter() {
            let below = format!("{pointer}/{}", escape(name));
            if let Some(span) = table.key(name).and_then(toml_edit::Key::span) {
                self.spans.insert(format!("{below}#key"), span);
            }
            if let Some(value) = self.item(item, &below) {
                members.insert(name.to_owned(), value);
            }
        }
        members
    }

    fn item(&mut self, item: &Item, pointer: &str) -> Option<Value> {
        if let Some(span) = item.span() {
            self.spans.insert(pointer.to_owned(), span);
        }
        match item {
            Item::None => None,
            Item::Value(value) => self.value(value, pointer),
            Item::Table(table) => Some(Value::Object(self.table(table, pointer))),
            Item::ArrayOfTables(tables) => {
                let rows = tables.iter().enumerate();
                Some(Value::Array(
                    rows.map(|(at, row)| Value::Object(self.table(row, &format!("{pointer}/{at}"))))
                        .collect(),
                ))
            }
        }
    }

    fn value(&mut self, value: &toml_edit::Value, pointer: &str) -> Option<Value> {
        if let Some(span) = value.span() {
            self.spans.insert(pointer.to_owned(), span);
        }
        match value {
            toml_edit::Value::String(text) => Some(Value::from(text.value().as_str())),
            toml_edit::Value::Integer(number) => Some(Value::from(*number.value())),
            toml_edit::Value::Boolean(flag) => Some(Value::from(*flag.value())),
            toml_edit::Value::Float(number) => {
                let number = serde_json::Number::from_f64(*number.value()).map(Value::Number);
                number.or_else(|| self.refuse(pointer, "a number that is not finite"))
            }
            toml_edit::Value::Datetime(_) => self.refuse(pointer, "a date"),
            toml_edit::Value::Array(items) => {
                let items = items.iter().enumerate();
                Some(items.filter_map(|(at, item)| self.value(item, &format!("{pointer}/{at}"))).collect())
            }
            toml_edit::Value::InlineTable(table) => Some(Value::Object(self.table(table, pointer))),
        }
    }

    fn refuse(&mut self, pointer: &str, what: &str) -> Option<Value> {
        let place = self.spans.get(pointer).cloned().unwrap_or(0..0);
        let message = format!("`{}` is {what}, which no host document can hold", dotted(pointer));
        self.diagnostics.push(Diagnostic::new(Code::AB4500, message).at(MANIFEST_FILE, place));
        None
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A JSON pointer as the manifest's own dotted path.
fn dotted(pointer: &str) -> String {
    pointer.trim_start_matches('/').replace('/', ".").replace("~1", "/").replace("~0", "~")
}

fn explain(manifest: &Places, error: &jsonschema::ValidationError) -> Vec<Diagnostic> {
    let pointer = error.instance_path().to_string();
    let place =
        if pointer.is_empty() { "the manifest".to_owned() } else { format!("`{}`", dotted(&pointer)) };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            unexpected.iter().map(|key| unknown_key(manifest, &pointer, key)).collect()
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let code = if pointer.is_empty() && name == "plugin" || pointer == "/plugin" && name == "name" {
                Code::AB4000
            } else {
                wrong_shape(&pointer)
            };
            let span = manifest.key_span(&pointer).or_else(|| Some(Span::file(MANIFEST_FILE)));
            vec![Diagnostic::new(code, format!("{place} has no `{name}`")).with_span(span)]
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(many) => {
                    let words: Vec<String> = many.iter().map(|one| one.to_string()).collect();
                    words.into_iter().filter(|word| word != "null").collect::<Vec<_>>().join(" or ")
                }
            };
            let message =
                format!("{place} must be {}, and is {}", article(&wanted), describe(error.instance()));
            vec![Diagnostic::new(wrong_shape(&pointer), message).with_span(manifest.span(&pointer))]
        }
        _ => {
            let message = format!("{place}: {error}");
            vec![Diagnostic::new(wrong_shape(&pointer), message).with_span(manifest.span(&pointer))]
        }
    }
}

fn unknown_key(manifest: &Places, pointer: &str, key: &str) -> Diagnostic {
    let known = known_keys(manifest.schema, pointer);
    let near = nearest(key, known.iter().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known keys here: {}", known.join(", ")),
    };
    let at = format!("{pointer}/{}", escape(key));
    let message = format!("unknown key `{}`", dotted(&at));
    let span = manifest.key_span(&at);
    let fix = near.zip(span.as_ref()).map(|(near, span)| Fix::inside_quotes(span, near));
    Diagnostic::new(Code::AB1002, message).help(help).with_span(span).with_fix(fix)
}

/// The keys that the schema knows at a place of the manifest.
fn known_keys(schema: &Value, pointer: &str) -> Vec<String> {
    let resolve = |node: Value| -> Value {
        let reference = node.get("$ref").or_else(|| node.pointer("/anyOf/0/$ref")).and_then(Value::as_str);
        match reference {
            Some(reference) => schema.pointer(reference.trim_start_matches('#')).cloned().unwrap_or_default(),
            None => node,
        }
    };
    let mut node = schema.clone();
    for part in pointer.split('/').skip(1) {
        let child = node.get("properties").and_then(|properties| properties.get(part));
        node = resolve(child.or_else(|| node.get("additionalProperties")).cloned().unwrap_or_default());
    }
    let properties = node.get("properties").and_then(Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

/// Some places have a code of their own for a value of the wrong shape.
fn wrong_shape(pointer: &str) -> Code {
    let parts: Vec<&str> = pointer.split('/').skip(1).collect();
    match parts.as_slice() {
        ["plugin", "name"] => Code::AB4000,
        ["plugin", "version"] => Code::AB4001,
        ["mcp", "servers", _, "targets", ..] => Code::AB4305,
        ["mcp", "servers", _, "entry"] => Code::AB4306,
        ["mcp", "servers", _, "args", ..] => Code::AB4311,
        ["mcp", "servers", _, "env", ..] => Code::AB4312,
        ["mcp", "servers", _, "headers", ..] => Code::AB4319,
        ["mcp", "servers", _, "apps", ..] => Code::AB4326,
        ["assets", ..] => Code::AB4600,
        ["output", ..] => Code::AB4707,
        _ => Code::AB1003,
    }
}

fn article(kind: &str) -> String {
    match kind {
        "object" => "a table".to_owned(),
        "array" => "a list".to_owned(),
        "integer" => "a whole number".to_owned(),
        other => format!("a {other}"),
    }
}

fn describe(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "targets = [\"claude\"]\n[plugin]\nname = \"x\"\n";

    fn findings(text: &str) -> Vec<(String, String, String)> {
        let spot = |d: &Diagnostic| {
            d.span.as_ref().map_or(String::new(), |span| text[span.start..span.end].to_owned())
        };
        let found = parse(text).err().unwrap_or_default();
        found.iter().map(|d| (d.code.to_string(), d.message.clone(), spot(d))).collect()
    }

    #[test]
    fn a_good_manifest_keeps_its_places() {
        let text = format!("{GOOD}[mcp.servers.notes]\nargs = [\"a\"]\n");
        let manifest = parse(&text).unwrap();
        let span = manifest.span("/mcp/servers/notes/args/0").unwrap();
        assert_eq!(&text[span.start..span.end], "\"a\"");
        assert_eq!(manifest.data.mcp.servers["notes"].args, ["a"]);
    }

    #[test]
    fn an_unknown_key_is_shown_with_its_neighbour() {
        let text = "tragets = []\n[plugin]\nname = \"x\"\n";
        let error = parse(text).unwrap_err();
        assert_eq!(error[0].code, Code::AB1002);
        assert_eq!(error[0].help.as_deref(), Some("did you mean `targets`?"));
        assert_eq!(findings(text)[0].2, "tragets");
        let nested = format!("{GOOD}[mcp.servers.notes]\nentri = \"a\"\n");
        assert_eq!(parse(&nested).unwrap_err()[0].help.as_deref(), Some("did you mean `entry`?"));
    }

    #[test]
    fn every_problem_of_one_run_is_told() {
        let text = "targets = \"claude\"\nwhat = 1\n[plugin]\nname = 3\n[mcp.servers.a]\nargs = [1]\n";
        let codes: Vec<String> = findings(text).into_iter().map(|found| found.0).collect();
        for code in ["AB1002", "AB1003", "AB4000", "AB4311"] {
            assert!(codes.contains(&code.to_owned()), "{code} not in {codes:?}");
        }
    }

    #[test]
    fn broken_toml_points_at_the_break() {
        let found = findings("[plugin\nname = 1");
        assert_eq!(found[0].0, "AB1001");
    }

    #[test]
    fn dates_and_infinities_are_no_host_data() {
        let text = format!("{GOOD}[claude]\nwhen = 2020-01-01\nhuge = inf\n");
        let codes: Vec<String> = findings(&text).into_iter().map(|found| found.0).collect();
        assert_eq!(codes, ["AB4500", "AB4500"]);
    }

    #[test]
    fn no_input_makes_it_panic() {
        for text in
            ["", "=", "[[plugin]]\nname=1", "plugin = 1", "a.b.c.d = {}", "\u{feff}[plugin]\nname='x'"]
        {
            drop(parse(text));
        }
    }
}
