//! The session of one host in the gateway.

use super::handover::{GatewayMessage, Handover, Messages, ProcessMessage};
use crate::{options::is_agent_name, until::CancellableReader};
use mgp_kernel::{HostFace, HostFolder};
use mgp_transport::{
    connection::{Config, Connection, ConnectionError, EndOfInput},
    local_socket::{reader, writer},
    seam::Session,
    stdio,
};
use mgp_types::context::Principal;
use std::{
    io::{self, ErrorKind},
    os::fd::OwnedFd,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use tokio_util::sync::CancellationToken;

/// A host that has handed over its streams and is not served yet.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) process: Messages,
    pub(super) handover: Handover,
    files: [OwnedFd; 2],
}

/// The time limit for the handover.
const HANDOVER: Duration = Duration::from_secs(5);

impl Arrival {
    /// Receives the handover of a process of this account.
    ///
    /// # Errors
    /// If it is late or cannot be read.
    pub(super) async fn receive(mut process: Messages) -> io::Result<Self> {
        process.is_own()?;
        let late = |_| io::Error::new(ErrorKind::TimedOut, "the handover was not complete in time");
        let handover =
            tokio::time::timeout(HANDOVER, process.receive::<Handover>()).await.map_err(late)??;
        let handover = handover.ok_or_else(|| io::Error::from(ErrorKind::UnexpectedEof))?;
        if !is_agent_name(&handover.agent) {
            return Err(invalid("agent: expected a name of 1 to 256 bytes"));
        }
        let files = process.take_files();
        let files = files.try_into().map_err(|_| invalid("expected two files: stdin and stdout"))?;
        Ok(Self { process, handover, files })
    }

    /// Serves the host until its session ends. `drain` is the time limit of its calls after its last request. Once `end` is cancelled, the
    /// session ends as if the host had closed its input.
    pub(super) async fn serve(
        mut self,
        face: &HostFace,
        drain: Duration,
        end: CancellationToken,
    ) -> io::Result<()> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let [stdin, stdout] = self.files;
        let (stdin, stdout) = (CancellableReader::new(reader(stdin)?, end.clone()), writer(stdout)?);
        let config = Config { end_of_input: EndOfInput::Drain(Duration::MAX), ..stdio::config() };
        self.process.send(&GatewayMessage::Serving, &[]).await?;
        let session = Session::new(&format!("host-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        if let Some(folder) = self.handover.folder {
            session.set(HostFolder(folder));
        }
        let host = face.serve_session(session, Principal::agent(&self.handover.agent), config, stdin, stdout);
        let Some(reason) = until_end(host, &mut self.process, drain, &end).await? else { return Ok(()) };
        self.process.send(&GatewayMessage::Ended(problem(reason)), &[]).await
    }
}

/// Waits for the end of a session. Returns its reason, or `None` if the host's process is gone.
async fn until_end(
    host: Connection,
    process: &mut Messages,
    drain: Duration,
    end: &CancellationToken,
) -> io::Result<Option<ConnectionError>> {
    let peer = host.peer().clone();
    let closed = host.closed();
    tokio::pin!(closed);
    let overdue = async {
        peer.draining().await;
        tokio::time::sleep(drain).await;
    };
    tokio::pin!(overdue);
    loop {
        tokio::select! {
            reason = &mut closed => return Ok(Some(reason)),
            message = process.receive::<ProcessMessage>() => match message? {
                Some(ProcessMessage::Stop) => end.cancel(),
                None => return Ok(None),
            },
            () = &mut overdue => return Ok(Some(ConnectionError::Shutdown)),
        }
    }
}

/// Returns the error of a session in which answers were lost that the host could still have read.
fn problem(reason: ConnectionError) -> Option<String> {
    crate::command::serve::parted(reason).err().map(|error| error.message().to_owned())
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, problem)
}
