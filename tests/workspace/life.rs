//! Undo, forget, marks, new secrets, checks and selections: over HTTP and on the command line.

use crate::direct::{by_hand, values};
use crate::rig::{BASE, CANARY, Rig, actions, base, id_of, run};
use agent_bundle::workspace::store::{Clock, Silent, Store};
use serde_json::{Value, json};
use std::sync::Arc;

fn remove(rig: &Rig, query: &str) -> Value {
    let answer = rig.send("DELETE", &format!("/bundles/demo{query}"), Some(&rig.admin), Vec::new());
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

/// Opens the secret that a row holds.
fn secret(rig: &Rig, id: &str) -> String {
    let found = rig.store().read(|view| view.secret(id, "tok")).unwrap().unwrap();
    found.expose().to_owned()
}

#[test]
fn an_uninstall_can_be_undone_to_the_byte() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &values());
    let before = rig.dump();
    let removed = remove(&rig, "");
    assert!(removed["undo_until"].as_i64().unwrap() > 0);
    assert_eq!(rig.dump()["entities"], json!([]));
    let undone = rig.post("/bundles/demo/undo", &json!({}));
    assert_eq!(undone.status, 200, "{}", undone.text);
    assert_eq!(rig.dump(), before);
    assert_eq!(secret(&rig, &id_of(&result, "mcp", "web")), CANARY);
    assert_eq!(rig.post("/bundles/demo/undo", &json!({})).status, 404, "once only");
    let shown = rig.cli(&["bundle", "uninstall", "demo", "--yes"], b"");
    assert_eq!(shown.code, 0, "{}", shown.err);
    let undone = rig.cli(&["bundle", "uninstall", "demo", "--undo", "--json"], b"");
    assert_eq!(undone.json(), rig.get("/bundles/demo").body);
    assert_eq!(rig.dump(), before);
}

#[test]
fn an_undo_gives_agents_of_others_back_what_they_lost() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &values());
    let other = "name: other\nagents:\n- {key: a, name: A, model: m}\n- {key: b, name: B, model: m}\n";
    let others = rig.installed(other, &json!({}));
    let web = id_of(&result, "mcp", "web");
    let (a, b) = (id_of(&others, "agent", "a"), id_of(&others, "agent", "b"));
    for agent in [&a, &b] {
        let tools = format!("json_set(fields, '$.tools', json('[{{\"type\":\"mcp\",\"id\":\"{web}\"}}]'))");
        by_hand(&rig, &format!("UPDATE entities SET fields = {tools} WHERE id = '{agent}'"));
    }
    let (before, before_b) = (rig.entity(&a), rig.entity(&b));
    remove(&rig, "?detach=true&delete_edited=true");
    assert_ne!(rig.entity(&a)["fields"]["tools"], before["fields"]["tools"]);
    by_hand(
        &rig,
        &format!("UPDATE entities SET fields = json_set(fields, '$.model', 'mine') WHERE id = '{b}'"),
    );
    assert_eq!(rig.post("/bundles/demo/undo", &json!({})).status, 200);
    assert_eq!(rig.entity(&a), before);
    assert_eq!(rig.entity(&b)["fields"]["model"], "mine", "a later edit stays");
    assert_ne!(rig.entity(&b)["fields"]["tools"], before_b["fields"]["tools"]);
}

#[test]
fn an_undo_is_refused_where_it_would_hide_something() {
    let rig = Rig::new();
    rig.installed(BASE, &values());
    remove(&rig, "?for_good=true");
    assert_eq!(rig.post("/bundles/demo/undo", &json!({})).status, 404, "nothing was kept");
    rig.installed(BASE, &values());
    remove(&rig, "");
    rig.installed(BASE, &values());
    let refused = rig.post("/bundles/demo/undo", &json!({}));
    assert_eq!((refused.status, &refused.body["code"]), (409, &json!("conflict")), "{}", refused.text);
}

/// Eight days on.
struct Later;

impl Clock for Later {
    fn now(&self) -> i64 {
        agent_bundle::workspace::store::SystemClock.now() + 8 * 24 * 60 * 60
    }
}

#[test]
fn after_seven_days_nothing_is_left() {
    let rig = Rig::new();
    rig.installed(BASE, &values());
    remove(&rig, "");
    let kept = |table: &str| -> i64 {
        let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert!(kept("buried_entities") > 0 && kept("buried_secrets") > 0);
    drop(Store::open(rig.directory.path()).unwrap());
    assert!(kept("buried_entities") > 0, "not before");
    drop(Store::open_with(rig.directory.path(), Arc::new(Silent), Arc::new(Later)).unwrap());
    assert_eq!((kept("buried"), kept("buried_entities"), kept("buried_secrets")), (0, 0, 0));
}

#[test]
fn t174_a_day_later_nothing_has_begun() {
    let rig = Rig::new();
    rig.installed(&base(&[("cron: \"0 9 * * *\"", "cron: \"* * * * *\", enabled: true")]), &values());
    let before = rig.dump();
    let later = Store::open_with(rig.directory.path(), Arc::new(Silent), Arc::new(Later)).unwrap();
    drop(agent_bundle::workspace::plans::drift(&later, "default", "demo").unwrap());
    assert_eq!(rig.dump(), before);
    let enabled = |entity: &&Value| entity["kind"] == "trigger" && entity["fields"]["enabled"] == true;
    assert_eq!(before["entities"].as_array().unwrap().iter().filter(enabled).count(), 0);
}

#[test]
fn what_is_forgotten_stays_and_belongs_to_nobody() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &values());
    let rows = rig.dump()["entities"].clone();
    let forgotten = rig.post("/bundles/demo/forget", &json!({}));
    assert_eq!(forgotten.body["entities"].as_array().unwrap().len(), 6, "{}", forgotten.text);
    assert_eq!(rig.dump(), json!({"entities": rows, "records": {}}));
    let again = rig.installed(BASE, &values());
    assert_ne!(id_of(&result, "agent", "bot"), id_of(&again, "agent", "bot"));
    let said = rig.cli(&["bundle", "forget", "demo"], b"");
    assert_eq!((said.code, said.out.as_str()), (0, "demo is forgotten; 6 entities stay\n"));
    assert_eq!(rig.cli(&["bundle", "forget", "demo"], b"").code, 3);
}

#[test]
fn a_mark_outlasts_uninstalls_and_pruning() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &values());
    let (agent, web) = (id_of(&result, "agent", "bot"), id_of(&result, "mcp", "web"));
    let marked = rig.post(&format!("/entities/{web}/retain"), &json!({"retain": true}));
    assert_eq!(marked.body, json!({"id": web, "kind": "mcp", "name": "Web", "retain": true}));
    assert_eq!(rig.post("/entities/ghost/retain", &json!({"retain": true})).status, 404);
    assert_eq!(rig.post(&format!("/entities/{web}/retain"), &json!({})).status, 422);
    let without = base(&[
        ("mcps: [web], ", ""),
        (
            "  - { key: web, name: Web, json_spec: { type: command, command: uvx, args: [pkg-a] }, bindings: { TOKEN: \"${setup.tok}\" } }\n",
            "",
        ),
        ("mcps:\n", ""),
    ]);
    let applied = rig.post(
        "/bundles/apply",
        &json!({"bundle": crate::rig::to_json(&without), "setup_values": values(), "prune": true}),
    );
    assert_eq!(applied.status, 200, "{}", applied.text);
    assert_eq!(rig.entity(&web)["id"], web.as_str());
    remove(&rig, "");
    assert_eq!((&rig.entity(&web)["id"], &rig.entity(&agent)), (&json!(web), &Value::Null));
    assert!(!rig.entity(&web)["parent"].is_null(), "what it cannot be without stays too");
    let said = rig.cli(&["workspace", "retain", &web, "--off", "--json"], b"");
    assert_eq!(said.json()["retain"], false);
}

#[test]
fn a_new_secret_goes_everywhere_and_nowhere_else() {
    let rig = Rig::new();
    let result = rig.installed(BASE, &values());
    let (web, inbox) = (id_of(&result, "mcp", "web"), id_of(&result, "channel", "inbox"));
    let rotated = rig.post("/bundles/demo/set-secret", &json!({"field": "tok", "value": "NEWCANARY"}));
    assert_eq!(rotated.body["entities"], json!(["channel/inbox", "mcp/web"]), "{}", rotated.text);
    assert!(!rotated.text.contains("NEWCANARY"));
    assert_eq!((secret(&rig, &web).as_str(), secret(&rig, &inbox).as_str()), ("NEWCANARY", "NEWCANARY"));
    assert_eq!(rig.get("/bundles/demo/drift").body["drifted"], json!([]), "the record knows");
    let dump = rig.dump();
    for (body, code) in [
        (json!({"field": "mdl", "value": "x"}), "setup_invalid"),
        (json!({"field": "ghost", "value": "x"}), "setup_invalid"),
        (json!({"field": "tok", "value": "  "}), "setup_missing"),
    ] {
        let refused = rig.post("/bundles/demo/set-secret", &body);
        assert_eq!(
            (refused.status, &refused.body["issues"][0]["code"]),
            (422, &json!(code)),
            "{}",
            refused.text
        );
    }
    assert_eq!(rig.dump(), dump);
    let arguments = ["bundle", "set-secret", "demo", "tok", "--env", "NEW", "--json"];
    let said = run(rig.directory.path(), &arguments, b"", &[("NEW", "THIRDCANARY")]);
    assert_eq!(said.json()["field"], "tok", "{}", said.err);
    assert_eq!(secret(&rig, &web), "THIRDCANARY");
    assert_eq!(rig.cli(&["bundle", "set-secret", "demo", "tok"], b"").code, 1, "nobody can be asked");
}

#[test]
fn a_signing_key_keeps_its_length() {
    let rig = Rig::new();
    let text = "name: demo\nsetup: [{key: tok, label: T, type: secret, required: true}]\nmcps:\n- {key: u, name: U, json_spec: {type: url, endpoint_url: 'https://example.com'}, context_secret: '${setup.tok}'}\n";
    rig.installed(text, &json!({"tok": "k3".repeat(16)}));
    let short = rig.post("/bundles/demo/set-secret", &json!({"field": "tok", "value": "short"}));
    assert_eq!(short.body["issues"][0]["code"], "context_secret_length", "{}", short.text);
    let good = rig.post("/bundles/demo/set-secret", &json!({"field": "tok", "value": "k4".repeat(16)}));
    assert_eq!(good.status, 200, "{}", good.text);
}

#[test]
fn only_what_was_selected_is_made() {
    let rig = Rig::new();
    let with = |only: Value| rig.install_with(BASE, &values(), &json!({ "only": only }));
    let first = with(json!(["mcp/web", "automation/daily"]));
    let mut made = actions(&first.body);
    made.retain(|line| line.ends_with("created"));
    assert_eq!(made, ["mcp created"], "{}", first.text);
    let reasons: Vec<&str> = first.body["entities"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|entry| entry["detail"].as_str())
        .collect();
    assert!(
        reasons.contains(&"its agent was not created") && reasons.contains(&"it was not selected"),
        "{reasons:?}"
    );
    let second = with(json!(["agent/bot"]));
    assert_eq!(actions(&second.body)[..3], ["mcp reused", "skill skipped", "agent created"]);
    assert_eq!(id_of(&first.body, "mcp", "web"), id_of(&second.body, "mcp", "web"));
    let rest = rig.installed(BASE, &values());
    assert_eq!(actions(&rest).iter().filter(|line| line.ends_with("created")).count(), 4);
    let unknown = with(json!(["agent/ghost"]));
    assert_eq!((unknown.status, &unknown.body["code"]), (422, &json!("bundle_invalid")));
    assert_eq!(with(json!("agent/bot")).status, 422);
    let other = Rig::new();
    let file = other.path("demo.yaml");
    std::fs::write(&file, BASE).unwrap();
    let arguments = [
        "bundle",
        "install",
        file.to_str().unwrap(),
        "--yes",
        "--json",
        "--set-env",
        "tok=TOK",
        "--only",
        "skill/notes",
    ];
    let said = run(other.directory.path(), &arguments, b"", &[("TOK", CANARY)]);
    assert_eq!(
        actions(&said.json()).iter().filter(|line| line.ends_with("created")).count(),
        1,
        "{}",
        said.err
    );
}

#[test]
fn a_check_needs_no_store() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("demo.yaml");
    std::fs::write(&file, BASE).unwrap();
    let store = directory.path().join("store");
    let good = run(&store, &["bundle", "check", file.to_str().unwrap(), "--json"], b"", &[]);
    assert_eq!((good.code, &good.json()["installable"]), (0, &json!(true)));
    let bad = run(
        &store,
        &["bundle", "check", "-"],
        base(&[("agent: bot, bind", "agent: bto, bind")]).as_bytes(),
        &[],
    );
    assert_eq!(bad.code, 2);
    assert!(bad.out.contains("bto") || bad.err.contains("bto"), "{bad:?}");
    assert!(!store.exists(), "nothing was made");
}

#[test]
fn what_was_done_is_noted_without_a_value() {
    let rig = Rig::new();
    rig.installed(BASE, &values());
    rig.post("/bundles/demo/set-secret", &json!({"field": "tok", "value": "NEWCANARY"}));
    rig.get("/export");
    remove(&rig, "");
    rig.cli(&["bundle", "uninstall", "demo", "--undo"], b"");
    let github =
        "name: far\nskills: [{key: s, name: S, source_type: github, source_url: 'https://github.com/a/b'}]\n";
    assert_eq!(rig.install(github, &json!({})).status, 400);
    let answer = rig.get("/audit");
    let said: Vec<String> = answer.body["events"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|event| format!("{}: {}", event["actor"].as_str().unwrap(), event["action"].as_str().unwrap()))
        .collect();
    let wanted = [
        "test: install",
        "test: set secret",
        "test: export",
        "test: uninstall",
        "command line: undo",
        "test: install failed",
    ];
    assert_eq!(said[2..], wanted, "{}", answer.text);
    assert!(!answer.text.contains(CANARY) && !answer.text.contains("NEWCANARY"));
    assert_eq!(rig.send("GET", "/audit", Some(&rig.member), Vec::new()).status, 403);
    assert_eq!(rig.cli(&["workspace", "audit", "--json"], b"").json(), answer.body);
}
