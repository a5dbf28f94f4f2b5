//! Tokens in an encrypted file.

use super::{KeptGrant, StoreError, StoreHold, TokenStore};
use async_trait::async_trait;
use mgp_store::{
    private_file::{FileLock, PrivateFile, make_private_folder},
    secrets::SecretStore,
};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The name of the file of earlier versions, which was not encrypted.
const PLAIN_FILE: &str = "oauth.json";
/// The version of that file.
const VERSION: u32 = 1;
/// The maximum size of that file, in bytes.
const MAX_SIZE: usize = 4 * 1024 * 1024;
/// The beginning of the names of grants in the store. The URL of the server follows. No other secret has a name with a colon.
const PREFIX: &str = "oauth:";

/// The content of the file of earlier versions.
#[derive(Debug, Deserialize)]
struct PlainContent {
    version: u32,
    servers: BTreeMap<String, KeptGrant>,
}

/// A token store in the [`SecretStore`] of a folder, which is encrypted. Several processes may share it.
///
/// Tokens in the file `oauth.json` of earlier versions are moved there, and that file is removed.
#[derive(Debug, Clone)]
pub struct TokenFile {
    folder: Arc<Path>,
    store: SecretStore,
    plain: PrivateFile,
}

impl TokenFile {
    /// Creates a store in a folder. The folder is created when the first token is saved, with access only for the
    /// user.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        let plain = PrivateFile::new(folder.join(PLAIN_FILE));
        Self { folder: folder.into(), store: SecretStore::in_folder(folder), plain }
    }

    fn read(&self, server: &str) -> Result<Option<KeptGrant>, StoreError> {
        self.move_plain()?;
        let Some(text) = self.store.get(&name(server)).map_err(self.io())? else { return Ok(None) };
        // The text of an error may hold a part of a token.
        let broken = |_| self.broken(self.store.path(), "no such content".to_owned());
        serde_json::from_str(&text).map(Some).map_err(broken)
    }

    /// Sets or removes the grant of a server, under a lock against other processes.
    fn change(&self, server: &str, grant: Option<&KeptGrant>) -> Result<(), StoreError> {
        self.move_plain()?;
        let text = grant.map(|grant| self.text(grant)).transpose()?;
        let changed = self.store.change(|secrets| match text {
            Some(text) => secrets.insert(name(server), text),
            None => secrets.remove(&name(server)),
        });
        changed.map(drop).map_err(self.io())
    }

    /// Moves the tokens of the file of earlier versions into the store.
    fn move_plain(&self) -> Result<(), StoreError> {
        if !self.plain.path().exists() {
            return Ok(());
        }
        // Read under the lock: another process may be moving them.
        let moved = self.store.change(|secrets| {
            let servers = self.read_plain()?;
            let count = servers.len();
            for (server, grant) in servers {
                secrets.entry(name(&server)).or_insert(self.text(&grant)?);
            }
            Ok(count)
        });
        let count = moved.map_err(self.io())??;
        match fs::remove_file(self.plain.path()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(self.io()(error)),
            Err(_) => {}
            Ok(()) => tracing::info!(
                from = %self.plain.path().display(),
                to = %self.store.path().display(),
                servers = count,
                "the tokens of servers are encrypted now"
            ),
        }
        Ok(())
    }

    fn read_plain(&self) -> Result<BTreeMap<String, KeptGrant>, StoreError> {
        let path = self.plain.path();
        let text = match self.plain.read(MAX_SIZE) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(BTreeMap::new()),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(self.broken(path, error.to_string()));
            }
            Err(source) => return Err(StoreError::Io { path: path.to_owned(), source }),
        };
        // The text of the error contains a line and a column, but no value.
        let content: PlainContent = serde_json::from_slice(&text).map_err(|error| {
            self.broken(path, format!("no such content at line {}, column {}", error.line(), error.column()))
        })?;
        match content.version {
            VERSION => Ok(content.servers),
            found => Err(self.broken(path, format!("expected version {VERSION}, found {found}"))),
        }
    }

    fn text(&self, grant: &KeptGrant) -> Result<String, StoreError> {
        serde_json::to_string(grant).map_err(|error| self.broken(self.store.path(), error.to_string()))
    }

    /// Returns the file whose lock is held while a server's tokens are traded. Each server has its own, because an authorization
    /// server may be slow.
    fn hold_path(&self, server: &str) -> PathBuf {
        let hash = Sha256::digest(server.as_bytes());
        self.folder.join(format!("oauth-{}.lock", mgp_types::hex::encode(&hash[..16])))
    }

    fn io(&self) -> impl Fn(io::Error) -> StoreError + '_ {
        |source| StoreError::Io { path: self.store.path().to_owned(), source }
    }

    #[expect(clippy::unused_self, reason = "reads like the other error")]
    fn broken(&self, path: &Path, problem: String) -> StoreError {
        StoreError::Broken { path: path.to_owned(), problem }
    }

    async fn off_thread<R: Send + 'static>(
        &self,
        work: impl FnOnce(&Self) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let file = self.clone();
        let done = tokio::task::spawn_blocking(move || work(&file)).await;
        done.map_err(|error| StoreError::Other(error.to_string()))?
    }
}

#[async_trait]
impl TokenStore for TokenFile {
    async fn load(&self, server: &str) -> Result<Option<KeptGrant>, StoreError> {
        let server = server.to_owned();
        self.off_thread(move |file| file.read(&server)).await
    }

    async fn save(&self, server: &str, grant: &KeptGrant) -> Result<(), StoreError> {
        let (server, grant) = (server.to_owned(), grant.clone());
        self.off_thread(move |file| file.change(&server, Some(&grant))).await
    }

    async fn remove(&self, server: &str) -> Result<(), StoreError> {
        let server = server.to_owned();
        self.off_thread(move |file| file.change(&server, None)).await
    }

    async fn hold(&self, server: &str, limit: Duration) -> Result<StoreHold, StoreError> {
        let path = self.hold_path(server);
        self.off_thread(move |file| {
            make_private_folder(&file.folder).map_err(file.io())?;
            FileLock::acquire(&path, limit).map(StoreHold::new).map_err(file.io())
        })
        .await
    }
}

/// Returns the name of a server's grant in the store.
fn name(server: &str) -> String {
    format!("{PREFIX}{server}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::store::{AuthMethod, ClientOrigin, KeptClient, Tokens};

    fn grant(token: &str) -> KeptGrant {
        KeptGrant {
            issuer: "https://as.example".to_owned(),
            token_endpoint: "https://as.example/token".to_owned(),
            resource: None,
            client: KeptClient {
                origin: ClientOrigin::Registration,
                id: "c".to_owned(),
                secret: Some("hush-1".into()),
                secret_expires_at: None,
                method: AuthMethod::ClientSecretPost,
                redirect_uri: None,
            },
            scopes: vec!["a".to_owned()],
            tokens: Some(Tokens {
                access: token.into(),
                refresh: Some("hush-2".into()),
                renew_at: Some(7),
                proof_key: None,
            }),
            binding: None,
        }
    }

    #[tokio::test]
    async fn stored_tokens_outlive_the_process_and_are_kept_per_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = || TokenFile::in_folder(folder.path());
        assert_eq!(file().load("a").await.unwrap(), None);
        file().save("a", &grant("1")).await.unwrap();
        file().save("b", &grant("2")).await.unwrap();
        assert_eq!(file().load("a").await.unwrap(), Some(grant("1")));
        file().remove("a").await.unwrap();
        assert_eq!(file().load("a").await.unwrap(), None);
        assert_eq!(file().load("b").await.unwrap(), Some(grant("2")));
        let names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|one| one.unwrap().file_name()).collect();
        assert_eq!(names.len(), 3, "{names:?}");
        let file = fs::read(folder.path().join("secrets")).unwrap();
        assert!(!file.windows(4).any(|part| part == b"hush"));
    }

    #[tokio::test]
    async fn concurrent_writers_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::in_folder(folder.path());
        let names: Vec<_> = (0..16).map(|n| n.to_string()).collect();
        let grant = grant("1");
        let saves = names.iter().map(|name| file.save(name, &grant));
        for saved in futures_util::future::join_all(saves).await {
            saved.unwrap();
        }
        for name in &names {
            assert!(file.load(name).await.unwrap().is_some(), "{name}");
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_user_can_read_the_tokens() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        TokenFile::in_folder(&state).save("a", &grant("1")).await.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&state.join("secrets"))), (0o700, 0o600));
    }

    #[tokio::test]
    async fn the_lock_on_tokens_is_per_server() {
        let folder = tempfile::tempdir().unwrap();
        let file = || TokenFile::in_folder(folder.path());
        let held = file().hold("a", Duration::ZERO).await.unwrap();
        let error = file().hold("a", Duration::ZERO).await.unwrap_err();
        assert!(error.to_string().contains("was locked"), "{error}");
        assert!(file().hold("b", Duration::ZERO).await.is_ok());
        file().save("a", &grant("1")).await.unwrap();
        drop(held);
        assert!(file().hold("a", Duration::ZERO).await.is_ok());
    }

    #[tokio::test]
    async fn an_unreadable_file_is_left_unchanged_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::in_folder(folder.path());
        for text in ["", "[]", r#"{"version":2,"servers":{}}"#, r#"{"version":1,"servers":{"a":"hush"}}"#] {
            fs::write(folder.path().join(PLAIN_FILE), text).unwrap();
            let error = file.load("a").await.unwrap_err();
            assert!(
                matches!(error, StoreError::Broken { .. }) && !error.to_string().contains("hush"),
                "{error}"
            );
            assert!(file.save("a", &grant("1")).await.is_err());
            assert_eq!(fs::read_to_string(folder.path().join(PLAIN_FILE)).unwrap(), text);
        }
    }

    #[tokio::test]
    async fn tokens_of_earlier_versions_are_moved_once() {
        let folder = tempfile::tempdir().unwrap();
        let file = TokenFile::in_folder(folder.path());
        file.save("a", &grant("newer")).await.unwrap();
        let plain = folder.path().join(PLAIN_FILE);
        let servers = BTreeMap::from([("a", grant("older")), ("b", grant("2"))]);
        let text = serde_json::json!({ "version": 1, "servers": servers }).to_string();
        fs::write(&plain, text).unwrap();
        assert_eq!(file.load("b").await.unwrap(), Some(grant("2")));
        assert!(!plain.exists());
        assert_eq!(file.load("a").await.unwrap(), Some(grant("newer")));
    }

    #[test]
    fn no_secret_is_shown() {
        let shown = format!("{:?}", grant("hush-3"));
        assert!(!shown.contains("hush"), "{shown}");
    }
}
