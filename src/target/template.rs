//! Templates. What a value prints as is decided by the template's name: JSON in documents and modules, so that no
//! text of a user can leave its place; escaped text in Markdown.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

fn environment<'a>(name: &'a str, source: &'a str) -> Result<Environment<'a>, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    let syntax =
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build();
    environment.set_syntax(syntax.map_err(|error| problem(name, &error))?);
    environment.set_auto_escape_callback(|name| {
        if name.ends_with(".md") { AutoEscape::None } else { AutoEscape::Json }
    });
    environment.add_filter("sh", |text: &str| shell_word(text));
    environment.add_filter("code", |text: &str| code_span(text));
    environment.add_filter("prose", |text: &str| prose(text));
    environment.add_template(name, source).map_err(|error| problem(name, &error))?;
    Ok(environment)
}

fn problem(name: &str, error: &minijinja::Error) -> String {
    let line = error.line().map_or(String::new(), |line| format!(", line {line}"));
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    format!("template `{name}.jinja`{line}: {detail}")
}

/// Whether `source` is a template.
pub(super) fn parse(name: &str, source: &str) -> Result<(), String> {
    environment(name, source).map(drop)
}

/// Renders `source` over `context`.
pub(super) fn render(name: &str, source: &str, context: impl Serialize) -> Result<String, String> {
    let environment = environment(name, source)?;
    let template = environment.get_template(name).map_err(|error| problem(name, &error))?;
    template.render(Value::from(Serde(context))).map_err(|error| problem(name, &error))
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// `text` as one word of a POSIX shell.
fn shell_word(text: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "._-/@:~+=,".contains(c);
    let text = plain(text);
    if !text.is_empty() && text.chars().all(safe) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// `text` as Markdown code, whatever backticks it holds.
fn code_span(text: &str) -> String {
    let text = plain(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// `text` as Markdown prose.
fn prose(text: &str) -> String {
    let text = plain(text);
    let text = text.trim();
    // What begins a list or a rule at the start of a line.
    let number = text.chars().take_while(char::is_ascii_digit).count();
    let mark = if text.starts_with(['-', '+', '=']) { Some(0) } else { (number > 0).then_some(number) };
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let opens = mark == Some(at) && "-+=.)".contains(c);
        if opens || "\\`*_{}[]<>#|~&!".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_texts_stay_in_their_place() {
        assert_eq!(shell_word("a b'c"), "'a b'\\''c'");
        assert_eq!(shell_word("field-notes@field-notes-marketplace"), "field-notes@field-notes-marketplace");
        assert_eq!(code_span("a``b"), "```a``b```");
        assert_eq!(code_span("`"), "`` ` ``");
        assert_eq!(prose("a\n# <b> `c`"), "a \\# \\<b\\> \\`c\\`");
        assert_eq!(prose("- a-b"), "\\- a-b");
        assert_eq!(prose("12. a 3.4"), "12\\. a 3.4");
    }

    #[test]
    fn values_print_as_json_in_documents() {
        let context = serde_json::json!({"name": "a\"b\n</script>", "none": null});
        let text = render("x.json", "[{{ name }}, {{ none }}]", &context).unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap()[0], "a\"b\n</script>");
        assert!(render("x.json", "{{ nam.e }}", &context).unwrap_err().contains("line 1"));
        assert!(parse("x.json", "{% if %}").is_err());
    }
}
