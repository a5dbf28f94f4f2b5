//! The socket that systemd passes to a service that it starts on the first connection.

use super::{HttpServer, RunningServer, ServeError};
use rustix::net::sockopt::socket_acceptconn;
use std::{
    io,
    net::{SocketAddr, TcpListener},
};

/// A listening TCP socket that systemd has passed to this process (socket activation).
#[derive(Debug)]
pub struct PassedSocket {
    listener: TcpListener,
    address: SocketAddr,
}

impl PassedSocket {
    /// Takes the socket of `LISTEN_FDS`; `None` if nothing was passed to this process. Programs that this process starts do not inherit
    /// the socket. A second call returns `None`.
    ///
    /// # Errors
    /// There is not exactly one socket, or it is not a TCP socket that listens.
    pub fn take() -> io::Result<Option<Self>> {
        let variable = |name: &str| std::env::var(name).ok();
        let is_for_us = variable("LISTEN_PID").is_some_and(|id| id == std::process::id().to_string());
        let Some(count) = variable("LISTEN_FDS").filter(|_| is_for_us) else { return Ok(None) };
        let wrong = |what: String| io::Error::new(io::ErrorKind::InvalidInput, what);
        if count != "1" {
            return Err(wrong(format!("LISTEN_FDS is {count:?}, expected one socket: \"1\"")));
        }
        let taken = listenfd::ListenFd::from_env().take_tcp_listener(0);
        let listener =
            taken.map_err(|error| wrong(format!("the socket of LISTEN_FDS cannot be used: {error}")))?;
        let is_listening = |listener: &TcpListener| socket_acceptconn(listener) == Ok(true);
        let listener = listener.filter(is_listening);
        let listener =
            listener.ok_or_else(|| wrong("the socket of LISTEN_FDS does not listen".to_owned()))?;
        listener.set_nonblocking(true)?;
        Ok(Some(Self { address: listener.local_addr()?, listener }))
    }

    /// Returns the address at which the socket listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl HttpServer {
    /// Serves a socket of systemd, with the same rule as [`bind`](Self::bind). Must be called within a tokio runtime.
    ///
    /// # Errors
    /// Returns a [`ServeError`] if the socket's address cannot be served.
    pub fn serve_passed(&self, socket: PassedSocket) -> Result<RunningServer, ServeError> {
        self.serve(tokio::net::TcpListener::from_std(socket.listener)?)
    }
}
