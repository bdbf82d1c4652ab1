//! Builds that are killed, stores that are damaged, builds side by side.

use crate::support::{Project, Run, STORE, Tree};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

fn times(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

fn start(project: &Project) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-bundle"));
    command
        .args(["build", "--json"])
        .current_dir(project.root())
        .env("AGENT_BUNDLE_CACHE_DIR", project.beside(STORE))
        .env_remove("CI")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn project() -> Project {
    Project::plain().tool("say", "", "'one'")
}

#[test]
fn a_killed_build_leaves_the_old_artifact_or_the_new_one() {
    let project = project();
    project.built();
    let mut known = [project.artifact(), project.artifact()];
    for round in 0..times("AGENT_BUNDLE_KILLS", 16) {
        project.put("assets/round.txt", format!("round {round}").repeat(100).as_bytes());
        let mut child = start(&project).spawn().unwrap();
        // From "not begun" to "nearly done": the instant moves through the whole build.
        std::thread::sleep(Duration::from_millis(round * 37 % 250));
        drop(child.kill());
        child.wait().unwrap();
        let found = project.artifact();
        let clean = Project::empty_in("clean").copy_from(project.root()).remove_if_there("artifact");
        clean.built();
        known = [known[1].clone(), clean.artifact()];
        assert!(known.contains(&found), "round {round}: {:#?}", found.differing(&known[1]));
        project.built();
        project.artifact().same_as(&known[1]);
        let beside: Vec<String> = fs::read_dir(project.root())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.contains(".stage-"))
            .collect();
        assert!(beside.is_empty(), "round {round}: {beside:?}");
    }
}

fn blobs(store: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![store.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

#[test]
fn a_damaged_store_never_gives_wrong_bytes() {
    let project = project();
    project.built();
    let want = project.artifact();
    let store = project.beside(STORE);
    let from_the_store = |project: &Project| {
        fs::remove_dir_all(project.path("artifact")).unwrap();
        fs::remove_dir_all(project.path(".agent-bundle")).unwrap();
        project.built();
        project.artifact().same_as(&want);
    };
    let files = blobs(&store);
    assert!(files.len() > 10, "{files:?}");
    for path in &files {
        let whole = fs::read(path).unwrap();
        let mut flipped = whole.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 1;
        fs::write(path, &flipped).unwrap();
        from_the_store(&project);
        fs::write(path, &whole[..middle]).unwrap();
        from_the_store(&project);
        // Root reads what it likes, so what cannot be read is a directory in the file's place.
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        from_the_store(&project);
        fs::remove_dir(path).unwrap();
        fs::write(path, &whole).unwrap();
    }
}

#[test]
fn builds_side_by_side_succeed_and_agree() {
    let project = project();
    let others: Vec<Project> = (0..4).map(|at| Project::plain_in(&format!("other{at}"))).collect();
    let mut children: Vec<std::process::Child> = (0..4).map(|_| start(&project).spawn().unwrap()).collect();
    let store = project.beside(STORE);
    for other in &others {
        children.push(start(other).env("AGENT_BUNDLE_CACHE_DIR", &store).spawn().unwrap());
    }
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let clean = Project::empty_in("clean").copy_from(project.root()).remove_if_there("artifact");
    clean.built();
    project.artifact().same_as(&clean.artifact());
    let first: Tree = others[0].artifact();
    others.iter().for_each(|other| other.artifact().same_as(&first));
    let again: Run = project.built();
    assert!(again.document()["nodes"].as_array().unwrap().iter().all(|node| node["outcome"] == "unchanged"));
}

#[test]
fn a_second_build_waits_and_says_for_whom() {
    let project = project();
    project.built();
    let lock = fs::File::options().write(true).open(project.path(".agent-bundle/lock")).unwrap();
    lock.lock().unwrap();
    let child = start(&project).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    lock.unlock().unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("waiting for another build of this project (process "), "{said}");
}
