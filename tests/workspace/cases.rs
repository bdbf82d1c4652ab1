//! Runtimes, skills, policies, channels, automations.

use crate::rig::{BASE, Twins, base, codes_of};
use serde_json::{Value, json};

const COMMAND: &str = "json_spec: { type: command, command: uvx, args: [pkg-a] }";

fn spec(json_spec: &str) -> String {
    base(&[(COMMAND, &format!("json_spec: {json_spec}"))])
}

fn first(body: &Value) -> &Value {
    &body["entities"][0]
}

#[test]
fn t130_the_eight_runtimes() {
    let twins = Twins::new();
    for command in ["npx", "uvx", "uv", "python", "python3", "node", "bunx", "deno"] {
        let body = twins.accepts(&spec(&format!("{{ type: command, command: {command} }}")));
        assert_eq!(first(&body)["status"], "will_create");
    }
}

#[test]
fn t132_t133_t134_t135_t136_commands_that_do_not_run_here() {
    let twins = Twins::new();
    for (command, args, reason) in [
        ("./bin/x", "", "local path"),
        ("/usr/bin/node", "", "local path"),
        ("../x", "", "local path"),
        ("${CLAUDE_PLUGIN_ROOT}/run", "", "plugin"),
        ("$CLAUDE_PLUGIN_ROOT/run", "", "plugin"),
        ("node", "${CLAUDE_PLUGIN_ROOT}/s.js", "plugin"),
        ("~/x", "", "local path"),
        ("C:\\x.exe", "", "local path"),
        ("\\\\h\\s\\x", "", "local path"),
        ("NPX", "", "bunx, deno, node, npx, python, python3, uv, uvx"),
        ("npx.cmd", "", "bunx, deno, node, npx, python, python3, uv, uvx"),
        ("npx -y pkg", "", "bunx, deno"),
        ("bash", "", "bunx, deno"),
        ("", "", "no command"),
    ] {
        let json_spec = json!({"type": "command", "command": command, "args": [args]});
        let body = twins.warns(&spec(&json_spec.to_string()), &["mcp_skipped", "agent_loses_tool"]);
        assert_eq!(first(&body)["status"], "unsupported", "{command}");
        assert!(first(&body)["detail"].as_str().unwrap().contains(reason), "{command}: {body}");
    }
}

#[test]
fn t138_t139_t140_t141_the_members_of_a_server() {
    let twins = Twins::new();
    for json_spec in [
        "{ type: command, command: [npx] }",
        "{ type: command, command: 5 }",
        "{ type: sse, url: \"https://h.test/\" }",
        "{ command: npx }",
        "{ type: url }",
        "{ type: docker }",
        "{ type: command, command: npx, args: x }",
        "{ type: command, command: npx, args: [[x]] }",
        "{ type: command, command: npx, environment: [x] }",
        "{ type: url, url: \"ftp://h.test/\" }",
        "{ type: url, url: nonsense }",
    ] {
        twins.blocks(&spec(json_spec), "mcp_spec_invalid");
    }
    let body = twins.accepts(&spec("{ type: url, url: \"https://h.test/mcp\" }"));
    assert_eq!(first(&body)["detail"], "https://h.test/mcp");
    twins.accepts(&spec("{ type: docker, image: \"ghcr.io/a/b:1\" }"));
}

#[test]
fn t142_an_agent_without_its_only_server() {
    let twins = Twins::new();
    let document = spec("{ type: command, command: bash }");
    let body = twins.analyze(&document).body;
    assert!(codes_of(&body, "warn").contains(&"agent_loses_tool".to_owned()));
    let result = twins.install(&document, &json!({"tok": "x"}));
    let id = crate::rig::id_of(&result.body, "agent", "bot");
    assert_eq!(twins.http.entity(&id)["fields"]["tools"], json!([]));
}

#[test]
fn t144_one_header_in_two_spellings() {
    let document = base(&[
        (COMMAND, "json_spec: { type: url, url: \"https://h.test/\" }"),
        (
            "bindings: { TOKEN: \"${setup.tok}\" }",
            "bindings: { authorization: \"${setup.tok}\", Authorization: \"${setup.tok}\" }",
        ),
    ]);
    Twins::new().blocks(&document, "mcp_spec_invalid");
}

fn skill(content: &str) -> String {
    base(&[("content: \"# Notes\"", &format!("content: {}", Value::from(content)))])
}

#[test]
fn t145_t146_t147_front_matter() {
    let twins = Twins::new();
    let body = twins.blocks(&skill("---\nname: n\ndescription: a: b\n---\n"), "skill_front_matter");
    let message = body["issues"][0]["message"].as_str().unwrap();
    assert!(message.contains("notes") && message.contains("line 3"), "{message}");
    twins.accepts(&skill("just text"));
    twins.accepts(&skill("---\nname: other\ndescription: fine\nallowed-tools: [Read]\n---\nbody"));
    let mut bomb = "---\na0: &a0 [lol]\n".to_owned();
    for level in 1..=9 {
        let uses = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{uses}]\n"));
    }
    let started = std::time::Instant::now();
    twins.blocks(&skill(&format!("{bomb}---\n")), "skill_front_matter");
    assert!(started.elapsed() < std::time::Duration::from_secs(2));
}

#[test]
fn t148_sources_of_skills() {
    let twins = Twins::new();
    for member in
        ["source_type: content", "source_type: github", "source_type: zip, content: x", "content: \" \""]
    {
        twins.parse_error(&base(&[("content: \"# Notes\"", member)]));
    }
    for url in [
        "http://github.com/a/b",
        "https://gitlab.com/a/b",
        "https://u@github.com/a/b",
        "https://github.com/a/b?x",
    ] {
        let member = format!("source_type: github, source_url: \"{url}\"");
        twins.blocks(&base(&[("content: \"# Notes\"", &member)]), "skill_source");
    }
    let both = "source_type: github, source_url: \"https://github.com/a/b\", content: x";
    twins.warns(&base(&[("content: \"# Notes\"", both)]), &["skill_member_ignored"]);
}

fn policy(members: &str) -> String {
    format!("name: x\npolicies:\n  - {{ key: p, {members} }}\n")
}

#[test]
fn t152_t153_t156_t157_policies_that_would_never_act() {
    let twins = Twins::new();
    for members in [
        "target: spend, effect: cap",
        "target: spend, effect: cap, params: { amount_usd: 5, period: day }",
        "target: spend, effect: cap, params: { amount_usd: -1 }",
        "target: spend, effect: cap, params: { amount_usd: 5, other: 1 }",
        "target: service, effect: cap, params: { amount_usd: 0 }",
        "target: tokens, effect: cap",
        "target: tokens, effect: cap, params: { max_tokens: 0 }",
        "target: execution, effect: cap, params: { max_model_turns: 1.5 }",
        "target: content, effect: safety, params: { prompt_injection: 1 }",
        "target: \"tool:*\", effect: deny",
        "target: tool, effect: deny",
        "target: \"mcp:x\", effect: deny",
        "target: \"*\", effect: allow",
        "target: \"tool:x\", effect: deny, params: { a: 1 }",
        "target: \"bogus:x\", effect: deny",
        "target: \"tool:\", effect: deny",
        "target: \":x\", effect: deny",
        "target: \"tool:x\", effect: deny, condition: \"true\"",
    ] {
        twins.blocks(&policy(members), "policy_unenforceable");
    }
    twins.parse_error(&policy("target: \"\", effect: deny"));
}

#[test]
fn t154_t158_effects() {
    let twins = Twins::new();
    for members in [
        "target: \"*\", effect: approval",
        "target: \"tool:*\", effect: approval",
        "target: \"tool:x\", effect: approval, params: { approvers: [someone] }",
        "target: \"tool:x\", effect: deny",
        "target: spend, effect: cap, params: { amount_usd: \"5.50\", period: run }",
        "target: spend, effect: cap, params: { amount_usd: 0 }",
        "target: content, effect: safety, params: { prompt_injection: true }",
        "target: execution, effect: cap, params: { max_tool_calls_total: 3 }",
    ] {
        twins.accepts(&policy(members));
    }
    twins.parse_error(&policy("target: \"tool:x\", effect: egress"));
    twins.parse_error(&policy("target: \"tool:x\", effect: nuke"));
}

#[test]
fn t159_the_message_of_a_policy_is_told_and_not_stored() {
    let twins = Twins::new();
    let result =
        twins.install(&policy("target: \"tool:x\", effect: deny, message: too dangerous"), &json!({}));
    let entity = &result.body["entities"][0];
    assert!(entity["detail"].as_str().unwrap().contains("too dangerous"));
    let row = twins.http.entity(entity["id"].as_str().unwrap());
    assert!(!row.to_string().contains("too dangerous"));
}

#[test]
fn t160_policies_need_an_administrator() {
    let twins = Twins::new();
    let before = twins.http.dump();
    let body = json!({"bundle": crate::rig::to_json(BASE), "setup_values": {"tok": "x"}});
    let refused =
        twins.http.send("POST", "/bundles/install", Some(&twins.http.member), body.to_string().into_bytes());
    assert_eq!((refused.status, &refused.body["code"]), (403, &json!("permission_denied")));
    assert_eq!(twins.http.dump(), before);
    let preview = json!({"source": BASE}).to_string().into_bytes();
    let preview = twins.http.send("POST", "/bundles/analyze", Some(&twins.http.member), preview);
    assert_eq!((preview.status, preview.codes()), (200, vec!["policy_needs_admin".to_owned()]));
}

#[test]
fn t162_t163_agents() {
    let twins = Twins::new();
    twins.blocks(&base(&[(", model: \"${setup.mdl}\"", "")]), "agent_without_model");
    twins.blocks(&base(&[("model: \"${setup.mdl}\"", "model: \"\"")]), "agent_without_model");
    let instruction = |count: usize| {
        base(&[("name: Bot,", &format!("name: Bot, instruction: \"{}\",", "😀".repeat(count)))])
    };
    twins.accepts(&instruction(20_000));
    twins.parse_error(&instruction(20_001));
}

#[test]
fn t164_t165_schedules_and_types() {
    let twins = Twins::new();
    for cron in ["61 * * * *", "0 9 * *", "", "a b c d e", "0 9 * * * * *"] {
        let document = base(&[("cron: \"0 9 * * *\"", &format!("cron: \"{cron}\""))]);
        twins.blocks(&document, "automation_schedule");
    }
    twins.blocks(&base(&[("prompt: go", "prompt: go, timezone: Mars/X")]), "automation_schedule");
    twins.accepts(&base(&[("prompt: go", "prompt: go, timezone: America/New_York")]));
    twins.warns(&base(&[("cron: \"0 9 * * *\"", "cron: \"*/10 * * * * *\"")]), &["automation_frequent"]);
    twins.parse_error(&base(&[("name: Inbox,", "name: Inbox, type: slack,")]));
    twins.parse_error(&base(&[("prompt: go", "prompt: go, type: interval")]));
}

#[test]
fn t166_a_generic_channel_needs_no_credential() {
    let twins = Twins::new();
    let document = "name: x\nagents:\n  - { key: a, name: A, model: m }\nchannels:\n  \
                    - { key: c, name: C, agent: a, type: generic }\n";
    twins.accepts(document);
    let result = twins.install(document, &json!({}));
    let row = twins.http.entity(&crate::rig::id_of(&result.body, "channel", "c"));
    assert_eq!((&row["fields"]["credential"], &row["secrets"]), (&json!({}), &json!({})));
    assert!(row["fields"]["webhook_id"].as_str().unwrap().len() >= 16);
}

#[test]
fn a_channel_that_starts_at_once_has_its_token() {
    let document = base(&[("bindings: { bot_token: \"${setup.tok}\" }", "enabled: true")]);
    Twins::new().blocks(&document, "channel_credential");
}

#[test]
fn known_tokens_are_pointed_out() {
    let document = base(&[("prompt: go", "prompt: use ghp_0123456789abcdefABCD")]);
    Twins::new().warns(&document, &["secret_like_literal"]);
}
