//! The state: one SQLite file for each section in a folder, or a PostgreSQL database. Every kernel and the operator's commands share it.

use super::{
    reference_store::{ReferenceStore, SqlReferenceStore},
    stores::Stores,
};
use mgp_discovery::{listing::SqlListingStore, registration::SqlRegistrationStore};
use mgp_lifecycle::{idempotency::SqlIdempotencyStore, transaction::SqlTransactionStore};
use mgp_security::{
    access::{AccessControl, SqlAccessStore},
    audit::{AuditDatabase, AuditLog, AuditLogConfig, Confirmation, JournalMode},
    definition::SqlDefinitionStore,
    keys::SqlKeyStore,
    limits::{
        lease::{LeaseStore, SqlLeaseStore},
        quota::SqlQuotaStore,
    },
    permission::SqlPermissionStore,
};
use mgp_store::{private_file::make_private_folder, sql::SqlStore};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};
#[cfg(feature = "postgres")]
use {mgp_lifecycle::replica::SqlReplicaStore, mgp_store::sql::postgres::PostgresStore, std::time::Duration};

/// The state folder of a kernel. Every process that can write to the folder, or to [its database](Self::with_postgres), acts as the local
/// operator.
#[derive(Debug, Clone)]
pub struct StateFolder {
    path: PathBuf,
    #[cfg(feature = "postgres")]
    postgres: Option<PostgresStore>,
}

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
        let folder = Self {
            path: path.into(),
            #[cfg(feature = "postgres")]
            postgres: None,
        };
        make_private_folder(&folder.path).map_err(|error| folder.error(&error))?;
        Ok(folder)
    }

    /// Keeps the tables of all sections in a PostgreSQL database, which several machines may share, and copies of the audit trails. Sockets, logs,
    /// spooled references, caches and the servers' private folders stay in the folder. Connects when the first table is used.
    /// [`StateMigration`](crate::StateMigration) copies state that is already in a folder.
    ///
    /// # Errors
    /// [`StateError`] for an invalid URL.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[cfg(feature = "postgres")]
    pub fn with_postgres(mut self, url: &str) -> Result<Self, StateError> {
        self.postgres = Some(PostgresStore::new(url).map_err(|error| self.error(&error))?);
        Ok(self)
    }

    /// Checks that the database could be asked a moment ago. A folder can always be asked.
    ///
    /// # Errors
    /// [`StateError`] with the reason for which the database could not be asked.
    pub fn check(&self) -> Result<(), StateError> {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = &self.postgres {
            return postgres.check().map_err(|error| self.error(&error));
        }
        Ok(())
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the audit trail of this folder. With a [database](Self::with_postgres), its events are copied there, and the answer to a call waits for that if
    /// [`JournalMode::Store`](mgp_security::audit::JournalMode::Store) is set.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    ///
    /// # Panics
    /// With a database, outside a tokio runtime.
    pub fn audit(&self, config: &AuditLogConfig) -> Result<AuditLog, StateError> {
        self.audit_with(config, Confirmation::Local)
    }

    /// Opens the audit trail like [`audit`](Self::audit), for a process that ends soon: each event waits for the database if that can be reached.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    ///
    /// # Panics
    /// With a database, outside a tokio runtime.
    pub fn audit_of_command(&self, config: &AuditLogConfig) -> Result<AuditLog, StateError> {
        self.audit_with(config, Confirmation::Attempted)
    }

    /// Returns the audit trails of all machines that share the database; `None` without one.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn audit_database(&self) -> Option<AuditDatabase> {
        #[cfg(feature = "postgres")]
        return self
            .postgres
            .as_ref()
            .map(|postgres| AuditDatabase::new(postgres.tables(AuditDatabase::SCHEMA)));
        #[cfg(not(feature = "postgres"))]
        None
    }

    fn audit_with(&self, config: &AuditLogConfig, usual: Confirmation) -> Result<AuditLog, StateError> {
        let log =
            AuditLog::open(self.path.join("audit.sqlite3"), config).map_err(|error| self.error(&error))?;
        let confirmation = match config.journal {
            JournalMode::Local => usual,
            JournalMode::Store => Confirmation::Required,
        };
        Ok(match self.audit_database() {
            Some(database) => log.with_database(database, confirmation, config.retention.age),
            None => log,
        })
    }

    /// Opens the access control, with its rules.
    ///
    /// # Errors
    /// [`StateError`] if the file of the rules cannot be opened.
    pub async fn access(&self) -> Result<AccessControl, StateError> {
        let store: SqlAccessStore = self.store()?;
        AccessControl::open(Arc::new(store)).await.map_err(|error| self.error(&error))
    }

    /// Opens the stores of a kernel's state.
    ///
    /// # Errors
    /// [`StateError`] if one of their files cannot be opened.
    pub async fn stores(&self) -> Result<Stores, StateError> {
        let decisions = Arc::new(self.permissions()?);
        Ok(Stores {
            permissions: decisions.clone(),
            confirmations: decisions,
            definitions: Arc::new(self.definitions()?),
            listings: Some(Arc::new(self.listings()?)),
            idempotency: Arc::new(self.idempotency().await?),
            transactions: Arc::new(self.transactions().await?),
            registrations: Arc::new(self.registrations()?),
            quotas: Arc::new(self.quotas()?),
            limits: self.limits().map(|store| Arc::new(store) as Arc<dyn LeaseStore>),
            references: self.references().map(|store| Arc::new(store) as Arc<dyn ReferenceStore>),
        })
    }

    /// Opens the store of decisions on permissions and on single calls.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn permissions(&self) -> Result<SqlPermissionStore, StateError> {
        self.store()
    }

    /// Opens the store of pinned definitions.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn definitions(&self) -> Result<SqlDefinitionStore, StateError> {
        self.store()
    }

    /// Opens the store of API keys.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn keys(&self) -> Result<SqlKeyStore, StateError> {
        self.store()
    }

    /// Opens the store of used quotas.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn quotas(&self) -> Result<SqlQuotaStore, StateError> {
        self.store()
    }

    /// Returns the store of the limits on calls a minute; `None` without a [database](Self::with_postgres), because the kernels of one machine
    /// count for themselves.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn limits(&self) -> Option<SqlLeaseStore> {
        #[cfg(feature = "postgres")]
        return self
            .postgres
            .as_ref()
            .map(|postgres| SqlLeaseStore::new(postgres.tables(SqlLeaseStore::SCHEMA)));
        #[cfg(not(feature = "postgres"))]
        None
    }

    /// Returns the store of kept results; `None` without a [database](Self::with_postgres), because kept results of one machine do not outlive
    /// their kernel.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn references(&self) -> Option<SqlReferenceStore> {
        #[cfg(feature = "postgres")]
        return self
            .postgres
            .as_ref()
            .map(|postgres| SqlReferenceStore::new(postgres.tables(SqlReferenceStore::SCHEMA)));
        #[cfg(not(feature = "postgres"))]
        None
    }

    /// Opens the store of calls with an idempotency key.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub async fn idempotency(&self) -> Result<SqlIdempotencyStore, StateError> {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = &self.postgres {
            let entered = SqlIdempotencyStore::enter(postgres.tables(SqlIdempotencyStore::SCHEMA)).await;
            return entered.map_err(|error| self.error(&error));
        }
        SqlIdempotencyStore::open(self.path.join("idempotency.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Opens the store of transactions.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub async fn transactions(&self) -> Result<SqlTransactionStore, StateError> {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = &self.postgres {
            let entered = SqlTransactionStore::enter(postgres.tables(SqlTransactionStore::SCHEMA)).await;
            return entered.map_err(|error| self.error(&error));
        }
        SqlTransactionStore::open(self.path.join("transaction.sqlite3")).map_err(|error| self.error(&error))
    }

    /// Returns the entry of a new replica, by which kernels on several machines share the sessions of hosts over HTTP. Sessions of a replica that has
    /// been gone for longer than `kept` are removed. `None` without a [database](Self::with_postgres).
    ///
    /// # Errors
    /// [`StateError`] if the operating system has no random bytes.
    #[cfg(feature = "postgres")]
    pub fn replica(&self, kept: Duration) -> Result<Option<SqlReplicaStore>, StateError> {
        let tables = self.postgres.as_ref().map(|postgres| postgres.tables(SqlReplicaStore::SCHEMA));
        let store = tables.map(|tables| SqlReplicaStore::new(tables, kept));
        store.transpose().map_err(|error| self.error(&error))
    }

    /// Opens the store of servers that are registered at runtime.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn registrations(&self) -> Result<SqlRegistrationStore, StateError> {
        self.store()
    }

    /// Opens the store of servers' last listings.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn listings(&self) -> Result<SqlListingStore, StateError> {
        self.store()
    }

    /// Opens the cache of the vectors of tools, so that each vector is computed only once.
    ///
    /// # Errors
    /// [`StateError`] if its file cannot be opened.
    pub fn embeddings(&self) -> Result<mgp_toolindex::embed::SqliteEmbeddingCache, StateError> {
        let path = self.path.join("index.sqlite3");
        mgp_toolindex::embed::SqliteEmbeddingCache::open(path).map_err(|error| self.error(&error))
    }

    /// Opens the store of a section: a file of the folder, unless there is a database.
    fn store<S: SqlStore>(&self) -> Result<S, StateError> {
        #[cfg(feature = "postgres")]
        if let Some(postgres) = &self.postgres {
            return Ok(S::new(postgres.tables(S::SCHEMA)));
        }
        S::open(self.path.join(format!("{}.sqlite3", S::SCHEMA.section))).map_err(|error| self.error(&error))
    }

    fn error(&self, reason: &dyn fmt::Display) -> StateError {
        StateError { folder: self.path.clone(), reason: reason.to_string() }
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
