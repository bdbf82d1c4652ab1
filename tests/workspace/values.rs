//! Setup values and signing keys.

use crate::rig::{BASE, CANARY, Rig, Twins, base, id_of};
use serde_json::{Value, json};

#[test]
fn t090_t091_t092_missing_values() {
    let twins = Twins::new();
    let before = (twins.cli.dump(), twins.http.dump());
    for values in [json!({}), json!({"tok": "   "}), json!({"tok": null})] {
        let refused = twins.install(BASE, &values);
        assert_eq!((refused.status, refused.codes()), (422, vec!["setup_missing".to_owned()]), "{values}");
        assert_eq!(refused.body["code"], "bundle_invalid");
    }
    assert_eq!((twins.cli.dump(), twins.http.dump()), before);
}

#[test]
fn t093_t094_defaults_are_used() {
    for values in [json!({"tok": CANARY}), json!({"tok": CANARY, "mdl": null})] {
        let rig = Rig::new();
        let result = rig.installed(BASE, &values);
        assert_eq!(rig.entity(&id_of(&result, "agent", "bot"))["fields"]["model"], "small-1");
    }
}

/// A document whose agent shows the value of a field of that kind.
fn field(members: &str) -> String {
    format!(
        "name: x\nsetup:\n  - {{ key: n, label: N, {members} }}\nagents:\n  - {{ key: a, name: A, model: \"v${{setup.n}}\" }}\n"
    )
}

fn model(document: &str, value: &Value) -> Result<String, Vec<String>> {
    let rig = Rig::new();
    let answer = rig.install(document, &json!({"n": value}));
    match answer.status {
        200 => {
            Ok(rig.entity(&id_of(&answer.body, "agent", "a"))["fields"]["model"].as_str().unwrap().to_owned())
        }
        422 => Err(answer.codes()),
        other => panic!("{other}: {}", answer.text),
    }
}

fn invalid() -> Result<String, Vec<String>> {
    Err(vec!["setup_invalid".to_owned()])
}

#[test]
fn t096_numbers_as_text_come_from_command_lines_only() {
    let document = field("type: number, required: true");
    assert_eq!(model(&document, &json!("5")), invalid());
    let rig = Rig::new();
    let ran = rig.cli(&["bundle", "install", "-", "--yes", "--json", "--set", "n=5"], document.as_bytes());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(rig.entity(&id_of(&ran.json(), "agent", "a"))["fields"]["model"], "v5");
    let ran = rig.cli(&["bundle", "install", "-", "--yes", "--json", "--set", "n=NaN"], document.as_bytes());
    assert_eq!(ran.code, 2, "{ran:?}");
}

#[test]
fn t097_t102_numbers() {
    let document = field("type: number, required: true, min: -1, max: 1000");
    assert_eq!(model(&document, &json!(-1)), Ok("v-1".to_owned()));
    assert_eq!(model(&document, &json!(-1.5)), invalid());
    assert_eq!(model(&document, &json!(1000.5)), invalid());
    assert_eq!(model(&document, &json!(1.0)), Ok("v1".to_owned()));
    assert_eq!(model(&document, &json!(1e3)), Ok("v1000".to_owned()));
    assert_eq!(model(&document, &json!(0.1)), Ok("v0.1".to_owned()));
    let rig = Rig::new();
    for number in ["NaN", "Infinity", "1e999"] {
        let body = format!(
            "{{\"bundle\": {}, \"setup_values\": {{\"n\": {number}}}}}",
            crate::rig::to_json(&document)
        );
        assert_eq!(
            rig.send("POST", "/bundles/install", Some(&rig.admin), body.into_bytes()).status,
            422,
            "{number}"
        );
    }
}

#[test]
fn t098_t099_options() {
    let document = field("type: select, options: [a, b], required: true");
    assert_eq!(model(&document, &json!("a")), Ok("va".to_owned()));
    assert_eq!(model(&document, &json!("A")), invalid());
    assert_eq!(model(&document, &json!("c")), invalid());
    let twins = Twins::new();
    twins.parse_error(&field("type: select"));
    twins.parse_error(&field("type: select, options: []"));
    twins.blocks(&field("type: select, options: [a, a]"), "setup_field_invalid");
    twins.blocks(&field("type: string, options: [a]"), "setup_field_invalid");
    twins.blocks(&field("type: number, min: 2, max: 1"), "setup_field_invalid");
    twins.blocks(&field("type: number, default: x"), "setup_field_invalid");
}

#[test]
fn t100_t103_values_that_look_empty_and_values_that_are_lists() {
    assert_eq!(model(&field("type: boolean, required: true"), &json!(false)), Ok("vfalse".to_owned()));
    assert_eq!(model(&field("type: number, required: true"), &json!(0)), Ok("v0".to_owned()));
    assert_eq!(model(&field("required: true"), &json!({"a": 1})), invalid());
    assert_eq!(model(&field("required: true"), &json!(["a"])), invalid());
    assert_eq!(model(&field("required: true"), &json!(5)), invalid());
}

#[test]
fn t104_a_secret_has_no_default() {
    let body = Twins::new()
        .blocks(&base(&[("type: secret,", "type: secret, default: s3cr3t,")]), "setup_field_invalid");
    assert!(!body["issues"].to_string().contains("s3cr3t"));
}

#[test]
fn t105_a_secret_is_stored_as_it_is() {
    let rig = Rig::new();
    let secret = "  e\u{301} x \n";
    let result = rig.installed(BASE, &json!({"tok": secret}));
    let owner = id_of(&result, "mcp", "web");
    let stored = rig.store().read(|view| view.secret(&owner, "tok")).unwrap().unwrap();
    assert_eq!(stored.expose(), secret);
}

#[test]
fn t106_values_have_limits_and_names() {
    let twins = Twins::new();
    for values in [
        json!({"tok": "x".repeat(70 * 1024)}),
        json!({"tok": CANARY, "other": "canary-other"}),
        json!({"tok": "a\u{7f}b", "mdl": 5}),
    ] {
        let refused = twins.install(BASE, &values);
        assert_eq!((refused.status, refused.codes()), (422, vec!["setup_invalid".to_owned()]));
        assert!(!refused.text.contains("canary"));
    }
}

#[test]
fn t108_a_field_that_only_a_skipped_server_uses() {
    let twins = Twins::new();
    let document = base(&[
        ("command: uvx", "command: bash"),
        ("bindings: { bot_token: \"${setup.tok}\" }", "type: generic"),
    ]);
    twins.warns(&document, &["setup_field_unused", "mcp_skipped", "agent_loses_tool"]);
    assert_eq!(twins.install(&document, &json!({})).status, 422);
    assert_eq!(twins.install(&document, &json!({"tok": CANARY})).status, 200);
}

const COMMAND: &str = "json_spec: { type: command, command: uvx, args: [pkg-a] }";

/// A signed server; `k` is its key.
fn signed(json_spec: &str, key: &str, reference: &str) -> String {
    base(&[
        ("  - { key: mdl,", &format!("  - {{ key: k, label: K, {key} }}\n  - {{ key: mdl,")),
        (COMMAND, &format!("context_secret: {reference}, json_spec: {json_spec}")),
    ])
}

const URL: &str = "{ type: url, url: \"https://h.test/\" }";
const SECRET: &str = "type: secret, required: true";
const REFERENCE: &str = "\"${setup.k}\"";

fn key_of(length: usize) -> String {
    (0..length).map(|at| char::from(b'a' + u8::try_from(at % 26).unwrap())).collect()
}

#[test]
fn t110_t111_t112_lengths_of_signing_keys() {
    let twins = Twins::new();
    let document = signed(URL, SECRET, REFERENCE);
    for (length, status) in [(31, 422), (32, 200), (512, 200), (513, 422)] {
        let answer = twins.install(&document, &json!({"tok": CANARY, "k": key_of(length)}));
        assert_eq!(answer.status, status, "{length}");
        if status == 422 {
            assert_eq!(answer.codes(), ["context_secret_length"]);
            assert!(answer.text.contains("`k`"));
            assert!(!answer.text.contains(&key_of(8)) && !answer.text.contains(&length.to_string()));
        } else {
            let row = twins.http.entity(&id_of(&answer.body, "mcp", "web"));
            assert_eq!(row["fields"]["context_signing"], true);
        }
    }
    let weak = Twins::new().install(&document, &json!({"tok": CANARY, "k": "a".repeat(40)}));
    assert!(weak.codes().contains(&"context_secret_weak".to_owned()));
}

#[test]
fn t114_t115_a_key_never_stands_in_a_document() {
    let twins = Twins::new();
    for reference in ["canary-literal-key", "\"x${setup.k}\"", "\"${setup.k}${setup.k}\"", "\"\""] {
        let body = twins.parse_error(&signed(URL, SECRET, reference));
        assert!(!body.to_string().contains("canary-literal"));
    }
}

#[test]
fn t116_t117_t118_where_keys_do_not_belong() {
    let twins = Twins::new();
    for json_spec in
        ["{ type: command, command: npx }", "{ type: docker, image: a }", "{ type: command, command: bash }"]
    {
        twins.blocks(&signed(json_spec, SECRET, REFERENCE), "context_secret_not_url");
    }
    twins.blocks(&signed(URL, "type: string, required: true", REFERENCE), "context_secret_not_secret");
    twins.blocks(&signed(URL, SECRET, "\"${setup.nope}\""), "unknown_setup_field");
}

#[test]
fn t120_t121_absent_and_short_keys() {
    let twins = Twins::new();
    let refused = twins.install(&signed(URL, "type: secret", REFERENCE), &json!({"tok": CANARY}));
    assert_eq!((refused.status, refused.codes()), (422, vec!["setup_missing".to_owned()]));
    let refused = twins.install(&signed(URL, SECRET, REFERENCE), &json!({"k": "short"}));
    assert_eq!(refused.codes(), ["setup_missing", "context_secret_length"]);
}

#[test]
fn t122_a_reused_server_keeps_its_key() {
    let twins = Twins::new();
    let document = signed(URL, SECRET, REFERENCE);
    let first = twins.install(&document, &json!({"tok": CANARY, "k": key_of(32)}));
    let again = twins.install(&document, &json!({"tok": CANARY, "k": key_of(40)}));
    assert_eq!(again.codes(), ["reused_not_updated"]);
    let owner = id_of(&first.body, "mcp", "web");
    let stored = twins.http.store().read(|view| view.secret(&owner, "k")).unwrap().unwrap();
    assert_eq!(stored.expose(), key_of(32));
}

#[test]
fn t306_t307_secrets_and_command_lines() {
    let rig = Rig::new();
    let ran = rig.cli(&["bundle", "install", "-", "--yes", "--set", "tok=canary-argv"], BASE.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(ran.err.contains("--set-env") && !ran.err.contains("canary-argv"));
    let ran = rig.cli(&["bundle", "install", "-", "--yes"], BASE.as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("tok"));
    let ran = rig.cli(&["bundle", "install", "-"], BASE.as_bytes());
    assert_eq!(ran.code, 1);
    let args = ["bundle", "install", "-", "--yes", "--set-env", "tok=CANARY_VARIABLE"];
    let ran = crate::rig::run(rig.directory.path(), &args, BASE.as_bytes(), &[("CANARY_VARIABLE", CANARY)]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.contains(CANARY) && !ran.err.contains(CANARY));
    let path = rig.path("token");
    std::fs::write(&path, format!("{CANARY}\r\n")).unwrap();
    let file = format!("tok={}", path.display());
    let plan = ["bundle", "plan", "-", "--json", "--set-file", &file];
    let ran = rig.cli(&plan, BASE.as_bytes());
    // The same value as from the variable: its last line break is not a part of it.
    assert_eq!((ran.code, &ran.json()["empty"]), (0, &json!(true)), "{ran:?}");
    std::fs::write(&path, format!("{CANARY} \n\n")).unwrap();
    assert_eq!(rig.cli(&plan, BASE.as_bytes()).json()["empty"], false);
    let ran = rig.cli(&["bundle", "plan", "-", "--set-file", "tok=/nonexistent"], BASE.as_bytes());
    assert_eq!((ran.code, ran.err.contains("/nonexistent")), (1, true), "{ran:?}");
}

#[test]
fn t308_a_dry_run_is_an_analysis() {
    let twins = Twins::new();
    let before = twins.cli.dump();
    let ran = twins.cli.cli(&["bundle", "install", "-", "--dry-run", "--json"], BASE.as_bytes());
    assert_eq!(
        (ran.code, ran.json()),
        (0, twins.http.post("/bundles/analyze", &json!({"source": BASE})).body)
    );
    assert_eq!(twins.cli.dump(), before);
}

#[test]
fn a_default_of_a_secret_is_repeated_nowhere() {
    let rig = Rig::new();
    let text = "name: x\nsetup:\n  - { key: token, label: T, type: secret, required: true, default: ghp_abcdefghijklmnopqrstuvwxyz0123456789 }\n";
    for command in ["check", "analyze"] {
        let ran = rig.cli(&["bundle", command, "-", "--json"], text.as_bytes());
        assert!(ran.code != 0 && !format!("{ran:?}").contains("ghp_"), "{command}: {ran:?}");
    }
}
