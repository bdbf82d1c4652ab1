//! Detached signatures: a publisher's Ed25519 key over the digest of a document's canonical form.
#![allow(clippy::disallowed_methods, reason = "the file of a signing key is this module's own")]

use super::problem::{Problem, ProblemCode};
use super::store::{is_slug, random};
use ed25519_dalek::{Signature as Bytes, Signer, SigningKey, VerifyingKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use zeroize::Zeroizing;

/// What is signed begins with this, so that the key signs nothing else by accident.
const PURPOSE: &str = "agent-bundle setup bundle, signature 1";

/// A signature of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Signature {
    /// Who signed: small letters, digits, single hyphens.
    pub publisher: String,
    /// Their public key, 32 bytes in hexadecimal.
    pub key: String,
    /// 64 bytes in hexadecimal.
    pub signature: String,
}

fn message(publisher: &str, digest: &str) -> Vec<u8> {
    format!("{PURPOSE}\n{publisher}\n{digest}\n").into_bytes()
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

impl Signature {
    /// Reads the text of a signature.
    pub fn parse(text: &[u8]) -> Result<Self, Problem> {
        let detail = "the signature cannot be read; it is what `bundle sign` prints";
        serde_json::from_slice(text).map_err(|_| Problem::new(ProblemCode::BadRequest, detail))
    }

    /// Whether it is one of the document with this digest.
    pub fn holds_for(&self, digest: &str) -> bool {
        let verify = || {
            let key = VerifyingKey::from_bytes(&bytes(&self.key)?).ok()?;
            let signature = Bytes::from_bytes(&bytes(&self.signature)?);
            key.verify_strict(&message(&self.publisher, digest), &signature).ok()
        };
        // Keys are compared as text, so there is one way to write one.
        is_slug(&self.publisher)
            && !self.key.bytes().any(|byte| byte.is_ascii_uppercase())
            && verify().is_some()
    }
}

/// Signs, and verifies what was made before anybody gets it.
pub fn sign(seed: &[u8; 32], publisher: &str, digest: &str) -> Result<Signature, Problem> {
    if !is_slug(publisher) {
        let detail = "the name of a publisher is small letters and digits with single hyphens";
        return Err(Problem::new(ProblemCode::BadRequest, detail));
    }
    let key = SigningKey::from_bytes(seed);
    let signature = Signature {
        publisher: publisher.to_owned(),
        key: hex::encode(key.verifying_key().as_bytes()),
        signature: hex::encode(key.sign(&message(publisher, digest)).to_bytes()),
    };
    if signature.holds_for(digest) {
        Ok(signature)
    } else {
        Err(Problem::new(ProblemCode::Internal, "the signature does not verify; nothing is given out"))
    }
}

/// The signing key in a file, and whether it was made just now. Only its owner may read a new one.
pub fn signing_key(path: &Path) -> Result<(Zeroizing<[u8; 32]>, bool), String> {
    match std::fs::read_to_string(path).map(Zeroizing::new) {
        Ok(text) => {
            let seed = bytes(text.trim()).ok_or("it holds no signing key")?;
            Ok((Zeroizing::new(seed), false))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let seed = Zeroizing::new(random::<32>());
            let text = Zeroizing::new(format!("{}\n", hex::encode(*seed)));
            let file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
            file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
            Ok((seed, true))
        }
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_verifies() {
        let signed = sign(&[7; 32], "acme", "sha256:aa").unwrap();
        assert!(signed.holds_for("sha256:aa"));
        assert!(!signed.holds_for("sha256:ab"));
        let changed = |change: &dyn Fn(&mut Signature)| {
            let mut other = signed.clone();
            change(&mut other);
            other.holds_for("sha256:aa")
        };
        assert!(!changed(&|other| other.publisher = "acme-two".to_owned()));
        assert!(!changed(&|other| other.key = sign(&[8; 32], "acme", "x").unwrap().key));
        assert!(!changed(&|other| other.key = other.key.to_uppercase()));
        assert!(!changed(&|other| other.key.truncate(62)));
        assert!(!changed(&|other| other.signature = "00".repeat(64)));
        // The point of order one: anything would verify against it if it were let in.
        assert!(!changed(&|other| other.key = format!("01{}", "00".repeat(31))));
        assert!(sign(&[7; 32], "Acme Inc", "x").is_err());
    }
}
