//! Many projects under one root manifest, and watching.

use crate::support::{Project, STORE};
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PLAIN: &str = "tests/fixtures/plain";

/// A root with the members `one`, `two` and `old`, the last of which is left out.
fn root() -> Project {
    let mut project = Project::empty_in("root")
        .write("agent-bundle.toml", "[projects]\nmembers = [\"plugins/*\"]\nexclude = [\"plugins/old\"]\n");
    for name in ["one", "two", "old"] {
        for (path, bytes) in crate::support::Tree::of(&crate::support::repository(PLAIN)).files() {
            project.put(&format!("plugins/{name}/{path}"), bytes);
        }
        let manifest = format!("plugins/{name}/agent-bundle.toml");
        project = project.edit(&manifest, "name = \"plain\"", &format!("name = \"plugin-{name}\""));
    }
    project
}

fn built(document: &serde_json::Value) -> Vec<String> {
    let rows = document["projects"].as_array().unwrap();
    rows.iter().map(|row| row["project"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn all_members_are_built_into_one_document() {
    let project = root();
    let document = project.built().document();
    assert_eq!(built(&document), ["plugins/one", "plugins/two"]);
    assert_eq!(document["projects"][0]["plugin"], "plugin-one");
    assert!(project.path("plugins/two/artifact/INSTALL.md").exists());
    assert!(!project.path("plugins/old/artifact").exists());
    let again = project.built().document();
    let nodes = again["projects"].as_array().unwrap().iter().flat_map(|row| row["nodes"].as_array().unwrap());
    assert!(nodes.into_iter().all(|node| node["outcome"] == "unchanged"), "{again:#}");
    let text = project.run(["build"]).succeeded().stdout;
    assert!(text.contains("2 of 2 projects built"), "{text}");
}

#[test]
fn many_bundles_on_one_thread_end() {
    let mut project = Project::empty_in("root").write("agent-bundle.toml", "[projects]\nmembers = [\"*\"]\n");
    for at in 0..12 {
        for (path, bytes) in crate::support::Tree::of(&crate::support::repository(PLAIN)).files() {
            project.put(&format!("m{at}/{path}"), bytes);
        }
        let second = std::fs::read(project.path(&format!("m{at}/src/mcp/main/tools/echo.tsx"))).unwrap();
        project = project.write(&format!("m{at}/src/mcp/second/tools/echo.tsx"), second);
    }
    for jobs in ["1", "2"] {
        let document = project.run(["build", "--json", "--jobs", jobs]).succeeded().document();
        assert_eq!(built(&document).len(), 12);
        for at in 0..12 {
            project = project.remove(&format!("m{at}/artifact")).remove(&format!("m{at}/.agent-bundle"));
        }
        std::fs::remove_dir_all(project.beside(STORE)).unwrap();
    }
}

#[test]
fn some_can_be_picked_by_directory_or_plugin() {
    let project = root();
    for name in ["plugins/two", "two", "plugin-two"] {
        let document = project.run(["build", "--json", "--project", name]).succeeded().document();
        assert_eq!(built(&document), ["plugins/two"]);
    }
    let run = project.run(["build", "--project", "plugins/tow"]).exited(1);
    assert!(run.stderr.contains("did you mean `plugins/two`?"), "{}", run.stderr);
}

#[test]
fn a_member_that_fails_stops_no_other() {
    let project = root().write("plugins/one/package.json", "{}");
    let run = project.run(["build", "--json"]).exited(1);
    let document = run.document();
    assert_eq!(document["projects"][0]["diagnostics"][0]["code"], "AB4013");
    assert!(project.path("plugins/two/artifact/INSTALL.md").exists());
    assert!(!project.path("plugins/one/artifact").exists());
    let run = project.run(["build"]).exited(1);
    assert!(run.stderr.contains("plugins/one/agent-bundle.toml"), "{}", run.stderr);
    assert!(run.stdout.contains("1 of 2 projects built"), "{}", run.stdout);
    let run = project.run(["validate"]).exited(1);
    assert!(run.stderr.contains("AB4013") && run.stderr.contains("plugins/one/"), "{}", run.stderr);
}

#[test]
fn what_makes_no_sense_for_many_is_refused() {
    let project = root();
    assert_eq!(
        project.run(["build", "--json", "--output", "x"]).exited(1).document()["diagnostics"][0]["code"],
        "AB5005"
    );
    let single = Project::plain();
    assert_eq!(single.run(["build", "--json", "--project", "x"]).exited(1).codes(), ["AB5005"]);
    let empty = root().edit("agent-bundle.toml", "plugins/*", "plugin/*");
    assert_eq!(empty.run(["build", "--json"]).exited(1).document()["diagnostics"][0]["code"], "AB1005");
    let unknown = root().edit("agent-bundle.toml", "exclude", "exlude");
    assert_eq!(unknown.run(["build", "--json"]).exited(1).document()["diagnostics"][0]["code"], "AB1002");
}

/// A watching build; it ends with the value.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(project: &Project) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_agent-bundle"))
            .args(["build", "--watch"])
            .current_dir(project.root())
            .env("AGENT_BUNDLE_CACHE_DIR", project.beside(STORE))
            .env_remove("CI")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            stdout.lines().map_while(Result::ok).for_each(|line| drop(send.send(line)));
        });
        Self { child, lines }
    }

    /// The next line; a minute is for machines that have something else to do.
    #[track_caller]
    fn line(&self) -> String {
        self.lines.recv_timeout(Duration::from_secs(60)).expect("a line for the rebuild")
    }

    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(1500)).is_err()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

#[test]
fn watching_follows_every_way_of_changing_a_file() {
    let project = Project::plain().write("src/lib/shared.ts", "export const word = 'one';\n").tool(
        "say",
        "import { word } from '../../../lib/shared.js';",
        "word",
    );
    let watch = Watch::start(&project);
    assert!(watch.line().starts_with("Built plain"));
    assert!(watch.is_silent(), "nothing changed");
    project.put("src/lib/shared.ts", b"export const word = 'two';\n");
    assert!(watch.line().contains("executed"));
    assert_eq!(project.says("say"), "two");
    // As editors save: beside, then renamed over.
    project.put("src/lib/.shared.ts.tmp", b"export const word = 'three';\n");
    fs::rename(project.path("src/lib/.shared.ts.tmp"), project.path("src/lib/shared.ts")).unwrap();
    watch.line();
    assert_eq!(project.says("say"), "three");
    // A directory that goes away and comes back, as when a branch is switched.
    fs::rename(project.path("src"), project.path("away")).unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    fs::rename(project.path("away"), project.path("src")).unwrap();
    while !project.artifact().paths().iter().any(|path| path.starts_with("mcp/mcp-main-")) {
        watch.line();
    }
    project.put("src/lib/shared.ts", b"export const word = 'four';\n");
    while project.says("say") != "four" {
        watch.line();
    }
}

#[test]
fn a_member_that_is_named_twice_is_one_member() {
    let project = root().write(
        "agent-bundle.toml",
        "[projects]\nmembers = [\"plugins/*\", \"plugins/one\"]\nexclude = [\"plugins/old\"]\n",
    );
    assert_eq!(built(&project.built().document()), ["plugins/one", "plugins/two"]);
}
