//! Texts that are large, deep, arbitrary or strangely encoded.

use super::*;

#[test]
fn bytes_that_are_no_text_are_told_by_offset() {
    let source = b"export default 1;\n// \xff\xfe";
    let found = extract_module(ModuleKind::Provider, "src/p.ts", source);
    assert_eq!(findings(&found, source), [("AB2001".to_owned(), "\u{fffd}".to_owned())]);
    assert_eq!(found.diagnostics[0].span.as_ref().unwrap().start, 21);
    let large = vec![b' '; MAX_MODULE_BYTES + 1];
    assert_eq!(extract_module(ModuleKind::Provider, "src/p.ts", &large).diagnostics[0].code, Code::AB2003);
    let fits = [b"export default 1;".to_vec(), vec![b' '; MAX_MODULE_BYTES - 17]].concat();
    assert_eq!(extract_module(ModuleKind::Provider, "src/p.ts", &fits).diagnostics, []);
}

#[test]
fn spans_survive_a_byte_order_mark_and_crlf() {
    let source =
        format!("\u{feff}{}", prompt("// é\r\nexport const config = {\r\n  a: f() };").replace('\n', "\r\n"));
    assert_findings(ModuleKind::Prompt, "src/p.ts", &source, &[("AB4806", "f()")]);
}

#[test]
fn deep_texts_are_parsed_or_refused_but_never_overflow() {
    let nest = |open: &str, close: &str, count: usize| {
        format!("export default {}1{};", open.repeat(count), close.repeat(count))
    };
    for (open, close) in
        [("(", ")"), ("[", "]"), ("{a:", "}"), ("f(", ")"), ("`${", "}`"), ("()=>{return ", "}")]
    {
        for count in [25, 59, 60, MAX_NESTING / 2 - 1] {
            assert_findings(ModuleKind::Provider, "src/p.ts", &nest(open, close, count), &[]);
        }
        let found = extract_module(ModuleKind::Provider, "src/p.ts", nest(open, close, 100_000).as_bytes());
        assert_eq!(found.diagnostics[0].code, Code::AB2003, "{open}");
    }
    for link in ["!", "- ", "typeof ", "await ", "new ", "a => ", "a = ", "a ? b : ", "2 ** ", "void "] {
        for count in [1_000, MAX_CHAIN / 2, 200_000] {
            let text = format!("export default {}x;", link.repeat(count));
            let found = extract_module(ModuleKind::Provider, "src/p.ts", text.as_bytes());
            if count > MAX_CHAIN {
                assert_eq!(found.diagnostics[0].code, Code::AB2003, "{link}");
            }
        }
    }
    for link in ["if (a) ", "if (a) b; else ", "a: ", "while (a) ", "for (;;) ", "do "] {
        let text = format!("export default 1; {}x;", link.repeat(MAX_CHAIN));
        extract_module(ModuleKind::Provider, "src/p.ts", text.as_bytes());
    }
    for link in ["keyof ", "A<", "A<x, ", "a extends b ? c : "] {
        let text = format!("export default 1; type T = {}x;", link.repeat(MAX_CHAIN));
        extract_module(ModuleKind::Provider, "src/p.ts", text.as_bytes());
    }
    let tags = format!("export default {}{};", "<a>".repeat(5_000), "</a>".repeat(5_000));
    assert_findings(ModuleKind::Provider, "src/p.tsx", &tags, &[]);
    let deep = format!("export const config = {}1{};", "{a:".repeat(101), "}".repeat(101));
    let found = extract_module(ModuleKind::Prompt, "src/p.ts", prompt(&deep).as_bytes());
    assert_eq!(found.diagnostics[0].code, Code::AB4806);
    let fits = format!("{}1{}", "{a:".repeat(100), "}".repeat(100));
    assert_eq!(config_of(&fits).diagnostics, []);
}

/// A small generator of pseudo-random numbers; equal seeds give equal runs.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// A value and one of the spellings that the grammar accepts for it.
fn spelled(random: &mut Random, depth: usize) -> (Value, String) {
    let (value, text) = match random.below(if depth == 0 { 7 } else { 9 }) {
        0 => (json!(null), "null".to_owned()),
        1 => (json!(true), "true".to_owned()),
        2 => (json!(false), "false".to_owned()),
        3 => {
            let number = random.below(100_000) as i64 - 50_000;
            (json!(number), format!("{number}"))
        }
        4 => {
            let number = random.below(1_000) as f64 + 0.25;
            (json!(number), format!("+{number:?}"))
        }
        5 => {
            let word = ["a", "ü\"'", "\n\t\\", "日本", "`${"][random.below(5)];
            (json!(word), serde_json::to_string(word).unwrap())
        }
        6 => (json!("x\u{2028}y"), "`x\\u2028y`".to_owned()),
        7 => {
            let items: Vec<_> = (0..random.below(4)).map(|_| spelled(random, depth - 1)).collect();
            let texts: Vec<_> = items.iter().map(|(_, text)| text.as_str()).collect();
            (
                Value::Array(items.iter().map(|(value, _)| value.clone()).collect()),
                format!("[{}]", texts.join(", ")),
            )
        }
        _ => {
            let members: Vec<_> = (0..random.below(4))
                .map(|index| {
                    let name = format!("k{index}");
                    let written = if random.below(2) == 0 { name.clone() } else { format!("'{name}'") };
                    let (value, text) = spelled(random, depth - 1);
                    (name, value, format!("/* c */ {written}: {text}"))
                })
                .collect();
            let texts: Vec<_> = members.iter().map(|(_, _, text)| text.as_str()).collect();
            let text = format!("{{ {} }}", texts.join(",\n"));
            (Value::Object(members.into_iter().map(|(name, value, _)| (name, value)).collect()), text)
        }
    };
    let text = match random.below(8) {
        0 => format!("({text})"),
        1 => format!("({text} as unknown)"),
        2 => format!("({text} satisfies object)!"),
        3 => format!("({text} as const)"),
        _ => text,
    };
    (value, text)
}

#[test]
fn accepted_spellings_read_back_as_their_values() {
    let mut random = Random(7);
    for _ in 0..500 {
        let (value, text) = spelled(&mut random, 5);
        let found = config_of(&format!("{{ value: {text} }}"));
        assert_eq!(found.diagnostics, [], "{text}");
        assert_eq!(found.facts.config["value"], value, "{text}");
    }
}

#[test]
fn arbitrary_bytes_are_survived() {
    let mut random = Random(11);
    let words = [
        "export ",
        "default ",
        "config",
        "{",
        "}",
        "(",
        ")",
        "<",
        ">",
        "`",
        "${",
        "'",
        "/",
        "\\",
        "\n",
        "\u{feff}",
        "é",
        "=",
        ":",
        "defineTool",
        "import ",
        " from 'agent-bundle/routes'",
        "#",
        "@",
        "...",
        "0x",
        "1n",
        "async ",
        "*",
        "class ",
        "enum ",
        "\0",
    ];
    for round in 0..3_000 {
        let mut bytes = Vec::new();
        for _ in 0..random.below(40) {
            match random.below(8) {
                0 => bytes.push(random.below(256) as u8),
                _ => bytes.extend_from_slice(words[random.below(words.len())].as_bytes()),
            }
        }
        let kind = [ModuleKind::Tool, ModuleKind::App, ModuleKind::Layout, ModuleKind::Entry][round % 4];
        let path = ["src/a.ts", "src/a.tsx", "src/a.js", "src/a.cjs"][random.below(4)];
        let found = extract_module(kind, path, &bytes);
        for diagnostic in found.diagnostics {
            let span = diagnostic.span.unwrap();
            assert!(span.start <= span.end && span.end <= bytes.len(), "{bytes:?}");
            assert!(!diagnostic.message.contains("gave up"), "{bytes:?}");
        }
    }
}

/// Constructs that are refused, each with what the place of the finding holds.
const REFUSED: [(&str, &str); 22] = [
    ("undefined", "undefined"),
    ("f()", "f()"),
    ("a.b", "a.b"),
    ("a?.b", "a?.b"),
    ("1 + 2", "1 + 2"),
    ("!true", "!true"),
    ("-'1'", "-'1'"),
    ("10n", "10n"),
    ("/x/g", "/x/g"),
    ("`a${b}c`", "`a${b}c`"),
    ("t`a`", "t`a`"),
    ("() => 1", "() => 1"),
    ("function () {}", "function () {}"),
    ("class {}", "class {}"),
    ("new X()", "new X()"),
    ("1e999", "1e999"),
    ("-0", "-0"),
    ("a ? 1 : 2", "a ? 1 : 2"),
    ("'\\ud800'", "'\\ud800'"),
    ("<T>f()", "f()"),
    ("(g() as const)!", "g()"),
    ("import('x')", "import('x')"),
];

/// Members and elements that are refused where they stand.
const MEMBERS: [&str; 6] =
    ["...rest", "[key]: 1", "method() {}", "get a() { return 1 }", "short", "async *g() {}"];

/// An accepted value of some depth around `inner`, with other values beside it.
fn around(random: &mut Random, depth: usize, inner: &str) -> String {
    if depth == 0 {
        return inner.to_owned();
    }
    let within = around(random, depth - 1, inner);
    let (_, beside) = spelled(random, 1);
    match random.below(4) {
        0 => format!("[{beside}, {within}]"),
        1 => format!("[{within}, {beside}] as const"),
        2 => format!("{{ a: {beside}, 'b-c': {within} }}"),
        _ => format!("({{ 7: {within}, d: {beside} }} satisfies X)"),
    }
}

#[test]
fn refused_constructs_are_told_at_their_place_wherever_they_stand() {
    let mut random = Random(23);
    for round in 0..600 {
        let (construct, place) = match round % 4 {
            0 => (format!("{{ a: 1, {} }}", MEMBERS[round / 4 % 6]), MEMBERS[round / 4 % 6]),
            1 if round % 8 == 1 => ("[1, ...rest]".to_owned(), "...rest"),
            _ => {
                let (construct, place) = REFUSED[random.below(REFUSED.len())];
                (construct.to_owned(), place)
            }
        };
        let depth = random.below(6);
        let value = around(&mut random, depth, &construct);
        let source = prompt(&format!("export const config = {{ value: {value} }};"));
        let found = extract_module(ModuleKind::Prompt, "src/p.ts", source.as_bytes());
        assert_eq!(
            findings(&found, source.as_bytes()),
            [("AB4806".to_owned(), place.to_owned())],
            "{source}"
        );
        let at = found.diagnostics[0].span.as_ref().unwrap().start;
        let expected = source.rfind(&construct).unwrap() + construct.find(place).unwrap();
        assert_eq!(at, expected, "{source}");
        assert!(found.facts.config.is_empty(), "{source}");
    }
}
