use super::*;
use serde_json::json;

fn parse(text: &str) -> Result<Document, Vec<Issue>> {
    Document::parse(text.as_bytes())
}

#[test]
fn text_written_by_us_reads_back() {
    for text in [
        "plain",
        "two words",
        "",
        " lead",
        "a: b",
        "- x",
        "#c",
        "no",
        "true",
        "1.5",
        "0x1",
        "~",
        "line\nline",
        "line\n",
        "line\n\n\n",
        "\nx",
        "tab\tx",
        "a\n  deeper\nb",
        "trail \nx",
        "ünï",
        "\u{2028}",
        "'",
        "\"q\"\n",
        "x\r\ny",
        "\u{85}",
        "---",
        "---\n- x",
        "a\n\nb",
        "  \n",
        "%y",
        "@at",
        "`t",
        "x #y",
        "x:",
        "😀",
        "a\n---\nb\n",
        "\u{7f}",
    ] {
        let value = json!({"name": text, "list": [text, [text], {"a": text, "b": [text]}]});
        let yaml = to_yaml(&value);
        let read = parse_tree(yaml.as_bytes())
            .unwrap_or_else(|issue| panic!("{text:?}: {issue:?}\n{yaml}"))
            .to_json();
        assert_eq!(read["name"], value["name"], "{yaml}");
        assert_eq!(read["list"], value["list"], "{yaml}");
    }
}

#[test]
fn json_is_read_as_json_says() {
    let text = "{\n\t\"name\": \"\\ud83d\\ude00 \\/ \\u00e9\",\n\t\"description\": \"a\\tb\"\n}";
    let document = parse(text).unwrap();
    assert_eq!(document.bundle.name, "😀 / é");
    assert_eq!(document.bundle.description, "a\tb");
}

#[test]
fn deep_text_needs_no_stack() {
    for text in ["[".repeat(10_000), format!("a: {}", "{x: ".repeat(10_000)), "- ".repeat(10_000)] {
        assert!(parse(&text).is_err());
    }
}

#[test]
fn the_schema_file_is_the_one_of_the_types() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/setup-bundle.schema.json");
    #[allow(clippy::disallowed_methods, reason = "a test may read a file of the project")]
    let file = std::fs::read(path).unwrap();
    assert_eq!(
        String::from_utf8(file).unwrap(),
        format!("{}\n", serde_json::to_string_pretty(&bundle_schema()).unwrap()),
        "write it again: agent-bundle schema setup-bundle > schemas/setup-bundle.schema.json"
    );
}
