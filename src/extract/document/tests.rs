use super::*;
use crate::extract::facts::{DocumentKind, Extraction};
use serde_json::{Value, json};

const PATH: &str = "src/skills/notes/SKILL.md";

/// Codes with the text under their spans.
fn findings<F>(extraction: &Extraction<F>, source: &str) -> Vec<(String, String)> {
    let of = |diagnostic: &Diagnostic| {
        let span = diagnostic.span.clone().unwrap();
        assert!(diagnostic.help.as_ref().is_some_and(|help| !help.is_empty()), "{diagnostic:?}");
        (diagnostic.code.to_string(), source[span.start..span.end].to_owned())
    };
    extraction.diagnostics.iter().map(of).collect()
}

fn owned(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(code, text)| ((*code).to_owned(), (*text).to_owned())).collect()
}

fn assert_skill(source: &str, expected: &[(&str, &str)]) -> Extraction<crate::extract::SkillFacts> {
    let files = ["SKILL.md", "a b.md", "reference/api.md", "scripts/run.py"].map(str::to_owned);
    let extraction = skill(PATH, source.as_bytes(), "notes", &files);
    assert_eq!(findings(&extraction, source), owned(expected), "in {source:?}");
    extraction
}

/// A skill with further frontmatter lines and a body.
fn written(lines: &str, body: &str) -> String {
    format!("---\nname: notes\ndescription: Keeps notes\n{lines}---\n{body}")
}

fn assert_fields(lines: &str, expected: &[(&str, &str)]) -> Extraction<crate::extract::SkillFacts> {
    assert_skill(&written(lines, "Body\n"), expected)
}

fn assert_body(body: &str, expected: &[(&str, &str)]) {
    assert_skill(&written("", body), expected);
}

#[test]
fn a_skill_is_read_in_order() {
    let found = assert_fields(
        "license: MIT\nallowed-tools: [Read, 'Bash(git:*)']\nmetadata:\n  version: \"1.0\"\ntargets:\n  claude:\n    model: opus\n  codex: {}\npaths: src/**\n",
        &[],
    );
    let text = serde_json::to_string(&found.facts.frontmatter).unwrap();
    assert_eq!(
        text,
        r#"{"name":"notes","description":"Keeps notes","license":"MIT","allowed-tools":["Read","Bash(git:*)"],"metadata":{"version":"1.0"},"paths":"src/**"}"#
    );
    assert_eq!(Value::Object(found.facts.host_frontmatter["claude"].clone()), json!({"model": "opus"}));
    assert!(found.facts.host_frontmatter["codex"].is_empty());
}

#[test]
fn frontmatter_is_fenced() {
    assert_skill("# Notes\n", &[("AB3001", "# Notes")]);
    assert_skill("", &[("AB3001", "")]);
    assert_skill("---\nname: notes\n", &[("AB3001", "---")]);
    assert_skill("----\nname: notes\n---\n", &[("AB3001", "----")]);
    assert_skill("\u{feff}---\r\nname: notes\r\ndescription: é\r\n---\r\n", &[]);
    assert_skill("--- \nname: notes\ndescription: x\n---", &[]);
}

#[test]
fn frontmatter_is_a_map_of_valid_yaml() {
    assert_skill("---\n- a\n---\n", &[("AB3002", "- a")]);
    assert_skill("---\ntext\n---\n", &[("AB3002", "text")]);
    assert_fields("license: a\nlicense: b\n", &[("AB3002", "license")]);
    assert_fields("x: .nan\n", &[("AB3002", ".nan")]);
    assert_fields("? [a]\n: b\n", &[("AB3002", "[")]);
    let found = skill(PATH, written("a: [\n", "").as_bytes(), "notes", &[]);
    assert_eq!(found.diagnostics[0].code, Code::AB3002);
    assert_eq!(found.facts, crate::extract::SkillFacts::default());
    let found = skill(PATH, written("a: b: c\n", "").as_bytes(), "notes", &[]);
    assert_eq!(found.diagnostics[0].code, Code::AB3002);
}

#[test]
fn frontmatter_stays_within_limits() {
    let first = |lines: &str| {
        let found = skill(PATH, written(lines, "").as_bytes(), "notes", &[]);
        (found.diagnostics[0].code.clone(), found.diagnostics[0].message.clone())
    };
    let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for (name, of) in ["b", "c", "d", "e", "f", "g"].iter().zip(["a", "b", "c", "d", "e", "f"]) {
        bomb.push_str(&format!("{name}: &{name} [{}]\n", vec![format!("*{of}"); 9].join(", ")));
    }
    let (code, message) = first(&bomb);
    assert!(code == Code::AB3002 && message.contains("aliases"), "{message}");
    let (code, message) = first(&format!("a: {}{}\n", "[".repeat(200), "]".repeat(200)));
    assert!(code == Code::AB3002 && message.contains("deeper"), "{message}");
    assert_eq!(first(&format!("a: {}\n", "[".repeat(30_000))).0, Code::AB3002);
    assert_eq!(first(&format!("a: {}\n", "- ".repeat(30_000))).0, Code::AB3002);
    assert_eq!(first(&format!("a: {}\n", "x".repeat(70_000))).0, Code::AB3002);
    assert_fields("metadata: &m {a: b}\ntargets: {claude: {hooks: *m}}\n", &[]);
}

#[test]
fn documents_are_utf8() {
    let found = skill(PATH, b"---\nname: \xff\n---\n", "notes", &[]);
    assert_eq!(found.diagnostics[0].code, Code::AB3000);
    assert_eq!(found.diagnostics[0].span.as_ref().unwrap().start, 10);
    assert_eq!(document(DocumentKind::Rule, "r.mdc", b"\xff").diagnostics[0].code, Code::AB4900);
    assert_eq!(document(DocumentKind::Command, "c.md", b"\xff").diagnostics[0].code, Code::AB4920);
}

#[test]
fn names_and_descriptions() {
    let skill_of =
        |name: &str, description: &str| format!("---\nname: {name}\ndescription: {description}\n---\n");
    assert_skill("---\ndescription: x\n---\n", &[("AB4002", "---")]);
    assert_skill("---\nname: notes\n---\n", &[("AB4003", "---")]);
    assert_skill("---\n---\n", &[("AB4002", "---"), ("AB4003", "---")]);
    for name in ["Notes", "a--b", "-a", "a_b", "ä", "''"] {
        assert_skill(&skill_of(name, "x"), &[("AB4002", name)]);
    }
    assert_skill(&skill_of("5", "x"), &[("AB4002", "5")]);
    let long = "a".repeat(65);
    assert_skill(&skill_of(&long, "x"), &[("AB4002", &long)]);
    assert_skill(&skill_of("other", "x"), &[("AB4004", "other")]);
    assert_skill(&skill_of("notes", "' '"), &[("AB4003", "' '")]);
    assert_skill(&skill_of("notes", "[x]"), &[("AB4003", "[x]")]);
    let long = "ü".repeat(1025);
    assert_skill(&skill_of("notes", &long), &[("AB4003", &long)]);
    assert_skill(&skill_of("notes", &"ü".repeat(1024)), &[]);
}

#[test]
fn a_quoted_value_ends_before_the_comment_behind_it() {
    for written in ["\"te\"", "'te'", "\"t\\\"e\"", "te"] {
        let text = format!("---\nname: {written} # why\ndescription: x\n---\n");
        let found = skill("src/skills/tea/SKILL.md", text.as_bytes(), "tea", &[]).diagnostics;
        let span = found[0].span.clone().unwrap();
        assert_eq!(&text[span.start..span.end], written);
    }
}

#[test]
fn fields_are_known() {
    let found = assert_fields("licence: MIT\n", &[("AB3006", "licence")]);
    assert_eq!(found.diagnostics[0].help.as_deref(), Some("Did you mean `license`?"));
    for line in ["when_to_use: x\n", "globs: x\n", "builtin-tools: [x]\n", "user-invocable: false\n"] {
        assert_fields(line, &[]);
    }
    assert_fields("targets:\n  cursor:\n    model: x\n", &[("AB3006", "model")]);
    assert_fields("targets:\n  cursr:\n    color: x\n", &[("AB3006", "cursr")]);
    assert_fields("targets:\n  cursor:\n    color: x\n    description: y\n", &[]);
    assert_fields("targets:\n  cursor:\n    name: x\n", &[("AB3006", "name")]);
}

#[test]
fn fields_have_their_shapes() {
    assert_fields("license: 1\n", &[("AB4007", "1")]);
    assert_fields("allowed-tools: 1\n", &[("AB4007", "1")]);
    assert_fields("allowed-tools: [1]\n", &[("AB4007", "[1]")]);
    assert_fields("metadata: x\n", &[("AB4007", "x")]);
    assert_fields("metadata: {version: 1.0}\n", &[("AB4007", "1.0")]);
    assert_fields("disable-model-invocation: 'yes'\n", &[("AB4007", "'yes'")]);
    assert_fields("targets: [claude]\n", &[("AB4007", "[claude]")]);
    assert_fields("targets: {claude: x}\n", &[("AB4007", "x")]);
    let long = "x".repeat(501);
    assert_fields(&format!("compatibility: {long}\n"), &[("AB4007", &long)]);
    assert_fields(&format!("compatibility: {}\n", &long[1..]), &[]);
}

#[test]
fn relative_links_name_shipped_files() {
    assert_body(
        "[a](reference/api.md) ![i](./scripts/run.py#x) [s](a%20b.md \"t\") [d](x/../SKILL.md)\n",
        &[],
    );
    assert_body("[a](missing.md)\n", &[("AB4005", "missing.md")]);
    assert_body("![a](img/x.png?raw=1)\n", &[("AB4005", "img/x.png?raw=1")]);
    assert_body("[a][r]\n\n[r]: gone.md\n", &[("AB4005", "[a][r]")]);
    assert_body("[gone]\n\n[gone]: gone.md\n", &[("AB4005", "[gone]")]);
    assert_body("[api]\n\n[api]: <reference/api.md>\n", &[]);
    assert_body("[a](../other/SKILL.md)\n", &[("AB4005", "../other/SKILL.md")]);
    assert_body("[a](reference/)\n", &[("AB4005", "reference/")]);
    assert_body("`[a](x.md)`\n\n```\n[a](x.md)\n```\n\n    [a](x.md)\n", &[]);
    assert_body(
        "[a](#x) [b](/x.md) [c](https://x/y) [d](mailto:x@y) [e](//x/y) <https://x> [f]() [g](${agent-bundle:token:skill-root}/x)\n",
        &[],
    );
    assert_body("[unresolved] and [a][b]\n", &[]);
    let source = written("", "[a](refrence/api.md)\n");
    let found = assert_skill(&source, &[("AB4005", "refrence/api.md")]);
    assert_eq!(found.diagnostics[0].help.as_deref(), Some("Did you mean `reference/api.md`?"));
}

#[test]
fn tokens_are_listed_once_and_sorted() {
    let body = "Run ${agent-bundle:token:arguments} in `${agent-bundle:path:plugin-root}`, ${agent-bundle:token:arguments} ${HOME} agent-bundle:path:plugin-data\n";
    let found = assert_skill(&written("license: '${agent-bundle:path:workspace-root}'\n", body), &[]);
    assert_eq!(
        found.facts.tokens,
        ["agent-bundle:path:plugin-root", "agent-bundle:path:workspace-root", "agent-bundle:token:arguments"]
    );
    assert_body("${agent-bundle:path:plugin-rot}\n", &[("AB3008", "${agent-bundle:path:plugin-rot}")]);
    assert_body("${agent-bundle:path:plugin-root\n", &[("AB3008", "${agent-bundle:path:plugin-root")]);
}

fn assert_document(
    kind: DocumentKind,
    source: &str,
    expected: &[(&str, &str)],
) -> crate::extract::DocumentFacts {
    let extraction = document(kind, "src/x.md", source.as_bytes());
    assert_eq!(findings(&extraction, source), owned(expected), "in {source:?}");
    extraction.facts
}

#[test]
fn commands_and_rules_are_closed() {
    let command = |lines: &str, expected: &[(&str, &str)]| {
        assert_document(DocumentKind::Command, &format!("---\n{lines}---\nBody"), expected)
    };
    let rule = |lines: &str, expected: &[(&str, &str)]| {
        assert_document(DocumentKind::Rule, &format!("---\n{lines}---\nBody"), expected)
    };
    let facts = command(
        "description: d\nargumentHint: '[x]'\nallowedTools: [Read]\nmodel: m\ndisableModelInvocation: true\ntargets: [claude]\n",
        &[],
    );
    assert_eq!(facts.targets, Some(vec!["claude".to_owned()]));
    assert!(!facts.frontmatter.contains_key("targets") && facts.frontmatter.len() == 5);
    assert_eq!(rule("globs: ['*.ts']\nalwaysApply: false\ndescription: d\n", &[]).targets, None);
    command("argument-hint: x\n", &[("AB4922", "argument-hint")]);
    command("description: [x]\n", &[("AB4923", "[x]")]);
    command("disableModelInvocation: 1\n", &[("AB4923", "1")]);
    command("targets: claude\n", &[("AB4923", "claude")]);
    command("targets: []\n", &[("AB4923", "[]")]);
    command("a: [\n", &[("AB4921", "")]);
    command("- x\n", &[("AB4921", "- x")]);
    rule("paths: x\n", &[("AB4902", "paths")]);
    rule("alwaysApply: 'no'\n", &[("AB4903", "'no'")]);
    rule("globs: {a: b}\n", &[("AB4903", "{a: b}")]);
    rule("targets: [1]\n", &[("AB4903", "[1]")]);
    rule("\"\n", &[("AB4901", "")]);
}

#[test]
fn bodies_begin_after_the_fence() {
    for source in [
        "---\ndescription: x\n---\nBody",
        "\u{feff}---\r\ndescription: é\r\n---\r\nBody",
        "Body",
        "\u{feff}Body",
        "---\n---\nBody",
    ] {
        let facts = assert_document(DocumentKind::Command, source, &[]);
        assert_eq!(&source[facts.body..], "Body");
    }
    assert_document(DocumentKind::Command, "---\ndescription: x\n", &[("AB4921", "---")]);
    let facts = assert_document(DocumentKind::Rule, "Body", &[]);
    assert_eq!((facts.frontmatter.len(), facts.body), (0, 0));
}

#[test]
fn arbitrary_documents_are_survived() {
    let words = [
        "---\n",
        "name: notes\n",
        "- ",
        "[",
        "]",
        "{",
        "}",
        ": ",
        "&a ",
        "*a",
        "!!int ",
        "|\n",
        ">-\n",
        "\"",
        "'",
        "#",
        "\t",
        "\u{feff}",
        "é",
        "](",
        "![",
        "`",
        "<a href=",
        "%",
        "${agent-bundle:",
        "\r\n",
        "\0",
        "? ",
        "~",
    ];
    let mut state = 5u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    for _ in 0..3_000 {
        let mut bytes = b"---\n".to_vec();
        for _ in 0..below(30) {
            bytes.extend_from_slice(words[below(words.len())].as_bytes());
        }
        let diagnostics = [
            skill(PATH, &bytes, "notes", &[]).diagnostics,
            document(DocumentKind::Rule, "r.mdc", &bytes).diagnostics,
        ];
        for diagnostic in diagnostics.concat() {
            let span = diagnostic.span.unwrap();
            let text = std::str::from_utf8(&bytes).unwrap();
            assert!(text.get(span.start..span.end).is_some(), "{span:?} in {text:?}");
        }
    }
}
