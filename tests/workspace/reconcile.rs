//! Plan, apply, diff, drift, uninstall, adopt.

use crate::rig::{BASE, CANARY, Rig, base, id_of, to_json};
use serde_json::{Value, json};

fn edit(rig: &Rig, id: &str, member: &str, value: &str) {
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    let sql =
        format!("UPDATE entities SET fields = json_set(fields, '$.{member}', '{value}') WHERE id = '{id}'");
    connection.execute_batch(&sql).unwrap();
}

fn request(document: &str, values: Value, more: Value) -> Value {
    let mut body = json!({"bundle": to_json(document), "setup_values": values});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn plan(rig: &Rig, document: &str, values: Value) -> Value {
    let answer = rig.post("/bundles/plan", &request(document, values, json!({})));
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

fn apply(rig: &Rig, document: &str, values: Value, more: Value) -> crate::rig::Answer {
    rig.post("/bundles/apply", &request(document, values, more))
}

#[test]
fn an_edit_survives_and_a_change_of_the_document_arrives() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &json!({"tok": CANARY}));
    let bot = id_of(&first, "agent", "bot");
    edit(&rig, &bot, "instruction", "by hand");
    let second = base(&[("prompt: go", "prompt: go faster"), ("default: small-1", "default: big-2")]);
    let planned = plan(&rig, &second, json!({}));
    let actions: Vec<(&str, &str)> = planned["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| (change["key"].as_str().unwrap(), change["action"].as_str().unwrap()))
        .collect();
    assert_eq!(actions, [("bot", "update"), ("daily", "update")]);
    let drift = rig.get("/bundles/demo/drift").body;
    assert_eq!(drift["drifted"][0]["entity"], "agent/bot");
    assert_eq!(drift["drifted"].as_array().unwrap().len(), 1);
    let applied = apply(&rig, &second, json!({}), json!({"state": planned["state"]}));
    assert_eq!(applied.status, 200, "{}", applied.text);
    let row = rig.entity(&bot);
    assert_eq!(
        (&row["fields"]["instruction"], &row["fields"]["model"]),
        (&json!("by hand"), &json!("big-2"))
    );
    assert_eq!(rig.entity(&id_of(&first, "automation", "daily"))["fields"]["text"], "go faster");
    assert_eq!(plan(&rig, &second, json!({}))["empty"], true);
    // The plan was made for another state.
    let stale = apply(&rig, &second, json!({}), json!({"state": planned["state"]}));
    assert_eq!((stale.status, &stale.body["code"]), (409, &json!("conflict")));
}

#[test]
fn conflicts_need_a_side() {
    for (side, expected) in [("keep", "by hand"), ("take", "from the document")] {
        let rig = Rig::new();
        let first = rig.installed(BASE, &json!({"tok": CANARY}));
        let bot = id_of(&first, "agent", "bot");
        edit(&rig, &bot, "instruction", "by hand");
        let second = base(&[("name: Bot,", "name: Bot, instruction: from the document,")]);
        assert_eq!(plan(&rig, &second, json!({}))["changes"][0]["action"], "conflict");
        let before = rig.dump();
        assert_eq!(apply(&rig, &second, json!({}), json!({})).status, 409);
        assert_eq!(rig.dump(), before);
        assert_eq!(apply(&rig, &second, json!({}), json!({"on_conflict": side})).status, 200);
        assert_eq!(rig.entity(&bot)["fields"]["instruction"], expected);
        assert_eq!(plan(&rig, &second, json!({}))["empty"], true);
    }
}

#[test]
fn a_secret_is_rotated_everywhere_and_shown_nowhere() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &json!({"tok": CANARY}));
    let planned = plan(&rig, BASE, json!({"tok": "canary-new"}));
    assert!(!planned.to_string().contains("canary"));
    assert_eq!(planned["changes"].as_array().unwrap().len(), 2);
    assert_eq!(apply(&rig, BASE, json!({"tok": "canary-new"}), json!({})).status, 200);
    for (kind, key) in [("mcp", "web"), ("channel", "inbox")] {
        let owner = id_of(&first, kind, key);
        let secret = rig.store().read(|view| view.secret(&owner, "tok")).unwrap().unwrap();
        assert_eq!(secret.expose(), "canary-new");
    }
}

#[test]
fn what_a_document_drops_is_retired_or_pruned() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &json!({"tok": CANARY}));
    let notes = id_of(&first, "skill", "notes");
    let second = base(&[
        ("skills:\n  - { key: notes, name: Notes, content: \"# Notes\" }\n", ""),
        (", skills: [notes]", ""),
    ]);
    let planned = plan(&rig, &second, json!({}));
    assert!(
        planned["changes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|change| change["action"] == "retire" && change["key"] == "notes")
    );
    assert_eq!(apply(&rig, &second, json!({}), json!({})).body["retired"][0]["id"], json!(notes));
    assert_eq!(rig.entity(&notes)["name"], "Notes");
    assert_eq!(apply(&rig, &second, json!({}), json!({"prune": true})).body["retired"], json!([]));
    assert_eq!(rig.entity(&notes), Value::Null);
}

#[test]
fn uninstalling_keeps_what_is_edited_or_used_by_others() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &json!({"tok": CANARY}));
    let bot = id_of(&first, "agent", "bot");
    edit(&rig, &bot, "instruction", "by hand");
    let result = rig.send("DELETE", "/bundles/demo", Some(&rig.admin), Vec::new());
    assert_eq!(result.status, 200, "{}", result.text);
    let left = rig.dump();
    let rows: Vec<&Value> = left["entities"].as_array().unwrap().iter().map(|row| &row["id"]).collect();
    assert_eq!(rows, [&json!(bot)]);
    assert_eq!(left["records"], json!({}));

    let rig = Rig::new();
    let first = rig.installed(BASE, &json!({"tok": CANARY}));
    let other = rig.installed("name: other\nagents:\n  - { key: a, name: A, model: m }\n", &json!({}));
    let (notes, stranger) = (id_of(&first, "skill", "notes"), id_of(&other, "agent", "a"));
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    let sql = format!(
        "UPDATE entities SET fields = json_set(fields, '$.skills', json_array('{notes}')) WHERE id = '{stranger}'"
    );
    connection.execute_batch(&sql).unwrap();
    let would = rig.send("DELETE", "/bundles/demo?dry_run=true", Some(&rig.admin), Vec::new()).body;
    let kept: Vec<&Value> =
        would["entities"].as_array().unwrap().iter().filter(|row| row["action"] == "keep").collect();
    assert_eq!((kept.len(), &kept[0]["users"]), (1, &json!([stranger])));
    rig.send("DELETE", "/bundles/demo?detach=true", Some(&rig.admin), Vec::new());
    assert_eq!(rig.entity(&notes), Value::Null);
    assert_eq!(rig.entity(&stranger)["fields"]["skills"], json!([]));
}

#[test]
fn adopting_by_id() {
    let rig = Rig::new();
    rig.installed(BASE, &json!({"tok": CANARY}));
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    connection
        .execute_batch(
            "INSERT INTO entities (id, workspace_id, kind, name, fields) \
             SELECT 'byhand', id, 'skill', 'Mine', '{\"source_type\": \"content\", \"content\": \"# Mine\"}' FROM workspaces",
        )
        .unwrap();
    let ran = rig.cli(&["bundle", "adopt", "demo", "skill/notes=byhand", "--json"], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let again = rig.installed(BASE, &json!({"tok": CANARY}));
    assert_eq!(id_of(&again, "skill", "notes"), "byhand");
    assert_eq!(rig.cli(&["bundle", "adopt", "demo", "skill/notes=nothing"], b"").code, 3);
    assert_eq!(rig.cli(&["bundle", "adopt", "demo", "skill/ghost=byhand"], b"").code, 5);
    // What was not made by the bundle is not removed with it.
    assert_eq!(rig.cli(&["bundle", "uninstall", "demo", "--yes"], b"").code, 0);
    assert_eq!(rig.entity("byhand")["name"], "Mine");
    assert_eq!(rig.dump()["entities"].as_array().unwrap().len(), 1);
}

#[test]
fn the_command_line_plans_and_applies() {
    let rig = Rig::new();
    let file = rig.path("demo.yaml");
    std::fs::write(&file, BASE).unwrap();
    let file = file.to_str().unwrap();
    let run = |args: &[&str]| crate::rig::run(rig.directory.path(), args, b"", &[("TOK", CANARY)]);
    assert_eq!(run(&["bundle", "install", file, "--yes", "--set-env", "tok=TOK"]).code, 0);
    assert_eq!(run(&["bundle", "plan", file, "--detailed-exitcode"]).code, 0);
    let planned = run(&["bundle", "plan", file, "--detailed-exitcode", "--json", "--set", "mdl=other"]);
    assert_eq!(planned.code, 10);
    let kept = rig.path("plan.json");
    std::fs::write(&kept, &planned.out).unwrap();
    let kept = kept.to_str().unwrap();
    assert!(run(&["bundle", "diff", file, "--set", "mdl=other"]).out.contains("other"));
    assert_eq!(run(&["bundle", "apply", file, "--yes", "--set", "mdl=other", "--plan", kept]).code, 0);
    assert_eq!(run(&["bundle", "apply", file, "--yes", "--set", "mdl=other", "--plan", kept]).code, 5);
    assert_eq!(run(&["bundle", "drift", "demo"]).code, 0);
    assert!(run(&["bundle", "show", "demo"]).out.contains("Bot"));
    assert!(run(&["bundle", "list"]).out.contains("demo"));
    assert!(run(&["bundle", "export"]).out.contains("schema_version"));
}
