//! Nothing runs twice: which nodes run after which change. Nodes are counted, never milliseconds.

use crate::support::{Project, Run, STORE};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Ids of the nodes with that outcome.
fn nodes(run: &Run, outcome: &str) -> BTreeSet<String> {
    let document = run.document();
    let rows = document["nodes"].as_array().unwrap().iter().filter(|node| node["outcome"] == outcome);
    rows.map(|node| node["id"].as_str().unwrap().to_owned()).collect()
}

/// Builds and gives the nodes that ran.
#[track_caller]
fn ran(project: &Project) -> BTreeSet<String> {
    nodes(&project.built(), "executed")
}

fn set(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(|id| (*id).to_owned()).collect()
}

/// Inode and mtime of every file below `root`.
fn identities(root: &Path) -> BTreeMap<String, (u64, i64, i64)> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                open.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(path, (metadata.ino(), metadata.mtime(), metadata.mtime_nsec()));
            }
        }
    }
    found
}

/// The fixture with a skill, a command and hosts that show both.
fn project() -> Project {
    Project::plain()
        .write("src/skills/tea/SKILL.md", "---\nname: tea\ndescription: Makes tea.\n---\nPour.\n")
        .write("src/commands/brew.md", "---\ndescription: Brews.\n---\nBrew it.\n")
        .write("src/lib/shared.ts", "export const word = 'one';\n")
        .tool("say", "import { word } from '../../../lib/shared.js';", "word")
}

#[test]
fn an_unchanged_build_runs_nothing_and_writes_nothing() {
    let project = project();
    project.built();
    let (artifact, own) = (identities(&project.path("artifact")), identities(&project.path(".agent-bundle")));
    let run = project.built();
    assert_eq!(nodes(&run, "unchanged").len(), run.document()["nodes"].as_array().unwrap().len());
    assert_eq!(identities(&project.path("artifact")), artifact);
    let mut after = identities(&project.path(".agent-bundle"));
    after.insert("lock".to_owned(), own["lock"]);
    assert_eq!(after, own, "only the lock is written");
}

#[test]
fn an_edit_of_a_handler_wakes_its_surface_and_no_projection() {
    let project = project();
    project.built();
    let project = project.edit("src/mcp/main/tools/say.tsx", "String(word)", "String(word + '!')");
    assert_eq!(ran(&project), set(&["route:tool:main/say", "surface:mcp:main", "composite", "index"]));
    assert_eq!(project.says("say"), "one!");
}

#[test]
fn an_edit_of_a_shared_module_wakes_the_surface_alone() {
    let project = project();
    project.built();
    let project = project.edit("src/lib/shared.ts", "one", "two");
    assert_eq!(ran(&project), set(&["surface:mcp:main", "composite", "index"]));
    assert_eq!(project.says("say"), "two");
}

#[test]
fn a_comment_stops_where_the_bytes_are_the_same() {
    let project = project();
    project.built();
    let project = project.edit("src/lib/shared.ts", "export", "// a remark\nexport");
    // The index tells the digests of the sources, so it is written anew; nothing is merged for that.
    assert_eq!(ran(&project), set(&["surface:mcp:main", "index"]));
}

#[test]
fn an_edit_of_a_tools_metadata_wakes_no_projection() {
    let project = project();
    project.built();
    let project =
        project.edit("src/mcp/main/tools/say.tsx", "{ inputSchema", "{ description: 'Says it.', inputSchema");
    assert_eq!(ran(&project), set(&["route:tool:main/say", "surface:mcp:main", "composite", "index"]));
}

#[test]
fn an_edit_of_the_plugins_description_wakes_the_projections_that_show_it() {
    let project = project();
    project.built();
    let manifest = fs::read_to_string(project.path("agent-bundle.toml")).unwrap();
    let line = manifest.lines().find(|line| line.starts_with("description")).unwrap().to_owned();
    let project = project.edit("agent-bundle.toml", &line, "description = \"Another one.\"");
    let ran = ran(&project);
    let documents: Vec<&String> =
        ran.iter().filter(|id| id.starts_with("document:") || id.starts_with("route:")).collect();
    assert!(documents.is_empty(), "{ran:?}");
    assert!(ran.iter().any(|id| id.starts_with("projection:")), "{ran:?}");
    let showing = project.artifact().holding("Another one.").len();
    assert!(showing > 0);
}

#[test]
fn an_edit_of_a_skills_body_wakes_its_own_nodes() {
    let project = project();
    project.built();
    let project = project.edit("src/skills/tea/SKILL.md", "Pour.", "Pour slowly.");
    assert_eq!(
        ran(&project),
        set(&["document:skill-facts:src/skills/tea", "document:skill:tea", "composite", "index"])
    );
}

#[test]
fn an_edit_of_a_host_definition_wakes_that_host() {
    let project = crate::hosts::tea_house();
    project.built();
    let project = project.edit("hosts/tea/plugin.json.jinja", "\"id\"", "\"leaf\": \"x\", \"id\"");
    let ran = ran(&project);
    assert!(ran.contains("projection:tea") && !ran.contains("projection:claude"), "{ran:?}");
    assert!(!ran.iter().any(|id| id.starts_with("surface:") || id.starts_with("route:")), "{ran:?}");
}

#[test]
fn compiler_options_and_packages_are_inputs() {
    let project = project()
        .write("tsconfig.json", r##"{"compilerOptions": {"paths": {"#w": ["./src/lib/shared.ts"]}}}"##)
        .write("src/lib/other.ts", "export const word = 'other';\n")
        .write("node_modules/old/package.json", r#"{"name": "old", "version": "1.0.0"}"#)
        .write("node_modules/old/index.js", "exports.say = 'old';")
        .tool("say", "import { word } from '#w';\nimport { say } from 'old';", "word + say");
    project.built();
    assert_eq!(project.says("say"), "oneold");
    let project = project.edit("tsconfig.json", "shared.ts", "other.ts");
    assert_eq!(ran(&project), set(&["surface:mcp:main", "composite", "index"]));
    assert_eq!(project.says("say"), "otherold");
    let project = project.edit("node_modules/old/index.js", "old", "new");
    assert_eq!(ran(&project), set(&["surface:mcp:main", "composite", "index"]));
    assert_eq!(project.says("say"), "othernew");
}

#[test]
fn a_file_that_shadows_a_resolution_is_seen() {
    let project = project().write("src/lib/word/index.ts", "export const word = 'index';\n").tool(
        "say",
        "import { word } from '../../../lib/word';",
        "word",
    );
    project.built();
    let project = project.write("src/lib/word.ts", "export const word = 'file';\n");
    assert!(ran(&project).contains("surface:mcp:main"));
    assert_eq!(project.says("say"), "file");
}

#[test]
fn a_package_nearer_by_is_seen() {
    let project = project()
        .write("node_modules/old/package.json", r#"{"name": "old", "version": "1.0.0"}"#)
        .write("node_modules/old/index.js", "exports.say = 'far';")
        .tool("say", "import { say } from 'old';", "say");
    project.built();
    let project = project
        .write(
            "src/node_modules/old/package.json",
            r#"{"name": "old", "version": "2.0.0", "main": "near.js"}"#,
        )
        .write("src/node_modules/old/near.js", "exports.say = 'near';");
    assert!(ran(&project).contains("surface:mcp:main"));
    assert_eq!(project.says("say"), "near");
}

#[test]
fn other_bytes_of_the_same_size_and_time_are_seen() {
    let project = project();
    project.built();
    let path = project.path("src/lib/shared.ts");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let project = project.edit("src/lib/shared.ts", "one", "two");
    fs::File::options().append(true).open(&path).unwrap().set_modified(modified).unwrap();
    assert!(ran(&project).contains("surface:mcp:main"));
    assert_eq!(project.says("say"), "two");
}

#[test]
fn a_deleted_output_comes_back_without_its_node() {
    let project = project();
    project.built();
    let before = project.artifact();
    for path in before.paths() {
        fs::remove_file(project.path("artifact").join(path)).unwrap();
        assert_eq!(ran(&project), set(&[]), "{path}");
    }
    project.artifact().same_as(&before);
    let project = project.remove("artifact");
    assert_eq!(ran(&project), set(&[]));
    project.artifact().same_as(&before);
}

#[test]
fn a_damaged_output_is_repaired_without_its_node() {
    let project = project();
    project.built();
    let before = project.artifact();
    let path = before.only("mcp/mcp-main-");
    project.put(&format!("artifact/{path}"), b"damaged");
    assert_eq!(ran(&project), set(&[]));
    project.artifact().same_as(&before);
}

#[test]
fn what_lost_its_source_goes_and_what_is_not_ours_stays() {
    let project = project();
    project.built();
    let kept = identities(&project.path("artifact"));
    project.put("artifact/mine.txt", b"mine");
    let project = project.remove("src/skills/tea").remove("src/commands/brew.md");
    project.built();
    let artifact = project.artifact();
    assert_eq!(artifact.text("mine.txt"), "mine");
    assert!(artifact.paths().iter().all(|path| !path.contains("tea") && !path.contains("brew")));
    let now = identities(&project.path("artifact"));
    let bundle = artifact.only("mcp/mcp-main-");
    assert_eq!(now[&bundle], kept[&bundle], "an unchanged file keeps inode and mtime");
}

#[test]
fn warnings_come_back_when_nothing_runs() {
    let project = project();
    let codes =
        |run: &Run| -> Vec<String> { run.findings().iter().map(|one| one.code().to_owned()).collect() };
    let first = codes(&project.built());
    assert!(!first.is_empty());
    assert_eq!(codes(&project.built()), first);
    // A node that is not run again repeats its findings too.
    let project = project.edit("src/lib/shared.ts", "one", "two");
    assert_eq!(codes(&project.built()), first);
}

#[test]
fn new_times_alone_run_nothing() {
    let project = project();
    project.built();
    let mut open = vec![project.root().to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let file = fs::File::options().append(true).open(&path).unwrap();
                file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
            }
        }
    }
    assert_eq!(ran(&project), set(&[]));
}

#[test]
fn a_fresh_checkout_restores_everything() {
    let project = project();
    project.built();
    let before = project.artifact();
    let other = Project::empty_in("elsewhere").copy_from(project.root()).remove("artifact");
    fs::rename(project.beside(STORE), other.beside(STORE)).unwrap();
    let run = other.built();
    assert_eq!(nodes(&run, "restored").len(), run.document()["nodes"].as_array().unwrap().len());
    other.artifact().same_as(&before);
}

#[test]
fn going_back_runs_nothing() {
    let project = project();
    project.built();
    let project = project.edit("src/lib/shared.ts", "one", "two");
    project.built();
    let project = project.edit("src/lib/shared.ts", "two", "one");
    assert_eq!(ran(&project), set(&[]));
    assert_eq!(project.says("say"), "one");
}

#[test]
fn a_failed_build_leaves_the_memory_no_worse() {
    let project = project();
    project.built();
    let before = project.artifact();
    let project = project.edit("src/mcp/main/tools/say.tsx", "defineTool(", "defineTool((");
    project.build().exited(1);
    project.artifact().same_as(&before);
    let project = project.edit("src/mcp/main/tools/say.tsx", "defineTool((", "defineTool(");
    assert_eq!(ran(&project), set(&[]));
}

#[test]
fn a_damaged_record_counts_as_none() {
    let project = project();
    project.built();
    let before = project.artifact();
    let record = fs::read(project.path(".agent-bundle/index")).unwrap();
    for at in (0..record.len()).step_by(record.len() / 24) {
        let mut damaged = record.clone();
        damaged[at] ^= 0x10;
        project.put(".agent-bundle/index", &damaged);
        project.built();
        project.artifact().same_as(&before);
        project.put(".agent-bundle/index", &record[..at]);
        project.built();
        project.artifact().same_as(&before);
    }
}

#[test]
fn each_selection_of_hosts_stays_fast() {
    let project = project();
    for host in ["claude", "codex", "claude", "codex"] {
        project.run(["build", "--json", "--target", host, "--output", &format!("out-{host}")]).succeeded();
    }
    for host in ["claude", "codex"] {
        let run = project
            .run(["build", "--json", "--target", host, "--output", &format!("out-{host}")])
            .succeeded();
        assert_eq!(nodes(&run, "executed"), set(&[]));
        assert_eq!(nodes(&run, "restored"), set(&[]));
    }
}

#[test]
fn check_tells_what_differs_and_publishes_nothing() {
    let project = project();
    project.built();
    project.run(["build", "--check"]).succeeded();
    let project = project.edit("src/lib/shared.ts", "one", "two");
    let before = identities(&project.path("artifact"));
    let run = project.run(["build", "--check", "--json"]).exited(1);
    let drift = run.document()["drift"].as_array().unwrap().clone();
    assert!(
        drift
            .iter()
            .any(|row| row["change"] == "changed" && row["path"].as_str().unwrap().starts_with("mcp/"))
    );
    assert_eq!(identities(&project.path("artifact")), before);
    project.built();
    project.run(["build", "--check"]).succeeded();
    fs::remove_file(project.path("artifact/INSTALL.md")).unwrap();
    let run = project.run(["build", "--check"]).exited(1);
    assert!(run.stderr.contains("missing: ") && run.stderr.contains("INSTALL.md"), "{}", run.stderr);
}
