//! What the repository says of itself is true.

use crate::support::{agent_bundle, repository};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Texts between single backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

#[test]
fn generated_files_are_what_the_program_writes() {
    for (path, arguments) in [
        ("schemas/agent-bundle.manifest.schema.json", &["schema", "manifest"][..]),
        ("schemas/agent-bundle.artifact.schema.json", &["schema", "index"]),
        ("schemas/agent-bundle.evidence.schema.json", &["schema", "evidence"]),
        ("docs/diagnostics.md", &["explain", "--codes"]),
    ] {
        let made = agent_bundle(&repository("tests"), arguments).succeeded().stdout;
        assert!(read(path) == made, "{path} is stale: run `cargo xtask codegen`");
    }
}

#[test]
fn every_test_that_the_coverage_names_exists() {
    let page = read("docs/coverage.md");
    let mut count = 0;
    for name in quoted(&page) {
        let Some((path, test)) = name.split_once("::") else { continue };
        count += 1;
        let source = read(path);
        let there = if path.ends_with(".rs") {
            // A function, or a row of the table of cases, which makes functions.
            source.contains(&format!("fn {test}(")) || source.contains(&format!("\n    {test} \""))
        } else {
            source.contains(&format!("'{test}'")) || source.contains(&format!("`{test}`"))
        };
        assert!(there, "{name} is not there");
    }
    assert!(count > 100, "the page is read wrongly: {count}");
}

#[test]
fn the_coverage_speaks_of_every_clause_once_at_most() {
    let page = read("docs/coverage.md");
    let covered = page.split("## Not covered").next().unwrap();
    let mut seen = BTreeSet::new();
    for row in covered
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| clause") && !line.starts_with("| ---"))
    {
        let clause = row.split('|').nth(1).unwrap().trim();
        assert!(row.contains("::"), "{clause} names no test");
        assert!(seen.insert(clause.to_owned()), "{clause} has two rows");
    }
}

#[test]
fn every_dependency_is_explained() {
    let page = read("docs/dependencies.md");
    let manifest: toml_edit::DocumentMut = read("Cargo.toml").parse().unwrap();
    let mut names: Vec<String> = ["dependencies", "dev-dependencies"]
        .iter()
        .flat_map(|table| manifest[table].as_table().unwrap().iter().map(|(name, _)| name.to_owned()))
        .collect();
    for path in ["runtime/package.json", "tests/client/package.json", "tests/types/package.json"] {
        let package: serde_json::Value = serde_json::from_str(&read(path)).unwrap();
        for table in ["dependencies", "devDependencies"] {
            names.extend(package[table].as_object().into_iter().flat_map(|rows| rows.keys().cloned()));
        }
    }
    let explained: BTreeSet<&str> = quoted(&page).collect();
    for name in names {
        assert!(explained.contains(name.as_str()), "{name} is not explained in docs/dependencies.md");
    }
}

#[test]
fn the_guide_knows_every_manifest_key() {
    let page = read("docs/authoring.md");
    let schema = agent_bundle(&repository("tests"), ["schema", "manifest"]).succeeded().document();
    // A root manifest has a shape of its own, an ordinary one is the other case.
    let mut names: Vec<String> = Vec::new();
    for case in ["then", "else"] {
        names.extend(schema[case]["properties"].as_object().unwrap().keys().cloned());
    }
    let parts = schema["$defs"].as_object().unwrap().iter();
    let parts: Vec<&String> =
        parts.filter(|(_, shape)| shape["properties"].is_object()).map(|(part, _)| part).collect();
    assert!(parts.len() > 15, "{parts:?}");
    for part in parts {
        names.extend(schema["$defs"][part]["properties"].as_object().unwrap().keys().cloned());
    }
    for name in names {
        assert!(page.contains(&format!("`{name}`")), "{name} is not in docs/authoring.md");
    }
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut pages = vec!["README.md".to_owned(), "examples/field-notes/README.md".to_owned()];
    pages.extend(["tests/hosts/README.md", "tests/client/README.md", "runtime/README.md"].map(str::to_owned));
    for entry in fs::read_dir(repository("docs")).unwrap() {
        pages.push(format!("docs/{}", entry.unwrap().file_name().to_string_lossy()));
    }
    for page in pages {
        let text = read(&page);
        // What stands in a fence is an example; every second part is one.
        let prose: String = text.split("```").step_by(2).collect();
        for target in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = target.split('#').next().unwrap();
            if file.is_empty() || file.contains("://") || file.contains(char::is_whitespace) {
                continue;
            }
            let at = repository(&page).parent().unwrap().join(file);
            assert!(at.exists(), "{page} links {target}");
        }
    }
}

/// Files stay short enough to be read at one sitting.
#[test]
fn no_source_is_too_long() {
    fn visit(directory: &Path, long: &mut Vec<String>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                let made = ["node_modules", "dist", ".test", "target"].contains(&name.as_str())
                    || path.join("agent-bundle.manifest.json").exists();
                if !made {
                    visit(&path, long);
                }
            } else if [".rs", ".ts", ".tsx", ".mjs"].iter().any(|end| name.ends_with(end)) {
                // Examples of wrong sources may be no text, or lead nowhere.
                let lines = fs::read_to_string(&path).map_or(0, |text| text.lines().count());
                if lines > LIMIT {
                    long.push(format!("{}: {lines}", path.display()));
                }
            }
        }
    }
    const LIMIT: usize = 550;
    let mut long = Vec::new();
    for directory in ["src", "runtime", "tests", "xtask", "examples"] {
        visit(&repository(directory), &mut long);
    }
    assert_eq!(long, Vec::<String>::new());
}
