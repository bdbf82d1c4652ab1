use super::super::Code;
use super::super::render::Rendering;
use super::*;

const TEXT: &str = "first\nönce: {a: f()}\r\nlast\n";

fn source(path: &str) -> Option<String> {
    (path != "gone.ts").then(|| TEXT.to_owned())
}

fn findings() -> Vec<Diagnostic> {
    let at = TEXT.find("f()").unwrap();
    vec![
        Diagnostic::new(Code::AB4806, "100% wrong:\nit is a call")
            .at("src/a b,c.ts", at..at + 3)
            .label(Span::new("src/other.ts", 0..5), "the other"),
        Diagnostic::new(Code::AB4008, "they differ").in_file("agent-bundle.toml").target("claude"),
        Diagnostic::new(Code::AB4110, "not taken"),
        Diagnostic::new(Code::host("claude", "mcp.name"), "refused").at("gone.ts", 3..9),
        Diagnostic::new(Code::AB6004, "differs").generated("mcp/x.mjs"),
    ]
}

/// Code, path, line and column of each finding as each form tells them.
type Told = Vec<(String, Option<(String, usize, usize)>)>;

fn from_json(value: &Value) -> Told {
    let told = |one: &Value| {
        let number = |key: &str| one["place"][key].as_u64().unwrap_or_default() as usize;
        let path =
            one["place"]["path"].as_str().map(|path| (path.to_owned(), number("line"), number("column")));
        (one["code"].as_str().unwrap().to_owned(), path)
    };
    value["diagnostics"].as_array().unwrap().iter().map(told).collect()
}

fn from_sarif(value: &Value) -> Told {
    let told = |one: &Value| {
        let place = one["locations"].get(0).map(|location| {
            let physical = &location["physicalLocation"];
            let path = physical["artifactLocation"]["uri"].as_str().unwrap();
            let path = path.replace("%20", " ").replace("%2C", ",");
            let number = |key: &str| physical["region"][key].as_u64().unwrap() as usize;
            (path, number("startLine"), number("startColumn"))
        });
        (one["ruleId"].as_str().unwrap().to_owned(), place)
    };
    value["runs"][0]["results"].as_array().unwrap().iter().map(told).collect()
}

fn from_github(text: &str) -> Told {
    let told = |line: &str| {
        let (properties, _) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (_, properties) = properties.split_once(' ').unwrap();
        let value = |key: &str| {
            let found = properties.split(',').find_map(|one| one.strip_prefix(&format!("{key}=")));
            found.map(|text| text.replace("%2C", ",").replace("%3A", ":").replace("%25", "%"))
        };
        let place = value("file").map(|file| {
            (file, value("line").unwrap().parse().unwrap(), value("col").unwrap().parse().unwrap())
        });
        (value("title").unwrap(), place)
    };
    text.lines().map(told).collect()
}

/// What the text for people says, where it quotes a place.
fn from_text(diagnostics: &[Diagnostic]) -> Told {
    let rendering = Rendering { color: false, source: &source };
    let told = |one: &Diagnostic| {
        let text = rendering.text(one);
        let code = text.split(['[', ']']).nth(1).unwrap().to_owned();
        let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> ")).map(|place| {
            let mut parts = place.rsplitn(3, ':');
            match (parts.next().map(str::parse), parts.next().map(str::parse), parts.next()) {
                (Some(Ok(column)), Some(Ok(line)), Some(path)) => (path.to_owned(), line, column),
                // A file as a whole begins at its first character.
                _ => (place.to_owned(), 1, 1),
            }
        });
        (code, place)
    };
    diagnostics.iter().map(told).collect()
}

#[test]
fn all_forms_agree_on_code_path_line_and_column() {
    let found = findings();
    let expected: Told = vec![
        ("AB4806".to_owned(), Some(("src/a b,c.ts".to_owned(), 2, 11))),
        ("AB4008".to_owned(), Some(("agent-bundle.toml".to_owned(), 1, 1))),
        ("AB4110".to_owned(), None),
        ("claude.mcp.name".to_owned(), Some(("gone.ts".to_owned(), 1, 1))),
        ("AB6004".to_owned(), Some(("mcp/x.mjs".to_owned(), 1, 1))),
    ];
    assert_eq!(from_json(&json(&found, &source)), expected);
    assert_eq!(from_sarif(&sarif(&found, &source)), expected);
    assert_eq!(from_github(&github(&found, &source, "")), expected);
    assert_eq!(from_text(&found), expected);
}

#[test]
fn workflow_commands_are_escaped_and_lead_from_the_repository() {
    let text = github(&findings(), &source, "plugins/notes/");
    let first = text.lines().next().unwrap();
    assert!(
        first.starts_with("::error file=plugins/notes/src/a b%2Cc.ts,line=2,col=11,endLine=2,endColumn=14,"),
        "{first}"
    );
    assert!(first.contains("::100%25 wrong:%0Ait is a call%0A"), "{first}");
    assert_eq!(text.lines().count(), findings().len());
}

/// The part of the SARIF 2.1.0 schema that a log of ours touches, with what is required of it.
fn schema() -> Value {
    let message = json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}, "additionalProperties": false});
    let location = json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 0},
            "message": message,
            "physicalLocation": {
                "type": "object",
                "required": ["artifactLocation"],
                "additionalProperties": false,
                "properties": {
                    "artifactLocation": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": {"uri": {"type": "string", "pattern": "^[A-Za-z0-9._~/@%-]+$"}, "uriBaseId": {"type": "string"}},
                    },
                    "region": {
                        "type": "object",
                        "additionalProperties": false,
                        "properties": {
                            "startLine": {"type": "integer", "minimum": 1}, "startColumn": {"type": "integer", "minimum": 1},
                            "endLine": {"type": "integer", "minimum": 1}, "endColumn": {"type": "integer", "minimum": 1},
                        },
                    },
                },
            },
        },
        "additionalProperties": false,
    });
    let level = json!({"enum": ["none", "note", "warning", "error"]});
    let rule = json!({
        "type": "object", "required": ["id"], "additionalProperties": false,
        "properties": {
            "id": {"type": "string"}, "shortDescription": message, "fullDescription": message, "help": message,
            "defaultConfiguration": {"type": "object", "properties": {"level": level}, "additionalProperties": false},
        },
    });
    let result = json!({
        "type": "object", "required": ["message"], "additionalProperties": false,
        "properties": {
            "ruleId": {"type": "string"}, "ruleIndex": {"type": "integer", "minimum": -1}, "level": level,
            "message": message, "properties": {"type": "object"},
            "locations": {"type": "array", "items": location},
            "relatedLocations": {"type": "array", "uniqueItems": true, "items": location},
        },
    });
    json!({
        "type": "object", "required": ["version", "runs"], "additionalProperties": false,
        "properties": {
            "$schema": {"type": "string", "format": "uri"},
            "version": {"const": "2.1.0"},
            "runs": {"type": "array", "items": {
                "type": "object", "required": ["tool"], "additionalProperties": false,
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {"type": "object", "required": ["driver"], "additionalProperties": false, "properties": {
                        "driver": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
                            "name": {"type": "string"}, "semanticVersion": {"type": "string"},
                            "rules": {"type": "array", "uniqueItems": true, "items": rule},
                        }},
                    }},
                    "results": {"type": "array", "items": result},
                },
            }},
        },
    })
}

#[test]
fn sarif_logs_are_valid() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    for found in [findings(), Vec::new()] {
        let log = sarif(&found, &source);
        let problems: Vec<String> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{problems:?} in {log:#}");
        let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().clone();
        for result in log["runs"][0]["results"].as_array().unwrap() {
            assert_eq!(rules[result["ruleIndex"].as_u64().unwrap() as usize]["id"], result["ruleId"]);
        }
    }
    let all: Vec<Diagnostic> =
        Code::ALL.iter().map(|info| Diagnostic::new(Code::named(info.name).unwrap(), "x")).collect();
    let problems: Vec<String> =
        validator.iter_errors(&sarif(&all, &source)).map(|error| error.to_string()).collect();
    assert!(problems.is_empty(), "{problems:#?}");
}
