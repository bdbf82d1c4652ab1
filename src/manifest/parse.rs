//! TOML text → values with the place of each.

use super::check::{Checked, PROJECT, PROJECTS, Written, typed};
use super::codes::no_json;
use super::shape::dotted;
use super::{MANIFEST_FILE, Manifest, ProjectsManifest, Spans};
use crate::diagnostic::{Code, Diagnostic};
use crate::model::pointer_step;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toml_edit::{Document, Item, TableLike};

/// Reads a project's manifest. The error holds at least one finding of severity error.
pub fn parse(text: &str) -> Result<Manifest, Vec<Diagnostic>> {
    let (data, spans) = read(text, &PROJECT)?;
    Ok(Manifest { data, spans, text: text.to_owned(), file: MANIFEST_FILE })
}

/// Reads a root manifest.
pub fn parse_projects(text: &str) -> Result<ProjectsManifest, Vec<Diagnostic>> {
    let (data, spans) = read(text, &PROJECTS)?;
    Ok(ProjectsManifest { data, spans })
}

fn read<T: DeserializeOwned>(text: &str, checked: &Checked) -> Result<(T, Spans), Vec<Diagnostic>> {
    let document = Document::parse(text).map_err(|error| {
        let place = error.span().unwrap_or(0..0);
        vec![Diagnostic::new(Code::AB1001, first_line(error.message())).at(MANIFEST_FILE, place)]
    })?;
    let mut reader = Reader::default();
    let value = Value::Object(reader.table(document.as_table(), ""));
    let written = Written { file: MANIFEST_FILE, spans: &reader.spans, checked };
    let data = typed(value, &written, reader.diagnostics)?;
    Ok((data, reader.spans))
}

/// Where everything stands, whether the manifest is right or not.
pub(super) fn places(text: &str) -> Spans {
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
    spans: Spans,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn table(&mut self, table: &dyn TableLike, pointer: &str) -> Map<String, Value> {
        let mut members = Map::new();
        for (name, item) in table.iter() {
            let below = format!("{pointer}/{}", pointer_step(name));
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
        self.diagnostics.push(Diagnostic::new(no_json(pointer), message).at(MANIFEST_FILE, place));
        None
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
