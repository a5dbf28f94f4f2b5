//! The socket that systemd passes to a service that it starts on the first connection.

use crate::{error::CliError, exit::Exit};
use std::net::TcpListener;

/// Takes the listening socket that systemd has passed; `None` if it has passed none to this process. The socket is closed in programs that
/// this one starts.
///
/// # Errors
/// There is more than one socket, or it is not a TCP socket.
#[cfg(unix)]
pub(crate) fn passed_socket() -> Result<Option<TcpListener>, CliError> {
    let variable = |name: &str| std::env::var(name).ok();
    let is_for_us = variable("LISTEN_PID").is_some_and(|id| id == std::process::id().to_string());
    let Some(count) = variable("LISTEN_FDS").filter(|_| is_for_us) else { return Ok(None) };
    let wrong = |what: String| {
        CliError::new(Exit::Configuration, what)
            .help("a .socket unit of systemd needs exactly one ListenStream=, with an address such as 127.0.0.1:7433")
    };
    if count != "1" {
        return Err(wrong(format!("LISTEN_FDS is {count:?}, expected one socket: \"1\"")));
    }
    let taken = listenfd::ListenFd::from_env().take_tcp_listener(0);
    let listener =
        taken.map_err(|error| wrong(format!("the socket of LISTEN_FDS cannot be used: {error}")))?;
    let is_listening = |listener: &TcpListener| rustix::net::sockopt::socket_acceptconn(listener) == Ok(true);
    match listener.filter(is_listening) {
        Some(listener) => Ok(Some(listener)),
        None => Err(wrong("the socket of LISTEN_FDS does not listen".to_owned())),
    }
}

/// Returns `None`: only systemd passes sockets.
#[cfg(not(unix))]
pub(crate) fn passed_socket() -> Result<Option<TcpListener>, CliError> {
    Ok(None)
}
