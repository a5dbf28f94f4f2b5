//! The kernel's own files.

use std::path::PathBuf;

/// The kernel's own files, which no confined server may use.
#[derive(Debug, Clone, Default)]
pub(crate) struct KernelFiles {
    /// The state folder, in which each server has a private folder.
    pub(crate) state_folder: Option<PathBuf>,
    /// Other files and folders, such as the configuration.
    pub(crate) others: Vec<PathBuf>,
}

#[cfg(feature = "child")]
impl KernelFiles {
    pub(crate) fn all(&self) -> Vec<PathBuf> {
        self.state_folder.iter().chain(&self.others).cloned().collect()
    }

    /// Returns the private folder of a server.
    pub(super) fn private_folder(&self, server_id: &str) -> Option<PathBuf> {
        self.state_folder.as_ref().map(|state| state.join("servers").join(server_id))
    }
}
