//! Installs that fail, die, or run at once.

use crate::direct::{by_hand, install, values};
use crate::rig::{BASE, Rig, actions, base};
use agent_bundle::workspace::analyze::Caller;
use agent_bundle::workspace::document::Document;
use agent_bundle::workspace::service;
use agent_bundle::workspace::store::{Clock, Observer, Silent, Store, SystemClock};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

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
            .args(["--exact", "failure::child_that_dies"])
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
                let caller = Caller { admin: true, origin: "pasted".to_owned(), ..Caller::default() };
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
