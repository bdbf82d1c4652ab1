//! Export and its screening.

use crate::direct::values;
use crate::rig::{BASE, CANARY, Rig, base, id_of, to_json, without_ids};
use agent_bundle::workspace::export;
use serde_json::{Value, json};

const COMMAND: &str = "json_spec: { type: command, command: uvx, args: [pkg-a] }";

/// Installs a server named `pg` and exports it.
fn exported(json_spec: &Value) -> (Value, String) {
    let document = json!({"name": "x", "mcps": [{"key": "pg", "name": "pg", "json_spec": json_spec}]});
    let rig = Rig::new();
    let result = rig.installed(&document.to_string(), &json!({}));
    let key = format!("mcp_pg_{}", id_of(&result, "mcp", "pg"));
    let answer = rig.get("/export");
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(rig.get("/export").text, answer.text);
    let back = rig.post("/bundles/analyze", &json!({"source": answer.text, "accept_origin": true}));
    assert_eq!(back.body["installable"], true, "{}", answer.text);
    (to_json(&answer.text)["mcps"][0].clone(), key)
}

/// The arguments of an export, references shown as `#<place>`.
fn args(args: &[Value]) -> Vec<String> {
    let (mcp, key) = exported(&json!({"type": "command", "command": "npx", "args": args}));
    let list = mcp["json_spec"]["args"].as_array().unwrap();
    list.iter().map(|arg| short(arg.as_str().unwrap(), &key)).collect()
}

fn short(text: &str, key: &str) -> String {
    text.replace(&format!("${{setup.setup_{key}_arg_"), "#").replace('}', "")
}

fn texts(list: &[&str]) -> Vec<Value> {
    list.iter().map(|text| json!(text)).collect()
}

#[test]
fn t250_t252_t253_t254_t255_t256_t258_t259_t260_t261_t262_t264_t265_arguments() {
    for (given, expected) in [
        (vec!["-y", "pkg", "postgres://u:pw@h/d"], vec!["-y", "pkg", "#2"]),
        (vec!["--token", "x"], vec!["--token", "#1"]),
        (vec!["--token=", "x"], vec!["--token=", "#1"]),
        (vec!["--token", "-abc"], vec!["--token", "#1"]),
        (vec!["--token", "--other"], vec!["--token", "--other"]),
        (vec!["--header", "Authorization: Bearer x"], vec!["--header", "Authorization: #1"]),
        (vec!["--header=Authorization: Bearer x"], vec!["--header=Authorization: #0"]),
        (vec!["DATABASE_URL=postgres://u:p@h/d"], vec!["DATABASE_URL=#0"]),
        (vec!["postgres://u:p@h/d?sslmode=require"], vec!["#0"]),
        (vec!["--read-only", "https://docs.test/a.json"], vec!["--read-only", "https://docs.test/a.json"]),
        (vec!["pkg", "-p", "hunter2"], vec!["pkg", "-p", "#2"]),
        (vec!["TOKEN", "abc"], vec!["TOKEN", "#1"]),
        (vec!["Bearer abc"], vec!["#0"]),
        (vec!["C:\\tools\\x"], vec!["C:\\tools\\x"]),
        (
            vec!["--max-tokens=4096", "--cookie-jar", "/tmp/j"],
            vec!["--max-tokens=4096", "--cookie-jar", "#2"],
        ),
    ] {
        assert_eq!(args(&texts(&given)), expected, "{given:?}");
    }
    assert_eq!(args(&[json!("--pin-token"), json!(1234)]), ["--pin-token", "#1"]);
}

#[test]
fn t266_t267_t268_t270_names_and_values_of_variables() {
    let environment = json!({
        "SERVICE_TOKEN": "a", "PGPASSWORD": "a", "AWS_ACCESS_KEY_ID": "a", "CODE": "a", "OPENAI_KEY": "a",
        "SSH_KEY": "a", "DB_PASS": "a", "GITHUB_PAT": "a", "PASSPHRASE": "a", "SENTRY_DSN": "a",
        "A": "https://u:p@h", "B": "redis://:p@h/0", "C": "jdbc:postgresql://h/d?password=p",
        "MODE": "x", "ROOT": "x", "AUTHOR": "x", "ZIPCODE": "x", "MAX_TOKENS": "5",
    });
    let (mcp, _) = exported(&json!({"type": "command", "command": "npx", "environment": environment}));
    let literal: Vec<&String> = mcp["json_spec"]["environment"].as_object().unwrap().keys().collect();
    assert_eq!(literal, ["AUTHOR", "MAX_TOKENS", "MODE", "ROOT", "ZIPCODE"]);
    assert_eq!(mcp["bindings"].as_object().unwrap().len(), 13);
    let headers = json!({"X-API-KEY": "a", "Authorization": "a", "X-Mode": "a", "X-Other": "Bearer abc"});
    let (mcp, _) = exported(&json!({"type": "url", "url": "https://h.test/", "headers": headers}));
    assert_eq!(mcp["json_spec"]["headers"], json!({"X-Mode": "a"}));
    let bound: Vec<&String> = mcp["bindings"].as_object().unwrap().keys().collect();
    assert_eq!(bound, ["Authorization", "X-API-KEY", "X-Other"]);
}

fn address(url: &str) -> String {
    let (mcp, key) = exported(&json!({"type": "url", "endpoint_url": url}));
    mcp["json_spec"]["endpoint_url"]
        .as_str()
        .unwrap()
        .replace(&format!("${{setup.setup_{key}_endpoint_url}}"), "#")
}

#[test]
fn t271_t272_t273_t274_addresses() {
    let mixed = |length: usize| "a1".repeat(length).chars().take(length).collect::<String>();
    for (url, hidden) in [
        ("https://h.test/sse?api_key=x".to_owned(), true),
        ("https://h.test/?to%6ben=x".to_owned(), true),
        ("https://h.test/?token=".to_owned(), false),
        ("https://h.test/?format=json".to_owned(), false),
        ("https://u:@h.test/".to_owned(), true),
        ("https://ghp_x@h.test/".to_owned(), true),
        ("https://h.test/#access_token=x".to_owned(), true),
        (format!("https://h.test/{}/mcp", mixed(23)), false),
        (format!("https://h.test/{}/mcp", mixed(24)), true),
        (format!("https://h.test/{}/mcp", "a".repeat(24)), false),
        ("https://h.test/0b5f0c1e-1d3c-4a57-9d8e-6f1b2c3d4e5f".to_owned(), true),
        (format!("https://h.test/bot1:{}", mixed(30)), true),
    ] {
        assert_eq!(address(&url), if hidden { "#".to_owned() } else { url.clone() }, "{url}");
    }
}

#[test]
fn t276_an_argument_that_is_no_address() {
    assert_eq!(args(&texts(&["http://[::1"])), ["#0"]);
}

#[test]
fn t277_t278_t290_what_was_secret_never_leaves() {
    let rig = Rig::new();
    let document = base(&[
        ("  - { key: mdl,", "  - { key: k, label: K, type: secret, required: true }\n  - { key: mdl,"),
        (
            COMMAND,
            "context_secret: \"${setup.k}\", json_spec: { type: url, url: \"https://h.test/?a=${setup.tok}\" }",
        ),
        ("bindings: { TOKEN: \"${setup.tok}\" }", "bindings: { X-Any: \"v ${setup.tok}\" }"),
    ]);
    rig.installed(&document, &json!({"tok": CANARY, "k": "canary-key".repeat(4)}));
    let text = rig.get("/export").text;
    assert!(!text.contains("canary"));
    let export = to_json(&text);
    let mcp = &export["mcps"][0];
    let key = mcp["key"].as_str().unwrap();
    assert_eq!(mcp["context_secret"], format!("${{setup.setup_{key}_context_secret}}"));
    assert_eq!(mcp["bindings"]["X-Any"], format!("v ${{setup.setup_{key}_x_any}}"));
    assert_eq!(
        mcp["json_spec"]["endpoint_url"],
        format!("https://h.test/?a=${{setup.setup_{key}_endpoint_url}}")
    );
    let fields = export["setup"].as_array().unwrap();
    let signing = fields.iter().find(|field| field["key"] == format!("setup_{key}_context_secret")).unwrap();
    assert_eq!((&signing["type"], &signing["required"]), (&json!("secret"), &json!(true)));
}

#[test]
fn t279_two_places_have_two_fields() {
    let spec = json!({
        "type": "command", "command": "npx", "args": ["a", "b", "postgres://u:p@h/d"],
        "environment": {"API_KEY": "a", "ARG_2_TOKEN": "a"},
    });
    let document = json!({"name": "x", "setup": [{"key": "s", "label": "S", "type": "secret"}],
        "mcps": [{"key": "pg", "name": "pg", "json_spec": spec,
                  "bindings": {"api_key": "${setup.s}", "ARG_2": "${setup.s}"}}]});
    let rig = Rig::new();
    rig.installed(&document.to_string(), &json!({"s": CANARY}));
    let export = to_json(&rig.get("/export").text);
    let keys: std::collections::BTreeSet<&str> =
        export["setup"].as_array().unwrap().iter().map(|field| field["key"].as_str().unwrap()).collect();
    assert_eq!(keys.len(), export["setup"].as_array().unwrap().len());
    assert_eq!(keys.len(), 5);
}

#[test]
fn t280_an_agent_with_a_server_that_is_gone() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &json!({"tok": CANARY}));
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = ON; DELETE FROM entities WHERE kind = 'mcp'").unwrap();
    let refused = rig.get("/export");
    assert_eq!((refused.status, &refused.body["code"]), (422, &json!("export_unrepresentable")));
    assert!(refused.text.contains(&id_of(&result, "mcp", "web")));
}

#[test]
fn t282_tools_that_the_format_cannot_hold_stop_the_export() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &values());
    let web = id_of(&result, "mcp", "web");
    for (tool, named) in [
        (json!({"type": "agent", "id": "x"}), "`agent`"),
        (json!({"type": "openapi", "url": "https://example.com"}), "`openapi`"),
        (json!({"type": "mcp", "id": web, "methods": ["a", "b"]}), "`methods`"),
    ] {
        change(&rig, "agent", &format!("'$.tools', json('[{tool}]')"));
        let answer = rig.get("/export");
        assert_eq!(
            (answer.status, &answer.body["code"]),
            (422, &json!("export_unrepresentable")),
            "{}",
            answer.text
        );
        assert!(answer.text.contains(named) && answer.text.contains("Bot"), "{}", answer.text);
    }
}

fn change(rig: &Rig, kind: &str, sets: &str) {
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    let sql = format!("UPDATE entities SET fields = json_set(fields, {sets}) WHERE kind = '{kind}'");
    connection.execute_batch(&sql).unwrap();
}

#[test]
fn t283_sources_of_skills() {
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    assert_eq!(to_json(&rig.get("/export").text)["skills"][0]["content"], "# Notes");
    change(&rig, "skill", "'$.source_type', 'github', '$.source_url', 'https://github.com/a/b'");
    let skill = to_json(&rig.get("/export").text)["skills"][0].clone();
    assert_eq!(
        (&skill["source_type"], &skill["source_url"], skill.get("content")),
        (&json!("github"), &json!("https://github.com/a/b"), None)
    );
    change(&rig, "skill", "'$.source_type', 'content', '$.content', ''");
    assert_eq!(rig.get("/export").status, 422);
}

#[test]
fn t284_text_that_looks_like_a_credential_stops_the_export() {
    let rig = Rig::new();
    rig.installed(&base(&[("prompt: go", "prompt: use ghp_0123456789abcdefABCD")]), &json!({"tok": CANARY}));
    let refused = rig.get("/export");
    assert_eq!(refused.status, 422);
    assert!(
        refused.text.contains("prompt of automation_daily") && !refused.text.contains("ghp_"),
        "{}",
        refused.text
    );
    assert_eq!(rig.get("/export?allow_suspected=true").status, 200);
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    let token = "https://github.com/a/b/tree/ghp_0123456789abcdefABCD";
    change(&rig, "skill", &format!("'$.source_type', 'github', '$.source_url', '{token}'"));
    assert_eq!(rig.get("/export").status, 422);
}

#[test]
fn t286_t288_triggers_that_the_format_cannot_hold_are_reported() {
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    change(&rig, "trigger", "'$.enabled', json('true'), '$.text', ''");
    let report = rig.get("/export?report=true").body;
    let omissions = report["omissions"].to_string();
    assert!(
        omissions.contains("demo:daily")
            && omissions.contains("default prompt")
            && omissions.contains("1 policies"),
        "{omissions}"
    );
    assert!(report["document"].as_str().unwrap().starts_with("# "));
    let document = to_json(report["document"].as_str().unwrap());
    assert_eq!(document["channels"][0]["enabled"], false);
    assert!(document.get("automations").is_none());
    change(&rig, "trigger", "'$.channel_type', 'generic'");
    assert!(to_json(&rig.get("/export").text).get("channels").is_none());
    change(&rig, "trigger", "'$.text', 'x', '$.methods', json('[\"GET\",\"POST\"]')");
    assert!(rig.get("/export?report=true").body["omissions"].to_string().contains("no such trigger"));
    change(&rig, "trigger", "'$.type', 'poll'");
    assert!(rig.get("/export?report=true").body["omissions"].to_string().contains("no such trigger"));
}

#[test]
fn t289_the_order_of_rows_on_disk_does_not_matter() {
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    let before = rig.get("/export").text;
    assert_eq!(rig.get("/export").text, before);
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    // The same rows, written to the file in another order.
    connection
        .execute_batch(
            "PRAGMA foreign_keys = OFF; CREATE TEMP TABLE kept AS SELECT * FROM entities; DELETE FROM entities; \
             INSERT INTO entities SELECT * FROM kept ORDER BY seq DESC;",
        )
        .unwrap();
    assert_eq!(rig.get("/export").text, before);
}

#[test]
fn t291_an_export_installs_elsewhere_and_exports_the_same() {
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    let body =
        |text: String| text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    let first = body(rig.get("/export").text);
    let document = to_json(&first);
    let mut values = serde_json::Map::new();
    for field in document["setup"].as_array().unwrap() {
        values.insert(field["key"].as_str().unwrap().to_owned(), json!("canary-value"));
    }
    let other = Rig::new();
    let result = other.installed(&first, &Value::Object(values));
    let second = body(other.get("/export").text);
    assert_eq!(without_ids(&second), without_ids(&first));
    assert!(!second.contains("canary"));
    for (kind, at) in [("channel", 3), ("automation", 4)] {
        assert_eq!(result["entities"][at]["kind"], kind);
        assert_eq!(other.entity(result["entities"][at]["id"].as_str().unwrap())["fields"]["enabled"], false);
    }
}

#[test]
fn answers_about_values_are_kept() {
    let rig = Rig::new();
    let random = "q7Xv2LmT9sKd4RwZ8bNc";
    let spec = json!({"type": "command", "command": "npx", "args": ["pkg", random], "environment": {"SORT_KEY": "name", "MODE": "a"}});
    let document = json!({"name": "x", "mcps": [{"key": "pg", "name": "pg", "json_spec": spec}]});
    rig.installed(&document.to_string(), &json!({}));
    let strings = |rig: &Rig| {
        let text = rig.get("/export").text;
        [text.contains(random), text.contains("SORT_KEY: name"), text.contains("MODE: a")]
    };
    assert_eq!(strings(&rig), [false, false, true]);
    let hits = export::suspects(rig.store(), "default").unwrap();
    let labels: Vec<&str> = hits.iter().map(|hit| hit.label.as_str()).collect();
    assert_eq!(labels, ["pg: argument 2", "pg: SORT_KEY"]);
    assert!(hits.iter().all(|hit| !hit.masked.contains(random) && !hit.masked.contains("name")));
    export::keep(rig.store(), "default", &hits[1]).unwrap();
    assert_eq!(strings(&rig), [false, true, true]);
    assert_eq!(export::suspects(rig.store(), "default").unwrap(), hits[..1]);
    assert_eq!(rig.get("/export").text, rig.get("/export").text);
    // The answer is about this value, not about whatever comes to stand there.
    change(&rig, "mcp", "'$.environment.SORT_KEY', 'canary'");
    assert!(!rig.get("/export").text.contains("canary"));
    change(&rig, "mcp", "'$.environment.SORT_KEY', 'name'");
    assert_eq!(strings(&rig), [false, true, true]);
    export::forget_answers(rig.store(), "default").unwrap();
    assert_eq!(strings(&rig), [false, false, true]);
    let ran = rig.cli(&["bundle", "export", "--interactive"], b"y\ny\n");
    assert_eq!((ran.code, ran.err.contains("--interactive")), (1, true), "{ran:?}");
}

#[test]
fn a_strict_export_has_no_literal_but_flags() {
    let rig = Rig::new();
    let document = base(&[(
        COMMAND,
        "json_spec: { type: command, command: uvx, args: [-y, pkg-a], environment: { MODE: plain-words } }",
    )]);
    rig.installed(&document, &json!({"tok": CANARY}));
    let text = rig.get("/export?strict=true").text;
    assert!(!text.contains("pkg-a") && !text.contains("plain-words") && text.contains("\"-y\""), "{text}");
}
