//! Secrets at rest: each is sealed under a key that the database does not hold.

use super::StoreError;
use super::key::KeySource;
use crate::workspace::secret::Secret;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

/// Bytes from the operating system.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // The call fails only where the system has no source of randomness, and then nothing here is safe to go on.
    getrandom::fill(&mut bytes).unwrap_or_else(|error| panic!("the system gives no random bytes: {error}"));
    bytes
}

/// A sealed secret.
pub struct Sealed {
    /// Never used twice.
    pub nonce: Vec<u8>,
    /// What only the key opens.
    pub cipher: Vec<u8>,
    /// Keyed hash, by which equal values are known without opening them.
    pub mac: String,
}

/// Seals and opens.
pub struct Vault {
    cipher: XChaCha20Poly1305,
    mac_key: Zeroizing<[u8; 32]>,
}

impl Vault {
    /// A vault under the key of `source`.
    pub fn open(source: &dyn KeySource) -> Result<Self, StoreError> {
        let key = source.key()?;
        let mac_key = Zeroizing::new(hash(&key, &[b"agent-bundle hash key"]));
        let cipher = XChaCha20Poly1305::new((&*key).into());
        Ok(Self { cipher, mac_key })
    }

    /// Seals a secret for its place.
    pub fn seal(&self, owner: &str, field: &str, secret: &Secret) -> Result<Sealed, StoreError> {
        let nonce = random::<24>();
        let aad = place(owner, field);
        let payload = Payload { msg: secret.expose().as_bytes(), aad: &aad };
        let cipher = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| StoreError::Failed("a secret cannot be sealed".to_owned()))?;
        Ok(Sealed { nonce: nonce.to_vec(), cipher, mac: self.mac(field, secret) })
    }

    /// Opens what was sealed for that place.
    pub fn unseal(
        &self,
        owner: &str,
        field: &str,
        nonce: &[u8],
        cipher: &[u8],
    ) -> Result<Secret, StoreError> {
        let damaged = || StoreError::Failed("a stored secret cannot be opened with this key".to_owned());
        let nonce: [u8; 24] = nonce.try_into().map_err(|_| damaged())?;
        let aad = place(owner, field);
        let text = self
            .cipher
            .decrypt(&XNonce::from(nonce), Payload { msg: cipher, aad: &aad })
            .map_err(|_| damaged())?;
        String::from_utf8(text).map(Secret::new).map_err(|_| damaged())
    }

    /// Keyed hash of a secret.
    pub fn mac(&self, field: &str, secret: &Secret) -> String {
        self.digest(&[field.as_bytes(), secret.expose().as_bytes()])
    }

    /// Keyed hash of anything.
    pub fn digest(&self, parts: &[&[u8]]) -> String {
        hex::encode(&hash(&self.mac_key, parts)[..16])
    }
}

fn place(owner: &str, field: &str) -> Vec<u8> {
    format!("{owner}\0{field}").into_bytes()
}

fn hash(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    // The function pads a short key with zeros up to its block; so does this, without a way to fail.
    let mut block = Zeroizing::new([0; 64]);
    block[..32].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as KeyInit>::new((&*block).into());
    for part in parts {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::store::key::KeyFile;

    #[test]
    fn secrets_open_only_in_their_place_and_under_their_key() {
        let directory = tempfile::tempdir().unwrap();
        let file = KeyFile(directory.path().join("secrets.key"));
        let vault = Vault::open(&file).unwrap();
        let secret = Secret::new("canary".to_owned());
        let sealed = vault.seal("a", "tok", &secret).unwrap();
        let open = |vault: &Vault, owner: &str| vault.unseal(owner, "tok", &sealed.nonce, &sealed.cipher);
        assert_eq!(open(&vault, "a").unwrap(), secret);
        assert!(open(&vault, "b").is_err());
        assert_eq!(Vault::open(&file).unwrap().mac("tok", &secret), sealed.mac);
        let other = Vault::open(&KeyFile(directory.path().join("other.key"))).unwrap();
        assert!(open(&other, "a").is_err());
        assert_ne!(other.mac("tok", &secret), sealed.mac);
    }
}
