//! The lock and the socket of a process, in the folder `shared` of the state folder.

use mgp_store::private_file::{FileLock, make_private_folder};
use mgp_transport::local_socket::{LocalListener, LocalStream, MAX_PATH};
use std::{
    fs,
    io::{self, ErrorKind},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The pause before another attempt while another kernel starts or ends the process.
const PAUSE: Duration = Duration::from_millis(50);
/// The time limit of a connection to the owner.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The lock and socket files of a process that kernels share.
#[derive(Debug)]
pub(in crate::upstream) struct SharedPlace {
    folder: PathBuf,
    name: String,
    account: u32,
}

/// The result of entering a process.
#[derive(Debug)]
pub(in crate::upstream) enum Entry {
    /// Another kernel owns the process, and this is a connection to it.
    Guest(LocalStream),
    /// No kernel owns the process, and none can start it while this lock is held.
    Owner(FileLock),
}

impl SharedPlace {
    /// Returns the lock and socket files of a process by its name, in a state folder. `account` is that of this
    /// kernel.
    ///
    /// # Errors
    /// If the path of the socket is too long, or the folder cannot be created or belongs to another account.
    pub(in crate::upstream) fn new(state_folder: &Path, name: String, account: u32) -> io::Result<Self> {
        let folder = state_folder.join("shared");
        let place = Self { folder, name, account };
        let length = place.socket().as_os_str().len();
        if length > MAX_PATH {
            let excess = length - MAX_PATH;
            let problem =
                format!("the path of the state folder is {excess} bytes too long for a socket in it");
            return Err(io::Error::new(ErrorKind::InvalidFilename, problem));
        }
        make_private_folder(&place.folder)?;
        let found = fs::symlink_metadata(&place.folder)?;
        if !found.is_dir() || found.uid() != account {
            let problem = format!("{} is not a folder of this account", place.folder.display());
            return Err(io::Error::new(ErrorKind::PermissionDenied, problem));
        }
        Ok(place)
    }

    fn socket(&self) -> PathBuf {
        self.folder.join(format!("{}.sock", self.name))
    }

    /// Waits until this kernel can use the process through its owner, or may start it. Kernels that start or end the process keep the others
    /// waiting.
    ///
    /// # Errors
    /// If another account listens at the socket, or the system refuses.
    pub(in crate::upstream) async fn enter(&self) -> io::Result<Entry> {
        loop {
            if let Some(stream) = self.connect().await? {
                return Ok(Entry::Guest(stream));
            }
            if let Some(lock) = self.lock().await? {
                return Ok(Entry::Owner(lock));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Connects to the owner; `None` if no kernel listens.
    async fn connect(&self) -> io::Result<Option<LocalStream>> {
        match tokio::time::timeout(CONNECT_TIMEOUT, LocalStream::connect(&self.socket())).await {
            Ok(Ok(stream)) => self.check_account(stream.account()?).map(|()| Some(stream)),
            Ok(Err(error)) if means_nobody(error.kind()) => Ok(None),
            Ok(Err(error)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Locks the right to run the process; `None` if another kernel has it.
    async fn lock(&self) -> io::Result<Option<FileLock>> {
        let path = self.folder.join(format!("{}.lock", self.name));
        let locked = tokio::task::spawn_blocking(move || FileLock::acquire(&path, Duration::ZERO));
        match locked.await.map_err(io::Error::other)? {
            Ok(lock) => Ok(Some(lock)),
            Err(error) if error.kind() == ErrorKind::TimedOut => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Listens for guests. Only the kernel with the lock may do so, because a left-over socket is removed.
    pub(in crate::upstream) fn listen(&self) -> io::Result<LocalListener> {
        self.remove_socket();
        LocalListener::bind(&self.socket())
    }

    /// Waits for the next guest.
    ///
    /// # Errors
    /// `PermissionDenied` for a process of another account, whose connection is closed, and those of the system.
    pub(in crate::upstream) async fn accept(&self, listener: &LocalListener) -> io::Result<LocalStream> {
        let stream = listener.accept().await?;
        self.check_account(stream.account()?).map(|()| stream)
    }

    /// Removes the socket. Only the kernel with the lock may do so.
    pub(in crate::upstream) fn remove_socket(&self) {
        let _ = fs::remove_file(self.socket());
    }

    /// Rejects a process of another account, even root's: a server runs with the rights of the account that starts it.
    fn check_account(&self, other: u32) -> io::Result<()> {
        if other == self.account {
            return Ok(());
        }
        let problem =
            format!("the process at the other end belongs to account {other}, not {}", self.account);
        Err(io::Error::new(ErrorKind::PermissionDenied, problem))
    }
}

/// Returns whether a failed connection means that no kernel listens, or that the owner closed its socket before it accepted the
/// connection.
fn means_nobody(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotFound
            | ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_transport::local_socket::own_account;
    use std::os::unix::fs::PermissionsExt;

    fn place(state: &Path) -> SharedPlace {
        SharedPlace::new(state, "a".repeat(32), own_account().unwrap()).unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn an_owner_that_leaves_while_a_guest_arrives_does_not_count() {
        for kind in [ErrorKind::NotFound, ErrorKind::ConnectionRefused, ErrorKind::ConnectionReset] {
            assert!(means_nobody(kind), "{kind}");
        }
        assert!(!means_nobody(ErrorKind::PermissionDenied) && !means_nobody(ErrorKind::Other));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_kernel_owns_the_process_and_the_next_is_a_guest() {
        let state = tempfile::tempdir().unwrap();
        let (first, next) = (place(state.path()), place(state.path()));
        let Entry::Owner(lock) = first.enter().await.unwrap() else { panic!("there is no owner yet") };
        let waited = tokio::time::timeout(Duration::from_millis(200), next.enter()).await;
        assert!(waited.is_err(), "the process is being started: {waited:?}");
        let listener = first.listen().unwrap();
        assert!(matches!(next.enter().await.unwrap(), Entry::Guest(_)));
        // A socket that is left over keeps nobody out, and neither does a lock whose holder is gone.
        drop((listener, lock));
        assert!(matches!(next.enter().await.unwrap(), Entry::Owner(_)));
    }

    #[tokio::test]
    async fn only_the_account_can_reach_the_socket() {
        let state = tempfile::tempdir().unwrap();
        fs::create_dir(state.path().join("shared")).unwrap();
        fs::set_permissions(state.path().join("shared"), fs::Permissions::from_mode(0o755)).unwrap();
        let place = place(state.path());
        let Entry::Owner(_lock) = place.enter().await.unwrap() else { panic!("there is no owner yet") };
        let _listener = place.listen().unwrap();
        assert_eq!((mode(&place.folder), mode(&place.socket())), (0o700, 0o600));
    }

    #[tokio::test]
    async fn a_socket_of_another_account_is_refused() {
        let state = tempfile::tempdir().unwrap();
        let place = place(state.path());
        let listener = place.listen().unwrap();
        let near = LocalStream::connect(&place.socket()).await.unwrap();
        let stranger = SharedPlace { account: place.account + 1, ..place };
        // Both sides look: the owner at who comes, and the guest at who listens.
        let refused = stranger.accept(&listener).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::PermissionDenied);
        drop(near);
        let error = stranger.enter().await.unwrap_err().to_string();
        assert!(error.contains("belongs to account"), "{error}");
        let error = SharedPlace::new(state.path(), stranger.name, stranger.account).unwrap_err().to_string();
        assert!(error.contains("is not a folder of this account"), "{error}");
    }

    #[test]
    fn a_path_that_is_too_long_is_refused_before_the_start() {
        let state = Path::new("/tmp").join("a".repeat(60));
        let error = SharedPlace::new(&state, "a".repeat(32), 1).unwrap_err().to_string();
        assert_eq!(error, "the path of the state folder is 7 bytes too long for a socket in it");
    }
}
