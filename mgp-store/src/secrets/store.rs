//! The store of secrets.

use super::key::{SEALED, StoreKey};
use crate::private_file::{FileLock, PrivateFile};
use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::Path,
};

/// The largest file, in bytes.
const MAX_SIZE: usize = 16 * 1024 * 1024;

/// The problem and the remedies of a file without its key.
const MISSING: &str = "it is missing: put it back, or remove the encrypted file and store the secrets again";

/// A store of secrets in the file `secrets` of a folder, encrypted with the key in `secrets.key` or in the keyring. Several processes may share it.
///
/// Its methods block the thread.
///
/// ```
/// use mgp_store::secrets::SecretStore;
/// # let folder = tempfile::tempdir()?;
/// let store = SecretStore::in_folder(folder.path());
/// store.change(|secrets| secrets.insert("github".into(), "s3cret".into()))?;
/// assert_eq!(store.get("github")?.as_deref(), Some("s3cret"));
/// let file = std::fs::read(store.path())?;
/// assert!(!file.windows(6).any(|part| part == b"s3cret"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct SecretStore {
    file: PrivateFile,
    key: PrivateFile,
}

impl SecretStore {
    /// Creates a store in a folder. The folder and the files are made with the first secret.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        let file = |name: &str| PrivateFile::new(folder.join(name));
        Self { file: file("secrets"), key: file("secrets.key") }
    }

    /// Returns the path of the encrypted file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the place of the key, for a user: its file, or the keyring.
    #[must_use]
    pub fn key_place(&self) -> String {
        match StoreKey::is_in_keyring(&self.key) {
            true => "the keyring of the operating system".to_owned(),
            false => self.key.path().display().to_string(),
        }
    }

    /// Returns a secret by its name.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn get(&self, name: &str) -> io::Result<Option<String>> {
        Ok(self.all()?.remove(name))
    }

    /// Returns all secrets, by their names.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn all(&self) -> io::Result<BTreeMap<String, String>> {
        let Some(sealed) = self.file.read(MAX_SIZE)? else {
            return Ok(BTreeMap::new());
        };
        let content = self.open(&sealed)?;
        // The text of such an error may hold a part of a secret.
        serde_json::from_slice(&content)
            .map_err(|_| io::Error::new(ErrorKind::InvalidData, "it does not hold secrets"))
    }

    /// Changes the secrets, under a lock against other processes. A change that changes nothing writes nothing.
    ///
    /// # Errors
    /// If the store cannot be read or written. Then nothing has changed.
    pub fn change<R>(&self, change: impl FnOnce(&mut BTreeMap<String, String>) -> R) -> io::Result<R> {
        let _lock = self.lock()?;
        let before = self.all()?;
        let mut after = before.clone();
        let result = change(&mut after);
        if after == before {
            return Ok(result);
        }
        let content = serde_json::to_vec(&after)?;
        let sealed = self.key_or_new()?.seal(&content)?;
        if sealed.len() > MAX_SIZE {
            let problem = format!("its secrets have {} bytes: expected at most {MAX_SIZE}", sealed.len());
            return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
        }
        self.file.replace(&sealed)?;
        Ok(result)
    }

    /// Encrypts the content of another file.
    ///
    /// # Errors
    /// If there is no key yet, and none can be made.
    pub fn seal(&self, content: &[u8]) -> io::Result<Vec<u8>> {
        let _lock = self.lock()?;
        self.key_or_new()?.seal(content)
    }

    /// Returns whether the content of a file is sealed.
    #[must_use]
    pub fn is_sealed(content: &[u8]) -> bool {
        content.starts_with(SEALED)
    }

    /// Decrypts what [`seal`](Self::seal) returned.
    ///
    /// # Errors
    /// If the key is missing, or if the content was changed.
    pub fn open(&self, sealed: &[u8]) -> io::Result<Vec<u8>> {
        let missing = || self.of_key(&io::Error::new(ErrorKind::NotFound, MISSING));
        self.read_key()?.ok_or_else(missing)?.open(sealed)
    }

    fn lock(&self) -> io::Result<FileLock> {
        self.file.lock()
    }

    fn read_key(&self) -> io::Result<Option<StoreKey>> {
        StoreKey::read(&self.key).map_err(|error| self.of_key(&error))
    }

    /// Returns the key, or makes one. Called under the lock.
    fn key_or_new(&self) -> io::Result<StoreKey> {
        match self.read_key()? {
            Some(key) => Ok(key),
            None => StoreKey::make(&self.key).map_err(|error| self.of_key(&error)),
        }
    }

    /// Returns an error of the key, with its path.
    fn of_key(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("its key {}: {error}", self.key.path().display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn set(store: &SecretStore, name: &str, secret: &str) -> io::Result<()> {
        store.change(|secrets| drop(secrets.insert(name.to_owned(), secret.to_owned())))
    }

    #[test]
    fn secrets_are_kept_and_are_in_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("state");
        let store = SecretStore::in_folder(&folder);
        assert_eq!(store.get("a").unwrap(), None);
        assert!(!folder.exists(), "reading makes nothing");
        set(&store, "a", "c4nary").unwrap();
        set(&store, "b", "other").unwrap();
        let again = SecretStore::in_folder(&folder);
        assert_eq!(again.get("a").unwrap().as_deref(), Some("c4nary"));
        assert_eq!(again.all().unwrap().into_keys().collect::<Vec<_>>(), ["a", "b"]);
        let sealed = store.seal(b"a c4nary").unwrap();
        assert!(SecretStore::is_sealed(&sealed));
        assert_eq!(again.open(&sealed).unwrap(), b"a c4nary");
        fs::write(folder.join("sealed"), &sealed).unwrap();
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let content = fs::read(&path).unwrap();
            assert!(!content.windows(6).any(|part| part == b"c4nary"), "{}", path.display());
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
                assert!(path.ends_with("sealed") || mode == 0o600, "{}: {mode:o}", path.display());
            }
        }
        store.change(|secrets| secrets.remove("a")).unwrap();
        assert_eq!(again.get("a").unwrap(), None);
    }

    #[test]
    fn concurrent_changes_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let store = SecretStore::in_folder(folder.path());
                scope.spawn(move || set(&store, &n.to_string(), "x").unwrap());
            }
        });
        assert_eq!(SecretStore::in_folder(folder.path()).all().unwrap().len(), 8);
    }

    #[test]
    fn a_broken_store_is_left_unchanged_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let store = SecretStore::in_folder(folder.path());
        set(&store, "a", "hush").unwrap();
        let key_path = folder.path().join("secrets.key");
        let (whole, key) = (fs::read(store.path()).unwrap(), fs::read(&key_path).unwrap());
        let last = whole.len() - 1;
        let changed = [&whole[..last], &[whole[last] ^ 1]].concat();
        for broken in [&changed[..], b"", b"mgp-sealed 1\n", &whole[..last], br#"{"a":"hush"}"#] {
            fs::write(store.path(), broken).unwrap();
            let error = store.get("a").unwrap_err().to_string();
            assert!(error.contains("it was changed") && !error.contains("hush"), "{error}");
            assert!(set(&store, "b", "x").is_err());
            assert_eq!(fs::read(store.path()).unwrap(), broken);
        }
        fs::write(store.path(), &whole).unwrap();
        for broken in [&b"hush"[..], &key[..key.len() - 1]] {
            fs::write(&key_path, broken).unwrap();
            let error = store.get("a").unwrap_err().to_string();
            assert!(error.contains("is not a key") && error.contains("secrets.key"), "{error}");
        }
        // The keyring is off in tests.
        fs::write(&key_path, "mgp-key 1 in the keyring\n").unwrap();
        assert_eq!(store.key_place(), "the keyring of the operating system");
        let error = store.get("a").unwrap_err().to_string();
        assert!(error.contains("secrets.key: ") && error.contains("the keyring"), "{error}");
        fs::remove_file(&key_path).unwrap();
        for error in [store.get("a").unwrap_err(), set(&store, "b", "x").unwrap_err()] {
            assert!(error.to_string().contains("secrets.key: it is missing"), "{error}");
        }
        assert!(!key_path.exists(), "a new key could not open the file");
        fs::write(&key_path, key).unwrap();
        assert_eq!(store.get("a").unwrap().as_deref(), Some("hush"));
    }

    #[test]
    fn a_store_that_is_too_large_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let store = SecretStore::in_folder(folder.path());
        set(&store, "a", "x").unwrap();
        assert!(set(&store, "b", &"x".repeat(MAX_SIZE)).unwrap_err().to_string().contains("at most"));
        assert_eq!(store.all().unwrap().len(), 1);
    }
}
