//! The documents of every host.

use super::*;
use crate::world::Digest;

fn snapshot(name: &str, text: &str) {
    insta::with_settings!({snapshot_path => "../snapshots", prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(name, text);
    });
}

#[test]
fn each_host_writes_its_documents() {
    let projections = project_all(&Registry::builtin(), &full(&ALL));
    for (host, projection) in &projections {
        assert_eq!(codes(&projection.diagnostics), Vec::<String>::new(), "{host}");
        snapshot(host, &shown(projection));
    }
}

#[test]
fn every_document_fits_its_schema_and_a_broken_one_does_not() {
    let registry = Registry::builtin();
    let mut model = full(&ALL);
    model.hosts.insert("claude".to_owned(), claude_table());
    for (host, projection) in project_all(&registry, &model) {
        let target = registry.get(&host).unwrap();
        for (document, path) in &projection.documents {
            let bytes = &projection.files[path];
            assert_eq!(codes(&validate_document(target, document, bytes)), Vec::<String>::new(), "{path}");
            if path.ends_with(".json") {
                assert_eq!(codes(&validate_document(target, document, b"{")), ["AB6006"], "{path}");
                assert_eq!(codes(&validate_document(target, document, b"7")), ["AB6012"], "{path}");
            }
        }
    }
}

/// A document that a host finds by itself and is told of as well counts twice, and the host refuses the whole plugin.
#[test]
fn what_a_host_finds_by_itself_is_named_nowhere() {
    let registry = Registry::builtin();
    let mut model = full(&ALL);
    model.hosts.insert("claude".to_owned(), claude_table());
    let mut looked_at = 0;
    for (host, projection) in project_all(&registry, &model) {
        let rules = &registry.get(&host).unwrap().definition.documents;
        let manifest = projection.documents.get("plugin").map(|path| &projection.files[path]);
        let manifest = String::from_utf8_lossy(manifest.map_or(&[][..], Vec::as_slice));
        let found = rules.iter().filter(|rule| rule.found && projection.documents.contains_key(&rule.id));
        for rule in found {
            looked_at += 1;
            assert!(!manifest.contains(&rule.path), "{host}: {} is named in {manifest}", rule.path);
        }
    }
    assert!(looked_at > 5, "{looked_at}");
}

#[test]
fn every_schema_can_be_compiled() {
    for target in Registry::builtin().all() {
        target.schemas.check().unwrap();
    }
}

#[test]
fn the_order_of_targets_changes_nothing() {
    let registry = Registry::builtin();
    let reference = project_all(&registry, &full(&ALL));
    let mut turned = ALL;
    turned.reverse();
    assert_eq!(project_all(&registry, &full(&turned)), reference);
    for at in 1..turned.len() {
        turned.swap(0, at);
        assert_eq!(project_all(&registry, &full(&turned)), reference);
    }
}

#[test]
fn the_selection_of_one_host_does_not_change_another_without_need() {
    let alone = projected(&full(&["claude"]), "claude");
    assert_eq!(projected(&full(&ALL), "claude"), alone);
}

#[test]
fn slices_ignore_what_no_document_shows() {
    let registry = Registry::builtin();
    let before = slices(&registry, &full(&ALL));
    let mut model = full(&ALL);
    if let Launch::Generated { routes, .. } = &mut model.servers[0].launch {
        routes[0].config = object(json!({"description": "Another text"}));
        routes.push(tool("notes", "read"));
    }
    model.skills[0].frontmatter.insert("description".to_owned(), json!("Another text"));
    model.commands[0].frontmatter.insert("description".to_owned(), json!("Another text"));
    model.plugin.package_version = None;
    assert_eq!(slices(&registry, &model), before);

    model.plugin.version = "2.0.0".to_owned();
    let after = slices(&registry, &model);
    let changed: Vec<&String> = after.keys().filter(|host| after[*host] != before[*host]).collect();
    assert_eq!(changed, ["claude", "codex", "cursor", "portable"]);
}

#[test]
fn a_slice_survives_json() {
    for slice in slices(&Registry::builtin(), &full(&ALL)).values() {
        let text = serde_json::to_string(slice).unwrap();
        assert_eq!(&serde_json::from_str::<Slice>(&text).unwrap(), slice);
    }
}

#[test]
fn local_servers_start_in_each_hosts_way() {
    let model = plain(&["claude", "codex", "cursor", "portable"]);
    let entry = model.servers[0].entry_path();
    let all = project_all(&Registry::builtin(), &model);
    let server = |host: &str, path: &str| json_file(&all[host], path)["mcpServers"]["notes"].clone();
    let expected = |root: &str, extra: Value| {
        let mut server = json!({"command": "node", "args": [format!("{root}{entry}")]});
        server.as_object_mut().unwrap().extend(object(extra));
        server
    };
    let env = |root: &str| json!({"AGENT_BUNDLE_PLUGIN_ROOT": root});
    let claude = "${CLAUDE_PLUGIN_ROOT}";
    assert_eq!(
        server("claude", ".mcp.json"),
        expected("${CLAUDE_PLUGIN_ROOT}/", json!({"type": "stdio", "env": env(claude)}))
    );
    assert_eq!(
        server("codex", ".codex-plugin/mcp.json"),
        expected("./", json!({"type": "stdio", "cwd": "./", "env": env("./")}))
    );
    let cursor = "${CURSOR_PLUGIN_ROOT}";
    assert_eq!(
        server("cursor", ".cursor-plugin/mcp.json"),
        expected("${CURSOR_PLUGIN_ROOT}/", json!({"env": env(cursor)}))
    );
    let root = "${PLUGIN_ROOT}";
    assert_eq!(
        server("portable", "mcp.json"),
        expected("${PLUGIN_ROOT}/", json!({"type": "stdio", "cwd": root, "env": env(root)}))
    );
}

#[test]
fn an_authored_anchor_wins() {
    let mut model = plain(&["claude"]);
    model.servers[0].env = map(&[(PLUGIN_ROOT_VARIABLE, "/elsewhere")]);
    let document = json_file(&projected(&model, "claude"), ".mcp.json");
    assert_eq!(document["mcpServers"]["notes"]["env"], json!({PLUGIN_ROOT_VARIABLE: "/elsewhere"}));
}

#[test]
fn remote_servers_use_each_hosts_words() {
    let mut model = plain(&["claude", "codex", "cursor", "portable"]);
    model.servers = vec![remote("shared")];
    select(&mut model, &["claude", "codex", "cursor", "portable"]);
    let all = project_all(&Registry::builtin(), &model);
    let server = |host: &str, path: &str| json_file(&all[host], path)["mcpServers"]["shared"].clone();
    let url = "https://notes.example/mcp";
    let headers = json!({"Authorization": "Bearer none"});
    assert_eq!(
        server("claude", ".mcp.json"),
        json!({"type": "http", "url": url, "headers": headers.clone()})
    );
    assert_eq!(
        server("codex", ".codex-plugin/mcp.json"),
        json!({"type": "streamable-http", "url": url, "http_headers": headers.clone()})
    );
    assert_eq!(server("cursor", ".cursor-plugin/mcp.json"), json!({"url": url, "headers": headers.clone()}));
    assert_eq!(
        server("portable", "mcp.json"),
        json!({"type": "streamable-http", "url": url, "headers": headers})
    );
}

/// The codes with which a host refuses one server.
fn refusals(host: &str, server: Server) -> Vec<String> {
    let mut model = plain(&[host]);
    model.servers = vec![server];
    select(&mut model, &[host]);
    codes(&projected(&model, host).diagnostics)
}

fn with_env(key: &str, value: &str) -> Server {
    Server { env: map(&[(key, value)]), ..generated("notes") }
}

fn with_arg(arg: &str) -> Server {
    Server { args: strings(&[arg]), ..generated("notes") }
}

fn with_cwd(cwd: &str) -> Server {
    let launch = Launch::Command { command: "tool".to_owned(), cwd: Some(cwd.to_owned()) };
    server("local", launch)
}

fn with_url(url: &str) -> Server {
    server("shared", Launch::Remote { url: url.to_owned(), headers: BTreeMap::new() })
}

#[test]
fn tokens_are_spelled_or_refused_by_field() {
    let none: [&str; 0] = [];
    let data = format!("{PLUGIN_DATA}/x");
    let root = format!("{PLUGIN_ROOT}/x");
    let inside = format!("--at={PLUGIN_ROOT}/x");
    let out = format!("{PLUGIN_ROOT}/../x");
    assert_eq!(refusals("claude", with_env("D", &data)), none);
    assert_eq!(refusals("claude", with_arg(&inside)), none);
    assert_eq!(refusals("claude", with_env(PLUGIN_ROOT, "x")), ["claude.mcp.token.env.key"]);
    assert_eq!(refusals("cursor", with_env("D", &data)), ["cursor.mcp.token.env"]);
    assert_eq!(refusals("cursor", with_env("D", &format!("{WORKSPACE_ROOT}/x"))), none);
    assert_eq!(refusals("codex", with_arg(&root)), none);
    assert_eq!(refusals("codex", with_arg(&inside)), ["codex.mcp.token.args"]);
    assert_eq!(refusals("codex", with_arg(&out)), ["codex.mcp.token.args"]);
    assert_eq!(refusals("codex", with_env("D", &data)), ["codex.mcp.token.env"]);
    let elsewhere = Server { args: strings(&[&root]), ..command("local", "tool") };
    assert_eq!(refusals("codex", elsewhere.clone()), ["codex.mcp.token.args"]);
    assert_eq!(refusals("claude", elsewhere), none);
    assert_eq!(refusals("portable", with_env("D", &data)), none);
    assert_eq!(refusals("portable", with_env("D", WORKSPACE_ROOT)), ["portable.mcp.token.env"]);
    assert_eq!(
        refusals("portable", command("local", &root)),
        ["portable.mcp.command.standard", "portable.mcp.token.command"]
    );
    assert_eq!(
        refusals("amp", Server { args: strings(&[&root]), ..command("local", "tool") }),
        ["amp.mcp.path-token.args"]
    );
}

#[test]
fn tokens_give_what_hosts_expand() {
    let lowered = |host: &str, path: &str| {
        let mut model = plain(&[host]);
        model.servers = vec![with_arg(&format!("{PLUGIN_ROOT}/data"))];
        select(&mut model, &[host]);
        json_file(&projected(&model, host), path)["mcpServers"]["notes"]["args"][1].clone()
    };
    assert_eq!(lowered("claude", ".mcp.json"), "${CLAUDE_PLUGIN_ROOT}/data");
    assert_eq!(lowered("codex", ".codex-plugin/mcp.json"), "./data");
    assert_eq!(lowered("cursor", ".cursor-plugin/mcp.json"), "${CURSOR_PLUGIN_ROOT}/data");
    assert_eq!(lowered("portable", "mcp.json"), "${PLUGIN_ROOT}/data");
}

#[test]
fn working_directories_are_kept_or_refused() {
    let none: [&str; 0] = [];
    assert_eq!(refusals("claude", with_cwd("data")), ["claude.mcp.cwd"]);
    assert_eq!(refusals("cursor", with_cwd("data")), ["cursor.mcp.cwd"]);
    assert_eq!(refusals("amp", with_cwd("data")), ["amp.mcp.cwd"]);
    assert_eq!(refusals("codex", with_cwd("./data")), none);
    assert_eq!(refusals("codex", with_cwd(PLUGIN_ROOT)), none);
    assert_eq!(refusals("codex", with_cwd(&format!("{PLUGIN_ROOT}/x"))), ["codex.mcp.token.cwd"]);
    assert_eq!(refusals("portable", with_cwd(&format!("{PLUGIN_DATA}/x"))), none);
    assert_eq!(refusals("portable", with_cwd("../x")), ["portable.mcp.cwd.standard", "portable.schema.mcp"]);
}

#[test]
fn the_portable_standard_holds_in_text() {
    let none: [&str; 0] = [];
    assert_eq!(refusals("portable", command("local", "./bin/tool")), none);
    assert_eq!(refusals("portable", command("local", "bin/tool")), ["portable.mcp.command.standard"]);
    assert_eq!(refusals("portable", with_url("http://localhost:8080/mcp")), none);
    assert_eq!(refusals("portable", with_url("http://a.example/mcp")), ["portable.mcp.url.standard"]);
    assert_eq!(
        refusals("portable", with_env("PLUGIN_ROOT", "x")),
        ["portable.mcp.env.standard", "portable.schema.mcp"]
    );
    let headers = map(&[("X-A", "1"), ("x-a", "2")]);
    let twice = Launch::Remote { url: "https://a.example".to_owned(), headers };
    assert_eq!(refusals("portable", server("s", twice)), ["portable.mcp.headers.standard"]);
}

#[test]
fn amp_starts_servers_from_its_only_skill() {
    let mut model = plain(&["amp"]);
    model.servers = vec![remote("shared"), command("local", "tool")];
    select(&mut model, &["amp"]);
    let path = ".amp/plugins/field-notes/skills/field-notes/mcp.json";
    let amp = projected(&model, "amp");
    assert_eq!(
        json_file(&amp, path),
        json!({
            "local": {"command": "tool"},
            "shared": {"url": "https://notes.example/mcp", "headers": {"Authorization": "Bearer none"}},
        })
    );
    model.skills.push(skill("other"));
    let amp = projected(&model, "amp");
    assert!(amp.servers.is_empty() && !amp.documents.contains_key("mcp"));
    assert_eq!(refusals("amp", command("local", "./tool")), ["amp.mcp.command"]);
}

#[test]
fn shields_keep_other_hosts_documents_away() {
    let mut model = plain(&["claude", "codex", "cursor", "portable"]);
    model.servers[0].targets = strings(&["claude"]);
    let codex = projected(&model, "codex");
    assert_eq!(json_file(&codex, ".codex-plugin/mcp.json"), json!({"mcpServers": {}}));
    assert_eq!(json_file(&codex, ".codex-plugin/plugin.json")["mcpServers"], "./.codex-plugin/mcp.json");
    assert!(codex.servers.is_empty());
    assert!(!projected(&model, "cursor").documents.contains_key("mcp"));

    model.servers[0].targets = strings(&["portable"]);
    assert!(!projected(&model, "codex").documents.contains_key("mcp"));
}

#[test]
fn shields_follow_a_portable_document_at_the_root() {
    let mut model = plain(&["cursor", "portable"]);
    model.servers[0].targets = strings(&["portable"]);
    let cursor = projected(&model, "cursor");
    assert_eq!(json_file(&cursor, ".cursor-plugin/mcp.json"), json!({"mcpServers": {}}));
    assert_eq!(json_file(&cursor, ".cursor-plugin/plugin.json")["mcpServers"], "./.cursor-plugin/mcp.json");
}

#[test]
fn portable_moves_when_codex_would_get_other_servers() {
    let mut model = plain(&["codex", "portable"]);
    assert_eq!(projected(&model, "portable").root, "");
    model.servers[0].targets = strings(&["codex"]);
    assert_eq!(projected(&model, "portable").root, "portable");
    model.servers[0].targets = strings(&["portable"]);
    let portable = projected(&model, "portable");
    assert_eq!(portable.root, "portable");
    let mut with_apps = plain(&["codex", "portable"]);
    with_apps.hosts.insert("codex".to_owned(), object(json!({"apps": {}})));
    assert_eq!(projected(&with_apps, "portable").root, "portable");
    let to: Vec<&str> = portable.mounts.iter().map(|mount| mount.to.as_str()).collect();
    assert_eq!(to, ["portable/mcp/", "portable/skills/", "portable/assets/"]);
    assert_eq!(portable.documents["plugin"], "portable/plugin.json");
}

#[test]
fn portable_moves_when_a_skill_has_a_form_of_its_own() {
    let mut model = plain(&["claude", "portable"]);
    model.skills[0].host_frontmatter.insert("claude".to_owned(), object(json!({"model": "opus"})));
    assert_eq!(projected(&model, "portable").root, "portable");
}

fn claude_table() -> JsonObject {
    object(json!({
        "displayName": "Field Notes",
        "defaultEnabled": false,
        "lspServers": {"notes": {
            "command": format!("{PLUGIN_ROOT}/bin/lsp"),
            "extensionToLanguage": {".md": "markdown"},
        }},
        "monitors": [{"name": "m", "command": "true", "description": "d", "when": "always"}],
        "settings": {"agent": "reviewer"},
    }))
}

#[test]
fn host_tables_reach_their_documents() {
    let mut model = plain(&["claude", "codex"]);
    model.hosts.insert("claude".to_owned(), claude_table());
    model.hosts.insert(
        "codex".to_owned(),
        object(json!({
            "interface": {"displayName": "Field Notes", "brandColor": "#00ff00"},
            "marketplace": {"policy": {"authentication": "ON_USE"}},
            "apps": {"notes": {}},
        })),
    );
    let all = project_all(&Registry::builtin(), &model);
    for projection in all.values() {
        assert_eq!(codes(&projection.diagnostics), Vec::<String>::new());
    }
    let claude = &all["claude"];
    assert_eq!(json_file(claude, ".claude-plugin/plugin.json")["defaultEnabled"], false);
    assert_eq!(json_file(claude, ".lsp.json")["notes"]["command"], "${CLAUDE_PLUGIN_ROOT}/bin/lsp");
    assert_eq!(json_file(claude, "settings.json"), json!({"agent": "reviewer"}));
    assert_eq!(json_file(claude, "monitors/monitors.json")[0]["name"], "m");
    let manifest = json_file(&all["codex"], ".codex-plugin/plugin.json");
    assert_eq!(manifest["interface"]["displayName"], "Field Notes");
    assert_eq!(manifest["interface"]["category"], "Productivity");
    assert_eq!(manifest["apps"], "./.app.json");
    let marketplace = json_file(&all["codex"], ".agents/plugins/marketplace.json");
    let policy = json!({"installation": "AVAILABLE", "authentication": "ON_USE"});
    assert_eq!(marketplace["plugins"][0]["policy"], policy);
}

#[test]
fn host_tables_are_checked() {
    let refused = |host: &str, table: Value| {
        let mut model = plain(&[host]);
        model.hosts.insert(host.to_owned(), object(table));
        projected(&model, host).diagnostics
    };
    let found = refused("claude", json!({"displayname": "x"}));
    assert_eq!(codes(&found), ["claude.manifest.displayname.unknown"]);
    assert_eq!(found[0].help.as_deref(), Some("Did you mean `displayName`?"));
    assert_eq!(codes(&refused("claude", json!({"displayName": 1}))), ["claude.schema.plugin"]);
    assert_eq!(codes(&refused("claude", json!({"name": "x"}))), ["claude.manifest.name.unknown"]);
    assert_eq!(codes(&refused("claude", json!({"settings": {"x": 1}}))), ["claude.schema.settings"]);
    let closed = json!({"marketplace": {"policy": {"installation": "NOT_AVAILABLE"}}});
    assert_eq!(codes(&refused("codex", closed)), ["codex.schema.marketplace"]);
    let token = json!({"interface": {"shortDescription": PLUGIN_ROOT}});
    assert_eq!(codes(&refused("codex", token)), ["codex.manifest.interface.token"]);
    assert_eq!(codes(&refused("portable", json!({"extensions": {"notes": {}}}))), ["portable.schema.plugin"]);
    assert_eq!(codes(&refused("portable", json!({"extensions": {"org.example": {}}}))), Vec::<String>::new());
}

#[test]
fn a_bare_identity_is_enough() {
    let mut model = plain(&ALL);
    model.plugin.description = None;
    model.plugin.logo = None;
    model.plugin.metadata = Metadata::default();
    model.marketplace = true;
    for (host, projection) in project_all(&Registry::builtin(), &model) {
        assert_eq!(codes(&projection.diagnostics), Vec::<String>::new(), "{host}");
    }
}

#[test]
fn long_descriptions_are_cut_for_amp() {
    let mut model = plain(&["amp"]);
    model.plugin.description = Some("é".repeat(500));
    let amp = projected(&model, "amp");
    let entry = String::from_utf8(amp.files[".amp/plugins/field-notes/index.js"].clone()).unwrap();
    assert_eq!(entry.matches('é').count(), 300);
}

#[test]
fn no_path_is_made_of_a_name_that_is_none() {
    let mut model = plain(&["amp"]);
    model.plugin.name = "../../etc".to_owned();
    assert!(projected(&model, "amp").files.is_empty());
    assert_eq!(codes(&check_selection(&Registry::builtin(), &model))[0], "AB4110");
}

#[test]
fn logos_are_shipped_as_assets() {
    let mut model = plain(&ALL);
    assert_eq!(logo_path(&model).as_deref(), Some("assets/logo.png"));
    model.plugin.logo = Some("art/mark.svg".to_owned());
    assert_eq!(logo_path(&model).as_deref(), Some("assets/mark.svg"));
    model.plugin.logo = None;
    assert_eq!(logo_path(&model), None);
}

#[test]
fn fingerprints_tell_hosts_apart() {
    let registry = Registry::builtin();
    let prints: std::collections::BTreeSet<Digest> = registry.all().map(Target::fingerprint).collect();
    assert_eq!(prints.len(), ALL.len());
    assert_eq!(registry.names().collect::<Vec<_>>(), ALL);
    assert_eq!(registry.get("portable").unwrap().observed_version(), "1.0.0");
}
