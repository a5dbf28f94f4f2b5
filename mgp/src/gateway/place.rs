//! The place of a gateway: its socket, found by all processes with the same configuration, state folder and variables.

use crate::{error::CliError, exit::Exit, setup::Setup};
use mgp_store::private_file::{FileLock, make_private_folder};
use mgp_transport::local_socket::{LocalStream, own_account};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::{
    io::{self, ErrorKind},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The variable that names the folder for sockets of this user, and the name of our folder in it.
pub(crate) const RUNTIME_FOLDER: &str = "XDG_RUNTIME_DIR";
const FOLDER: &str = "mgp";

/// The files of a gateway. They are named by a digest of all that tells gateways apart.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct GatewayPlace {
    pub(super) socket: PathBuf,
    /// Locked while a gateway is started, so that one is started for many hosts.
    lock: PathBuf,
    /// The stderr of the gateway.
    pub(super) stderr: PathBuf,
    /// The state folder.
    pub(super) state: PathBuf,
    /// The names of the variables that the gateway takes from the login shell.
    pub(super) environment: Vec<String>,
}

impl GatewayPlace {
    /// Returns the place of the gateway for a setup. `options` is the part of the command line that changes what hosts see.
    ///
    /// # Errors
    /// If the folder of the sockets cannot be made private.
    pub(crate) fn of(setup: &Setup, options: &str) -> Result<Self, CliError> {
        let folder =
            runtime_folder(std::env::var_os(RUNTIME_FOLDER).map(PathBuf::from), &std::env::temp_dir())
                .and_then(|folder| make_private_folder(&folder).map(|()| folder))
                .map_err(|error| {
                    CliError::new(
                        Exit::Configuration,
                        format!("there is no place for the gateway's socket: {error}"),
                    )
                    .help(format!("set {RUNTIME_FOLDER} to a folder of this account, or add --alone"))
                })?;
        let name = digest(setup, options)?;
        Ok(Self {
            socket: folder.join(format!("{name}.sock")),
            lock: folder.join(format!("{name}.lock")),
            stderr: setup.state.path().join("logs").join("gateway.stderr"),
            state: setup.state.path().to_owned(),
            environment: setup.shell_variables().to_vec(),
        })
    }

    /// Connects to the gateway; `None` if none listens.
    ///
    /// # Errors
    /// If the socket cannot be reached, or belongs to another account.
    pub(super) async fn connect(&self) -> io::Result<Option<LocalStream>> {
        match LocalStream::connect(&self.socket).await {
            Ok(stream) => is_own(&stream).map(|()| Some(stream)),
            Err(error) if is_away(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits for the turn to start the gateway.
    ///
    /// # Errors
    /// If the lock cannot be taken within the limit.
    pub(super) async fn lock(&self, limit: Duration) -> io::Result<FileLock> {
        let path = self.lock.clone();
        tokio::task::spawn_blocking(move || FileLock::acquire(&path, limit))
            .await
            .map_err(io::Error::other)?
    }
}

/// Refuses a connection with a process of another account.
pub(super) fn is_own(stream: &LocalStream) -> io::Result<()> {
    let (account, own) = (stream.account()?, own_account()?);
    if account == own {
        return Ok(());
    }
    let problem = format!("the process at the other end runs as account {account}, and this one as {own}");
    Err(io::Error::new(ErrorKind::PermissionDenied, problem))
}

/// Returns whether an error of a connection means that no process listens.
fn is_away(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused)
}

/// Returns the folder of the sockets: one in the user's own folder for them, or one that is named by the account.
pub(crate) fn runtime_folder(own: Option<PathBuf>, shared: &Path) -> io::Result<PathBuf> {
    match own.filter(|folder| folder.is_absolute()) {
        Some(folder) => Ok(folder.join(FOLDER)),
        None => Ok(shared.join(format!("{FOLDER}-{}", own_account()?))),
    }
}

/// Returns the digest of the state folder, the configuration file, the values of its variables, and the options. Variables that the gateway takes
/// from the login shell do not count: their values in the process of a host are others.
fn digest(setup: &Setup, options: &str) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    };
    add(setup.state.path().canonicalize()?.as_os_str().as_bytes());
    add(options.as_bytes());
    match &setup.loaded {
        None => add(setup.configuration().as_bytes()),
        Some(loaded) => {
            add(loaded.file.path.canonicalize()?.as_os_str().as_bytes());
            let of_shell =
                |name: &str| name == "PATH" || setup.shell_variables().iter().any(|taken| taken == name);
            for (name, value) in loaded.variables.iter().filter(|(name, _)| !of_shell(name)) {
                add(name.as_bytes());
                add(value.as_deref().unwrap_or_default().as_bytes());
                add(&[u8::from(value.is_some())]);
            }
        }
    }
    Ok(mgp_types::hex::encode(&digest.finalize()[..8]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sockets_are_in_a_folder_of_the_account() {
        let shared = Path::new("/tmp");
        assert_eq!(runtime_folder(Some("/run/user/7".into()), shared).unwrap(), Path::new("/run/user/7/mgp"));
        let named = format!("/tmp/mgp-{}", own_account().unwrap());
        for relative in [None, Some(PathBuf::from("run"))] {
            assert_eq!(runtime_folder(relative, shared).unwrap(), Path::new(&named));
        }
    }
}
