//! The folder of control sockets.

use futures_util::future::join_all;
use mgp_kernel::StateFolder;
use mgp_store::private_file::{FileLock, make_private_folder};
use mgp_transport::local_socket::{LocalListener, LocalStream, own_account};
use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The file extension of sockets.
const ENDING: &str = "sock";
/// The maximum number of sockets in one folder that are considered.
const MAX_SOCKETS: usize = 256;
/// The maximum number of sockets with one process id. Containers that share a folder number their processes separately.
const MAX_OF_ONE_ID: u32 = 8;
/// The time limit for taking the folder's lock, which other processes hold while they create or remove a socket.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit of a connection to a socket.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The folder of control sockets.
#[derive(Debug, Clone)]
pub(super) struct SocketFolder(PathBuf);

/// The path of a control socket.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SocketPath {
    /// The id of the process that listens, or used to listen.
    pub(super) pid: u32,
    pub(super) path: PathBuf,
}

impl SocketFolder {
    /// Returns the folder in a state folder. It may not exist.
    pub(super) fn of(state: &StateFolder) -> Self {
        Self(state.path().join("control"))
    }

    /// Creates a socket for a process and listens. Only its owner can connect to it.
    ///
    /// # Errors
    /// If the path is too long for a socket, the folder belongs to another account, or the system refuses.
    pub(super) async fn bind(&self, pid: u32) -> io::Result<(LocalListener, PathBuf)> {
        make_private_folder(&self.0)?;
        let _lock = self.lock().await?;
        self.sweep().await?;
        for number in 0..MAX_OF_ONE_ID {
            let path = self.0.join(name(pid, number));
            // An existing socket is left over, unless its process runs in another container.
            match connect(&path).await {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) if is_left_over(&error) => fs::remove_file(&path)?,
                Err(error) if error.kind() == ErrorKind::InvalidFilename => return Err(error),
                _ => continue,
            }
            return Ok((LocalListener::bind(&path)?, path));
        }
        Err(io::Error::other(format!("other processes have all sockets of process {pid}")))
    }

    /// Returns the sockets in the folder, of all processes or of one, ordered by process id.
    ///
    /// # Errors
    /// If the folder belongs to another account or cannot be read.
    pub(super) fn sockets(&self, pid: Option<u32>) -> io::Result<Vec<SocketPath>> {
        let entries = match fs::read_dir(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        self.check_owner()?;
        let paths = entries.filter_map(|entry| socket(entry.ok()?.path()));
        let asked = paths.filter(|socket| pid.is_none_or(|pid| socket.pid == pid));
        let mut sockets: Vec<_> = asked.take(MAX_SOCKETS).collect();
        sockets.sort();
        Ok(sockets)
    }

    /// Connects to a socket. If its process is gone, removes the socket and returns `None`.
    ///
    /// # Errors
    /// If the process takes no connection within two seconds, or the socket cannot be reached.
    pub(super) async fn connect(&self, socket: &SocketPath) -> io::Result<Option<LocalStream>> {
        match connect(&socket.path).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if is_left_over(&error) => {
                // A process that has created its socket but does not listen yet holds the lock.
                let _lock = self.lock().await?;
                match connect(&socket.path).await {
                    Ok(stream) => return Ok(Some(stream)),
                    Err(error) if is_left_over(&error) => drop(fs::remove_file(&socket.path)),
                    Err(_) => {}
                }
                Ok(None)
            }
            connected => connected.map(Some),
        }
    }

    /// Removes the sockets whose processes are gone, so that they do not use up the maximum number of sockets. Called with the lock held: a
    /// process that has created its socket but does not listen yet holds it, too.
    async fn sweep(&self) -> io::Result<()> {
        let sockets = self.sockets(None)?;
        let left_over = async |socket: SocketPath| match connect(&socket.path).await {
            Err(error) if is_left_over(&error) => drop(fs::remove_file(&socket.path)),
            _ => {}
        };
        join_all(sockets.into_iter().map(left_over)).await;
        Ok(())
    }

    async fn lock(&self) -> io::Result<FileLock> {
        let path = self.0.join("lock");
        tokio::task::spawn_blocking(move || FileLock::acquire(&path, LOCK_TIMEOUT))
            .await
            .map_err(io::Error::other)?
    }

    /// Rejects a folder of another account, or a symbolic link. Root may use the folders of every account.
    fn check_owner(&self) -> io::Result<()> {
        let found = fs::symlink_metadata(&self.0)?;
        let own = own_account()?;
        if !found.is_dir() || (found.uid() != own && own != 0) {
            let problem = format!("{} is not a folder of this account", self.0.display());
            return Err(io::Error::new(ErrorKind::PermissionDenied, problem));
        }
        Ok(())
    }
}

fn name(pid: u32, number: u32) -> String {
    match number {
        0 => format!("{pid}.{ENDING}"),
        number => format!("{pid}-{number}.{ENDING}"),
    }
}

fn socket(path: PathBuf) -> Option<SocketPath> {
    let name = path.file_name()?.to_str()?.strip_suffix(ENDING)?.strip_suffix('.')?;
    let pid = name.split('-').next()?.parse().ok()?;
    Some(SocketPath { pid, path })
}

async fn connect(path: &Path) -> io::Result<LocalStream> {
    tokio::time::timeout(CONNECT_TIMEOUT, LocalStream::connect(path))
        .await
        .unwrap_or_else(|_| Err(io::Error::new(ErrorKind::TimedOut, "it takes no connection")))
}

/// Returns whether an error means that no process listens at the socket.
fn is_left_over(error: &io::Error) -> bool {
    error.kind() == ErrorKind::ConnectionRefused
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder() -> (tempfile::TempDir, SocketFolder) {
        let state = tempfile::tempdir().unwrap();
        let folder = SocketFolder::of(&StateFolder::open(state.path()).unwrap());
        (state, folder)
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[tokio::test]
    async fn only_the_owner_can_reach_a_socket() {
        let (_state, folder) = folder();
        fs::create_dir(&folder.0).unwrap();
        fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
        let (_listener, path) = folder.bind(7).await.unwrap();
        assert_eq!((mode(&folder.0), mode(&path)), (0o700, 0o600));
        assert_eq!(folder.sockets(None).unwrap(), [SocketPath { pid: 7, path }]);
    }

    #[tokio::test]
    async fn only_a_socket_without_a_listener_is_removed() {
        let (_state, folder) = folder();
        let (listener, path) = folder.bind(7).await.unwrap();
        let socket = folder.sockets(None).unwrap().remove(0);
        assert!(folder.connect(&socket).await.unwrap().is_some());
        drop(listener);
        assert!(path.exists());
        assert!(folder.connect(&socket).await.unwrap().is_none());
        assert!(!path.exists() && folder.sockets(None).unwrap().is_empty());
        // A socket that vanished meanwhile is not an error.
        assert!(folder.connect(&socket).await.unwrap().is_none());
    }

    #[tokio::test]
    async fn a_process_reuses_only_the_name_of_a_dead_process() {
        let (_state, folder) = folder();
        let (first, path) = folder.bind(7).await.unwrap();
        let (_second, beside) = folder.bind(7).await.unwrap();
        assert_eq!(beside.file_name().unwrap(), "7-1.sock");
        drop(first);
        let (_third, again) = folder.bind(7).await.unwrap();
        assert_eq!(again, path);
        assert_eq!(folder.sockets(None).unwrap().iter().map(|socket| socket.pid).collect::<Vec<_>>(), [7, 7]);
    }

    #[tokio::test]
    async fn a_new_socket_sweeps_those_of_ended_processes() {
        let (_state, folder) = folder();
        let (_living, path) = folder.bind(7).await.unwrap();
        let leave = |pids: std::ops::Range<u32>| {
            pids.for_each(|pid| drop(LocalListener::bind(&folder.0.join(name(pid, 0))).unwrap()));
        };
        leave(1000..1300);
        assert_eq!(folder.sockets(Some(7)).unwrap(), [SocketPath { pid: 7, path }]);
        assert_eq!(folder.sockets(None).unwrap().len(), MAX_SOCKETS);
        let (_other, _) = folder.bind(8).await.unwrap();
        let (_another, _) = folder.bind(9).await.unwrap();
        assert_eq!(
            folder.sockets(None).unwrap().iter().map(|socket| socket.pid).collect::<Vec<_>>(),
            [7, 8, 9]
        );
    }

    #[tokio::test]
    async fn a_path_that_is_too_long_is_named_with_the_limit() {
        let (state, _) = folder();
        let deep = StateFolder::open(state.path().join("a".repeat(100))).unwrap();
        let error = SocketFolder::of(&deep).bind(7).await.unwrap_err().to_string();
        assert!(error.contains("a socket's path at most 103"), "{error}");
    }

    #[tokio::test]
    async fn a_link_instead_of_the_folder_is_refused() {
        let (state, folder) = folder();
        let elsewhere = state.path().join("elsewhere");
        fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &folder.0).unwrap();
        let error = folder.bind(7).await.map(drop).unwrap_err().to_string();
        assert!(error.contains("control is a symbolic link"), "{error}");
        let error = folder.sockets(None).unwrap_err().to_string();
        assert!(error.contains("is not a folder of this account"), "{error}");
    }

    #[tokio::test]
    async fn files_that_are_not_sockets_are_ignored() {
        let (_state, folder) = folder();
        make_private_folder(&folder.0).unwrap();
        for name in ["lock", "x.sock", "7", ".sock", "-1.sock"] {
            fs::write(folder.0.join(name), "").unwrap();
        }
        assert_eq!(folder.sockets(None).unwrap(), []);
    }
}
