//! Edits of the manifest that keep its comments and its layout.

use super::parse::places;
use crate::diagnostic::{Fix, Shape, fix};
use toml_edit::{DocumentMut, TableLike, Value};

/// `text` with the edits; the text as it was where the outcome would not be a manifest.
pub fn edit(text: &str, fixes: &[&Fix]) -> String {
    let structural: Vec<&Fix> = fixes.iter().copied().filter(|fix| !fix.shape.is_textual()).collect();
    let pointers: Vec<(Vec<String>, &Fix)> =
        structural.into_iter().filter_map(|fix| Some((pointer(text, fix)?, fix))).collect();
    let edited = fix::apply(text, fixes);
    let Ok(mut document) = edited.parse::<DocumentMut>() else { return text.to_owned() };
    let mut changed = false;
    for (keys, fix) in pointers {
        changed |= change(&mut document, &keys, fix).is_some();
    }
    if changed { document.to_string() } else { edited }
}

/// The keys that lead to the member whose key or value stands at the edit's place.
fn pointer(text: &str, fix: &Fix) -> Option<Vec<String>> {
    let range = fix.span.start..fix.span.end;
    let spans = places(text);
    let found = spans.iter().find(|(pointer, place)| pointer.ends_with("#key") && **place == range);
    let (pointer, _) = found?;
    let keys = pointer.trim_end_matches("#key").split('/').skip(1);
    Some(keys.map(|key| key.replace("~1", "/").replace("~0", "~")).collect())
}

fn change(document: &mut DocumentMut, keys: &[String], fix: &Fix) -> Option<()> {
    let (last, parents) = keys.split_last()?;
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in parents {
        table = table.get_mut(key)?.as_table_like_mut()?;
    }
    match fix.shape {
        Shape::Remove => table.remove(last).map(drop),
        Shape::Member => {
            let (key, value) = fix.text.split_once('=')?;
            let value: Value = value.trim().parse().ok()?;
            table.insert(key.trim(), toml_edit::Item::Value(value));
            Some(())
        }
        Shape::Exact | Shape::Quoted | Shape::Argument => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;

    const TEXT: &str = "# who\n[plugin]\nname = \"x\" # short\nversion = \"1\"\n\n# remote\n[mcp.servers.a]\nurl = \"https://a\"\n";

    fn span(needle: &str) -> Span {
        let at = TEXT.find(needle).unwrap();
        Span::new("agent-bundle.toml", at..at + needle.len())
    }

    #[test]
    fn comments_and_layout_are_kept() {
        let text = edit(TEXT, &[&Fix::remove_member(&span("version"))]);
        assert_eq!(text, TEXT.replace("version = \"1\"\n", ""));
        let text = edit(TEXT, &[&Fix::add_member(&span("url"), "transport = \"streamable-http\"")]);
        assert_eq!(text, format!("{TEXT}transport = \"streamable-http\"\n"));
        let text = edit(TEXT, &[&Fix::inside_quotes(&span("\"x\""), "y")]);
        assert_eq!(text, TEXT.replace("\"x\"", "\"y\""));
    }

    #[test]
    fn several_edits_go_together() {
        let fixes = [Fix::inside_quotes(&span("\"x\""), "long-name"), Fix::remove_member(&span("version"))];
        let text = edit(TEXT, &[&fixes[0], &fixes[1]]);
        assert_eq!(text, TEXT.replace("\"x\"", "\"long-name\"").replace("version = \"1\"\n", ""));
    }

    #[test]
    fn an_edit_that_would_break_the_manifest_is_not_made() {
        assert_eq!(edit(TEXT, &[&Fix::exact(&span("[plugin]"), "[plugin")]), TEXT);
    }
}
