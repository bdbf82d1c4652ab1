//! What a selection of hosts makes of the plugin's components.

use super::*;
use crate::diagnostic::{Severity, has_errors};

fn check(model: &Model) -> Vec<Diagnostic> {
    check_selection(&Registry::builtin(), model)
}

fn only(model: &Model) -> Diagnostic {
    let mut found = check(model);
    assert_eq!(found.len(), 1, "{found:#?}");
    found.remove(0)
}

#[test]
fn unknown_targets_are_named_with_the_nearest() {
    let found = only(&plain(&["cluade"]));
    assert_eq!(found.code.to_string(), "AB4100");
    assert_eq!(found.help.as_deref(), Some("Did you mean `claude`?"));
    assert_eq!(codes(&check(&plain(&["plugin"]))), ["AB4100"]);
    assert_eq!(check(&plain(&["claude"])), []);
    let mut model = plain(&["claude"]);
    model.servers[0].targets = strings(&["claude", "codexx"]);
    assert_eq!(codes(&check(&model)), ["AB4320"]);
}

#[test]
fn findings_point_into_the_manifest() {
    let text = "targets = [\"cluade\"]\n[plugin]\nname = \"x\"\n";
    let data: crate::manifest::ManifestData = toml_edit::de::from_str(text).unwrap();
    let spans = BTreeMap::from([("/targets".to_owned(), 10..20)]);
    let manifest =
        crate::manifest::Manifest { data, spans, text: text.to_owned(), file: "agent-bundle.toml" };
    let found = check_selection_in(
        &Registry::builtin(),
        &plain(&["cluade"]),
        &Places { manifest: Some(&manifest), source: &|_| None },
    );
    let span = found[0].span.clone().unwrap();
    assert_eq!((span.path.as_str(), &text[span.start..span.end]), ("agent-bundle.toml", "[\"cluade\"]"));
}

#[test]
fn servers_that_amp_cannot_start_are_reported() {
    let mut model = plain(&["amp", "claude"]);
    let found = only(&model);
    assert_eq!((found.code.to_string().as_str(), found.severity), ("AB4110", Severity::Info));
    assert_eq!(found.target.as_deref(), Some("amp"));

    model.servers[0].explicit_targets = true;
    assert_eq!(codes(&check(&model)), ["amp.mcp.generated-local"]);
    model.servers[0].targets = strings(&["claude"]);
    assert_eq!(check(&model), []);

    model.servers = vec![Server { explicit_targets: true, ..remote("shared") }];
    select(&mut model, &["amp", "claude"]);
    assert_eq!(check(&model), []);
    model.skills.clear();
    assert_eq!(codes(&check(&model)), ["amp.mcp.single-skill"]);
}

#[test]
fn documents_that_no_host_takes_are_reported_once() {
    let mut model = plain(&["claude", "codex", "portable"]);
    model.rules = vec![document("rules", "style", json!({}))];
    model.commands = vec![document("commands", "capture", json!({}))];
    let found = check(&model);
    assert_eq!(codes(&found), ["AB4110", "AB4110"]);
    assert!(!has_errors(&found));
    assert!(found[0].message.contains("`codex` and `portable`"), "{}", found[0].message);
    assert!(found[1].message.contains("`claude`, `codex` and `portable`"), "{}", found[1].message);
}

#[test]
fn documents_name_hosts_that_can_take_them() {
    let with = |targets: &[&str]| {
        let mut model = plain(&["claude", "cursor", "codex"]);
        let named = Some(strings(targets));
        model.commands = vec![Document { targets: named.clone(), ..document("commands", "c", json!({})) }];
        model.rules = vec![Document { targets: named, ..document("rules", "r", json!({})) }];
        codes(&check(&model))
    };
    assert_eq!(with(&["claude", "cursor"]), ["AB4905"]);
    assert_eq!(with(&["claude", "codex", "cursor"]), ["AB4905", "AB4905", "AB4925"]);
    assert_eq!(with(&["claude", "cursor", "amp"]), ["AB4904", "AB4905", "AB4924"]);
    assert_eq!(with(&["claude", "cursor", "cursr"]), ["AB4904", "AB4905", "AB4924"]);
}

#[test]
fn a_document_that_another_host_would_find_is_refused() {
    let mut model = plain(&["claude", "cursor"]);
    let named = Some(strings(&["claude"]));
    model.commands = vec![Document { targets: named, ..document("commands", "c", json!({})) }];
    let found = only(&model);
    assert_eq!((found.code.to_string().as_str(), found.target.as_deref()), ("AB4105", Some("cursor")));
    model.commands[0].targets = Some(strings(&["claude", "cursor"]));
    assert_eq!(check(&model), []);
    model.commands[0].targets = Some(strings(&["claude"]));
    select(&mut model, &["claude", "portable"]);
    assert_eq!(check(&model), []);
}

#[test]
fn features_are_left_out_with_a_warning_or_refused() {
    let frontmatter = json!({"description": "d", "argumentHint": "[x]", "model": "m"});
    let mut model = plain(&["claude", "cursor"]);
    model.commands = vec![document("commands", "c", frontmatter)];
    let found = only(&model);
    assert_eq!((found.code.to_string().as_str(), found.severity), ("AB4928", Severity::Warning));
    assert!(found.message.contains("`argumentHint` and `model`"), "{}", found.message);
    model.commands[0].targets = Some(strings(&["claude", "cursor"]));
    assert_eq!(codes(&check(&model)), ["AB4927"]);
    select(&mut model, &["claude"]);
    model.commands[0].targets = None;
    assert_eq!(check(&model), []);

    model.commands.clear();
    select(&mut model, &["cursor"]);
    model.rules = vec![document("rules", "r", json!({"globs": "a", "other": 1}))];
    assert_eq!(codes(&check(&model)), ["AB4908"]);
    model.rules[0].targets = Some(strings(&["cursor"]));
    assert_eq!(codes(&check(&model)), ["AB4907"]);
}

#[test]
fn plugin_names_fit_every_selected_host() {
    let named = |name: &str, host: &str| {
        let mut model = plain(&[host]);
        model.plugin.name = name.to_owned();
        model.servers.clear();
        codes(&check(&model))
    };
    let good = |host: &str| named("field-notes", host);
    for host in ALL {
        assert_eq!(good(host), Vec::<String>::new(), "{host}");
    }
    for (name, host) in [
        ("field notes", "claude"),
        ("nötes", "codex"),
        ("Field-Notes", "cursor"),
        ("a--b", "portable"),
        (".notes", "amp"),
    ] {
        assert_eq!(named(name, host), [format!("{host}.manifest.name.invalid")], "{name}");
    }
    assert_eq!(named(&"a".repeat(64), "cursor"), Vec::<String>::new());
    assert_eq!(named(&"a".repeat(65), "cursor"), ["cursor.manifest.name.invalid"]);
}

#[test]
fn server_names_fit_the_hosts_that_get_them() {
    let mut model = plain(&["claude", "codex"]);
    model.servers[0].name = "field notes".to_owned();
    assert_eq!(codes(&check(&model)), ["codex.mcp.name.invalid"]);
    model.servers[0].targets = strings(&["claude"]);
    assert_eq!(check(&model), []);
}

#[test]
fn tool_names_keep_to_the_limit() {
    let with = |name: &str| {
        let mut model = plain(&["claude"]);
        let routes = vec![tool("notes", name)];
        model.servers[0].launch = Launch::Generated { routes, layout: None };
        check(&model)
    };
    let room = 64 - "mcp__plugin_field-notes_notes__".len();
    assert_eq!(with(&"t".repeat(room)), []);
    let found = with(&"t".repeat(room + 1));
    assert_eq!(codes(&found), ["claude.mcp.tool.name.long"]);
    assert!(found[0].message.contains("65 characters"));
}
