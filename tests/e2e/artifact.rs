//! The built root checked without its sources, and what happens to one that was tampered with.

use crate::support::{Project, Run, Tree, agent_bundle};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::PathBuf;

/// A built artifact far from its sources.
struct Artifact {
    _project: Project,
    root: PathBuf,
}

impl Artifact {
    fn new() -> Self {
        let project = Project::plain().write("assets/picture.bin", [0, 1, 2, 255]);
        project.built();
        let root = project.beside("artifact");
        fs::rename(project.path("artifact"), &root).unwrap();
        fs::remove_dir_all(project.root()).unwrap();
        Self { _project: project, root }
    }

    fn tree(&self) -> Tree {
        Tree::of(&self.root)
    }

    fn put(&self, path: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.root.join(path), bytes).unwrap();
    }

    fn validate(&self) -> Run {
        agent_bundle(&self.root, ["validate", "--json", "--artifact", "."])
    }

    /// Codes that validation reports, each once.
    #[track_caller]
    fn codes(&self) -> Vec<String> {
        let run = self.validate();
        assert_eq!(run.document()["valid"], run.errors().is_empty());
        assert_eq!(run.code, i32::from(!run.errors().is_empty()));
        let mut codes = run.codes();
        codes.sort();
        codes.dedup();
        codes
    }

    /// Writes the index again, as a builder would, after `change`.
    fn reindex(&self, change: impl FnOnce(&mut Value)) {
        let mut index = self.tree().json(INDEX);
        change(&mut index);
        self.put(INDEX, canonical(&index));
    }

    /// Changes a listed file and makes the index agree with it.
    fn rewrite(&self, path: &str, bytes: &[u8]) {
        self.put(path, bytes);
        self.reindex(|index| {
            let rows = index["files"].as_array_mut().unwrap();
            let row = rows.iter_mut().find(|row| row["path"] == path).unwrap();
            row["bytes"] = bytes.len().into();
            row["sha256"] = sha256(bytes).into();
        });
    }
}

const INDEX: &str = "agent-bundle.manifest.json";
const EVIDENCE: &str = "agent-bundle.compile-evidence.json";

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Sorted keys, no spaces, one line break at the end.
fn canonical(value: &Value) -> String {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let mut keys: Vec<&String> = members.keys().collect();
                keys.sort();
                keys.into_iter().map(|key| (key.clone(), sorted(&members[key]))).collect()
            }
            Value::Array(items) => items.iter().map(sorted).collect(),
            other => other.clone(),
        }
    }
    format!("{}\n", sorted(value))
}

#[test]
fn an_untouched_artifact_is_valid_without_sources() {
    let artifact = Artifact::new();
    assert_eq!(artifact.codes(), Vec::<String>::new());
    assert_eq!(
        artifact.tree().text(INDEX),
        canonical(&artifact.tree().json(INDEX)),
        "this test writes as the builder"
    );
}

#[test]
fn every_file_is_listed_with_its_digest() {
    let artifact = Artifact::new();
    let tree = artifact.tree();
    let index = tree.json(INDEX);
    let rows: Vec<(String, String, u64)> = index["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap().to_owned();
            (text("path"), text("sha256"), row["bytes"].as_u64().unwrap())
        })
        .collect();
    let files: Vec<(String, String, u64)> = tree
        .files()
        .filter(|(path, _)| *path != INDEX)
        .map(|(path, bytes)| (path.to_owned(), sha256(bytes), bytes.len() as u64))
        .collect();
    assert_eq!(rows, files);
}

#[test]
fn any_changed_byte_is_found() {
    let artifact = Artifact::new();
    for path in artifact.tree().paths() {
        if path == INDEX {
            continue;
        }
        let before = fs::read(artifact.root.join(path)).unwrap();
        let mut after = before.clone();
        let last = after.len() - 1;
        after[last] ^= 1;
        artifact.put(path, &after);
        assert!(artifact.codes().contains(&"AB6004".to_owned()), "{path}");
        artifact.put(path, &before);
    }
    assert_eq!(artifact.codes(), Vec::<String>::new());
}

#[test]
fn files_that_are_missing_or_too_many_are_found() {
    let artifact = Artifact::new();
    artifact.put("extra.txt", "x");
    assert_eq!(artifact.codes(), ["AB6004"]);
    fs::remove_file(artifact.root.join("extra.txt")).unwrap();
    fs::remove_file(artifact.root.join("assets/picture.bin")).unwrap();
    assert!(artifact.codes().contains(&"AB6004".to_owned()));
}

#[test]
fn links_and_empty_directories_are_found() {
    let artifact = Artifact::new();
    std::os::unix::fs::symlink("INSTALL.md", artifact.root.join("link.md")).unwrap();
    assert_eq!(artifact.codes(), ["AB6013"]);
    fs::remove_file(artifact.root.join("link.md")).unwrap();
    fs::create_dir(artifact.root.join("empty")).unwrap();
    assert_eq!(artifact.codes(), ["AB6014"]);
}

#[test]
fn an_index_that_is_missing_or_not_canonical_is_refused() {
    let artifact = Artifact::new();
    let text = artifact.tree().text(INDEX);
    fs::remove_file(artifact.root.join(INDEX)).unwrap();
    assert_eq!(artifact.codes(), ["AB6000"]);
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(&text).unwrap()).unwrap();
    let twice = text.replacen('{', "{\"manifestVersion\":5,", 1);
    let mut unknown: Value = serde_json::from_str(&text).unwrap();
    unknown["surprise"] = true.into();
    let mut rows: Value = serde_json::from_str(&text).unwrap();
    rows["files"].as_array_mut().unwrap().reverse();
    for odd in [pretty, twice, canonical(&unknown), canonical(&rows), "{".to_owned(), String::new()] {
        artifact.put(INDEX, &odd);
        assert_eq!(artifact.codes(), ["AB6001"], "{odd}");
    }
}

#[test]
fn another_version_is_refused_by_every_reader() {
    let artifact = Artifact::new();
    for version in [4, 6] {
        artifact.reindex(|index| index["manifestVersion"] = version.into());
        assert_eq!(artifact.codes(), ["AB6001"]);
        for command in [
            vec!["mcp", "list", "--json", "--artifact", "."],
            vec!["mcp", "invoke", "--json", "--artifact", ".", "--tool", "echo", "--input", "{}"],
            vec!["mcp", "run", "--json", "--artifact", "."],
        ] {
            let run = agent_bundle(&artifact.root, &command);
            assert_eq!((run.code, run.codes()), (1, vec!["AB6001".to_owned()]), "{command:?}");
        }
    }
}

#[test]
fn a_document_that_starts_another_program_is_found() {
    let artifact = Artifact::new();
    let tree = artifact.tree();
    let projections = tree.json(INDEX)["projections"].as_array().unwrap().clone();
    for row in projections {
        let path = row["documents"]["mcp"].as_str().unwrap();
        let before = tree.text(path);
        let entry = tree.only("mcp/mcp-main-");
        artifact.rewrite(path, before.replace(&entry, "mcp/other.mjs").as_bytes());
        assert!(artifact.codes().contains(&"AB6017".to_owned()), "{path}");
        artifact.rewrite(path, before.replace("\"main\"", "\"stranger\"").as_bytes());
        assert!(artifact.codes().contains(&"AB6007".to_owned()), "{path}");
        artifact.rewrite(path, before.as_bytes());
    }
    assert_eq!(artifact.codes(), Vec::<String>::new());
}

#[test]
fn a_bundle_with_an_import_of_its_own_is_found() {
    let artifact = Artifact::new();
    let server = artifact.tree().only("mcp/mcp-main-");
    let before = artifact.tree().text(&server);
    for (added, code) in [
        ("import('left-pad');", "AB6005"),
        ("import('./nowhere.mjs');", "AB6005"),
        ("import(globalThis.x);", "AB6005"),
        ("const = 1;", "AB6005"),
    ] {
        artifact.rewrite(&server, format!("{before}{added}\n").as_bytes());
        let codes = artifact.codes();
        assert!(
            codes.contains(&code.to_owned()) && codes.contains(&"AB6039".to_owned()),
            "{added}: {codes:?}"
        );
    }
    artifact.rewrite(&server, before.as_bytes());
    assert_eq!(artifact.codes(), Vec::<String>::new());
}

#[test]
fn evidence_that_is_cut_short_proves_nothing() {
    let artifact = Artifact::new();
    let before = artifact.tree().text(EVIDENCE);
    artifact.rewrite(EVIDENCE, &before.as_bytes()[..before.len() / 2]);
    assert!(artifact.codes().contains(&"AB6039".to_owned()));
    // The modules are walked all the same.
    let server = artifact.tree().only("mcp/mcp-main-");
    let text = artifact.tree().text(&server);
    artifact.rewrite(&server, format!("{text}import('left-pad');\n").as_bytes());
    assert!(artifact.codes().contains(&"AB6005".to_owned()));
}

#[test]
fn documents_are_checked_against_their_schemas() {
    let artifact = Artifact::new();
    let path = ".claude-plugin/plugin.json";
    let mut manifest = artifact.tree().json(path);
    manifest["name"] = 5.into();
    artifact.rewrite(path, canonical(&manifest).as_bytes());
    let run = artifact.validate();
    let finding = run.finding("AB6012");
    assert_eq!((&finding.0["target"], &finding.0["generated_path"]), (&"claude".into(), &path.into()));
}

#[test]
fn bytes_of_assets_are_untouched() {
    let artifact = Artifact::new();
    assert_eq!(fs::read(artifact.root.join("assets/picture.bin")).unwrap(), [0, 1, 2, 255]);
}

#[test]
fn the_index_and_the_evidence_fit_their_schemas() {
    let artifact = Artifact::new();
    for (name, path) in [("index", INDEX), ("evidence", EVIDENCE)] {
        let schema = agent_bundle(&artifact.root, ["schema", name]).succeeded().document();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let problems: Vec<String> =
            validator.iter_errors(&artifact.tree().json(path)).map(|error| error.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new(), "{path}");
    }
}
