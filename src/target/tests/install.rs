//! The install surface.

use super::*;

fn surface(model: &Model) -> BTreeMap<String, String> {
    let registry = Registry::builtin();
    let files = install_surface(&registry, model, &project_all(&registry, model));
    files.into_iter().map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect()
}

#[test]
fn every_selected_host_has_a_section() {
    let files = surface(&full(&ALL));
    insta::with_settings!({snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!("install", files["INSTALL.md"]);
    });
    assert_eq!(files.keys().collect::<Vec<_>>(), ["INSTALL.md", "install.mjs"]);
}

#[test]
fn the_script_serves_cursor_and_portable_alone() {
    for (hosts, script) in
        [(&["claude"][..], false), (&["amp", "codex"], false), (&["cursor"], true), (&["portable"], true)]
    {
        assert_eq!(surface(&plain(hosts)).contains_key("install.mjs"), script, "{hosts:?}");
    }
}

#[test]
fn odd_names_stay_in_their_place() {
    let mut model = plain(&["claude", "cursor"]);
    model.plugin.name = "a `b`'; rm -rf \"x\"\n# y".to_owned();
    model.plugin.description = Some("<script>\n\n# Title\n```sh\nrm\n".to_owned());
    let files = surface(&model);
    let document = &files["INSTALL.md"];
    let titles: Vec<&str> = document.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(titles.len(), 3, "{document}");
    assert!(document.contains(
        r#"claude plugin install 'a `b`'\''; rm -rf "x" # y@a `b`'\''; rm -rf "x" # y-marketplace'"#
    ));
    assert_eq!(document.matches("```sh").count(), 3, "{document}");
    assert!(files["install.mjs"].contains(r#"const name = "a `b`'; rm -rf \"x\"\n# y";"#));
}

#[test]
fn a_moved_projection_says_where_it_lies() {
    let mut model = plain(&["codex", "portable"]);
    model.servers[0].targets = strings(&["codex"]);
    let files = surface(&model);
    assert!(files["INSTALL.md"].contains("The plugin is the folder `portable/`"));
    assert!(files["install.mjs"].contains("const root = \"portable\";"));
    assert!(surface(&plain(&["codex", "portable"]))["INSTALL.md"].contains("The plugin is this folder."));
}
