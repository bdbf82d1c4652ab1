//! Install and reuse.

use crate::direct::{by_hand, install, values};
use crate::rig::{BASE, Rig, Twins, actions, base, id_of};
use agent_bundle::workspace::analyze::Caller;
use agent_bundle::workspace::analyze::skill::GithubSource;
use agent_bundle::workspace::document::Document;
use agent_bundle::workspace::fetch::{Client, Github, Guard, SkillFetcher};
use agent_bundle::workspace::render::Fetched;
use agent_bundle::workspace::service;
use agent_bundle::workspace::store::{Observer, Store, StoreError, SystemClock};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

#[test]
fn t170_t171_t172_everything_is_made_in_order() {
    struct Log(Mutex<Vec<String>>);
    impl Observer for Log {
        fn before(&self, write: &str) -> Result<(), String> {
            self.0.lock().unwrap().push(write.to_owned());
            Ok(())
        }
    }
    let rig = Rig::new();
    let log = Arc::new(Log(Mutex::new(Vec::new())));
    let store = Store::open_with(rig.directory.path(), log.clone(), Arc::new(SystemClock)).unwrap();
    let result = install(&store, BASE).unwrap();
    let wanted = ["spec", "mcp", "skill", "agent", "trigger", "rule"];
    let order: Vec<String> =
        log.0.lock().unwrap().iter().filter(|write| wanted.contains(&write.as_str())).cloned().collect();
    assert_eq!(order, ["spec", "mcp", "skill", "agent", "trigger", "trigger", "rule"]);
    assert!(actions(&result).iter().all(|line| line.ends_with("created")));
    let agent = rig.entity(&id_of(&result, "agent", "bot"));
    assert_eq!(agent["fields"]["tools"], json!([{"type": "mcp", "id": id_of(&result, "mcp", "web")}]));
    let names: Vec<&Value> =
        result["entities"].as_array().unwrap()[3..5].iter().map(|entity| &entity["name"]).collect();
    assert_eq!(names, ["demo:inbox", "demo:daily"]);
    for key in ["inbox", "daily"] {
        let kind = if key == "inbox" { "channel" } else { "automation" };
        assert_eq!(rig.entity(&id_of(&result, kind, key))["fields"]["enabled"], false);
    }
}

#[test]
fn t175_nothing_starts_by_itself() {
    let document = base(&[("prompt: go", "prompt: go, enabled: true")]);
    for (allow, enabled) in [(false, false), (true, true)] {
        let rig = Rig::new();
        let answer = rig.install_with(&document, &values(), &json!({"allow_enabled": allow}));
        assert_eq!(answer.codes(), ["starts_enabled"]);
        let row = rig.entity(&id_of(&answer.body, "automation", "daily"));
        assert_eq!(row["fields"]["enabled"], enabled);
    }
}

#[test]
fn t176_the_second_install_changes_nothing() {
    let twins = Twins::new();
    let first = twins.install(BASE, &values());
    let rows = twins.http.dump()["entities"].clone();
    let again = twins.install(BASE, &values());
    assert!(actions(&again.body).iter().all(|line| line.ends_with("reused")));
    assert_eq!(again.body["generation"], 2);
    assert_eq!(again.codes(), Vec::<String>::new());
    for (kind, key) in [("mcp", "web"), ("agent", "bot"), ("policy", "cap"), ("channel", "inbox")] {
        assert_eq!(id_of(&first.body, kind, key), id_of(&again.body, kind, key));
    }
    assert_eq!(twins.http.dump()["entities"], rows);
}

#[test]
fn t177_the_same_name_is_not_the_same_thing() {
    let rig = Rig::new();
    rig.installed("name: other\nagents:\n  - { key: a, name: Bot, model: m }\n", &json!({}));
    let preview = rig.post("/bundles/analyze", &json!({"source": BASE}));
    assert_eq!(preview.codes(), ["name_in_use"]);
    let result = rig.installed(BASE, &values());
    assert!(actions(&result).contains(&"agent created".to_owned()));
    let rows = rig.dump()["entities"].as_array().unwrap().clone();
    assert_eq!(rows.iter().filter(|row| row["kind"] == "agent" && row["name"] == "Bot").count(), 2);
}

#[test]
fn t178_an_archived_agent_is_gone() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &values());
    by_hand(&rig, "UPDATE entities SET archived = 1 WHERE kind = 'agent'");
    let old = rig.entity(&id_of(&first, "automation", "daily"));
    let again = rig.installed(BASE, &values());
    assert_eq!(
        actions(&again),
        [
            "mcp reused",
            "skill reused",
            "agent created",
            "channel created",
            "automation created",
            "policy reused"
        ]
    );
    let new = rig.entity(&id_of(&again, "automation", "daily"));
    assert_eq!(new["fields"]["agent_id"], id_of(&again, "agent", "bot"));
    assert_eq!(rig.entity(old["id"].as_str().unwrap()), old);
}

#[test]
fn t180_a_dangling_server() {
    for repair in [false, true] {
        let rig = Rig::new();
        let first = rig.installed(BASE, &values());
        by_hand(&rig, "PRAGMA foreign_keys = ON; DELETE FROM entities WHERE kind = 'mcp'");
        let before = rig.entity(&id_of(&first, "agent", "bot"));
        assert!(
            rig.post("/bundles/analyze", &json!({"source": BASE}))
                .codes()
                .contains(&"agent_tool_dangling".to_owned())
        );
        let answer = rig.install_with(BASE, &values(), &json!({"repair_wiring": repair}));
        assert_eq!(answer.status, 200, "{}", answer.text);
        assert_eq!(actions(&answer.body)[..3], ["mcp created", "skill reused", "agent reused"]);
        let mut expected = before.clone();
        if repair {
            expected["fields"]["tools"][0]["id"] = json!(id_of(&answer.body, "mcp", "web"));
            assert!(!answer.codes().contains(&"agent_tool_dangling".to_owned()));
        } else {
            assert!(answer.codes().contains(&"agent_tool_dangling".to_owned()));
        }
        assert_eq!(rig.entity(before["id"].as_str().unwrap()), expected);
    }
}

#[test]
fn t181_t182_triggers_are_told_by_agent_and_type() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &values());
    let daily = id_of(&first, "automation", "daily");
    let other = rig.installed("name: other\nagents:\n  - { key: a, name: A, model: m }\n", &json!({}));
    let stranger = id_of(&other, "agent", "a");
    by_hand(
        &rig,
        &format!(
            "UPDATE entities SET fields = json_set(fields, '$.agent_id', '{stranger}') WHERE id = '{daily}'"
        ),
    );
    let again = rig.installed(BASE, &values());
    assert_ne!(id_of(&again, "automation", "daily"), daily);
    let inbox = id_of(&again, "channel", "inbox");
    by_hand(
        &rig,
        &format!("UPDATE entities SET fields = json_set(fields, '$.type', 'cron') WHERE id = '{inbox}'"),
    );
    let again = rig.installed(BASE, &values());
    assert_ne!(id_of(&again, "channel", "inbox"), inbox);
}

#[test]
fn t183_a_looser_rule_is_not_reused() {
    let rig = Rig::new();
    rig.installed(
        "name: loose\npolicies:\n  - { key: c, target: spend, effect: cap, params: { amount_usd: 500 } }\n",
        &json!({}),
    );
    let result = rig.installed(BASE, &values());
    assert!(actions(&result).contains(&"policy created".to_owned()));
    let row = rig.entity(&id_of(&result, "policy", "cap"));
    assert_eq!(row["fields"]["params"], json!({"amount_usd": 5}));
}

#[test]
fn t184_t187_documents_that_change() {
    let rig = Rig::new();
    let first = rig.installed(BASE, &values());
    let second = base(&[
        ("skills:\n  - { key: notes, name: Notes, content: \"# Notes\" }\n", ""),
        (", skills: [notes]", ""),
    ]);
    let result = rig.installed(&second, &values());
    let notes = id_of(&first, "skill", "notes");
    assert_eq!(result["retired"][0]["id"], json!(notes));
    assert_eq!(rig.entity(&notes)["name"], "Notes");
    // A key that was a server and is an agent now is another thing.
    let third = "name: demo\nagents:\n  - { key: web, name: W, model: m }\n";
    assert_eq!(actions(&rig.installed(third, &json!({}))), ["agent created"]);
}

#[test]
fn t186_a_stranger_does_not_inherit() {
    let rig = Rig::new();
    rig.installed(BASE, &values());
    let more = json!({"origin": "https://elsewhere.test/demo.yaml"});
    let refused = rig.install_with(BASE, &values(), &more);
    assert_eq!((refused.status, refused.codes()), (422, vec!["origin_differs".to_owned()]));
    let more = json!({"origin": "https://elsewhere.test/demo.yaml", "accept_origin": true});
    assert_eq!(rig.install_with(BASE, &values(), &more).status, 200);
}

/// Puts the recorded agent away while the install fetches a skill, as a person might at that moment.
struct Meddler(std::path::PathBuf);

impl SkillFetcher for Meddler {
    fn fetch(&self, _source: &GithubSource) -> Result<Fetched, String> {
        let connection = rusqlite::Connection::open(&self.0).unwrap();
        connection.execute_batch("UPDATE entities SET archived = 1 WHERE kind = 'agent'").unwrap();
        Ok(Fetched { content: "# Fetched".to_owned(), ..Fetched::default() })
    }
}

#[test]
fn t200_what_goes_in_between_is_made_anew() {
    let mut rig = Rig::new();
    rig.installed(BASE, &values());
    rig.app.skills = Arc::new(Meddler(rig.path("workspaces.db")));
    let fetched = "content: \"# Notes\" }\n  - { key: far, name: Far, source_type: github, source_url: \"https://github.com/a/b\"";
    let result = rig.installed(&base(&[("content: \"# Notes\"", fetched)]), &values());
    assert_eq!(actions(&result)[..4], ["mcp reused", "skill reused", "skill created", "agent created"]);
}

#[test]
fn t150_t151_skills_that_cannot_be_fetched() {
    struct Refuses(&'static str);
    impl SkillFetcher for Refuses {
        fn fetch(&self, _source: &GithubSource) -> Result<Fetched, String> {
            Err(self.0.to_owned())
        }
    }
    let document =
        base(&[("content: \"# Notes\"", "source_type: github, source_url: \"https://github.com/a/b\"")]);
    let mut rig = Rig::new();
    let before = rig.dump();
    rig.app.skills = Arc::new(Refuses("the server answered with status 404"));
    let refused = rig.install(&document, &values());
    assert_eq!((refused.status, &refused.body["code"]), (400, &json!("bundle_install_failed")));
    // The real fetcher, against a code host on loopback.
    for (listing, problem) in [
        (json!({"tree": [{"path": "../x", "type": "blob"}]}), "leads out"),
        (json!({"tree": []}), "no SKILL.md"),
        (
            json!({"tree": [{"path": "a/SKILL.md", "type": "blob"}, {"path": "b/SKILL.md", "type": "blob"}]}),
            "several",
        ),
    ] {
        let listing = listing.to_string();
        rig.app.skills = Arc::new(code_host(move |path| {
            if path.contains("/commits/") {
                Some(json!({"sha": "a".repeat(40)}).to_string())
            } else {
                path.contains("/git/trees/").then(|| listing.clone())
            }
        }));
        let refused = rig.install(&document, &values());
        assert_eq!((refused.status, &refused.body["code"]), (400, &json!("bundle_install_failed")));
        assert!(refused.text.contains(problem), "{}", refused.text);
        assert_eq!(rig.dump(), before);
    }
    rig.app.skills = Arc::new(code_host(|path| {
        Some(if path.contains("/commits/") {
            json!({"sha": "a".repeat(40)}).to_string()
        } else if path.contains("/git/trees/") {
            json!({"tree": [{"path": "s/SKILL.md", "type": "blob"}, {"path": "s/more.md", "type": "blob"}]})
                .to_string()
        } else {
            format!("text of {path}")
        })
    }));
    let result = rig.installed(&document, &values());
    let fields = rig.entity(&id_of(&result, "skill", "notes"))["fields"].clone();
    assert_eq!(fields["commit"], json!("a".repeat(40)));
    assert!(fields["content"].as_str().unwrap().ends_with("/s/SKILL.md"));
    assert_eq!(fields["files"].as_object().unwrap().keys().collect::<Vec<_>>(), ["more.md"]);
}

/// A code host on loopback.
fn code_host(answer: impl Fn(&str) -> Option<String> + Send + 'static) -> Github {
    let address = crate::rig::serve_once_each(move |path| {
        match answer(path) {
        Some(body) => format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).into_bytes(),
        None => b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_vec(),
    }
    });
    let client = Client::new(Guard::new(crate::rig::open_loopback(), Arc::new(crate::rig::NoNames)));
    Github::at(client, &format!("http://{address}"), &format!("http://{address}/raw"))
}

#[test]
fn t202_a_request_key_makes_one_request() {
    let rig = Rig::new();
    let send = |document: &str| {
        let body = json!({"bundle": crate::rig::to_json(document), "setup_values": values()}).to_string();
        let path = "/v1/workspaces/default/bundles/install";
        rig.send_with("POST", path, Some(&rig.admin), body.into_bytes(), &[("idempotency-key", "one")])
    };
    let first = send(BASE);
    let again = send(BASE);
    assert_eq!((first.status, &first.body), (200, &again.body));
    assert_eq!(rig.dump()["records"]["demo"]["generation"], 1);
    assert_eq!(send("name: other").status, 409);
}

#[test]
fn t205_analyzing_writes_nothing() {
    let rig = Rig::new();
    rig.installed(BASE, &values());
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    let version = || -> i64 { connection.query_row("PRAGMA data_version", [], |row| row.get(0)).unwrap() };
    let before = version();
    let document = Document::parse(BASE.as_bytes()).unwrap();
    let caller = Caller { admin: true, origin: "pasted".to_owned(), ..Caller::default() };
    for _ in 0..1_000 {
        service::preview(rig.store(), "default", &document, &caller).unwrap();
    }
    assert_eq!(version(), before);
}

#[test]
fn secrets_are_in_no_file_in_clear() {
    let rig = Rig::new();
    rig.installed(BASE, &values());
    rig.installed(BASE, &json!({"tok": "canary-second"}));
    for entry in std::fs::read_dir(rig.directory.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|window| window == b"canary"));
    }
}

#[test]
fn a_store_error_tells_no_value() {
    let error = StoreError::from(rusqlite::Error::InvalidParameterName("canary".to_owned()));
    assert!(!error.to_string().contains("canary"));
}
