//! Documents that a publisher signed.

use crate::rig::{BASE, CANARY, Ran, Rig, base, codes_of, to_json};
use serde_json::{Value, json};

/// A rig with the base document in a file.
struct Signed {
    rig: Rig,
    document: String,
}

impl Signed {
    fn new() -> Self {
        let rig = Rig::new();
        let document = rig.path("demo.yaml").to_str().unwrap().to_owned();
        std::fs::write(&document, BASE).unwrap();
        Self { rig, document }
    }

    fn sign(&self, key: &str) -> Ran {
        let key = self.rig.path(key);
        let args = ["bundle", "sign", &self.document, "--publisher", "acme", "--key", key.to_str().unwrap()];
        self.rig.cli(&args, b"")
    }

    /// Signs and puts the signature beside the document.
    fn signed(&self, key: &str) -> Value {
        let ran = self.sign(key);
        assert_eq!(ran.code, 0, "{ran:?}");
        std::fs::write(self.beside(), &ran.out).unwrap();
        ran.json()
    }

    fn beside(&self) -> String {
        format!("{}.sig", self.document)
    }

    fn run(&self, verb: &str, more: &[&str]) -> Ran {
        let args = [&["bundle", verb, &self.document, "--json", "--set-env", "tok=TOK"], more].concat();
        crate::rig::run(self.rig.directory.path(), &args, b"", &[("TOK", CANARY)])
    }

    fn analyze(&self) -> Value {
        self.rig.cli(&["bundle", "analyze", &self.document, "--json"], b"").json()
    }
}

#[test]
fn a_signature_is_verified_and_its_key_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let signed = Signed::new();
    let signature = signed.signed("acme.key");
    let key = std::fs::metadata(signed.rig.path("acme.key")).unwrap();
    assert_eq!(key.permissions().mode() & 0o777, 0o600);
    assert_eq!(signed.sign("acme.key").json(), signature, "the same key signs the same way");
    let text = signed.rig.cli(&["bundle", "analyze", &signed.document], b"");
    let line = format!(
        "signed by acme with the key {} (seen for the first time)",
        signature["key"].as_str().unwrap()
    );
    assert!(text.out.contains(&line), "{}", text.out);
    assert_eq!(signed.analyze()["signed_by"]["known"], false, "a preview keeps nothing");
    assert_eq!(signed.run("install", &["--yes"]).code, 0);
    assert_eq!(
        signed.analyze()["signed_by"],
        json!({"publisher": "acme", "key": signature["key"], "known": true})
    );
    let publishers = signed.rig.cli(&["workspace", "publisher", "list", "--json"], b"").json();
    assert_eq!(publishers["publishers"]["acme"], signature["key"]);
    assert_eq!(signed.rig.dump()["records"]["demo"]["publisher"], "acme");
}

#[test]
fn another_key_of_a_publisher_is_refused_until_the_first_is_forgotten() {
    let signed = Signed::new();
    signed.signed("acme.key");
    assert_eq!(signed.run("install", &["--yes"]).code, 0);
    let before = signed.rig.dump();
    signed.signed("other.key");
    assert_eq!(codes_of(&signed.analyze(), "block"), ["publisher_key_changed"]);
    for (verb, more) in [("install", ["--yes", "--accept-origin"]), ("apply", ["--yes", "--accept-origin"])] {
        let ran = signed.run(verb, &more);
        assert_eq!(
            (ran.code, &ran.json()["issues"][0]["code"]),
            (2, &json!("publisher_key_changed")),
            "{ran:?}"
        );
        assert!(ran.err.contains("workspace publisher forget acme"), "{ran:?}");
    }
    assert_eq!(signed.rig.dump(), before);
    assert_eq!(signed.rig.cli(&["workspace", "publisher", "forget", "acme"], b"").code, 0);
    assert_eq!(signed.rig.cli(&["workspace", "publisher", "forget", "acme"], b"").code, 3);
    assert_eq!(signed.run("install", &["--yes"]).code, 0);
}

#[test]
fn a_changed_document_and_a_missing_signature_are_refused() {
    let signed = Signed::new();
    let signature = signed.signed("acme.key");
    assert_eq!(signed.run("install", &["--yes"]).code, 0);
    // How it is written does not matter, what it says does.
    std::fs::write(&signed.document, to_json(BASE).to_string()).unwrap();
    assert_eq!(signed.analyze()["installable"], true);
    std::fs::write(&signed.document, base(&[("prompt: go", "prompt: go away")])).unwrap();
    let preview = signed.analyze();
    assert_eq!(
        (codes_of(&preview, "block"), &preview["signed_by"]),
        (vec!["signature_invalid".to_owned()], &Value::Null)
    );
    assert_eq!(signed.run("install", &["--yes", "--accept-origin"]).code, 2);
    // Leaving the signature out is no way around it.
    std::fs::remove_file(signed.beside()).unwrap();
    assert_eq!(codes_of(&signed.analyze(), "block"), ["origin_differs"]);
    assert_eq!(signed.run("install", &["--yes"]).code, 2);
    assert_eq!(signed.run("apply", &["--yes", "--accept-origin"]).code, 0);
    assert_eq!(signed.rig.dump()["records"]["demo"]["publisher"], Value::Null);
    // Over HTTP the signature is a member of the request.
    let ask = |signature: &Value| {
        signed.rig.post("/bundles/analyze", &json!({"source": BASE, "signature": signature}))
    };
    assert_eq!(ask(&signature).body["signed_by"]["publisher"], "acme");
    assert_eq!(ask(&json!({"publisher": "acme"})).status, 422);
    let mut forged = signature.clone();
    forged["publisher"] = json!("someone");
    assert_eq!(codes_of(&ask(&forged).body, "block"), ["signature_invalid"]);
    for broken in ["", "{}", "not JSON"] {
        std::fs::write(signed.beside(), broken).unwrap();
        assert_eq!(signed.run("install", &["--yes"]).code, 2, "{broken}");
    }
}

#[test]
fn items_of_catalogs_bring_their_signature() {
    let signed = Signed::new();
    let signature = signed.signed("acme.key");
    let sync = |entry: Value| {
        let catalog = json!({"bundles": [entry]}).to_string();
        let ran =
            signed.rig.cli(&["workspace", "catalog", "sync", "team", "-", "--json"], catalog.as_bytes());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()["items"][0].clone()
    };
    let mut entry = to_json(BASE);
    entry["signature"] = signature.clone();
    entry["tags"] = json!(["a"]);
    assert_eq!(sync(entry.clone())["signature"], signature);
    let preview = signed.rig.post("/bundles/analyze", &json!({"catalog": "demo"})).body;
    assert_eq!(preview["signed_by"]["publisher"], "acme");
    let args = ["bundle", "install", "catalog:demo", "--yes", "--json", "--set-env", "tok=TOK"];
    let ran = crate::rig::run(signed.rig.directory.path(), &args, b"", &[("TOK", CANARY)]);
    assert_eq!(
        (ran.code, &signed.rig.dump()["records"]["demo"]["publisher"]),
        (0, &json!("acme")),
        "{ran:?}"
    );
    entry["description"] = json!("changed after it was signed");
    let item = sync(entry);
    assert_eq!(
        (&item["installable"], codes_of(&item, "block")),
        (&json!(false), vec!["signature_invalid".to_owned()])
    );
    assert_eq!(signed.rig.post("/bundles/analyze", &json!({"catalog": "demo"})).status, 422);
}

#[test]
fn what_cannot_sign() {
    let signed = Signed::new();
    std::fs::write(signed.rig.path("bad.key"), "canary-words").unwrap();
    let ran = signed.sign("bad.key");
    assert_eq!((ran.code, ran.err.contains("canary-words")), (1, false), "{ran:?}");
    let key = signed.rig.path("new.key");
    let args =
        ["bundle", "sign", &signed.document, "--publisher", "Acme Inc", "--key", key.to_str().unwrap()];
    assert_eq!(signed.rig.cli(&args, b"").code, 2);
}
