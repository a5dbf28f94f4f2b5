//! The setters for stores, folders and files.

use super::KernelBuilder;
use mgp_discovery::{listing::ListingStore, registration::RegistrationStore};
use mgp_lifecycle::{idempotency::IdempotencyStore, transaction::TransactionStore};
use std::{path::PathBuf, sync::Arc};

impl KernelBuilder {
    /// Sets the store of servers' last listings. With it, tools, resources and prompts are known before their servers have started, and while
    /// lazy servers are not running. Without it, each kernel starts lazy servers once to list their tools.
    #[must_use]
    pub fn listing_store(self, store: impl ListingStore) -> Self {
        self.set(move |settings| settings.listing_store = Some(Arc::new(store)))
    }

    /// Sets the store of calls with an idempotency key. By default, they are kept in memory, and lost when the kernel ends.
    #[must_use]
    pub fn idempotency_store(self, store: impl IdempotencyStore) -> Self {
        self.set(move |settings| settings.idempotency_store = Arc::new(store))
    }

    /// Sets the store of transactions. By default, they are kept in memory, and lost when the kernel ends.
    #[must_use]
    pub fn transaction_store(self, store: impl TransactionStore) -> Self {
        self.set(move |settings| settings.transaction_store = Arc::new(store))
    }

    /// Sets the store of servers that are registered while the kernel runs; in memory by default. The servers in the store are
    /// started with the kernel.
    #[must_use]
    pub fn registration_store(self, store: impl RegistrationStore) -> Self {
        self.set(move |settings| settings.registration_store = Arc::new(store))
    }

    /// Sets the folder for OAuth tokens of servers of the [configuration](Self::configure). The tokens are in a file that only the
    /// user can read. Without a folder, they are kept in memory.
    #[must_use]
    pub fn token_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.token_folder = Some(folder.into());
        self
    }

    /// Sets the folder of the kernel's state. No confined server may use it, except its private folder `servers/ID`. That folder is the
    /// server's home and working directory, and the only one that it may write without permission. Without a state folder, there is no
    /// such folder.
    #[must_use]
    pub fn state_folder(self, folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        self.set(move |settings| settings.kernel_files.state_folder = Some(folder))
    }

    /// Adds a file or folder of the kernel's own, such as its configuration. No confined server may use it.
    #[must_use]
    pub fn kernel_file(self, path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.set(move |settings| settings.kernel_files.others.push(path))
    }
}
