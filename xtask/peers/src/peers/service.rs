//! A program that listens on a port.

use super::Transport;
use crate::{
    rows::{Folder, signal},
    tap::Command,
};
use std::{net::Ipv4Addr, process::Stdio, time::Duration};
use tokio::{
    net::{TcpListener, TcpStream},
    process::{Child, ChildStdin},
    time::{Instant, sleep, timeout},
};

/// The time limit for the program to listen.
const START: Duration = Duration::from_secs(120);
/// The time limit for the program to end after a request to terminate.
const END: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(30);

/// A program that listens on a port of the loopback. It is started through a tap, which ends it on drop.
#[derive(Debug)]
pub(crate) struct Service {
    port: u16,
    transport: Transport,
    child: Child,
    /// While this is open, the tap lets the program run.
    _stdin: Option<ChildStdin>,
}

impl Service {
    /// Starts the program on a free port and waits until it listens.
    pub(crate) async fn start(
        command: impl FnOnce(u16) -> Command,
        transport: Transport,
        folder: &Folder,
        name: &str,
    ) -> Result<Self, String> {
        let port = free_port().await?;
        let mut command = command(port).tokio(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| format!("failed to start {name}: {error}"))?;
        let stdin = child.stdin.take();
        let mut service = Self { port, transport, child, _stdin: stdin };
        service.listens(name).await.map(|()| service)
    }

    async fn listens(&mut self, name: &str) -> Result<(), String> {
        let end = Instant::now() + START;
        while TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.is_err() {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Err(format!("{name} ended with {status} before it listened"));
            }
            if Instant::now() > end {
                return Err(format!("{name} did not listen within {START:?}"));
            }
            sleep(PAUSE).await;
        }
        Ok(())
    }

    /// Returns the URL of the program.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}{}", self.port, self.transport.path())
    }

    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    /// Returns the transport of the program.
    pub(crate) fn transport(&self) -> Transport {
        self.transport
    }

    /// Asks the program to end, and waits until it has ended.
    pub(crate) async fn stop(mut self) -> Result<(), String> {
        if let Some(pid) = self.child.id() {
            signal("TERM", pid).await;
        }
        match timeout(END, self.child.wait()).await {
            Ok(_) => Ok(()),
            Err(_) => Err(format!("the program on port {} did not end within {END:?}", self.port)),
        }
    }
}

/// Returns a port that is free at this moment.
pub(crate) async fn free_port() -> Result<u16, String> {
    let bound = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    let address = bound.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("failed to find a free port: {error}"))
}
