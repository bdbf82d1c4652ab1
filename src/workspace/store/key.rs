//! Where the key of a store's secrets is kept: in a file beside the database, or in the keychain of the operating
//! system. The choice is made once, when the store is new, and is written down beside the database.
#![allow(
    clippy::disallowed_methods,
    reason = "the key file and the mark of the keychain are this module's own"
)]

use super::StoreError;
use super::vault::random;
use keyring_core::{CredentialStore, Entry, Error};
use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use zeroize::Zeroizing;

const FILE: &str = "secrets.key";
/// Names the keychain's item.
const MARK: &str = "secrets.keychain";
const LOCK: &str = "secrets.lock";
/// What keychains list our items under.
const SERVICE: &str = "agent-bundle";

/// A key.
pub type Key = Zeroizing<[u8; 32]>;

/// Where a key comes from.
pub trait KeySource: Send + Sync {
    /// The key, made on first use.
    fn key(&self) -> Result<Key, StoreError>;
}

/// Where the key of a store is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyPlace {
    /// A file that only its owner may read.
    File,
    /// The keychain of the operating system.
    Keychain,
}

/// How a new store's key came to its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// Where it is.
    pub place: KeyPlace,
    /// Why it is not where it was meant to be.
    pub instead: Option<String>,
}

/// Leads to the keychain, or says why there is none.
pub type Keychain = dyn Fn() -> Result<Arc<CredentialStore>, String> + Send + Sync;

/// The keychain of this machine's user.
pub fn native_keychain() -> Result<Arc<CredentialStore>, String> {
    match keyring::Entry::store_status() {
        Ok(()) => keyring_core::get_default_store().ok_or_else(|| "there is none".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Where the key of the store in `directory` is; `None` for a store that has none yet.
pub fn key_place(directory: &Path) -> Option<KeyPlace> {
    let found = [(MARK, KeyPlace::Keychain), (FILE, KeyPlace::File)];
    found.into_iter().find(|(name, _)| directory.join(name).exists()).map(|(_, place)| place)
}

/// Makes the key of a new store in `directory`. Where there is no keychain, the file takes its place, and the answer
/// says so. A store that has a key elsewhere is refused: its secrets could not be opened any more.
pub fn place_key(directory: &Path, wanted: KeyPlace, keychain: &Keychain) -> Result<Placed, StoreError> {
    super::make_directory(directory)?;
    let lock = fs::File::create(directory.join(LOCK)).and_then(|lock| lock.lock().map(|()| lock));
    let _lock = lock.map_err(|error| failed(&error))?;
    let done = |place| Ok(Placed { place, instead: None });
    match key_place(directory) {
        Some(place) if place == wanted => return done(place),
        Some(KeyPlace::File) => {
            let message = format!("this store has its key in {}", directory.join(FILE).display());
            return Err(StoreError::Exists(message));
        }
        Some(KeyPlace::Keychain) => {
            return Err(StoreError::Exists("this store has its key in the keychain".to_owned()));
        }
        None => {}
    }
    if wanted == KeyPlace::File {
        KeyFile(directory.join(FILE)).key()?;
        return done(KeyPlace::File);
    }
    match keychain().and_then(|keychain| KeychainItem::create(directory, &keychain)) {
        Ok(()) => done(KeyPlace::Keychain),
        Err(reason) => {
            KeyFile(directory.join(FILE)).key()?;
            Ok(Placed { place: KeyPlace::File, instead: Some(reason) })
        }
    }
}

/// The source of the key of the store in `directory`.
pub(super) fn source(directory: &Path, keychain: &Keychain) -> Result<Box<dyn KeySource>, StoreError> {
    if key_place(directory) != Some(KeyPlace::Keychain) {
        return Ok(Box::new(KeyFile(directory.join(FILE))));
    }
    let account = fs::read_to_string(directory.join(MARK)).map_err(|error| failed(&error))?;
    let unusable = |reason: String| {
        StoreError::Failed(format!("the keychain that holds the key cannot be used: {reason}"))
    };
    let keychain = keychain().map_err(unusable)?;
    let item = KeychainItem::at(&keychain, account.trim()).map_err(unusable)?;
    Ok(Box::new(item))
}

fn failed(error: &std::io::Error) -> StoreError {
    StoreError::Failed(format!("the key file cannot be used: {error}"))
}

/// An item of a keychain.
struct KeychainItem(Entry);

impl KeychainItem {
    fn at(keychain: &Arc<CredentialStore>, account: &str) -> Result<Self, String> {
        Entry::new_in_store(keychain, SERVICE, account).map(Self).map_err(|error| describe(&error))
    }

    /// Makes a key. The item's name is written down as a draft first, so that an item of a process that died here is
    /// overwritten by the next and none is left behind.
    fn create(directory: &Path, keychain: &Arc<CredentialStore>) -> Result<(), String> {
        let draft = directory.join(MARK).with_extension("new");
        let io = |error: std::io::Error| error.to_string();
        let account = match fs::read_to_string(&draft) {
            Ok(account) if !account.trim().is_empty() => account.trim().to_owned(),
            _ => format!("store-{}", hex::encode(random::<8>())),
        };
        write_new(&draft, account.as_bytes()).map_err(io)?;
        let item = Self::at(keychain, &account)?;
        let key = Zeroizing::new(random::<32>());
        let text = Zeroizing::new(hex::encode(*key));
        let kept = item.0.set_password(&text).map_err(|error| describe(&error)).and_then(|()| {
            let read = item.key().map_err(|error| error.to_string())?;
            if *read == *key {
                Ok(())
            } else {
                Err("it gives back something else than it was given".to_owned())
            }
        });
        if let Err(reason) = kept {
            drop(item.0.delete_credential());
            drop(fs::remove_file(&draft));
            return Err(reason);
        }
        fs::rename(&draft, directory.join(MARK)).map_err(io)
    }
}

impl KeySource for KeychainItem {
    fn key(&self) -> Result<Key, StoreError> {
        let unusable =
            |reason: &str| StoreError::Failed(format!("the key in the keychain cannot be used: {reason}"));
        let text = self.0.get_password().map_err(|error| unusable(&describe(&error)))?;
        let text = Zeroizing::new(text);
        let mut key = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text.trim(), key.as_mut_slice()).map_err(|_| unusable("it is damaged"))?;
        Ok(key)
    }
}

/// What happened, without what the keychain holds: some errors carry it.
fn describe(error: &Error) -> String {
    match error {
        Error::NoEntry => "it is gone from there".to_owned(),
        Error::BadEncoding(_) | Error::BadDataFormat(..) => "it is damaged".to_owned(),
        Error::Ambiguous(_) => "there are several".to_owned(),
        error => error.to_string(),
    }
}

/// Writes a file of the owner's, in place of one that a process left behind when it died.
fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// A file that only its owner may read.
#[derive(Debug, Clone)]
pub struct KeyFile(pub PathBuf);

impl KeySource for KeyFile {
    fn key(&self) -> Result<Key, StoreError> {
        match fs::metadata(&self.0) {
            Ok(found) if found.permissions().mode() & 0o077 != 0 => {
                let message = format!("{} may be read by others; run chmod 600 on it", self.0.display());
                return Err(StoreError::Failed(message));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.create().map_err(|error| failed(&error))?
            }
            Err(error) => return Err(failed(&error)),
        }
        let text = Zeroizing::new(fs::read_to_string(&self.0).map_err(|error| failed(&error))?);
        let mut key = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text.trim(), key.as_mut_slice())
            .map_err(|_| StoreError::Failed(format!("{} is damaged", self.0.display())))?;
        Ok(key)
    }
}

impl KeyFile {
    /// Written whole under another name first: whoever finds the key finds all of it.
    fn create(&self) -> std::io::Result<()> {
        let text = Zeroizing::new(hex::encode(random::<32>()));
        let draft = self.0.with_extension(format!("{}.new", hex::encode(random::<6>())));
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        let linked = fs::hard_link(&draft, &self.0);
        fs::remove_file(&draft)?;
        match linked {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::secret::Secret;
    use crate::workspace::store::{Silent, Store, SystemClock};
    use keyring_core::mock;

    /// A keychain that lives as long as the test.
    fn keychain() -> Arc<Keychain> {
        let store: Arc<CredentialStore> = mock::Store::new().unwrap();
        Arc::new(move || Ok(Arc::clone(&store)))
    }

    fn none() -> Arc<Keychain> {
        Arc::new(|| Err("no keychain answers".to_owned()))
    }

    fn open(directory: &Path, keychain: &Keychain) -> Result<Store, StoreError> {
        Store::open_on(directory, Arc::new(Silent), Arc::new(SystemClock), keychain)
    }

    #[test]
    fn a_key_in_the_keychain_is_in_no_file() {
        let directory = tempfile::tempdir().unwrap();
        let keychain = keychain();
        let placed = place_key(directory.path(), KeyPlace::Keychain, &*keychain).unwrap();
        assert_eq!(placed, Placed { place: KeyPlace::Keychain, instead: None });
        let store = open(directory.path(), &*keychain).unwrap();
        let sealed = store.vault().seal("a", "tok", &Secret::new("canary".to_owned())).unwrap();
        let again = open(directory.path(), &*keychain).unwrap();
        let opened = again.vault().unseal("a", "tok", &sealed.nonce, &sealed.cipher).unwrap();
        assert_eq!(opened.expose(), "canary");
        let mark = fs::read_to_string(directory.path().join(MARK)).unwrap();
        let key = KeychainItem::at(&keychain().unwrap(), &mark).unwrap().key().unwrap();
        for entry in fs::read_dir(directory.path()).unwrap() {
            let bytes = fs::read(entry.unwrap().path()).unwrap();
            let hex = hex::encode(*key);
            assert!(!bytes.windows(64).any(|part| part == hex.as_bytes()));
            assert!(!bytes.windows(32).any(|part| part == key.as_slice()));
        }
        assert!(!directory.path().join(FILE).exists());
    }

    #[test]
    fn without_a_keychain_the_file_takes_its_place_and_that_is_said() {
        let directory = tempfile::tempdir().unwrap();
        let placed = place_key(directory.path(), KeyPlace::Keychain, &*none()).unwrap();
        assert_eq!(placed, Placed { place: KeyPlace::File, instead: Some("no keychain answers".to_owned()) });
        open(directory.path(), &*none()).unwrap();
        let refused = place_key(directory.path(), KeyPlace::Keychain, &*keychain()).unwrap_err();
        assert!(matches!(refused, StoreError::Exists(_)), "{refused}");
    }

    #[test]
    fn a_key_that_is_gone_is_never_made_anew() {
        let directory = tempfile::tempdir().unwrap();
        place_key(directory.path(), KeyPlace::Keychain, &*keychain()).unwrap();
        let lost = open(directory.path(), &*keychain()).err().unwrap().to_string();
        assert!(lost.contains("gone"), "{lost}");
        let closed = open(directory.path(), &*none()).err().unwrap().to_string();
        assert!(closed.contains("no keychain answers"), "{closed}");
        assert!(!directory.path().join(FILE).exists());
    }

    #[test]
    fn a_keychain_that_refuses_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let store: Arc<CredentialStore> = mock::Store::new().unwrap();
        // A process died with the item's name written down and the item not made.
        write_new(&directory.path().join(MARK).with_extension("new"), b"store-1").unwrap();
        let entry = Entry::new_in_store(&store, SERVICE, "store-1").unwrap();
        let cred: &mock::Cred = entry.as_any().downcast_ref().unwrap();
        cred.set_error(Error::NoStorageAccess("locked".into()));
        let keychain: Arc<Keychain> = Arc::new(move || Ok(Arc::clone(&store)));
        let placed = place_key(directory.path(), KeyPlace::Keychain, &*keychain).unwrap();
        assert_eq!(placed.place, KeyPlace::File);
        assert!(placed.instead.unwrap().contains("locked"));
        let mut left: Vec<String> = fs::read_dir(directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(left, [FILE, LOCK]);
    }

    #[test]
    fn a_key_that_others_may_read_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("secrets.key");
        KeyFile(path.clone()).key().unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert!(KeyFile(path).key().is_err());
    }
}
