//! Where the artifact goes, what happens to what lies there, and what a failure leaves behind.

use crate::cases::json_refusal;
use crate::support::{Project, Tree};
use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

#[test]
fn an_output_below_a_file_is_refused() {
    let project = Project::plain();
    project.built();
    let before = project.artifact();
    let run = project.run(["build", "--json", "--output", "package.json/deep/artifact"]);
    assert_eq!(run.codes(), ["AB5001"]);
    assert!(run.finding("AB5001").message().contains("package.json/deep"), "{}", run.stdout);
    json_refusal(&project, &run, &before);
}

#[test]
fn a_file_in_the_place_of_the_output_is_kept() {
    let project = Project::plain().write("artifact", "mine");
    let run = project.build();
    assert_eq!((run.code, run.codes()), (1, vec!["AB5002".to_owned()]));
    assert_eq!(fs::read_to_string(project.path("artifact")).unwrap(), "mine");
}

#[test]
fn files_that_are_not_ours_are_kept_and_never_overwritten() {
    let project = Project::plain().write("artifact/mine.txt", "mine");
    project.built();
    assert_eq!(project.artifact().text("artifact/mine.txt".trim_start_matches("artifact/")), "mine");
    let project = Project::plain().write("artifact/plugin.json", "mine");
    let run = project.build();
    assert_eq!((run.code, run.codes()), (1, vec!["AB5002".to_owned()]));
    assert!(run.finding("AB5002").message().contains("artifact/plugin.json"), "{}", run.stdout);
    assert_eq!(project.artifact().paths(), ["plugin.json"]);
}

#[test]
fn an_output_in_the_sources_is_refused_however_it_is_spelt() {
    let project = Project::plain();
    project.built();
    let before = project.artifact();
    let absolute = project.path("src/out").to_string_lossy().into_owned();
    let project = project.link("src", "other");
    let spellings = [
        "src/out",
        "other/out",
        "./src/out",
        "src",
        "out/../src/out",
        ".",
        "./",
        "node_modules/x",
        ".git",
        &absolute,
    ];
    for output in spellings {
        let run = project.run(["build", "--json", "--output", output]);
        assert_eq!(run.codes(), ["AB4709"], "{output}");
        json_refusal(&project, &run, &before);
        assert!(!project.path("src/out").exists(), "{output}");
    }
}

#[test]
fn an_output_that_holds_the_project_is_refused() {
    let project = Project::plain();
    let sources = Tree::of(&project.path("src"));
    let parent = project.root().parent().unwrap().to_string_lossy().into_owned();
    for output in [parent.as_str(), ".."] {
        let run = project.run(["build", "--json", "--output", output]);
        assert_eq!((run.code, run.codes()), (1, vec!["AB4709".to_owned()]), "{output}");
        Tree::of(&project.path("src")).same_as(&sources);
    }
}

#[test]
fn an_output_may_lie_elsewhere() {
    let project = Project::plain();
    let elsewhere = project.beside("some where").join("deep/artifact");
    let run = project.run(["build", "--json", "--output", &elsewhere.to_string_lossy()]).succeeded();
    assert_eq!(run.document()["output"], elsewhere.to_string_lossy().into_owned());
    project.run(["build", "--output", "out/plugin"]).succeeded();
    Tree::of(&elsewhere).same_as(&Tree::of(&project.path("out/plugin")));
    assert!(!project.path("artifact").exists());
    let project = project.edit("agent-bundle.toml", "[plugin]", "[output]\npath = \"dist\"\n\n[plugin]");
    assert_eq!(project.built().document()["output"], "dist");
    assert!(Tree::of(&project.path("dist")).has("plugin.json"));
}

#[test]
fn a_full_disk_is_said_and_harms_nothing() {
    // A file system of its own is the one honest full disk; only a superuser can make one.
    let project = Project::plain();
    let disk = project.path("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(&disk)
        .output()
        .is_ok_and(|done| done.status.success());
    if !mounted {
        // Straight to the stream, since the output of a test that passes is not shown.
        let remark = "NOT CHECKED: a full disk, since no file system can be mounted here\n";
        return std::io::stdout().write_all(remark.as_bytes()).unwrap();
    }
    let _mount = Mounted(disk.clone());
    let build = || project.run(["build", "--json", "--output", "disk/artifact"]);
    build().succeeded();
    let before = Tree::of(&disk);
    let filler = fs::write(disk.join("filler"), vec![0; 1 << 20]);
    assert!(filler.is_err(), "the disk takes no more");
    let project = project.tool("more", "", &format!("'{}'", "x".repeat(200_000)));
    let run = project.run(["build", "--json", "--output", "disk/artifact"]);
    assert_eq!((run.code, run.codes()), (1, vec!["AB5001".to_owned()]));
    assert!(run.finding("AB5001").help().contains("disk is full"), "{}", run.stdout);
    fs::remove_file(disk.join("filler")).unwrap();
    Tree::of(&disk).same_as(&before);
    project.run(["build", "--output", "disk/artifact"]).succeeded();
}

struct Mounted(std::path::PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}

#[test]
fn a_removed_route_takes_its_outputs_along_and_touches_nothing_else() {
    let project = Project::plain()
        .write("src/skills/extra/SKILL.md", "---\nname: extra\ndescription: Soon gone.\n---\n")
        .write("src/mcp/second/tools/echo.tsx", fs::read(crate::support::repository(ECHO)).unwrap());
    project.built();
    let second = project.artifact().only("mcp/mcp-second-");
    let identity = |path: &str| {
        let found = fs::metadata(project.path("artifact").join(path)).unwrap();
        (found.ino(), found.mtime(), found.mtime_nsec())
    };
    let first = project.artifact().only("mcp/mcp-main-");
    let core = project.artifact().only("mcp/runtime-core-");
    let before = [identity(&first), identity(&core)];
    fs::remove_dir_all(project.path("src/mcp/second")).unwrap();
    fs::remove_dir_all(project.path("src/skills")).unwrap();
    project.built();
    let after = project.artifact();
    assert!(!after.has(&second) && !after.has("skills/extra/SKILL.md"), "{:?}", after.paths());
    assert!(!project.path("artifact/skills").exists(), "no empty directory stays");
    assert_eq!(before, [identity(&first), identity(&core)], "unchanged files keep their identity");
}

const ECHO: &str = "tests/fixtures/plain/src/mcp/main/tools/echo.tsx";

#[test]
fn the_last_component_can_be_removed() {
    let project = Project::plain();
    project.built();
    let project = project.remove("src/mcp");
    project.built();
    let after = project.artifact();
    assert!(after.paths().iter().all(|path| !path.starts_with("mcp")), "{:?}", after.paths());
    assert!(after.has("plugin.json"));
}

#[test]
fn a_removed_or_changed_output_comes_back() {
    let project = Project::plain();
    project.built();
    let before = project.artifact();
    let server = before.only("mcp/mcp-main-");
    fs::remove_file(project.path("artifact").join(&server)).unwrap();
    fs::write(project.path("artifact/plugin.json"), "{}").unwrap();
    project.built();
    project.artifact().same_as(&before);
    fs::remove_dir_all(project.path("artifact")).unwrap();
    project.built();
    project.artifact().same_as(&before);
}

#[test]
fn a_change_of_the_same_size_and_time_is_seen() {
    let project = Project::plain();
    project.built();
    let at = project.path("src/mcp/main/tools/echo.tsx");
    let time = fs::metadata(&at).unwrap().modified().unwrap();
    let project = project.edit("src/mcp/main/tools/echo.tsx", "Gives back", "Sends back");
    fs::File::options().write(true).open(&at).unwrap().set_modified(time).unwrap();
    project.built();
    let server = project.artifact().only("mcp/mcp-main-");
    assert!(project.artifact().text(&server).contains("Sends back"));
}

#[test]
fn a_new_file_that_shadows_a_resolution_is_seen() {
    let project = Project::plain()
        .write("src/lib/word/index.ts", "export const word = 'from the folder';\n")
        .tool("say", "import { word } from '../../../lib/word';", "word");
    project.built();
    assert_eq!(project.says("say"), "from the folder");
    let project = project.write("src/lib/word.ts", "export const word = 'from the file';\n");
    project.built();
    assert_eq!(project.says("say"), "from the file");
}

#[test]
fn a_stage_of_a_build_that_was_killed_is_cleared_away() {
    let project = Project::plain().write(".artifact.stage-1/half", "x");
    project.built();
    assert!(!project.path(".artifact.stage-1").exists());
}

#[test]
fn two_builds_at_once_wait_for_each_other() {
    let project = Project::plain();
    let outcomes: Vec<i32> = std::thread::scope(|scope| {
        let builds: Vec<_> = (0..3).map(|_| scope.spawn(|| project.build().code)).collect();
        builds.into_iter().map(|build| build.join().unwrap()).collect()
    });
    assert_eq!(outcomes, [0, 0, 0]);
    project.run(["validate", "--artifact", "artifact"]).succeeded();
}
