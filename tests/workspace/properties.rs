//! What holds for any document.

use crate::rig::{CANARY, Rig, to_json};
use serde_json::{Value, json};

/// A small generator of numbers, so that a failure can be repeated from its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn yes(&mut self) -> bool {
        self.roll(2) == 0
    }

    /// Some of the keys.
    fn some(&mut self, prefix: &str, count: u64) -> Vec<String> {
        (0..count).filter(|_| self.yes()).map(|at| format!("{prefix}{at}")).collect()
    }
}

/// A document that can be installed.
fn document(seed: u64) -> Value {
    let dice = &mut Dice(seed);
    let (mcps, skills, agents) = (dice.roll(4), dice.roll(4), 1 + dice.roll(3));
    let commands = ["npx", "uvx", "bash", "./local"];
    let servers: Vec<Value> = (0..mcps)
        .map(|at| {
            let json_spec = match dice.roll(3) {
                0 => json!({"type": "command", "command": commands[usize::try_from(dice.roll(4)).unwrap()],
                            "args": ["-y", format!("pkg-{at}"), "${setup.tok}"], "environment": {"MODE": "a"}}),
                1 => json!({"type": "docker", "image": "a/b:1"}),
                _ => json!({"type": "url", "endpoint_url": "https://h.test/mcp?k=${setup.tok}", "headers": {"X-A": "b"}}),
            };
            json!({"key": format!("m{at}"), "name": format!("Server {at}"), "json_spec": json_spec,
                   "bindings": {"TOKEN": "Bearer ${setup.tok} ${setup.mdl}"}})
        })
        .collect();
    let agents: Vec<Value> = (0..agents)
        .map(|at| {
            json!({"key": format!("a{at}"), "name": format!("Agent {at}"), "model": "${setup.mdl}",
                   "instruction": format!("line\nother {at} #x: y\n"), "mcps": dice.some("m", mcps), "skills": dice.some("s", skills)})
        })
        .collect();
    json!({
        "name": "random",
        "setup": [{"key": "tok", "label": "T", "type": "secret", "required": true}, {"key": "mdl", "label": "M", "default": "m"}],
        "mcps": servers,
        "skills": (0..skills).map(|at| json!({"key": format!("s{at}"), "name": format!("Skill {at}"), "content": format!("# S {at}\n\n- a: b\n")})).collect::<Vec<_>>(),
        "agents": agents,
        "channels": (0..dice.roll(3)).map(|at| json!({"key": format!("c{at}"), "name": "C", "agent": "a0", "bindings": {"bot_token": "${setup.tok}"}})).collect::<Vec<_>>(),
        "automations": (0..dice.roll(3)).map(|at| json!({"key": format!("t{at}"), "agent": "a0", "cron": "0 9 * * *", "prompt": "go"})).collect::<Vec<_>>(),
        "policies": (0..dice.roll(3)).map(|at| json!({"key": format!("p{at}"), "subject": if dice.yes() { "a0" } else { "workspace" }, "target": "tool:x", "effect": "deny"})).collect::<Vec<_>>(),
    })
}

#[test]
fn t204_what_a_preview_says_an_install_does_and_an_uninstall_undoes() {
    let rig = Rig::new();
    rig.installed("name: neighbour\nagents:\n  - { key: a, name: Agent 0, model: m }\n", &json!({}));
    let before = rig.dump();
    for seed in 0..500 {
        let text = document(seed).to_string();
        for expected in ["created", "reused"] {
            let preview = rig.post("/bundles/analyze", &json!({"source": text})).body;
            assert_eq!(preview["installable"], true, "seed {seed}: {preview}");
            let result = rig.installed(&text, &json!({"tok": CANARY}));
            let pairs =
                preview["entities"].as_array().unwrap().iter().zip(result["entities"].as_array().unwrap());
            for (said, done) in pairs {
                let word = match said["status"].as_str().unwrap() {
                    "will_create" => "created",
                    "already_exists" => "reused",
                    _ => "skipped",
                };
                assert_eq!(
                    (word, &said["key"], &said["name"]),
                    (done["action"].as_str().unwrap(), &done["key"], &done["name"]),
                    "seed {seed}"
                );
                assert!(word == expected || word == "skipped", "seed {seed}");
            }
        }
        let gone = rig.send("DELETE", "/bundles/random", Some(&rig.admin), Vec::new());
        assert_eq!(gone.status, 200, "seed {seed}: {}", gone.text);
        assert_eq!(rig.dump(), before, "seed {seed}");
    }
}

#[test]
fn an_applied_plan_is_empty_afterwards() {
    for seed in 0..60 {
        let rig = Rig::new();
        let (first, second) = (document(seed).to_string(), document(seed + 1_000).to_string());
        rig.installed(&first, &json!({"tok": CANARY}));
        let body =
            json!({"bundle": to_json(&second), "setup_values": {"tok": "canary-2"}, "prune": seed % 2 == 0});
        let applied = rig.post("/bundles/apply", &body);
        assert_eq!(applied.status, 200, "seed {seed}: {}", applied.text);
        let planned = rig
            .post("/bundles/plan", &json!({"bundle": to_json(&second), "setup_values": {"tok": "canary-2"}}));
        assert_eq!(planned.body["empty"], true, "seed {seed}: {}", planned.text);
        let drift = rig.get("/bundles/random/drift").body;
        assert_eq!(drift["drifted"], json!([]), "seed {seed}");
    }
}

#[test]
fn every_export_reads_back() {
    for seed in 0..60 {
        let rig = Rig::new();
        rig.installed(&document(seed).to_string(), &json!({"tok": CANARY}));
        let export = rig.get("/export?policies=true");
        assert_eq!(export.status, 200, "seed {seed}: {}", export.text);
        assert!(!export.text.contains("canary"));
    }
}

#[test]
fn t310_no_text_makes_the_parser_or_the_analysis_fall_over() {
    let seeds = [crate::rig::BASE.to_owned(), document(7).to_string()];
    let dice = &mut Dice(99);
    // The long form runs for as long as it is told to; no text may take two seconds.
    let seconds = std::env::var("FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let started = std::time::Instant::now();
    for round in 0.. {
        if round >= 3_000 && started.elapsed() >= std::time::Duration::from_secs(seconds) {
            break;
        }
        let mut bytes = seeds[round % 2].clone().into_bytes();
        for _ in 0..=dice.roll(6) {
            let at = usize::try_from(dice.roll(bytes.len() as u64)).unwrap();
            match dice.roll(3) {
                0 => bytes[at] = u8::try_from(dice.roll(256)).unwrap(),
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}[]:,&*!|>'\"%@`#- \n\t"[usize::try_from(dice.roll(21)).unwrap()]),
            }
        }
        let one = std::time::Instant::now();
        if let Ok(document) = agent_bundle::workspace::document::Document::parse(&bytes) {
            drop(agent_bundle::workspace::plans::preview_alone(&document));
        }
        assert!(one.elapsed().as_secs() < 2, "{:?}", String::from_utf8_lossy(&bytes));
    }
}
