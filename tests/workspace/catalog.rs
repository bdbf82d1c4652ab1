//! Catalogs, plugins as documents, and the agreement of the two ways.

use crate::rig::{
    BASE, CANARY, NoNames, NoSkills, Rig, Twins, base, open_loopback, serve_once_each, to_json, without_ids,
};
use agent_bundle::workspace::catalog;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn sync(rig: &Rig, catalog: &Value) -> crate::rig::Ran {
    rig.cli(&["workspace", "catalog", "sync", "team", "-", "--json"], catalog.to_string().as_bytes())
}

fn list(rig: &Rig) -> Value {
    rig.cli(&["workspace", "catalog", "list", "--json"], b"").json()["items"].clone()
}

fn install(rig: &Rig) -> crate::rig::Ran {
    let args = ["bundle", "install", "catalog:demo", "--yes", "--json", "--set-env", "tok=TOK"];
    crate::rig::run(rig.directory.path(), &args, b"", &[("TOK", CANARY)])
}

#[test]
fn t300_t302_t303_a_catalog_is_synced_and_installed_from() {
    let rig = Rig::new();
    let before = rig.dump();
    let mut entry = to_json(BASE);
    entry["tags"] = json!(["a", "b"]);
    assert_eq!(sync(&rig, &json!({"bundles": [entry]})).code, 0);
    assert_eq!(rig.dump(), before);
    let item = list(&rig)[0].clone();
    assert_eq!(
        (&item["external_id"], &item["tags"], &item["installable"]),
        (&json!("demo"), &json!(["a", "b"]), &json!(true))
    );
    assert_eq!((&item["installed"], &item["update"]), (&json!(false), &json!(false)));
    let preview = rig.post("/bundles/analyze", &json!({"source": item["spec"]})).body;
    assert_eq!(preview["digest"], item["digest"]);
    let ran = install(&rig);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(list(&rig)[0]["installed"], true);
    let origin = rig.get("/bundles/demo").body["origin"].clone();
    assert_eq!(origin, json!(format!("catalog:team/demo@{}", item["digest"].as_str().unwrap())));
    let changed = to_json(&base(&[("prompt: go", "prompt: go faster")]));
    assert_eq!(sync(&rig, &json!({"bundles": [changed]})).code, 0);
    assert_eq!(list(&rig)[0]["update"], true);
    assert_eq!(install(&rig).code, 0);
}

#[test]
fn t301_t304_entries_and_catalogs_that_are_no_good() {
    let rig = Rig::new();
    let ran = sync(
        &rig,
        &json!({"bundles": [{"description": "x"}, {"name": "ok"}, {"name": "bad", "agents": [{"key": "a", "name": "A"}]}, {"name": "worse", "x": 1}]}),
    );
    let items = ran.json()["items"].clone();
    assert_eq!(items.as_array().unwrap().len(), 3);
    assert_eq!(
        (&items[0]["installable"], &items[1]["installable"], &items[2]["installable"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!(items[1]["issues"][0]["code"], "agent_without_model");
    assert_eq!(rig.cli(&["bundle", "analyze", "catalog:worse"], b"").code, 2);
    assert_eq!(rig.cli(&["bundle", "analyze", "catalog:nothing"], b"").code, 3);
    for catalog in
        [json!({"bundles": {}}), json!({}), json!({"bundles": [], "skills": []}), json!({"skills": []})]
    {
        assert_eq!(sync(&rig, &catalog).code, 2, "{catalog}");
    }
}

/// Over HTTP a registry is taken in again from where the command line took it; the rest is the ordinary install.
#[test]
fn t300_t302_t303_a_catalog_over_http() {
    let entry = Arc::new(Mutex::new(to_json(BASE)));
    let served = entry.clone();
    let server = serve_once_each(move |_| {
        let body = json!({"bundles": [*served.lock().unwrap()]}).to_string();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    });
    let rig = Rig::with(Arc::new(NoNames), open_loopback(), Arc::new(NoSkills));
    let source = format!("http://{server}/bundles.json");
    let bytes = json!({"bundles": [to_json(BASE)]}).to_string();
    catalog::sync(rig.store(), "team", &source, bytes.as_bytes()).unwrap();
    assert_eq!(sync(&rig, &json!({"bundles": []})).code, 0, "a registry of the same name from a file");
    let again = |token: &str, registry: &str| {
        let body = json!({"registry": registry}).to_string().into_bytes();
        rig.send("POST", "/catalog/sync", Some(token), body)
    };
    let refused = again(&rig.admin, "team");
    assert_eq!((refused.status, &refused.body["code"]), (422, &json!("bad_request")), "{}", refused.text);
    catalog::sync(rig.store(), "team", &source, br#"{"bundles": []}"#).unwrap();
    assert_eq!((again(&rig.member, "team").status, again(&rig.admin, "ghost").status), (403, 404));
    let before = rig.dump();
    let synced = again(&rig.admin, "team");
    assert_eq!(
        (synced.status, synced.body["items"].as_array().map(Vec::len)),
        (200, Some(1)),
        "{}",
        synced.text
    );
    assert_eq!(rig.dump(), before);
    assert_eq!(rig.get("/audit").body["events"][0]["action"], "sync catalog");
    let listed = rig.send("GET", "/catalog", Some(&rig.member), Vec::new());
    assert_eq!((listed.status, &listed.body["items"][0]["installed"]), (200, &json!(false)));
    assert_eq!(rig.cli(&["workspace", "catalog", "list", "--json"], b"").json(), listed.body);

    let preview = rig.post("/bundles/analyze", &json!({"catalog": "demo"})).body;
    let origin = json!(format!("catalog:team/demo@{}", listed.body["items"][0]["digest"].as_str().unwrap()));
    assert_eq!((&preview["installable"], &preview["origin"]), (&json!(true), &origin));
    let request = json!({"catalog": "team/demo", "setup_values": {"tok": CANARY}});
    let as_member = rig.send("POST", "/bundles/install", Some(&rig.member), request.to_string().into_bytes());
    assert_eq!(
        (as_member.status, &as_member.body["code"]),
        (403, &json!("permission_denied")),
        "it has policies"
    );
    assert_eq!(rig.post("/bundles/install", &request).status, 200);
    assert_eq!(rig.get("/bundles/demo").body["origin"], origin);

    *entry.lock().unwrap() = to_json(&base(&[("prompt: go", "prompt: go faster")]));
    assert_eq!(again(&rig.admin, "team").status, 200);
    assert_eq!(rig.get("/catalog").body["items"][0]["update"], true);
    let applied = rig.post("/bundles/apply", &json!({"catalog": "demo", "setup_values": {"tok": CANARY}}));
    assert_eq!(applied.status, 200, "{}", applied.text);
    assert_eq!(rig.get("/catalog").body["items"][0]["update"], false);
    for (body, status) in [
        (json!({"catalog": "ghost"}), 404),
        (json!({"catalog": "demo", "bundle": to_json(BASE)}), 422),
        (json!({"catalog": "demo", "origin": "pasted"}), 422),
        (json!({"catalog": 5}), 422),
    ] {
        assert_eq!(rig.post("/bundles/install", &body).status, status, "{body}");
    }
}

#[test]
fn t309_the_command_line_and_http_answer_the_same() {
    let twins = Twins::new();
    twins.analyze(BASE);
    twins.install(BASE, &json!({"tok": CANARY}));
    let values = twins.cli.path("values.json");
    std::fs::write(&values, json!({"mdl": "other"}).to_string()).unwrap();
    let values = values.to_str().unwrap();
    let body = json!({"bundle": to_json(BASE), "setup_values": {"mdl": "other"}});
    let same = |args: &[&str], answer: crate::rig::Answer| {
        let ran = twins.cli.cli(&[args, &["--json"]].concat(), BASE.as_bytes());
        let mut cli = ran.json();
        let mut http = answer.body;
        for side in [&mut cli, &mut http] {
            // Moments and the name of who asked differ by nature; a state is a fingerprint of ids.
            for member in ["created_at", "updated_at", "installed_by", "state", "issues", "undo_until"] {
                side.as_object_mut().unwrap().remove(member);
            }
            for bundle in side["bundles"].as_array_mut().into_iter().flatten() {
                bundle["created_at"] = json!(0);
                bundle["updated_at"] = json!(0);
            }
        }
        assert_eq!(without_ids(&cli.to_string()), without_ids(&http.to_string()), "{args:?}");
    };
    same(&["bundle", "list"], twins.http.get("/bundles"));
    same(&["bundle", "show", "demo"], twins.http.get("/bundles/demo"));
    same(&["bundle", "drift", "demo"], twins.http.get("/bundles/demo/drift"));
    same(&["bundle", "export"], twins.http.get("/export?report=true"));
    same(&["bundle", "plan", "-", "--values", values], twins.http.post("/bundles/plan", &body));
    same(&["bundle", "diff", "-", "--values", values], twins.http.post("/bundles/diff", &body));
    same(&["bundle", "apply", "-", "--yes", "--values", values], twins.http.post("/bundles/apply", &body));
    same(
        &["bundle", "uninstall", "demo", "--yes"],
        twins.http.send("DELETE", "/bundles/demo", Some(&twins.http.admin), Vec::new()),
    );
    same(&["bundle", "show", "demo"], twins.http.get("/bundles/demo"));
}

#[test]
fn a_built_plugin_becomes_a_document() {
    let rig = Rig::new();
    let project = rig.path("project");
    for (path, text) in [
        ("agent-bundle.toml", PROJECT),
        ("src/skills/small/SKILL.md", "---\nname: small\ndescription: A skill of one file\n---\n# Small\n"),
        (
            "src/skills/large/SKILL.md",
            "---\nname: large\ndescription: A skill of two files\n---\n# Large, see [more](more.md)\n",
        ),
        ("src/skills/large/more.md", "more\n"),
        ("src/commands/go.md", "---\ndescription: Go\n---\nGo.\n"),
    ] {
        let path = project.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let artifact = rig.path("artifact");
    let artifact = artifact.to_str().unwrap();
    let built = rig.cli(&["build", "--root", project.to_str().unwrap(), "--output", artifact], b"");
    assert_eq!(built.code, 0, "{built:?}");
    let ran = rig.cli(&["bundle", "from-plugin", artifact, "--json"], b"");
    assert_eq!(ran.code, 0, "{ran:?}");
    let described = ran.json();
    let losses = described["losses"].to_string();
    assert!(
        losses.contains("skill large") && losses.contains("commands") && losses.contains("version"),
        "{losses}"
    );
    let preview = rig.post("/bundles/analyze", &json!({"source": described["document"]})).body;
    assert_eq!(
        (&preview["installable"], &preview["bundle"]["name"]),
        (&json!(true), &json!("tiny")),
        "{preview}"
    );
    let keys: Vec<&str> = preview["entities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entity| entity["key"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["far", "near", "small"]);
    let near = &preview["bundle"]["mcps"][1];
    assert_eq!(
        (&near["json_spec"]["environment"], &near["bindings"]),
        (&json!({"MODE": "a"}), &json!({"API_TOKEN": "${setup.API_TOKEN}"}))
    );
    assert_eq!(rig.cli(&["bundle", "from-plugin", "/nonexistent"], b"").code, 2);
}

const PROJECT: &str = r#"
targets = ["claude"]

[plugin]
name = "tiny"
version = "1.0.0"
description = "A plugin of a test"

[mcp.servers.near]
command = "npx"
args = ["-y", "pkg-a"]
env = { MODE = "a", API_TOKEN = "canary-literal" }

[mcp.servers.far]
url = "https://h.test/mcp"
transport = "streamable-http"
"#;
