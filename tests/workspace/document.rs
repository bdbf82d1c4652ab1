//! Parsing, keys and names.

use crate::rig::{BASE, CANARY, Rig, Twins, base, codes};
use agent_bundle::workspace::document::Document;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[test]
fn t001_the_base_document_is_installable() {
    let body = Twins::new().accepts(BASE);
    let entities = body["entities"].as_array().unwrap();
    let kinds: Vec<&str> = entities.iter().map(|entity| entity["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["mcp", "skill", "agent", "channel", "automation", "policy"]);
    assert!(entities.iter().all(|entity| entity["status"] == "will_create"));
}

#[test]
fn t002_json_and_yaml_are_one_document() {
    let twins = Twins::new();
    let yaml = twins.accepts(BASE);
    let json = twins.accepts(&serde_json::to_string_pretty(&crate::rig::to_json(BASE)).unwrap());
    assert_eq!((&yaml["digest"], &yaml["bundle"]), (&json["digest"], &json["bundle"]));
}

#[test]
fn t003_a_name_is_enough() {
    let twins = Twins::new();
    let body = twins.accepts("name: p");
    for section in ["setup", "mcps", "skills", "agents", "channels", "automations", "policies"] {
        assert_eq!(body["bundle"][section], json!([]));
    }
    let result = twins.install("name: p", &json!({}));
    assert_eq!((result.status, &result.body["entities"]), (200, &json!([])));
    let dump = twins.http.dump();
    assert_eq!(dump["entities"], json!([]));
    assert_eq!(dump["records"].as_object().unwrap().len(), 1);
}

#[test]
fn t004_t006_t007_texts_that_are_no_document() {
    let twins = Twins::new();
    assert!(Document::parse(b"").is_err());
    for text in ["  \n", "\t"] {
        assert_eq!(twins.cli.cli(&["bundle", "analyze", "-", "--json"], text.as_bytes()).code, 2);
        assert_eq!(twins.http.post("/bundles/analyze", &json!({"source": text})).status, 422);
    }
    let body = twins.parse_error(":\n  - [");
    let issue = &body["issues"][0];
    assert!(issue["line"].is_u64() && issue["column"].is_u64());
    twins.parse_error("name: a\n---\nname: b\n");
    for text in ["- a", "text", "1", "null"] {
        twins.parse_error(text);
    }
}

#[test]
fn t008_t031_accepted_spellings() {
    let twins = Twins::new();
    twins.accepts(&format!("\u{feff}{BASE}"));
    twins.accepts(&base(&[("cron: \"0 9 * * *\"", "cron: 0 9 * * *")]));
    twins.accepts(&format!("---\n{BASE}"));
}

#[test]
fn t009_application_tags_run_nothing() {
    let twins = Twins::new();
    twins.parse_error("x: !!python/object/apply:os.system ['id']");
    twins.parse_error("name: !foo a");
    twins.parse_error("name: !!binary aGk=");
    twins.accepts("name: !!str 123");
}

#[test]
fn t010_an_alias_tower_is_refused_at_once() {
    let mut text = "a0: &a0 [lol]\n".to_owned();
    for level in 1..=9 {
        let uses = vec![format!("*a{}", level - 1); 9].join(", ");
        text.push_str(&format!("a{level}: &a{level} [{uses}]\n"));
    }
    let started = Instant::now();
    assert!(Document::parse(text.as_bytes()).is_err());
    assert!(started.elapsed() < Duration::from_millis(50));
    Twins::new().parse_error(&text);
}

#[test]
fn t012_aliases_within_the_budget() {
    let policies = "policies:\n  - { key: a, target: spend, effect: cap, params: &p { amount_usd: 5 } }\n  \
                    - { key: b, target: spend, effect: cap, params: *p }\n";
    let agents = "name: x\nagents:\n  - { key: a, name: &n Bot, model: &m big }\n  - { key: b, name: *n, model: *m }\n  \
                  - { key: c, name: *n, model: *m }\n";
    let body = Twins::new().accepts(&format!("{agents}{policies}"));
    assert_eq!(body["bundle"]["policies"][0]["params"], body["bundle"]["policies"][1]["params"]);
    assert!(!body["bundle"].to_string().contains('&'));
}

#[test]
fn t013_t014_self_reference_and_merge_keys() {
    let twins = Twins::new();
    twins.parse_error("a: &a [*a]");
    let merged = base(&[
        ("- { key: bot, name: Bot", "- { <<: *base, key: bot, name: Bot"),
        ("name: demo", "name: &base demo"),
    ]);
    let body = twins.parse_error(&merged);
    assert!(body["detail"].as_str().unwrap().contains("merge"));
}

#[test]
fn t015_t016_t018_keys_written_twice() {
    let twins = Twins::new();
    let body = twins.parse_error("name: a\ndescription: x\nname: b\n");
    let text = body["detail"].as_str().unwrap();
    assert!(text.contains('1') && text.contains('3'), "{text}");
    twins.parse_error(&base(&[(
        "bindings: { TOKEN: \"${setup.tok}\" }",
        "bindings: { TOKEN: \"${setup.tok}\", TOKEN: \"${setup.mdl}\" }",
    )]));
    twins.parse_error(&base(&[("type: command,", "type: command, type: command,")]));
    let json = r#"{"bundle": {"name": "a", "name": "b"}}"#;
    assert_eq!(twins.http.send("POST", "/bundles/install", Some(&twins.http.admin), json.into()).status, 422);
}

#[test]
fn t019_depth() {
    let twins = Twins::new();
    twins.parse_error(&"[".repeat(10_000));
    twins.parse_error(&format!("name: a\nx: {}1{}", "[".repeat(64), "]".repeat(64)));
    assert!(Document::parse(format!("a: {}", "{b: ".repeat(5_000)).as_bytes()).is_err());
}

#[test]
fn t020_t021_unknown_members_are_refused_everywhere() {
    let twins = Twins::new();
    let unknown = |document: &str, path: &str| {
        let body = twins.parse_error(document);
        assert_eq!(codes(&body), ["unknown_member"], "{document}");
        assert_eq!(body["issues"][0]["path"], path);
    };
    unknown(&format!("{BASE}unknown: 1\n"), "/unknown");
    unknown("name: a\nmetadata: { unknown: 1 }", "/metadata/unknown");
    for (member, path) in [
        ("key: tok,", "/setup/0"),
        ("key: web,", "/mcps/0"),
        ("key: notes,", "/skills/0"),
        ("key: bot,", "/agents/0"),
        ("key: inbox,", "/channels/0"),
        ("key: daily,", "/automations/0"),
        ("key: cap,", "/policies/0"),
    ] {
        unknown(&base(&[(member, &format!("{member} unknown: 1,"))]), &format!("{path}/unknown"));
    }
}

#[test]
fn t022_unknown_members_of_a_server_are_ignored_with_a_warning() {
    Twins::new()
        .warns(&base(&[("type: command,", "type: command, transport: sse,")]), &["mcp_member_ignored"]);
}

#[test]
fn t024_t025_schema_versions() {
    let twins = Twins::new();
    let line = "schema_version: \"0.1.0\"\n";
    twins.accepts(&base(&[(line, "")]));
    twins.accepts(&base(&[(line, "schema_version: 0.1.0\n")]));
    twins.parse_error(&base(&[(line, "schema_version: 0.1\n")]));
    let body = twins.parse_error(&base(&[(line, "schema_version: \"0.2.0\"\nunknown: 1\n")]));
    assert_eq!(codes(&body), ["schema_version"]);
}

#[test]
fn t026_t027_t028_values_of_another_type() {
    let twins = Twins::new();
    for document in [
        "name: a\nmcps: null".to_owned(),
        "name: a\nmetadata: ~".to_owned(),
        base(&[("bindings: { TOKEN: \"${setup.tok}\" }", "bindings: null")]),
        "name: 123".to_owned(),
        base(&[("model: \"${setup.mdl}\"", "model: 4")]),
        base(&[("prompt: go", "prompt: go, enabled: no")]),
        base(&[("prompt: go", "prompt: go, enabled: \"true\"")]),
        base(&[("prompt: go", "prompt: go, enabled: 1")]),
        "name: a\nsetup: {}".to_owned(),
    ] {
        assert_eq!(codes(&twins.parse_error(&document)), ["wrong_type"], "{document}");
    }
}

#[test]
fn t030_a_bare_star_gets_advice() {
    let block = "name: a\nautomations:\n  - key: d\n    agent: b\n    cron: */5 * * * *\n    prompt: go\n";
    let body = Twins::new().parse_error(block);
    assert!(body["detail"].as_str().unwrap().contains("quotes"), "{body}");
}

#[test]
fn t032_bytes_and_control_characters() {
    let rig = Rig::new();
    let mut bytes = BASE.as_bytes().to_vec();
    bytes.extend_from_slice(b"description: \"\xff\"\n");
    let ran = rig.cli(&["bundle", "analyze", "-", "--json"], &bytes);
    assert_eq!((ran.code, codes(&ran.json())), (2, vec!["malformed".to_owned()]));
    let twins = Twins::new();
    for text in [r#"{"name": "a\u0000b"}"#, r#"{"name": "a\u0007b"}"#, "name: \"a\\x1b[31m\""] {
        twins.parse_error(text);
    }
    twins.parse_error("name: a\ndescription: \"a\\0b\"");
}

#[test]
fn t033_many_problems_in_one_answer() {
    let members: String = (0..60).map(|at| format!("u{at}: 1\n")).collect();
    let body = Twins::new().parse_error(&format!("name: a\n{members}"));
    let issues = body["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 51);
    assert!(issues[50]["message"].as_str().unwrap().contains("10 more"));
}

#[test]
fn t034_values_are_not_quoted() {
    let twins = Twins::new();
    let document = format!("{BASE}api_key: s3cr3t\n");
    let body = twins.parse_error(&document);
    assert!(body["detail"].as_str().unwrap().contains("api_key"));
    assert!(!body.to_string().contains("s3cr3t"));
    let ran = twins.cli.cli(&["bundle", "analyze", "-"], document.as_bytes());
    assert!(!ran.out.contains("s3cr3t") && !ran.err.contains("s3cr3t") && ran.err.contains("api_key"));
}

fn agents(keys: &[&str]) -> String {
    let list: String =
        keys.iter().map(|key| format!("  - {{ key: {}, name: A, model: m }}\n", Value::from(*key))).collect();
    format!("name: x\nagents:\n{list}")
}

#[test]
fn t040_t042_t043_t044_t048_keys() {
    let twins = Twins::new();
    twins.accepts(&agents(&["a", "A9_", "z_"]));
    twins.accepts(&agents(&["Bot", "bot"]));
    twins.accepts(&agents(&["a".repeat(128).as_str()]));
    for key in ["abc\n", "ключ", "é", "ａ", "а", "", "9a", "a-b", "_a", "a".repeat(129).as_str()] {
        twins.parse_error(&agents(&[key]));
    }
}

#[test]
fn t045_t046_duplicates_in_each_section() {
    let twins = Twins::new();
    for (kind, key) in [
        ("setup", "tok"),
        ("mcp", "web"),
        ("skill", "notes"),
        ("agent", "bot"),
        ("channel", "inbox"),
        ("automation", "daily"),
        ("policy", "cap"),
    ] {
        let line = BASE.lines().find(|line| line.contains(&format!("key: {key},"))).unwrap();
        let body = twins.blocks(&base(&[(line, &format!("{line}\n{line}"))]), "duplicate_key");
        let issues = body["issues"].as_array().unwrap();
        let issue = issues.iter().find(|issue| issue["code"] == "duplicate_key").unwrap();
        assert_eq!((&issue["kind"], &issue["entity_key"]), (&json!(kind), &json!(key)));
    }
}

#[test]
fn t049_t050_clashing_and_reserved_keys() {
    let twins = Twins::new();
    twins.blocks(&base(&[("key: daily,", "key: inbox,")]), "trigger_key_clash");
    twins.blocks(&agents(&["workspace"]), "reserved_key");
}

#[test]
fn t051_t052_names() {
    let twins = Twins::new();
    twins.parse_error(&base(&[("name: Bot,", "name: \"   \",")]));
    let document = base(&[
        ("name: demo", &format!("name: {}", "n".repeat(200))),
        ("key: daily,", &format!("key: {},", "d".repeat(60))),
    ]);
    twins.blocks(&document, "name_too_long");
    twins.warns("name: Two words", &["unusual_name"]);
}

#[test]
fn every_issue_has_its_place_and_no_value() {
    let twins = Twins::new();
    let document =
        base(&[("agents:\n", "agents:\n  - { key: lost, name: Lost, model: m, mcps: [ghost] }\n")]);
    let body = twins.blocks(&document, "unknown_mcp");
    let issue = &body["issues"][0];
    let line = document.lines().position(|line| line.contains("ghost")).unwrap() + 1;
    assert_eq!((&issue["line"], &issue["path"]), (&json!(line), &json!("/agents/0/mcps/0")));
    assert!(!body.to_string().contains(CANARY));
}
