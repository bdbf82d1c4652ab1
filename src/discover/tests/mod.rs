use super::*;
use crate::diagnostic::Code;
use crate::world::{MemoryWorld, Observations, Query, Recorder};
use std::sync::Arc;

mod blocks;
mod on_disk;

const MINIMAL: &str = "[plugin]\nname = \"p\"\n";

fn manifest(text: &str) -> Manifest {
    let text = format!("{MINIMAL}{text}");
    let data = toml_edit::de::from_str(&text).unwrap();
    Manifest { data, spans: [(String::new(), 0..0)].into(), text, file: "agent-bundle.toml" }
}

fn world(files: &[&str]) -> MemoryWorld {
    MemoryWorld::new(files.iter().map(|file| (format!("/p/{file}"), "x")))
}

fn found(files: &[&str], text: &str) -> (Inventory, Vec<Diagnostic>) {
    discover(&world(files), &Root::new("/p"), &manifest(text))
}

/// Codes with the paths that they point at.
fn codes(diagnostics: &[Diagnostic]) -> Vec<(String, String)> {
    let of = |diagnostic: &Diagnostic| {
        assert!(diagnostic.help.as_ref().is_some_and(|help| !help.is_empty()), "{diagnostic:?}");
        let path = diagnostic.span.as_ref().map_or(String::new(), |span| span.path.clone());
        (diagnostic.code.to_string(), path)
    };
    diagnostics.iter().map(of).collect()
}

fn assert_found(files: &[&str], text: &str, expected: &[(&str, &str)]) -> Inventory {
    let (inventory, diagnostics) = found(files, text);
    let expected: Vec<_> =
        expected.iter().map(|(code, path)| ((*code).to_owned(), (*path).to_owned())).collect();
    assert_eq!(codes(&diagnostics), expected, "in {files:?}");
    inventory
}

fn ids(inventory: &Inventory, server: &str) -> Vec<String> {
    inventory.servers[server].routes.iter().map(|route| route.id.clone()).collect()
}

fn surfaces(inventory: &Inventory) -> Vec<(&str, &str)> {
    let others = inventory.unsupported.iter().map(|found| (found.source.as_str(), found.surface.as_str()));
    let modules = inventory.surfaces.iter().map(|found| (found.source.as_str(), found.kind.noun()));
    let mut all: Vec<_> = others.chain(modules).collect();
    all.sort_unstable();
    all
}

#[test]
fn an_empty_project_is_empty() {
    assert_eq!(assert_found(&["package.json"], "", &[]), Inventory::default());
}

#[test]
fn routes_are_found_by_place_and_sorted_by_id() {
    let files = [
        "src/layout.tsx",
        "src/mcp/notes/tools/search.ts",
        "src/mcp/notes/tools/add.tsx",
        "src/mcp/notes/tools/_helper.ts",
        "src/mcp/notes/tools/types.d.ts",
        "src/mcp/notes/tools/data.json",
        "src/mcp/notes/tools/lib/deep.ts",
        "src/mcp/notes/resources/all.ts",
        "src/mcp/notes/prompts/ask.tsx",
        "src/mcp/notes/apps/board.tsx",
        "src/mcp/notes/apps/board.css",
        "src/mcp/notes/layout.ts",
        "src/mcp/notes/util.ts",
        "src/mcp/notes/_drafts/tools/x.ts",
        "src/mcp/_off/tools/x.ts",
        "src/mcp/helpers/format.ts",
        "src/mcp/shared.ts",
        "src/util/text.ts",
        "node_modules/x/src/mcp/a/tools/b.ts",
    ];
    let inventory = assert_found(&files, "", &[]);
    assert_eq!(
        ids(&inventory, "notes"),
        ["app:notes/board", "prompt:notes/ask", "resource:notes/all", "tool:notes/add", "tool:notes/search"]
    );
    assert_eq!(inventory.servers.len(), 1);
    assert_eq!(inventory.servers["notes"].layout.as_ref().unwrap().id, "layout:mcp:notes");
    assert_eq!(inventory.root_layout.as_ref().unwrap().source, "src/layout.tsx");
    assert!(inventory.unsupported.is_empty());
}

#[test]
fn two_files_never_give_one_thing() {
    assert_found(
        &["src/mcp/s/tools/a.ts", "src/mcp/s/tools/a.tsx", "src/mcp/s/prompts/a.ts"],
        "",
        &[("AB4802", "src/mcp/s/tools/a.tsx")],
    );
    assert_found(&["src/layout.ts", "src/layout.tsx"], "", &[("AB4831", "src/layout.tsx")]);
    assert_found(
        &["src/mcp/s/layout.ts", "src/mcp/s/layout.tsx", "src/mcp/s/tools/a.ts"],
        "",
        &[("AB4831", "src/mcp/s/layout.tsx")],
    );
    let inventory = assert_found(
        &["src/providers/git-hub.ts", "src/providers/gitHub.ts", "src/providers/auth.tsx"],
        "",
        &[("AB4941", "src/providers/gitHub.ts")],
    );
    let keys: Vec<_> =
        inventory.providers.iter().map(|module| (module.name.as_str(), module.id.as_str())).collect();
    assert_eq!(keys, [("auth", "provider:auth"), ("gitHub", "provider:git-hub")]);
    assert_found(&["src/mcp/s.ts", "src/mcp/s.js"], "[mcp.servers.s]", &[("AB4802", "src/mcp/s.ts")]);
}

#[test]
fn names_must_be_identities() {
    assert_found(
        &["src/mcp/s/tools/-a.ts", "src/mcp/s/tools/b-.ts", "src/mcp/s/tools/ok.v2.ts"],
        "",
        &[("AB4803", "src/mcp/s/tools/-a.ts"), ("AB4803", "src/mcp/s/tools/b-.ts")],
    );
    let inventory = assert_found(&["src/mcp/my server/tools/a.ts"], "", &[("AB4803", "src/mcp/my server")]);
    assert!(inventory.servers.is_empty());
    assert_found(&["src/mcp/my server/readme.md"], "", &[]);
    assert_found(
        &["src/providers/a b.ts", "src/commands/ü.md", "src/rules/x-.mdc"],
        "",
        &[
            ("AB4803", "src/commands/ü.md"),
            ("AB4803", "src/providers/a b.ts"),
            ("AB4803", "src/rules/x-.mdc"),
        ],
    );
}

#[test]
fn a_directory_is_no_module() {
    assert_found(
        &[
            "src/mcp/s/tools/search.ts/index.ts",
            "src/mcp/s/tools/a.ts",
            "src/skills/x/SKILL.md/a",
            "src/mcp/t.ts/a",
        ],
        "",
        &[
            ("AB2006", "src/mcp/s/tools/search.ts"),
            ("AB2006", "src/mcp/t.ts"),
            ("AB2006", "src/skills/x/SKILL.md"),
        ],
    );
}

#[test]
fn entries_belong_to_declared_servers() {
    let files = ["src/mcp/s.ts"];
    assert!(assert_found(&files, "", &[]).servers.is_empty());
    let inventory = assert_found(&files, "[mcp.servers.s]\nargs = [\"x\"]", &[]);
    assert_eq!(inventory.servers["s"].entry.as_ref().unwrap().id, "entry:s");
    let inventory = assert_found(&files, "[mcp.servers.s]\ncommand = \"x\"", &[("AB4733", "src/mcp/s.ts")]);
    assert!(inventory.servers.is_empty());
    assert_found(&files, "[mcp.servers.s]\nentry = \"./src/mcp/s.ts\"", &[]);
    let both = ["src/mcp/s.ts", "server.ts"];
    assert_found(&both, "[mcp.servers.s]\nentry = \"server.ts\"", &[("AB4733", "src/mcp/s.ts")]);
    let absent = [("AB4307", "agent-bundle.toml"), ("AB4733", "src/mcp/s.ts")];
    assert_found(&files, "[mcp.servers.s]\nentry = \"server.ts\"", &absent);
    assert_found(&files, "[routes.servers]\ns = \"remote\"", &[("AB4733", "src/mcp/s.ts")]);
}

#[test]
fn routes_beside_another_entry_need_a_mode() {
    let files = ["src/mcp/s.ts", "src/mcp/s/tools/a.ts"];
    assert_found(&files, "", &[("AB4800", "src/mcp/s.ts")]);
    let routes = ["src/mcp/s/tools/a.ts", "src/mcp/s/layout.ts"];
    assert_found(&routes, "[mcp.servers.s]\ncommand = \"x\"", &[("AB4800", "agent-bundle.toml")]);
    assert_found(&routes, "[mcp.servers.s]\nargs = [\"x\"]", &[]);
    let inventory =
        assert_found(&files, "[routes.servers]\ns = \"generated\"", &[("AB4733", "src/mcp/s.ts")]);
    assert_eq!(ids(&inventory, "s"), ["tool:s/a"]);
    let inventory = assert_found(&files, "[routes.servers]\ns = \"custom\"", &[]);
    assert!(inventory.servers["s"].routes.is_empty() && inventory.servers["s"].entry.is_some());
    for mode in ["command", "remote", "custom"] {
        let inventory = assert_found(&routes, &format!("[routes.servers]\ns = \"{mode}\""), &[]);
        assert!(inventory.servers.is_empty(), "{mode}");
    }
    let (_, diagnostics) = found(&routes, "[routes.servers]\ns = \"generate\"");
    assert_eq!(codes(&diagnostics), [("AB4804".to_owned(), "agent-bundle.toml".to_owned())]);
    assert_eq!(diagnostics[0].help.as_deref(), Some("Did you mean `generated`?"));
}

#[test]
fn a_server_layout_wraps_something() {
    assert_found(&["src/mcp/s/layout.ts", "src/mcp/s/apps/a.tsx"], "", &[("AB4832", "src/mcp/s/layout.ts")]);
    let inventory = assert_found(&["src/mcp/s/layout.ts"], "", &[("AB4832", "src/mcp/s/layout.ts")]);
    assert!(inventory.servers.is_empty());
    assert_found(&["src/mcp/s/_layout.ts", "src/mcp/s/apps/a.tsx"], "", &[]);
}

#[test]
fn claimed_modules_leave_discovery() {
    let files = ["src/mcp/s/apps/board.tsx", "src/mcp/s/tools/a.ts", "src/mcp/s/tools/server.ts"];
    let text = "[mcp.servers.t]\nentry = \"src/mcp/s/tools/server.ts\"\n[mcp.servers.t.apps.board]\nentry = \"./src/mcp/s/apps/board.tsx\"\nresource-uri = \"ui://t/board\"";
    assert_eq!(ids(&assert_found(&files, text, &[]), "s"), ["tool:s/a"]);
}

#[test]
fn projections_lie_beside_their_tools() {
    let files = [
        "src/mcp/s/tools/a.ts",
        "src/mcp/s/tools/a.cli.ts",
        "src/mcp/s/tools/a.cli.tsx",
        "src/mcp/s/tools/b.cli.ts",
        "src/mcp/s/tools/_c.cli.ts",
        "src/mcp/s/prompts/a.cli.ts",
    ];
    let expected = [
        ("AB4843", "src/mcp/s/prompts/a.cli.ts"),
        ("AB4843", "src/mcp/s/tools/a.cli.tsx"),
        ("AB4843", "src/mcp/s/tools/b.cli.ts"),
    ];
    let inventory = assert_found(&files, "", &expected);
    assert_eq!(surfaces(&inventory), [("src/mcp/s/tools/a.cli.ts", "CLI projection")]);
    assert_eq!(ids(&inventory, "s"), ["tool:s/a"]);
}

#[test]
fn other_surfaces_are_recognised() {
    let files = [
        "src/cli.ts",
        "src/cli/db/migrate.ts",
        "src/cli/_lib/x.ts",
        "src/events/stop.ts",
        "src/events/tool/before.tsx",
        "src/events/tool/before.view.tsx",
        "src/events/tool/befor.ts",
        "src/events/stop.tsx",
        "src/events/_util.ts",
        "src/scripts/run.ts",
        "src/scripts/lib/run.ts",
        "src/state.ts",
        "src/index.tsx",
        "src/skills/live/SKILL.tsx",
        "src/hooks/x.ts",
        "src/agents/x.md",
    ];
    let expected = [
        ("AB4801", "src/cli.ts"),
        ("AB4802", "src/events/stop.tsx"),
        ("AB4823", "src/events/tool/befor.ts"),
        ("AB4808", "src/scripts/lib/run.ts"),
    ];
    let inventory = assert_found(&files, "", &expected);
    assert_eq!(
        surfaces(&inventory),
        [
            ("src/cli.ts", "CLI entry"),
            ("src/cli/db/migrate.ts", "CLI command"),
            ("src/events/stop.ts", "event route"),
            ("src/events/tool/before.tsx", "event route"),
            ("src/events/tool/before.view.tsx", "event view"),
            ("src/index.tsx", "library entry"),
            ("src/scripts/run.ts", "script"),
            ("src/skills/live/SKILL.tsx", "rendered skill"),
            ("src/state.ts", "project state"),
        ]
    );
}

#[test]
fn skills_carry_their_files() {
    let files = [
        "src/skills/notes/SKILL.md",
        "src/skills/notes/scripts/_run.py",
        "src/skills/notes/.hidden",
        "src/skills/notes/.DS_Store",
        "src/skills/notes/node_modules/x/y",
        "src/skills/_draft/SKILL.md",
        "src/skills/both/SKILL.md",
        "src/skills/both/SKILL.tsx",
        "src/skills/README.md",
        "src/skills/empty/a.txt",
        "src/skills/slip/skill.md",
    ];
    let expected = [
        ("AB4735", "src/skills/both/SKILL.tsx"),
        ("AB3000", "src/skills/empty"),
        ("AB3000", "src/skills/slip"),
    ];
    let inventory = assert_found(&files, "", &expected);
    let skills: Vec<_> =
        inventory.skills.iter().map(|skill| (skill.name.as_str(), skill.files.clone())).collect();
    let notes = [".hidden", "SKILL.md", "scripts/_run.py"].map(str::to_owned).to_vec();
    assert_eq!(skills, [("both", vec!["SKILL.md".to_owned()]), ("notes", notes)]);
}

#[test]
fn the_manifest_may_name_skills() {
    let files = [
        "src/skills/a/SKILL.md",
        "src/skills/b/SKILL.md",
        "skills/c/SKILL.md",
        "more/deep/d/SKILL.md",
        "more/e/x.md",
    ];
    let names = |list: &str, expected: &[(&str, &str)]| -> Vec<String> {
        // Top-level keys come before the first table.
        let text = format!("skills = {list}\n{MINIMAL}");
        let data = toml_edit::de::from_str(&text).unwrap();
        let manifest =
            Manifest { data, spans: [(String::new(), 0..0)].into(), text, file: "agent-bundle.toml" };
        let (inventory, diagnostics) = discover(&world(&files), &Root::new("/p"), &manifest);
        let expected: Vec<_> =
            expected.iter().map(|(code, path)| ((*code).to_owned(), (*path).to_owned())).collect();
        assert_eq!(codes(&diagnostics), expected, "{list}");
        inventory.skills.into_iter().map(|skill| skill.directory).collect()
    };
    let uncovered = [("AB4734", "src/skills/a"), ("AB4734", "src/skills/b")];
    let removed = ("AB4736", "skills/c/SKILL.md");
    assert_eq!(names("['skills/c']", &uncovered), ["skills/c"]);
    assert_eq!(names("['./skills/c/SKILL.md', 'skills/*']", &uncovered), ["skills/c"]);
    assert_eq!(
        names("['src/skills/*', 'more/**']", &[removed]),
        ["more/deep/d", "src/skills/a", "src/skills/b"]
    );
    assert_eq!(names("['**/SKILL.md']", &[]).len(), 4);
    assert_eq!(names("['src/skills/{a,x}']", &[removed, uncovered[1]]), ["src/skills/a"]);
    names("['more/e', 'src/skills/*']", &[("AB3000", "agent-bundle.toml"), removed]);
    names("['gone', 'src/skills/*']", &[("AB3000", "agent-bundle.toml"), removed]);
    names(
        "['../x', '/y', 'src/skills/*']",
        &[("AB2004", "agent-bundle.toml"), ("AB2004", "agent-bundle.toml"), removed],
    );
    names(
        "['', 'src/skills/[', 'src/skills/*']",
        &[("AB1003", "agent-bundle.toml"), ("AB1003", "agent-bundle.toml"), removed],
    );
}

#[test]
fn skills_do_not_share_names() {
    let text = format!("skills = ['a/*', 'b/*']\n{MINIMAL}");
    let data = toml_edit::de::from_str(&text).unwrap();
    let manifest = Manifest { data, spans: [].into(), text, file: "agent-bundle.toml" };
    let world = world(&["a/x/SKILL.md", "b/x/SKILL.md", "b/y/SKILL.md"]);
    let (_, diagnostics) = discover(&world, &Root::new("/p"), &manifest);
    assert_eq!(codes(&diagnostics), [("AB4006".to_owned(), "b/x".to_owned())]);
}

#[test]
fn documents_lie_under_src() {
    let files = [
        "src/commands/go.md",
        "src/commands/_off.md",
        "src/commands/notes.txt",
        "src/rules/style.mdc",
        "src/rules/style.md",
        "commands/old.md",
        "rules/old.mdc",
        "rules/readme.md",
        "skills/old/SKILL.md",
        "skills/other/x.md",
    ];
    let expected =
        [("AB4736", "commands/old.md"), ("AB4736", "rules/old.mdc"), ("AB4736", "skills/old/SKILL.md")];
    let inventory = assert_found(&files, "", &expected);
    assert_eq!(
        inventory.commands,
        [DocumentFile { name: "go".to_owned(), source: "src/commands/go.md".to_owned() }]
    );
    assert_eq!(
        inventory.rules,
        [DocumentFile { name: "style".to_owned(), source: "src/rules/style.mdc".to_owned() }]
    );
}

#[test]
fn assets_are_copied_from_where_the_manifest_says() {
    let files = [
        "assets/logo.svg",
        "assets/_a/b.txt",
        "assets/dist/x",
        "data/a.json",
        "data/b.json",
        "data/deep/c.json",
        "artifact/assets/x",
    ];
    assert_eq!(assert_found(&files, "", &[]).assets, ["assets/_a/b.txt", "assets/logo.svg"]);
    let assets = |list: &str| {
        let text = format!("assets = {list}\n{MINIMAL}");
        let data = toml_edit::de::from_str(&text).unwrap();
        let manifest =
            Manifest { data, spans: [(String::new(), 0..0)].into(), text, file: "agent-bundle.toml" };
        let (inventory, diagnostics) = discover(&world(&files), &Root::new("/p"), &manifest);
        (inventory.assets, codes(&diagnostics).into_iter().map(|(code, _)| code).collect::<Vec<_>>())
    };
    let strings = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        assets("['data/*.json', './data/a.json']"),
        (strings(&["data/a.json", "data/b.json"]), vec![])
    );
    assert_eq!(assets("['data']").0.len(), 3);
    assert_eq!(assets("['**/*.json']").0.len(), 3);
    assert_eq!(assets("['data/x.json']"), (vec![], strings(&["AB4602"])));
    assert_eq!(assets("['../x', '/y', 'a/../../z']"), (vec![], strings(&["AB4601", "AB4601", "AB4601"])));
    assert_eq!(assets("[' ', 'a[']"), (vec![], strings(&["AB4600", "AB4600"])));
    assert_eq!(assets("['none/*']"), (vec![], vec![]));
}

#[test]
fn the_output_is_never_a_source() {
    let files = ["assets/out/x", "assets/a"];
    assert_eq!(assert_found(&files, "[output]\npath = \"assets/out/\"", &[]).assets, ["assets/a"]);
}

fn observed(world: MemoryWorld, root: &Root) -> Observations {
    let recorder = Recorder::new(Arc::new(world), Arc::new(root.clone()));
    discover(&recorder, root, &manifest(""));
    recorder.observations()
}

#[test]
fn every_directory_is_listed_and_nothing_is_opened() {
    let root = Root::new("/p");
    let world = world(&[
        "src/mcp/s/tools/a.ts",
        "src/skills/x/SKILL.md",
        "src/skills/x/b/c",
        "src/util/deep/x.ts",
        "other/x",
    ]);
    let seen = observed(world, &root);
    assert!(seen.keys().all(|(_, query)| !matches!(query, Query::Read | Query::Env)), "{seen:?}");
    let listed: Vec<_> =
        seen.keys().filter(|(_, query)| *query == Query::List).map(|(path, _)| path.as_str()).collect();
    let expected =
        ["src", "src/mcp", "src/mcp/s", "src/mcp/s/tools", "src/skills", "src/skills/x", "src/skills/x/b"];
    assert_eq!(listed, expected);
    // What is not there is an answer too: the first asset must wake discovery.
    assert!(seen.contains_key(&("assets".to_owned(), Query::ProbeLink)));
}

#[test]
fn ten_thousand_tools_are_found() {
    let files: Vec<String> = (0..10_000)
        .flat_map(|index| {
            [format!("src/mcp/s/tools/t{index:05}.ts"), format!("src/mcp/s/tools/t{index:05}.cli.ts")]
        })
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let world = world(&files);
    let (inventory, diagnostics) = discover(&world, &Root::new("/p"), &manifest(""));
    assert_eq!(
        (inventory.servers["s"].routes.len(), inventory.surfaces.len(), diagnostics.len()),
        (10_000, 10_000, 0)
    );
}
