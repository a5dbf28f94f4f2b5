//! The setters for stores, folders and files.

use super::KernelBuilder;
use crate::Stores;
use std::path::PathBuf;

impl KernelBuilder {
    /// Sets the stores of the kernel's state; in memory by default.
    #[must_use]
    pub fn stores(self, stores: Stores) -> Self {
        self.set(move |settings| settings.stores = stores)
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
