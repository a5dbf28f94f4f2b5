//! The changes that `--fix` makes: only to the gateway's own files and processes, and to its own entry in hosts' files.

use super::context::Context;
use crate::command::connect::repair;
use mgp_discovery::mcp_servers::Candidate;
#[cfg(target_os = "linux")]
use mgp_transport::child::Orphan;
use std::{fs, io, path::PathBuf};
#[cfg(unix)]
use std::{os::unix::fs::PermissionsExt, time::Duration};

/// The time limit of the lock of a socket.
#[cfg(unix)]
const LOCK: Duration = Duration::from_secs(5);

/// A change that mends a finding.
#[derive(Debug)]
pub(super) enum Fix {
    /// Sets the modes of files and folders of this account.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no modes"))]
    Modes(Vec<(PathBuf, u32)>),
    /// Removes files.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no file is left"))]
    Remove(Vec<PathBuf>),
    /// Removes sockets without a listener, each under the lock of those that make it.
    #[cfg(unix)]
    Sockets(Vec<(PathBuf, PathBuf)>),
    /// Kills processes of servers without a gateway.
    #[cfg(target_os = "linux")]
    Orphans(Vec<Orphan>),
    /// Replaces a path in the gateway's entry in a host's file.
    Entry { found: Box<Candidate>, name: String, old: String, new: String },
}

impl Fix {
    /// Makes the change. Returns a text for the end of the finding's sentence.
    pub(super) async fn apply(self, context: &Context) -> Result<String, String> {
        match self {
            Self::Modes(modes) => modes.iter().try_for_each(|(path, mode)| set_mode(path, *mode)),
            Self::Remove(paths) => paths.iter().try_for_each(remove),
            #[cfg(unix)]
            Self::Sockets(sockets) => remove_sockets(sockets).await,
            #[cfg(target_os = "linux")]
            Self::Orphans(orphans) => {
                tokio::task::spawn_blocking(move || orphans.iter().try_for_each(Orphan::kill))
                    .await
                    .unwrap_or_else(|error| Err(io::Error::other(error)))
            }
            Self::Entry { found, name, old, new } => {
                let backup = repair(&context.environment, &found, &name, (&old, &new));
                let backup = backup.map_err(|error| error.message().to_owned())?;
                return Ok(format!("; its backup is {}; restart the host", backup.display()));
            }
        }
        .map(|()| String::new())
        .map_err(|error| error.to_string())
    }
}

/// Sets the mode of a file of this account. A link that replaced it is not followed, except to a configuration file.
#[cfg(unix)]
fn set_mode(path: &PathBuf, mode: u32) -> io::Result<()> {
    let failed = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)
}

#[cfg(not(unix))]
fn set_mode(_: &PathBuf, _: u32) -> io::Result<()> {
    Ok(())
}

fn remove(path: &PathBuf) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io::Error::other(format!("{}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// Removes sockets, unless a process listens at them meanwhile.
#[cfg(unix)]
async fn remove_sockets(sockets: Vec<(PathBuf, PathBuf)>) -> io::Result<()> {
    use mgp_store::private_file::FileLock;
    use mgp_transport::local_socket::LocalStream;
    for (socket, lock) in sockets {
        let locked = tokio::task::spawn_blocking(move || FileLock::acquire(&lock, LOCK));
        let _lock = locked.await.map_err(io::Error::other)??;
        match tokio::time::timeout(LOCK, LocalStream::connect(&socket)).await {
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => remove(&socket)?,
            _ => {}
        }
    }
    Ok(())
}
