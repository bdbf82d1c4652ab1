//! Discovery on a real disk, where there are links.
#![allow(clippy::disallowed_methods, reason = "links exist on a real disk only")]

use super::*;
use crate::world::OsWorld;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

fn write(root: &Path, file: &str) {
    let path = root.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "x").unwrap();
}

fn link(root: &Path, target: &str, at: &str) {
    let path = root.join(at);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(target, path).unwrap();
}

fn discovered(root: &Path) -> (Inventory, Vec<(String, String)>) {
    let root = Root::new(root.canonicalize().unwrap());
    let (inventory, diagnostics) = discover(&OsWorld, &root, &manifest(""));
    (inventory, codes(&diagnostics))
}

#[test]
fn links_are_read_through_inside_the_project_only() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("p");
    write(place.path(), "outside.ts");
    write(&root, "shared/tool.ts");
    write(&root, "src/mcp/s/tools/real.ts");
    link(&root, "../../../../shared/tool.ts", "src/mcp/s/tools/linked.ts");
    link(&root, "../../../../../outside.ts", "src/mcp/s/tools/escaped.ts");
    link(&root, "nowhere.ts", "src/mcp/s/tools/broken.ts");
    link(&root, "../../../../shared", "src/mcp/s/tools/folder.ts");
    link(&root, "loop.ts", "src/mcp/s/tools/loop.ts");
    link(&root, "..", "src/mcp/s/tools/up");
    link(&root, "nowhere", "src/mcp/s/tools/readme.md");
    let (inventory, codes) = discovered(&root);
    assert_eq!(ids(&inventory, "s"), ["tool:s/linked", "tool:s/real"]);
    let expected = [("AB2005", "broken"), ("AB2004", "escaped"), ("AB2006", "folder"), ("AB2005", "loop")];
    assert_eq!(codes, expected.map(|(code, name)| (code.to_owned(), format!("src/mcp/s/tools/{name}.ts"))));
}

#[test]
fn directories_are_not_entered_through_links() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("p");
    write(&root, "shared/skill/SKILL.md");
    write(&root, "shared/file.txt");
    write(&root, "src/skills/real/SKILL.md");
    link(&root, "../../shared/skill", "src/skills/linked");
    link(&root, "../../../../shared/file.txt", "src/skills/real/docs/file.txt");
    link(&root, "../../..", "src/skills/real/up");
    link(&root, "../..", "src/skills/out");
    link(&root, ".", "src/loop");
    link(&root, "src/skills", "skills");
    let (inventory, codes) = discovered(&root);
    assert_eq!(inventory.skills.len(), 1);
    assert_eq!(inventory.skills[0].files, ["SKILL.md", "docs/file.txt"]);
    let expected =
        [("AB2006", "src/skills/linked"), ("AB2006", "src/skills/out"), ("AB2006", "src/skills/real/up")];
    assert_eq!(codes, expected.map(|(code, path)| (code.to_owned(), path.to_owned())));
}

#[test]
fn a_linked_source_tree_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("p");
    write(place.path(), "elsewhere/mcp/s/tools/a.ts");
    write(&root, "package.json");
    link(&root, "../elsewhere", "src");
    let (inventory, codes) = discovered(&root);
    assert_eq!(inventory, Inventory::default());
    assert_eq!(codes, [("AB2004".to_owned(), "src".to_owned())]);
}

#[test]
fn memory_and_disk_agree() {
    let files = [
        "src/mcp/s/tools/b.ts",
        "src/mcp/s/tools/a.ts",
        "src/skills/x/SKILL.md",
        "src/commands/c.md",
        "assets/z",
        "assets/a/b",
    ];
    let place = tempfile::tempdir().unwrap();
    for file in files {
        write(place.path(), file);
    }
    assert_eq!(discovered(place.path()).0, found(&files, "").0);
}

#[test]
fn unreadable_names_are_told() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "src/commands/ok.md");
    let name = OsStr::from_bytes(b"caf\xe9.md");
    if fs::write(place.path().join("src/commands").join(name), "x").is_ok() {
        let (inventory, codes) = discovered(place.path());
        assert_eq!(inventory.commands.len(), 1);
        assert_eq!(codes[0].0, Code::AB4803.to_string());
    }
}
