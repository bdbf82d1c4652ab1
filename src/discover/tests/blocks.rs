//! Files that the manifest names beside servers.

use super::{assert_found, found, surfaces};

#[test]
fn what_the_manifest_names_leaves_discovery() {
    let files = [
        "src/cli.ts",
        "src/events/stop.ts",
        "src/index.ts",
        "src/scripts/gone.ts",
        "src/scripts/kept.ts",
        "src/state.ts",
        "src/cli/run.ts",
    ];
    let text = "lib = { entry = './src/index.ts' }\nstate = false\n\
                [hooks]\nstop = ['src/events/stop.ts']\n\
                [scripts]\nfetch = { entry = 'src/scripts/gone.ts' }\n\
                [bin]\ntool = 'src/scripts/kept.ts'\nother = 'src/cli/run.ts'\np = { entry = 'src/cli.ts' }";
    // Keys of the top level cannot follow a table, so the text is written anew.
    let (inventory, found) = found_in(&files, text);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(surfaces(&inventory), [("src/scripts/kept.ts", "script")]);
}

/// As `found`, with the text before the table `plugin`.
fn found_in(files: &[&str], text: &str) -> (super::Inventory, Vec<super::Diagnostic>) {
    let text = format!("{text}\n[plugin]\nname = \"p\"\n");
    let data = toml_edit::de::from_str(&text).unwrap();
    let spans = [(String::new(), 0..0)].into();
    let manifest = super::Manifest { data, spans, text, file: "agent-bundle.toml" };
    super::discover(&super::world(files), &super::Root::new("/p"), &manifest)
}

#[test]
fn false_turns_a_convention_off() {
    let files = ["src/cli/run.ts", "src/cli.ts", "src/index.ts", "src/state.ts"];
    let (inventory, found) = found_in(&files, "bin = false\nlib = false\nstate = false");
    assert!(found.is_empty() && surfaces(&inventory).is_empty(), "{found:?}");
    let (inventory, _) = found_in(&files[2..], "");
    assert_eq!(surfaces(&inventory).len(), 2);
}

#[test]
fn hooks_lie_where_they_like_and_declare_nothing_by_themselves() {
    let inventory = assert_found(&["src/hooks/stop.ts"], "", &[]);
    assert!(surfaces(&inventory).is_empty());
    assert_found(&["hooks/a.ts"], "[hooks]\nstop = 'hooks/a.ts'", &[]);
    let problems =
        [("AB2005", "agent-bundle.toml"), ("AB2004", "agent-bundle.toml"), ("AB4200", "agent-bundle.toml")];
    for (path, problem) in ["hooks/b.ts", "../a.ts", " "].iter().zip(problems) {
        assert_found(&["hooks/a.ts"], &format!("[hooks]\nstop = '{path}'"), &[problem]);
        assert_found(
            &["hooks/a.ts"],
            &format!("[hooks]\nstop = ['hooks/a.ts', {{ handler = '{path}' }}]"),
            &[problem],
        );
    }
}

#[test]
fn prebuilt_files_lie_in_payloads() {
    let files = ["out/a/x.mjs", "out/b/x.mjs"];
    let payload = "[payload]\na = 'out/a'\nb = { source = './out/b/' }\n";
    let server = |path: &str| format!("{payload}[mcp.servers.s]\nentry = {{ prebuilt = '{path}' }}");
    let code = |path: &str| {
        let (_, found) = found(&files, &server(path));
        found.iter().map(|one| one.code.to_string()).collect::<Vec<_>>()
    };
    assert!(code("out/a/x.mjs").is_empty() && code("./out/b/x.mjs").is_empty());
    assert_eq!(code("out/x.mjs"), ["AB4744"]);
    assert_eq!(code("out/ab/x.mjs"), ["AB4744"]);
    assert_eq!(code("out/a/../../x.mjs"), ["AB4744"]);
    assert_eq!(code("out/a/y.mjs"), ["AB4745"]);
}

#[test]
fn what_follows_from_an_unusable_payload_is_not_told() {
    let server = "[mcp.servers.s]\nentry = { prebuilt = 'out/x.mjs' }\n";
    for (payload, code) in
        [("out/a/..", "AB4742"), ("x", "AB4742"), (".", "AB4742"), ("/out", "AB4742"), ("out", "AB4743")]
    {
        let text = format!("[payload]\np = '{payload}'\n{server}");
        assert_found(&["x"], &text, &[(code, "agent-bundle.toml")]);
    }
    let text = "[payload]\na = 'out'\nb = 'out/b'\nc = 'out-b'";
    assert_found(&["out/b/x", "out-b/x"], text, &[("AB4742", "agent-bundle.toml")]);
}

#[test]
fn retention_needs_a_state_and_a_length_of_time() {
    let of = |files: &[&str], time: &str| {
        found(files, &format!("[notices.retention]\nterminal-ttl = {time}")).1.len()
    };
    for time in ["1", "'1ms'", "'2s'", "'3m'", "'4h'", "'7d'"] {
        assert_eq!(of(&["src/state.ts"], time), 0, "{time}");
        assert_eq!(of(&[], time), 1, "{time} without a state");
    }
    for time in ["0", "'0d'", "''", "'d'", "'7'", "'7 d'", "'7w'", "'99999999999999d'"] {
        assert_eq!(of(&["src/state.ts"], time), 1, "{time}");
    }
}
