//! `${setup.<key>}`.

use crate::rig::{BASE, CANARY, Rig, Twins, base, codes_of, id_of};
use serde_json::{Value, json};

const BINDINGS: &str = "bindings: { TOKEN: \"${setup.tok}\" }";
const COMMAND: &str = "json_spec: { type: command, command: uvx, args: [pkg-a] }";

fn binding(text: &str) -> String {
    base(&[(BINDINGS, &format!("bindings: {{ TOKEN: {} }}", Value::from(text)))])
}

fn args(args: &str) -> String {
    base(&[("args: [pkg-a]", &format!("args: {args}"))])
}

fn url(url: &str) -> String {
    base(&[(COMMAND, &format!("json_spec: {{ type: url, endpoint_url: {} }}", Value::from(url)))])
}

/// What a launched server would get, with secrets filled in.
fn joined(rig: &Rig, owner: &str, value: &Value) -> String {
    let joined: agent_bundle::workspace::entity::Joined = serde_json::from_value(value.clone()).unwrap();
    let secret = |field: &str| {
        let found = rig.store().read(|view| view.secret(owner, field)).unwrap();
        found.map(|secret| secret.expose().to_owned())
    };
    joined.join(&secret).unwrap()
}

fn spec_of(rig: &Rig, instance: &Value) -> Value {
    rig.entity(instance["parent"].as_str().unwrap())
}

#[test]
fn t060_t070_bindings_are_joined_and_secret_by_declared_type() {
    let rig = Rig::new();
    let document = base(&[
        (
            COMMAND,
            "json_spec: { type: url, url: \"https://h.test/mcp\", headers: { authorization: literal, X-Mode: a } }",
        ),
        (
            BINDINGS,
            "bindings: { Authorization: \"Bearer ${setup.tok}\", X-Pair: \"${setup.mdl}:${setup.tok}\", X-Model: \"${setup.mdl}\" }",
        ),
    ]);
    let result = rig.installed(&document, &json!({"tok": CANARY}));
    let row = rig.entity(&id_of(&result, "mcp", "web"));
    let headers = &row["fields"]["headers"];
    assert_eq!(
        joined(&rig, row["id"].as_str().unwrap(), &headers["Authorization"]),
        format!("Bearer {CANARY}")
    );
    assert_eq!(joined(&rig, row["id"].as_str().unwrap(), &headers["X-Pair"]), format!("small-1:{CANARY}"));
    assert_eq!((&headers["X-Model"], &headers["X-Mode"]), (&json!("small-1"), &json!("a")));
    // A binding beats a literal of the same name.
    assert!(headers.get("authorization").is_none());
    let schema = spec_of(&rig, &row)["fields"]["env_schema"].clone();
    let secret = |name: &str| {
        schema.as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap()["secret"].clone()
    };
    assert_eq!(
        (secret("Authorization"), secret("X-Pair"), secret("X-Model"), secret("X-Mode")),
        (json!(true), json!(true), json!(false), json!(false))
    );
    assert!(!rig.dump().to_string().contains(CANARY));
}

#[test]
fn t061_t062_t067_t068_bindings_that_block() {
    let twins = Twins::new();
    twins.blocks(&binding("plain"), "binding_without_reference");
    twins.blocks(&binding("${setup.nope}"), "unknown_setup_field");
    twins.blocks(&binding("${setup.a-b}"), "malformed_reference");
    twins.blocks(&binding("${setup.}"), "malformed_reference");
    twins.blocks(&binding("${setup.9x}"), "unknown_setup_field");
    twins.blocks(&binding("$${setup.tok}"), "binding_without_reference");
}

#[test]
fn t063_t064_t066_other_live_places() {
    let twins = Twins::new();
    twins.blocks(&args("[\"-y\", \"${setup.nope}\"]"), "unknown_setup_field");
    twins.blocks(&url("https://${setup.nope}/x"), "unknown_setup_field");
    let channel = base(&[("bot_token: \"${setup.tok}\"", "bot_token: \"123:abc\"")]);
    twins.blocks(&channel, "binding_without_reference");
    twins.blocks(&base(&[("model: \"${setup.mdl}\"", "model: \"${setup.tok}\"")]), "setup_field_invalid");
    twins.blocks(&base(&[("model: \"${setup.mdl}\"", "model: \"${setup.nope}\"")]), "unknown_setup_field");
}

#[test]
fn t069_a_value_is_not_looked_at_again() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &json!({"tok": "${setup.mdl}", "mdl": "${setup.tok}"}));
    let row = rig.entity(&id_of(&result, "mcp", "web"));
    assert_eq!(
        joined(&rig, row["id"].as_str().unwrap(), &row["fields"]["environment"]["TOKEN"]),
        "${setup.mdl}"
    );
    assert_eq!(rig.entity(&id_of(&result, "agent", "bot"))["fields"]["model"], "${setup.tok}");
}

#[test]
fn t072_t073_references_in_other_text_are_kept() {
    let twins = Twins::new();
    let document = base(&[("prompt: go", "prompt: \"say ${setup.tok}\"")]);
    twins.warns(&document, &["reference_not_resolved"]);
    let rig = Rig::new();
    let result = rig.installed(&document, &json!({"tok": CANARY}));
    let row = rig.entity(&id_of(&result, "automation", "daily"));
    assert_eq!(row["fields"]["text"], "say ${setup.tok}");
    twins.warns(&base(&[("\"# Notes\"", "\"# ${setup.tok}\"")]), &["reference_not_resolved"]);
    let literal = base(&[("args: [pkg-a]", "environment: { A: \"${setup.mdl}\" }")]);
    twins.blocks(&literal, "reference_not_resolved");
}

#[test]
fn t074_t075_optional_fields_without_value() {
    let twins = Twins::new();
    let optional = base(&[
        ("  - { key: mdl,", "  - { key: opt, label: Opt }\n  - { key: mdl,"),
        (BINDINGS, "bindings: { TOKEN: \"${setup.tok}\", OPT: \"${setup.opt}\" }"),
    ]);
    let result = twins.install(&optional, &json!({"tok": CANARY}));
    let row = twins.http.entity(&id_of(&result.body, "mcp", "web"));
    assert!(row["fields"]["environment"].get("OPT").is_none());
    assert!(!twins.http.dump()["entities"].to_string().contains("${"));
    for document in [
        optional.replace("args: [pkg-a]", "args: [pkg-a, \"${setup.opt}\"]"),
        optional.replace("OPT: \"${setup.opt}\"", "OPT: \"x${setup.opt}\""),
    ] {
        let refused = twins.install(&document, &json!({"tok": CANARY}));
        assert_eq!((refused.status, refused.codes()), (422, vec!["setup_missing".to_owned()]));
        assert!(refused.text.contains("opt"));
    }
}

#[test]
fn t076_t081_declared_fields() {
    let twins = Twins::new();
    let unused = base(&[("  - { key: mdl,", "  - { key: opt, label: Opt }\n  - { key: mdl,")]);
    twins.warns(&unused, &["setup_field_unused"]);
    twins.blocks(&base(&[("default: small-1", "default: \"${setup.tok}\"")]), "setup_field_invalid");
}

#[test]
fn t078_a_value_does_not_choose_the_host() {
    let twins = Twins::new();
    for text in [
        "https://${setup.mdl}/mcp",
        "${setup.mdl}://h.test/",
        "https://h.test${setup.mdl}",
        "https://h.test:${setup.mdl}/",
        "https://u@h.test/${setup.mdl}",
    ] {
        twins.blocks(&url(text), "url_reference");
    }
    twins.accepts(&url("https://h.test/${setup.mdl}"));
    twins.accepts(&url("https://h.test/?k=${setup.tok}"));
    twins.accepts(&url("${setup.tok}"));
    let refused = twins.install(&url("${setup.tok}"), &json!({"tok": "ftp://h/"}));
    assert_eq!((refused.status, refused.codes()), (422, vec!["setup_invalid".to_owned()]));
}

#[test]
fn t079_line_breaks_in_headers() {
    let twins = Twins::new();
    let document = url("https://h.test/");
    let refused = twins.install(&document, &json!({"tok": "a\r\nX: b"}));
    assert_eq!((refused.status, refused.codes()), (422, vec!["setup_invalid".to_owned()]));
    assert!(refused.text.contains("tok") && !refused.text.contains("X: b"));
}

#[test]
fn t080_secrets_in_arguments_are_joined_at_launch_only() {
    let rig = Rig::new();
    let dsn = "postgres://u:canary-dsn@h/d";
    let result = rig.installed(&args("[\"--dsn\", \"${setup.tok}\"]"), &json!({"tok": dsn}));
    let row = rig.entity(&id_of(&result, "mcp", "web"));
    let spec = spec_of(&rig, &row);
    assert_eq!(joined(&rig, row["id"].as_str().unwrap(), &spec["fields"]["args"][1]), dsn);
    assert!(!rig.dump().to_string().contains("canary"));
    assert!(!rig.get("/export").text.contains("canary"));
    assert!(!rig.get("/bundles/demo").text.contains("canary"));
}

#[test]
fn t082_t084_t086_names_that_lead_nowhere() {
    let twins = Twins::new();
    twins.blocks(&base(&[("mcps: [web]", "mcps: [ghost]")]), "unknown_mcp");
    twins.blocks(&base(&[("skills: [notes]", "skills: [ghost]")]), "unknown_skill");
    twins.blocks(&base(&[("mcps: [web]", "mcps: [notes]")]), "unknown_mcp");
    twins.blocks(&base(&[("target: spend", "subject: ghost, target: spend")]), "unknown_subject");
    twins.blocks(&base(&[("agent: bot, prompt: go", "agent: ghost, prompt: go")]), "unknown_agent");
    twins.blocks(&base(&[("agent: bot, bindings", "agent: ghost, bindings")]), "unknown_agent");
}

#[test]
fn t085_a_tool_counts_once() {
    let twins = Twins::new();
    let document = base(&[("mcps: [web]", "mcps: [web, web]")]);
    twins.warns(&document, &["repeated"]);
    let result = twins.install(&document, &json!({"tok": CANARY}));
    let row = twins.http.entity(&id_of(&result.body, "agent", "bot"));
    assert_eq!(row["fields"]["tools"].as_array().unwrap().len(), 1);
    assert!(codes_of(&result.body, "block").is_empty());
}
