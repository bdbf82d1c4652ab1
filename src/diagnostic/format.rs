//! Findings in the forms that editors and CI read. All of them say the same code, path, line and column.

use super::{Diagnostic, Severity, Span, line_column, page};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The text of a source by project-relative path.
pub type Source<'a> = &'a dyn Fn(&str) -> Option<String>;

/// A span with its lines and columns, counted in characters from one. A file as a whole begins at its first character.
struct Place {
    path: String,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl Place {
    fn of(span: &Span, source: Source) -> Self {
        let text = source(&span.path).unwrap_or_default();
        let (line, column) = line_column(&text, span.start);
        let (end_line, end_column) = line_column(&text, span.end.max(span.start));
        Self { path: span.path.clone(), line, column, end_line, end_column }
    }

    fn json(&self) -> Value {
        json!({
            "path": self.path, "line": self.line, "column": self.column,
            "endLine": self.end_line, "endColumn": self.end_column,
        })
    }
}

/// Where a finding stands: its primary place, else the emitted file that it is about.
fn place(diagnostic: &Diagnostic, source: Source) -> Option<Place> {
    match (&diagnostic.span, &diagnostic.generated_path) {
        (Some(span), _) => Some(Place::of(span, source)),
        (None, Some(path)) => Some(Place::of(&Span::file(path), &|_| None)),
        (None, None) => None,
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "info",
    }
}

/// One JSON document: every finding with its places in bytes, lines and columns.
pub fn json(diagnostics: &[Diagnostic], source: Source) -> Value {
    let findings: Vec<Value> = diagnostics
        .iter()
        .map(|one| {
            let mut value = serde_json::to_value(one).unwrap_or_default();
            value["place"] = place(one, source).map_or(Value::Null, |place| place.json());
            for (label, out) in one.labels.iter().zip(value["labels"].as_array_mut().into_iter().flatten()) {
                out["place"] = Place::of(&label.span, source).json();
            }
            value
        })
        .collect();
    let count = |severity| diagnostics.iter().filter(|one| one.severity == severity).count();
    json!({
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warning),
        "infos": count(Severity::Info),
        "diagnostics": findings,
    })
}

/// Workflow commands of GitHub Actions, one a line. `prefix` leads from the repository to the project.
pub fn github(diagnostics: &[Diagnostic], source: Source, prefix: &str) -> String {
    let mut text = String::new();
    for one in diagnostics {
        let command = match one.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let mut properties = Vec::new();
        if let Some(place) = place(one, source) {
            properties.push(format!("file={}", property(&format!("{prefix}{}", place.path))));
            properties.push(format!("line={},col={}", place.line, place.column));
            properties.push(format!("endLine={},endColumn={}", place.end_line, place.end_column));
        }
        properties.push(format!("title={}", property(&one.code.to_string())));
        let help = one.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "::{command} {}::{}",
            properties.join(","),
            data(&format!("{}{help}", one.message))
        );
    }
    text
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A SARIF 2.1.0 log with one run.
pub fn sarif(diagnostics: &[Diagnostic], source: Source) -> Value {
    let codes: BTreeSet<String> = diagnostics.iter().map(|one| one.code.to_string()).collect();
    let codes: Vec<String> = codes.into_iter().collect();
    let results: Vec<Value> = diagnostics.iter().map(|one| result(one, &codes, source)).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "agent-bundle",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": codes.iter().map(|code| rule(code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn rule(name: &str) -> Value {
    let Some(code) = super::Code::named(name) else {
        return json!({"id": name, "shortDescription": {"text": "A rule of one host"}});
    };
    let Some(info) = code.info() else { return json!({"id": name}) };
    let why = page(&code).and_then(|page| page.split("\n### ").next()).unwrap_or_default().trim();
    json!({
        "id": name,
        "shortDescription": {"text": info.title},
        "fullDescription": {"text": why},
        "help": {"text": info.recovery},
        "defaultConfiguration": {"level": level(info.severity)},
    })
}

fn location(place: &Place) -> Value {
    let mut physical = json!({"artifactLocation": {"uri": uri(&place.path), "uriBaseId": "%SRCROOT%"}});
    physical["region"] = json!({
        "startLine": place.line, "startColumn": place.column,
        "endLine": place.end_line, "endColumn": place.end_column,
    });
    json!({"physicalLocation": physical})
}

fn result(one: &Diagnostic, codes: &[String], source: Source) -> Value {
    let code = one.code.to_string();
    let index = codes.iter().position(|known| *known == code).unwrap_or_default();
    let help = one.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
    let mut value = json!({
        "ruleId": code,
        "ruleIndex": index,
        "level": level(one.severity),
        "message": {"text": format!("{}{help}", one.message)},
        "locations": place(one, source).iter().map(location).collect::<Vec<_>>(),
    });
    if !one.labels.is_empty() {
        let related = one.labels.iter().enumerate().map(|(at, label)| {
            let mut location = location(&Place::of(&label.span, source));
            location["id"] = json!(at + 1);
            location["message"] = json!({"text": label.text});
            location
        });
        value["relatedLocations"] = Value::Array(related.collect());
    }
    if let Some(host) = &one.target {
        value["properties"] = json!({"target": host, "severity": word(one.severity)});
    }
    value
}

/// A relative path as a URI reference.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'@' => {
                out.push(byte as char)
            }
            byte => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
#[path = "format_tests.rs"]
mod tests;
