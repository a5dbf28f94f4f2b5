//! The state folder: one SQLite file for each section, shared by every kernel and by the operator's commands.

use super::stores::Stores;
use mgp_discovery::{listing::SqliteListingStore, registration::SqliteRegistrationStore};
use mgp_lifecycle::{idempotency::SqliteIdempotencyStore, transaction::SqliteTransactionStore};
use mgp_security::{
    access::{AccessControl, SqliteAccessStore},
    audit::{AuditLog, AuditLogConfig},
    definition::SqliteDefinitionStore,
    keys::SqliteKeyStore,
    limits::quota::SqliteQuotaStore,
    permission::SqlitePermissionStore,
};
use mgp_store::private_file::make_private_folder;
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The state folder of a kernel. Every process that can write to the folder acts as the local operator.
#[derive(Debug, Clone)]
pub struct StateFolder(PathBuf);

/// The error of opening the state of a kernel.
#[derive(thiserror::Error)]
#[error("failed to open the state in {folder}: {reason}", folder = .folder.display())]
pub struct StateError {
    folder: PathBuf,
    reason: String,
}

// A `main` that returns the error prints this form.
impl fmt::Debug for StateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl StateFolder {
    /// Opens a folder, and creates it if it is missing. Only its owner may enter the folder.
    ///
    /// # Errors
    /// [`StateError`] if the folder cannot be created.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, StateError> {
        let folder = Self(path.into());
        make_private_folder(&folder.0).map_err(|error| folder.error(&error))?;
        Ok(folder)
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Opens the audit trail.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn audit(&self, config: &AuditLogConfig) -> Result<AuditLog, StateError> {
        AuditLog::open(self.0.join("audit.sqlite3"), config).map_err(|error| self.error(&error))
    }

    /// Opens the access control, with its rules.
    ///
    /// # Errors
    /// [`StateError`] if the file of the rules cannot be opened.
    pub async fn access(&self) -> Result<AccessControl, StateError> {
        let store =
            SqliteAccessStore::open(self.0.join("access.sqlite3")).map_err(|error| self.error(&error))?;
        AccessControl::open(Arc::new(store)).await.map_err(|error| self.error(&error))
    }

    /// Opens the stores of a kernel's state.
    ///
    /// # Errors
    /// [`StateError`] if one of their files cannot be opened.
    pub fn stores(&self) -> Result<Stores, StateError> {
        let decisions = Arc::new(self.permissions()?);
        Ok(Stores {
            permissions: decisions.clone(),
            confirmations: decisions,
            definitions: Arc::new(self.definitions()?),
            listings: Some(Arc::new(self.listings()?)),
            idempotency: Arc::new(self.idempotency()?),
            transactions: Arc::new(self.transactions()?),
            registrations: Arc::new(self.registrations()?),
            quotas: Arc::new(self.quotas()?),
        })
    }

    /// Opens the store of decisions on permissions and on single calls.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn permissions(&self) -> Result<SqlitePermissionStore, StateError> {
        SqlitePermissionStore::open(self.0.join("permission.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of pinned definitions.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn definitions(&self) -> Result<SqliteDefinitionStore, StateError> {
        SqliteDefinitionStore::open(self.0.join("definition.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of API keys.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn keys(&self) -> Result<SqliteKeyStore, StateError> {
        SqliteKeyStore::open(self.0.join("keys.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of used quotas.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn quotas(&self) -> Result<SqliteQuotaStore, StateError> {
        SqliteQuotaStore::open(self.0.join("quota.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of calls with an idempotency key.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn idempotency(&self) -> Result<SqliteIdempotencyStore, StateError> {
        SqliteIdempotencyStore::open(self.0.join("idempotency.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of transactions.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn transactions(&self) -> Result<SqliteTransactionStore, StateError> {
        SqliteTransactionStore::open(self.0.join("transaction.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of servers that are registered at runtime.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn registrations(&self) -> Result<SqliteRegistrationStore, StateError> {
        SqliteRegistrationStore::open(self.0.join("registry.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of servers' last listings.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn listings(&self) -> Result<SqliteListingStore, StateError> {
        SqliteListingStore::open(self.0.join("listing.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the cache of the vectors of tools, so that each vector is computed only once.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn embeddings(&self) -> Result<mgp_toolindex::embed::SqliteEmbeddingCache, StateError> {
        let path = self.0.join("index.sqlite3");
        mgp_toolindex::embed::SqliteEmbeddingCache::open(path).map_err(|error| self.error(&error))
    }

    fn error(&self, reason: &dyn fmt::Display) -> StateError {
        StateError { folder: self.0.clone(), reason: reason.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_enter_the_folder() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        std::fs::set_permissions(parent.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        StateFolder::open(parent.path()).unwrap();
        assert_eq!(std::fs::metadata(parent.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_cannot_be_created_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = StateFolder::open(file.path().join("below")).unwrap_err().to_string();
        assert!(error.contains("below"), "{error}");
    }
}
