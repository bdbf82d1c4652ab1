//! Install, reuse, failure.

use crate::rig::{BASE, CANARY, NoSkills, Rig, Twins, actions, base, id_of};
use agent_bundle::workspace::analyze::Caller;
use agent_bundle::workspace::analyze::skill::GithubSource;
use agent_bundle::workspace::document::Document;
use agent_bundle::workspace::fetch::{Client, Github, Guard, SkillFetcher};
use agent_bundle::workspace::render::Fetched;
use agent_bundle::workspace::service::{self, Request};
use agent_bundle::workspace::store::{Clock, Observer, Silent, Store, StoreError, SystemClock};
use agent_bundle::workspace::values::{Supplied, SuppliedValues};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

fn values() -> Value {
    json!({"tok": CANARY})
}

/// Installs through the library with a store of its own.
fn install(store: &Store, document: &str) -> Result<Value, agent_bundle::workspace::problem::Problem> {
    let document = Document::parse(document.as_bytes()).unwrap();
    let supplied = SuppliedValues::from([("tok".to_owned(), Supplied::Typed(json!(CANARY)))]);
    let caller = Caller { admin: true, origin: "pasted".to_owned(), accept_origin: false };
    let request = Request {
        workspace: "default",
        document: &document,
        supplied: &supplied,
        caller: &caller,
        by: "test",
        allow_enabled: false,
        keep_secrets: false,
        request_key: None,
    };
    service::install(store, &request, false, &NoSkills).map(|result| serde_json::to_value(result).unwrap())
}

/// Rows are made by statements of our own where a person would make them by hand.
fn by_hand(rig: &Rig, sql: &str) {
    let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
    connection.execute_batch(sql).unwrap();
}

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

/// Fails at the n-th write.
struct FailAt(AtomicUsize, usize);

impl Observer for FailAt {
    fn before(&self, _write: &str) -> Result<(), String> {
        match self.0.fetch_add(1, Ordering::SeqCst) {
            at if at == self.1 => Err("the disk is on fire".to_owned()),
            _ => Ok(()),
        }
    }
}

#[test]
fn t188_t189_t193_t194_a_fault_at_each_write_leaves_nothing() {
    let fresh = Rig::new();
    let used = Rig::new();
    used.installed(&base(&[("key: inbox,", "key: post,")]), &values());
    for rig in [&fresh, &used] {
        let before = rig.dump();
        let mut faults = 0;
        loop {
            let observer = Arc::new(FailAt(AtomicUsize::new(0), faults));
            let store = Store::open_with(rig.directory.path(), observer, Arc::new(SystemClock)).unwrap();
            match install(&store, BASE) {
                Ok(result) => {
                    // The retry after every one of the faults made everything anew.
                    let made = actions(&result).iter().filter(|line| line.ends_with("created")).count();
                    assert_eq!(made, if faults > 8 && before["entities"] == json!([]) { 6 } else { 1 });
                    break;
                }
                Err(problem) => {
                    assert_eq!(problem.code.word(), "bundle_install_failed", "{}", problem.detail);
                    assert!(problem.detail.contains("on fire"), "{}", problem.detail);
                    assert_eq!(rig.dump(), before, "after a fault at write {faults}");
                }
            }
            faults += 1;
        }
        assert!(faults > 3, "{faults}");
    }
}

/// Ends the process at the n-th write.
struct DieAt(AtomicUsize, usize);

impl Observer for DieAt {
    fn before(&self, _write: &str) -> Result<(), String> {
        if self.0.fetch_add(1, Ordering::SeqCst) == self.1 {
            std::process::abort();
        }
        Ok(())
    }
}

const CHILD: &str = "WORKSPACE_TEST_CHILD";

/// Run by the next test in a process of its own; by itself it has nothing to do.
#[test]
fn child_that_dies() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (write, directory) = task.split_once(' ').unwrap();
    let observer = Arc::new(DieAt(AtomicUsize::new(0), write.parse().unwrap()));
    let store = Store::open_with(Path::new(directory), observer, Arc::new(SystemClock)).unwrap();
    drop(install(&store, BASE));
}

#[test]
fn t195_t201_an_install_killed_at_each_write_leaves_nothing_and_no_lease() {
    let rig = Rig::new();
    let before = rig.dump();
    let mut write = 0;
    loop {
        let status = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "install::child_that_dies"])
            .env(CHILD, format!("{write} {}", rig.directory.path().display()))
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status()
            .unwrap();
        if status.success() {
            break;
        }
        assert_eq!(rig.dump(), before, "killed at write {write}");
        let connection = rusqlite::Connection::open(rig.path("workspaces.db")).unwrap();
        let orphans: i64 = connection
            .query_row(
                "SELECT count(*) FROM secrets WHERE owner_id NOT IN (SELECT id FROM entities)",
                [],
                |row| row.get(0),
            )
            .unwrap();
        assert_eq!(orphans, 0);
        write += 1;
    }
    // The last child had no write left to die at, although every one before it died with the lease in its hands.
    assert!(write > 10, "{write}");
    assert_eq!(rig.dump()["records"]["demo"]["generation"], 1);
}

/// A clock that is set by hand.
struct Hand(AtomicI64);

impl Clock for Hand {
    fn now(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn t201_a_lease_of_another_machine_runs_out() {
    let rig = Rig::new();
    let clock = Arc::new(Hand(AtomicI64::new(1_000)));
    let store = Store::open_with(rig.directory.path(), Arc::new(Silent), clock.clone()).unwrap();
    // The owner is alive as far as this machine can tell: it is this very process.
    by_hand(
        &rig,
        &format!(
            "INSERT INTO leases SELECT id, 'demo', '{}:x', 1000 FROM workspaces WHERE slug = 'default'",
            std::process::id()
        ),
    );
    clock.0.store(1_061, Ordering::SeqCst);
    install(&store, BASE).unwrap();
}

#[test]
fn t196_a_client_that_goes_away_leaves_all_or_nothing() {
    let rig = Rig::new();
    let before = rig.dump();
    let body = json!({"bundle": crate::rig::to_json(BASE), "setup_values": values()});
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    for pause in 0..8 {
        let request = axum::http::Request::builder()
            .method("POST")
            .uri("/v1/workspaces/default/bundles/install")
            .header("authorization", format!("Bearer {}", rig.admin))
            .body(axum::body::Body::from(body.to_string()))
            .unwrap();
        let router = agent_bundle::workspace::serve::router(rig.app.clone());
        runtime.block_on(async {
            let answer = tower::ServiceExt::oneshot(router, request);
            drop(tokio::time::timeout(std::time::Duration::from_millis(pause), answer).await);
        });
    }
    drop(runtime);
    let after = rig.dump();
    let rows = after["entities"].as_array().unwrap().len();
    assert!(after == before || rows == 7, "{rows}");
}

#[test]
fn t198_two_installs_of_one_bundle() {
    for _ in 0..5 {
        let rig = Rig::new();
        let run = || install(rig.store(), BASE).unwrap();
        let (a, b) = std::thread::scope(|scope| {
            let (a, b) = (scope.spawn(run), scope.spawn(run));
            (a.join().unwrap(), b.join().unwrap())
        });
        let made = |result: &Value| actions(result).iter().filter(|line| line.ends_with("created")).count();
        assert_eq!([made(&a).min(made(&b)), made(&a).max(made(&b))], [0, 6]);
        assert_eq!(rig.dump()["entities"].as_array().unwrap().len(), 7);
        assert_eq!(rig.dump()["records"]["demo"]["generation"], 2);
    }
}

#[test]
fn t199_many_bundles_and_many_readers_at_once() {
    let rig = Rig::new();
    std::thread::scope(|scope| {
        for at in 0..20 {
            let store = rig.store().clone();
            scope.spawn(move || {
                install(&store, &base(&[("name: demo", &format!("name: demo-{at}"))])).unwrap()
            });
        }
        for _ in 0..50 {
            let store = rig.store().clone();
            scope.spawn(move || {
                let document = Document::parse(BASE.as_bytes()).unwrap();
                let caller = Caller { admin: true, origin: "pasted".to_owned(), accept_origin: false };
                let preview = service::preview(&store, "default", &document, &caller).unwrap();
                // Never a torn read: the bundle is there as a whole, or not at all.
                let first = preview.entities[0].status;
                assert!(preview.entities.iter().all(|entity| entity.status == first));
            });
        }
    });
    assert_eq!(rig.dump()["records"].as_object().unwrap().len(), 20);
    assert_eq!(rig.dump()["entities"].as_array().unwrap().len(), 140);
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
    let caller = Caller { admin: true, origin: "pasted".to_owned(), accept_origin: false };
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
