//! Listens at the control socket of this process.

use super::{host::CommandHost, sockets::SocketFolder};
use crate::operator::operator;
use mgp_kernel::{HostFace, Kernel, RefusalsAsErrors, StateFolder};
use mgp_transport::{
    connection::Config,
    local_socket::{LocalListener, LocalStream, own_account},
    seam::Session,
};
use mgp_types::context::Principal;
use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{io::BufReader, sync::Semaphore, task::AbortHandle};

/// The maximum number of concurrent connections.
const MAX_CONNECTIONS: usize = 32;
/// The pause after a failure to accept a connection, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);

/// The control socket of this process. It is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct ControlSocket {
    path: PathBuf,
    accepting: AbortHandle,
}

impl ControlSocket {
    /// Listens in a state folder for the operator's commands. A kernel works without its control socket, so a failure is only a warning.
    pub(crate) async fn listen(kernel: &Kernel, state: &StateFolder) -> Option<Self> {
        match Self::try_listen(kernel, state).await {
            Ok(socket) => Some(socket),
            Err(error) => {
                tracing::warn!(
                    %error,
                    "there is no control socket, so `mgp status` and the other commands for running gateways do not find this one; \
                     --state-dir names another folder"
                );
                None
            }
        }
    }

    async fn try_listen(kernel: &Kernel, state: &StateFolder) -> io::Result<Self> {
        let account = own_account()?;
        let (listener, path) = SocketFolder::of(state).bind(std::process::id()).await?;
        let accepting = accept(listener, kernel.face().clone(), account);
        Ok(Self { path, accepting: tokio::spawn(accepting).abort_handle() })
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        self.accepting.abort();
        // If this fails, the next command that finds the socket removes it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Serves each connection as a session of the operator, or of a command that connects as a host.
async fn accept(listener: LocalListener, face: HostFace, account: u32) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let stream = match listener.accept().await {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, "a connection to the control socket was not taken");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        if !stream.account().is_ok_and(|other| is_let_in(other, account)) {
            tracing::warn!("a connection of another account to the control socket was closed");
            continue;
        }
        // Dropping the stream closes the connection.
        let Ok(place) = places.clone().try_acquire_owned() else {
            tracing::warn!(
                limit = MAX_CONNECTIONS,
                "one connection too many to the control socket was closed"
            );
            continue;
        };
        let face = face.clone();
        tokio::spawn(async move {
            if let Err(error) = serve(&face, stream).await {
                tracing::warn!(%error, "a connection to the control socket was closed");
            }
            drop(place);
        });
    }
}

/// Serves a connection until it is closed.
async fn serve(face: &HostFace, stream: LocalStream) -> io::Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let (input, output) = stream.split();
    let mut input = BufReader::new(input);
    let connection = match CommandHost::read(&mut input).await? {
        None => face.serve(operator(), Config::default(), input, output),
        Some(host) => {
            let principal = Principal::agent(&host.agent);
            let session = Session::new(&format!("command-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
            session.set(host);
            session.set(RefusalsAsErrors);
            face.serve_session(session, principal, Config::default(), input, output)
        }
    };
    connection.closed().await;
    Ok(())
}

/// Returns whether a kernel accepts connections from an account: its own account, and root, which may use every file.
const fn is_let_in(other: u32, account: u32) -> bool {
    other == account || other == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_kernel_s_own_account_and_root_are_accepted() {
        assert!(is_let_in(1000, 1000) && is_let_in(0, 1000) && is_let_in(0, 0));
        assert!(!is_let_in(1001, 1000) && !is_let_in(1000, 0));
    }
}
