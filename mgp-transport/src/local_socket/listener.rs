//! Listens at a Unix socket.

use super::{LocalStream, length::check_length};
use std::{fs, io, os::unix::fs::PermissionsExt, path::Path};
use tokio::net::UnixListener;

/// A listener at a Unix socket. Its file stays when the listener is dropped.
#[derive(Debug)]
pub struct LocalListener(UnixListener);

impl LocalListener {
    /// Creates a socket that only its owner can connect to, and listens. Anyone else with access to the folder could connect
    /// before the mode is set, so only the owner should have access to the folder.
    ///
    /// # Errors
    /// Returns `InvalidFilename` if the path is longer than [`MAX_PATH`](super::MAX_PATH), `AddrInUse` if there is a file of this
    /// name, or another error of the system.
    pub fn bind(path: &Path) -> io::Result<Self> {
        check_length(path)?;
        let listener = UnixListener::bind(path)?;
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
        Ok(Self(listener))
    }

    /// Waits for the next connection.
    ///
    /// # Errors
    /// Returns the error of the system, for example if this process has too many open files.
    pub async fn accept(&self) -> io::Result<LocalStream> {
        Ok(LocalStream::new(self.0.accept().await?.0))
    }
}
