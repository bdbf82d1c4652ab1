//! The program, killed before each call that changes a file. It is traced for that with `strace`, which not every
//! machine has: so these tests are counted as ignored, and `cargo xtask test` runs them where it can.

use crate::direct::install;
use crate::rig::{BASE, CANARY, Rig, actions};
use agent_bundle::workspace::store::Store;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};

/// Calls that change a file or make a change last.
const CALLS: [&str; 9] =
    ["pwrite64", "write", "fsync", "fdatasync", "ftruncate", "unlink", "rename", "link", "mkdir"];

/// Runs the program and kills it before the `nth` time it makes `call`; whether it came to its end.
fn ends(store: &Path, args: &[&str], call: &str, nth: usize) -> bool {
    let status = Command::new("strace")
        .args(["-f", "-qq", "-o", "/dev/null", "-e"])
        .arg(format!("trace={call}"))
        .arg("-e")
        .arg(format!("inject={call}:signal=KILL:when={nth}"))
        .arg(env!("CARGO_BIN_EXE_agent-bundle"))
        .args(args)
        .env("AGENT_BUNDLE_STORE", store)
        .env("TOK", CANARY)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("strace is needed: install it, or leave this test out");
    status.success()
}

fn copied(from: &Path) -> tempfile::TempDir {
    let parent = if Path::new("/dev/shm").is_dir() { Path::new("/dev/shm") } else { Path::new("/tmp") };
    let to = tempfile::tempdir_in(parent).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), to.path().join(entry.file_name())).unwrap();
    }
    to
}

fn dump(store: &Store) -> Value {
    let read = |view: &agent_bundle::workspace::store::View<'_>| -> Result<_, agent_bundle::workspace::store::StoreError> {
        view.snapshot(&view.workspace("default")?)
    };
    let snapshot = store.read(read).unwrap();
    json!({"entities": snapshot.entities, "records": snapshot.records})
}

fn orphans(directory: &Path) -> i64 {
    let connection = rusqlite::Connection::open(directory.join("workspaces.db")).unwrap();
    let sql = "SELECT (SELECT count(*) FROM secrets WHERE owner_id NOT IN (SELECT id FROM entities))";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
#[ignore = "needs strace; `cargo xtask test` runs it"]
fn t195_an_install_killed_before_each_write_and_each_fsync() {
    let rig = Rig::new();
    let file = rig.path("demo.yaml");
    std::fs::write(&file, BASE).unwrap();
    let args = ["bundle", "install", file.to_str().unwrap(), "--yes", "--set-env", "tok=TOK"];
    let before = dump(rig.store());
    let (mut undone, mut done) = (0, 0);
    for call in CALLS {
        for nth in 1.. {
            let copy = copied(rig.directory.path());
            let ended = ends(copy.path(), &args, call, nth);
            let store = Store::open(copy.path()).unwrap();
            let after = dump(&store);
            let whole = after["entities"].as_array().unwrap().len() == 7
                && after["records"]["demo"]["generation"] == 1;
            assert!(whole || after == before, "killed at {call} {nth}: {after:#}");
            assert_eq!(orphans(copy.path()), 0, "killed at {call} {nth}");
            // The next install goes ahead at once: no lease is in its way.
            let next = install(&store, BASE).unwrap();
            let made = actions(&next).iter().filter(|line| line.ends_with("created")).count();
            assert_eq!(made, if whole { 0 } else { 6 }, "after {call} {nth}");
            assert_eq!(dump(&store)["entities"].as_array().unwrap().len(), 7);
            if ended {
                assert!(whole, "{call} {nth}");
                break;
            }
            *(if whole { &mut done } else { &mut undone }) += 1;
        }
    }
    assert!(undone > 30 && done > 3, "{undone} and {done}");
}

#[test]
#[ignore = "needs strace; `cargo xtask test` runs it"]
fn a_store_killed_in_the_making_can_be_made_again() {
    let mut killed = 0;
    for call in CALLS {
        for nth in 1.. {
            let directory = tempfile::tempdir().unwrap();
            let store = directory.path().join("store");
            let ended = ends(&store, &["workspace", "create", "default"], call, nth);
            let opened = Store::open(&store).unwrap();
            drop(opened.create_workspace("default", "Default"));
            install(&opened, BASE).unwrap();
            if ended {
                break;
            }
            killed += 1;
        }
    }
    assert!(killed > 20, "{killed}");
}
