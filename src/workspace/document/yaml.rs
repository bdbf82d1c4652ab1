//! A JSON value as block-style YAML that reads back as the same value.

use serde_json::Value;

/// The text; `null` members and empty lists and objects inside objects are left out.
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

fn is_left_out(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(members) => {
            for (key, value) in members.iter().filter(|(_, value)| !is_left_out(value)) {
                out.push_str(&" ".repeat(indent));
                member(key, value, indent, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                out.push_str(&" ".repeat(indent));
                out.push_str("- ");
                entry(item, indent, out);
            }
        }
        _ => {
            out.push_str(&scalar(value, indent));
            out.push('\n');
        }
    }
}

fn member(key: &str, value: &Value, indent: usize, out: &mut String) {
    out.push_str(&word(key));
    out.push(':');
    match value {
        Value::Object(_) | Value::Array(_) => {
            out.push('\n');
            block(value, indent + 2, out);
        }
        _ => {
            out.push(' ');
            out.push_str(&scalar(value, indent + 2));
            out.push('\n');
        }
    }
}

/// An item of a list; the dash is already written.
fn entry(item: &Value, indent: usize, out: &mut String) {
    match item {
        Value::Object(members) => {
            let mut shown = members.iter().filter(|(_, value)| !is_left_out(value)).peekable();
            if shown.peek().is_none() {
                out.push_str("{}\n");
            }
            for (at, (key, value)) in shown.enumerate() {
                if at > 0 {
                    out.push_str(&" ".repeat(indent + 2));
                }
                member(key, value, indent + 2, out);
            }
        }
        Value::Array(items) if items.is_empty() => out.push_str("[]\n"),
        Value::Array(_) => {
            out.push('\n');
            block(item, indent + 2, out);
        }
        _ => {
            out.push_str(&scalar(item, indent + 2));
            out.push('\n');
        }
    }
}

fn scalar(value: &Value, indent: usize) -> String {
    match value {
        Value::String(text) => text_of(text, indent),
        other => other.to_string(),
    }
}

/// Lines are written as a block when that says the same; anything else that is not a plain word is quoted.
fn text_of(text: &str, indent: usize) -> String {
    let lines_fit = text.contains('\n')
        && !text.starts_with([' ', '\n', '\t'])
        && text.chars().all(|c| {
            c == '\n' || (!c.is_control() && !matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}' | '\u{85}'))
        })
        && text.lines().all(|line| line.is_empty() || !line.trim().is_empty());
    if !lines_fit {
        return word(text);
    }
    let body = text.trim_end_matches('\n');
    let chomping = match text.len() - body.len() {
        0 => "|-",
        1 => "|",
        _ => "|+",
    };
    let mut out = chomping.to_owned();
    for line in body.split('\n') {
        out.push('\n');
        if !line.is_empty() {
            out.push_str(&" ".repeat(indent));
            out.push_str(line);
        }
    }
    out.push_str(&"\n".repeat((text.len() - body.len()).saturating_sub(1)));
    out
}

/// A plain word where no reader can take it for anything else; else a double-quoted one, which JSON's form is.
fn word(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.ends_with(|c: char| !c.is_whitespace())
        && text.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '/'))
        && !matches!(
            text.to_ascii_lowercase().as_str(),
            "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n"
        );
    if plain {
        return text.to_owned();
    }
    let mut quoted = serde_json::to_string(text).unwrap_or_default();
    for (character, escape) in
        [('\u{feff}', "\\uFEFF"), ('\u{85}', "\\u0085"), ('\u{2028}', "\\u2028"), ('\u{2029}', "\\u2029")]
    {
        quoted = quoted.replace(character, escape);
    }
    quoted
}
