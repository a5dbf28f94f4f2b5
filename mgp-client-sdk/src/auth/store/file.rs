//! Tokens in a file that only the user can read.

use super::{KeptGrant, StoreError, StoreHold, TokenStore};
use async_trait::async_trait;
use mgp_store::private_file::{FileLock, PrivateFile, make_private_folder};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// The name of the file in the state folder.
const FILE_NAME: &str = "oauth.json";
/// The version of the format that is written.
const VERSION: u32 = 1;
/// The maximum size of the file, in bytes.
const MAX_SIZE: usize = 4 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
struct Content {
    version: u32,
    servers: BTreeMap<String, KeptGrant>,
}

/// A token store in the file `oauth.json` of a folder. Only the user can read the file, and several processes may share it.
#[derive(Debug, Clone)]
pub struct TokenFile {
    folder: Arc<Path>,
    file: PrivateFile,
}

impl TokenFile {
    /// Creates a store in a folder. The folder is created when the first token is saved, with access only for the
    /// user.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.into(), file: PrivateFile::new(folder.join(FILE_NAME)) }
    }

    fn path(&self) -> PathBuf {
        self.file.path().to_owned()
    }

    fn read(&self) -> Result<Content, StoreError> {
        let text = match self.file.read(MAX_SIZE) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(Content { version: VERSION, servers: BTreeMap::new() }),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                return Err(self.broken(error.to_string()));
            }
            Err(error) => return Err(self.io()(error)),
        };
        // The text of the error contains a line and a column, but no value.
        let content: Content = serde_json::from_slice(&text).map_err(|error| {
            self.broken(format!("no such content at line {}, column {}", error.line(), error.column()))
        })?;
        if content.version != VERSION {
            return Err(self.broken(format!("expected version {VERSION}, found {}", content.version)));
        }
        Ok(content)
    }

    /// Changes the file under a lock against other processes.
    fn change(&self, change: impl FnOnce(&mut BTreeMap<String, KeptGrant>)) -> Result<(), StoreError> {
        let _lock = self.file.lock().map_err(self.io())?;
        let mut content = self.read()?;
        change(&mut content.servers);
        let text = serde_json::to_vec_pretty(&content).map_err(|error| self.broken(error.to_string()))?;
        self.file.replace(&text).map_err(self.io())
    }

    /// Returns the file whose lock is held while a server's tokens are traded. Each server has its own, because an authorization
    /// server may be slow.
    fn hold_path(&self, server: &str) -> PathBuf {
        let hash = Sha256::digest(server.as_bytes());
        self.folder.join(format!("oauth-{}.lock", mgp_types::hex::encode(&hash[..16])))
    }

    fn io(&self) -> impl Fn(io::Error) -> StoreError + '_ {
        |source| StoreError::Io { path: self.path(), source }
    }

    fn broken(&self, problem: String) -> StoreError {
        StoreError::Broken { path: self.path(), problem }
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
        self.off_thread(move |file| Ok(file.read()?.servers.remove(&server))).await
    }

    async fn save(&self, server: &str, grant: &KeptGrant) -> Result<(), StoreError> {
        let (server, grant) = (server.to_owned(), grant.clone());
        self.off_thread(move |file| {
            file.change(|servers| {
                servers.insert(server, grant);
            })
        })
        .await
    }

    async fn remove(&self, server: &str) -> Result<(), StoreError> {
        let server = server.to_owned();
        self.off_thread(move |file| {
            file.change(|servers| {
                servers.remove(&server);
            })
        })
        .await
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::store::{AuthMethod, ClientOrigin, KeptClient, Tokens};
    use std::fs;

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
            tokens: Some(Tokens { access: token.into(), refresh: Some("hush-2".into()), renew_at: Some(7) }),
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
        assert_eq!(names.len(), 2, "{names:?}");
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
        assert_eq!((mode(&state), mode(&state.join(FILE_NAME))), (0o700, 0o600));
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
            fs::write(folder.path().join(FILE_NAME), text).unwrap();
            let error = file.load("a").await.unwrap_err();
            assert!(
                matches!(error, StoreError::Broken { .. }) && !error.to_string().contains("hush"),
                "{error}"
            );
            assert!(file.save("a", &grant("1")).await.is_err());
            assert_eq!(fs::read_to_string(folder.path().join(FILE_NAME)).unwrap(), text);
        }
    }

    #[test]
    fn no_secret_is_shown() {
        let shown = format!("{:?}", grant("hush-3"));
        assert!(!shown.contains("hush"), "{shown}");
    }
}
