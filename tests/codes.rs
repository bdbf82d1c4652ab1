//! A folder per code: `wrong/` is a small project that has the problem, `right/` is near to it and has none,
//! `report.txt` is what is said of the wrong one. `UPDATE_REPORTS=1` writes the reports anew.

#![allow(clippy::disallowed_methods, reason = "tests make and read the files that they are about")]

use agent_bundle::build::{Hooks, Inspection, Settings, build};
use agent_bundle::diagnostic::render::Rendering;
use agent_bundle::diagnostic::{Code, Diagnostic, page, reference};
use agent_bundle::world::OsWorld;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Codes that no project by itself can show: they are about the machine, a command line or an artifact.
const WITHOUT_FOLDER: [&str; 18] = [
    "AB5000", "AB5001", "AB5002", "AB5003", "AB5004", "AB5005", "AB6000", "AB6001", "AB6004", "AB6005",
    "AB6006", "AB6007", "AB6011", "AB6012", "AB6013", "AB6014", "AB6017", "AB6039",
];

/// Codes that only building shows.
const BUILT: [&str; 4] = ["AB2002", "AB2007", "AB2008", "AB2009"];

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/codes")
}

fn folders() -> BTreeSet<String> {
    let entries = fs::read_dir(cases()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// What is found in the project at `root`.
fn findings(root: &Path, built: bool) -> Vec<Diagnostic> {
    let world = Arc::new(OsWorld);
    if !built {
        let settings = Settings { root: root.to_owned(), ..Settings::default() };
        return Inspection::of(&settings, world).diagnostics;
    }
    let copy = copied(root);
    let settings = Settings { root: copy.path().to_owned(), ..Settings::default() };
    build(&settings, world, Hooks { progress: &|_| {}, waiting: &|_| {} }).diagnostics
}

fn copied(root: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in walkdir::WalkDir::new(root).into_iter().filter_map(Result::ok) {
        let to = copy.path().join(entry.path().strip_prefix(root).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(&to).unwrap(),
            false => drop(fs::copy(entry.path(), &to).unwrap()),
        }
    }
    copy
}

fn report(root: &Path, found: &[Diagnostic]) -> String {
    let source = |path: &str| fs::read_to_string(root.join(path)).ok();
    let rendering = Rendering { color: false, source: &source };
    found.iter().map(|one| format!("{}\n\n", rendering.text(one))).collect()
}

#[test]
fn every_code_has_a_folder_or_a_reason() {
    let without: BTreeSet<String> = WITHOUT_FOLDER.iter().map(|&code| code.to_owned()).collect();
    let all: BTreeSet<String> = Code::ALL.iter().map(|info| info.name.to_owned()).collect();
    let shown = folders();
    assert_eq!(all.difference(&shown).cloned().collect::<BTreeSet<_>>(), without, "codes without a folder");
    assert_eq!(shown.difference(&all).count(), 0, "folders without a code");
}

#[test]
fn every_wrong_project_is_told_and_every_right_one_is_silent() {
    let update = std::env::var_os("UPDATE_REPORTS").is_some();
    let mut problems = Vec::new();
    for code in folders() {
        let folder = cases().join(&code);
        let built = BUILT.contains(&code.as_str());
        let found = findings(&folder.join("wrong"), built);
        // What is recognised and not emitted yet is no part of the case, unless it is the case.
        let about = |one: &&Diagnostic| one.code != Code::AB2010 || code == "AB2010";
        let found: Vec<Diagnostic> = found.iter().filter(about).cloned().collect();
        if found.is_empty() || found.iter().any(|one| one.code.to_string() != code) {
            let codes: Vec<String> =
                found.iter().map(|one| format!("{}: {}", one.code, one.message)).collect();
            problems.push(format!("{code}/wrong gives {codes:?}"));
        }
        let text = report(&folder.join("wrong"), &found);
        let path = folder.join("report.txt");
        if update {
            fs::write(&path, &text).unwrap();
        } else if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            problems.push(format!("{code}/report.txt is not what is said:\n{text}"));
        }
        let found = findings(&folder.join("right"), built);
        let found: Vec<&Diagnostic> = found.iter().filter(about).collect();
        if !found.is_empty() {
            let codes: Vec<String> =
                found.iter().map(|one| format!("{}: {}", one.code, one.message)).collect();
            problems.push(format!("{code}/right gives {codes:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The fenced blocks of a page's part, with the path before each.
fn examples(part: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut lines = part.lines();
    while let Some(line) = lines.next() {
        let Some(path) = line.strip_prefix('`').and_then(|rest| rest.strip_suffix("`:")) else { continue };
        let fence = lines.find(|line| line.starts_with("```")).unwrap();
        let fence = &fence[..fence.rfind('`').unwrap() + 1];
        let block: String =
            lines.by_ref().take_while(|line| *line != fence).map(|line| format!("{line}\n")).collect();
        found.push((path.to_owned(), block));
    }
    found
}

#[test]
fn the_examples_of_the_pages_are_the_projects_of_the_folders() {
    for code in folders() {
        let page = page(&Code::named(&code).unwrap()).unwrap();
        let (wrong, right) = page.split_once("### Right").unwrap();
        for (side, part) in [("wrong", wrong), ("right", right)] {
            for (path, block) in examples(part) {
                let file = cases().join(&code).join(side).join(&path);
                let text = fs::read_to_string(&file).unwrap_or_else(|_| panic!("{}", file.display()));
                assert!(text.contains(&block), "{} differs from the page of {code}", file.display());
            }
        }
    }
}

#[test]
fn the_reference_is_what_the_registry_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == reference(), "run: agent-bundle explain --codes > docs/diagnostics.md");
}

/// Runs the program in a project.
fn agent_bundle(root: &Path, arguments: &[&str]) -> (bool, String) {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_agent-bundle"));
    let output = command.args(arguments).arg("--root").arg(root).output().unwrap();
    (output.status.success(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn every_edit_mends_its_finding_and_every_page_that_promises_one_has_one() {
    for code in folders() {
        let wrong = cases().join(&code).join("wrong");
        let offers = findings(&wrong, false).iter().any(|one| !one.fixes.is_empty());
        let promises = page(&Code::named(&code).unwrap()).unwrap().contains("validate --fix");
        assert!(offers || !promises, "{code} promises an edit and has none");
        if !offers {
            continue;
        }
        let copy = copied(&wrong);
        let (same, diff) = agent_bundle(copy.path(), &["validate", "--fix", "--check"]);
        assert!(!same && diff.contains("\n+") | diff.contains("\n-"), "{code}: {diff}");
        assert_eq!(findings(copy.path(), false), findings(&wrong, false), "{code} was written by --check");
        agent_bundle(copy.path(), &["validate", "--fix"]);
        let left = findings(copy.path(), false);
        assert!(left.iter().all(|one| one.code.to_string() != code), "{code}: {left:?} after {diff}");
        let (same, diff) = agent_bundle(copy.path(), &["validate", "--fix", "--check"]);
        assert!(same && diff.is_empty(), "{code}: {diff}");
    }
}
