//! A host's process after the handover: it waits until the session ends.
//!
//! Hosts start many of these processes, which wait as long as the hosts run. So the process begins again with the same program, which then
//! neither reads the command line nor the configuration, and takes little memory.

use super::{
    handover::{GatewayMessage, Messages, ProcessMessage},
    join::{is_closed, silent},
    place::GatewayPlace,
    streams::OwnStreams,
};
use crate::{
    error::CliError,
    exit::Exit,
    output::{self, Outcome, note},
    signals::Signals,
};
use listenfd::ListenFd;
use mgp_transport::local_socket::LocalStream;
use rustix::{
    io::{FdFlags, fcntl_setfd},
    net::{AddressFamily, SocketType},
};
use serde::{Deserialize, Serialize};
use std::{
    env, io,
    os::{
        fd::AsRawFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::PathBuf,
    process::{Command, ExitCode, id},
};

/// The variable with the [`Wait`] of a process that has begun again.
const WAIT: &str = "MGP_WAIT";
/// The variables of a passed socket: the process that it is for, the number of sockets, and the first descriptor.
const PROCESS: &str = "LISTEN_PID";
const COUNT: &str = "LISTEN_FDS";
const FIRST: &str = "LISTEN_FDS_FIRST_FD";

/// The session for whose end a process waits.
#[derive(Debug, Serialize, Deserialize)]
struct Wait {
    place: GatewayPlace,
    /// The flags of stdin and stdout before the handover.
    flags: [u32; 2],
    /// True if an error is JSON.
    json: bool,
}

/// Replaces this process by one that waits for the end of the session. Returns if that is impossible, or if this process copies a stream.
pub(super) fn begin_again(place: &GatewayPlace, gateway: &Messages, streams: &OwnStreams, json: bool) {
    let Some((connection, flags)) = gateway.at_rest().zip(streams.flags()) else { return };
    let begin = || {
        let wait = serde_json::to_string(&Wait { place: place.clone(), flags, json })?;
        fcntl_setfd(connection, FdFlags::empty())?;
        let mut words = env::args_os();
        let mut again = Command::new(own_program()?);
        again.arg0(words.next().unwrap_or_default()).args(words).env(WAIT, wait);
        again.env(PROCESS, id().to_string()).env(COUNT, "1").env(FIRST, connection.as_raw_fd().to_string());
        Err::<(), _>(again.exec())
    };
    if let Err(error) = begin() {
        tracing::debug!(%error, "this process waits without having begun again");
    }
}

/// Returns the path of the running program, even if a later version has replaced it.
fn own_program() -> io::Result<PathBuf> {
    if cfg!(target_os = "linux") { Ok("/proc/self/exe".into()) } else { env::current_exe() }
}

/// Waits for the end of the session if this process has begun again for that, and returns its exit code then.
pub(crate) fn continue_waiting() -> Option<ExitCode> {
    let is_for_us = env::var(PROCESS).is_ok_and(|process| process == id().to_string());
    let wait = env::var(WAIT).ok().filter(|_| is_for_us)?;
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_name(c"mgp");
    let wait: Wait = match serde_json::from_str(&wait) {
        Ok(wait) => wait,
        Err(error) => {
            let error = CliError::failed(format!("{WAIT} is not what this program has set: {error}"));
            return Some(output::finish(false, &Err(error)).into());
        }
    };
    let waiting = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
        runtime.block_on(Box::pin(async {
            let signals = Signals::listen()?;
            let streams = OwnStreams::handed_over(wait.flags)?;
            let gateway = Messages::over(LocalStream::from_std(inherited()?)?);
            until_end(&wait.place, gateway, streams, signals).await
        }))
    };
    Some(output::finish(wait.json, &waiting()).into())
}

/// Takes the connection to the gateway, which this process has kept open.
fn inherited() -> io::Result<UnixStream> {
    let [family, kind] = [i32::from(AddressFamily::UNIX.as_raw()), SocketType::STREAM.as_raw() as i32];
    let taken = ListenFd::from_env().take_custom(0, family, kind, "connection to the gateway")?;
    taken.ok_or_else(|| io::ErrorKind::NotFound.into())
}

/// Waits until the session ends. A signal ends it after its running calls, and a second one at once.
///
/// # Errors
/// If answers were lost, or if the gateway ends before the session.
pub(super) async fn until_end(
    place: &GatewayPlace,
    mut gateway: Messages,
    streams: OwnStreams,
    mut signals: Signals,
) -> Result<Outcome, CliError> {
    let ended = ended(place, &mut gateway, &mut signals).await;
    // The session has ended, so the copying of stdout ends as well.
    streams.end();
    ended
}

async fn ended(
    place: &GatewayPlace,
    gateway: &mut Messages,
    signals: &mut Signals,
) -> Result<Outcome, CliError> {
    let mut stops = 0;
    loop {
        tokio::select! {
            message = gateway.receive() => return match message {
                Ok(Some(GatewayMessage::Ended(None))) => Ok(Outcome::silent()),
                Ok(Some(GatewayMessage::Ended(Some(problem)))) => Err(CliError::failed(problem)),
                Ok(Some(GatewayMessage::Serving | GatewayMessage::Leaving)) => continue,
                Ok(None) => Err(gone(place)),
                Err(error) if is_closed(&error) => Err(gone(place)),
                Err(error) => Err(silent(place, &error)),
            },
            () = signals.next() => {
                stops += 1;
                if stops > 1 {
                    note("calls that were running are cut off");
                    return Ok(Outcome::silent());
                }
                // If the gateway is gone, the next message says so.
                let _ = gateway.send(&ProcessMessage::Stop, &[]).await;
            }
        }
    }
}

/// Returns the error of a gateway that ended without a word.
fn gone(place: &GatewayPlace) -> CliError {
    CliError::new(Exit::Unreachable, "the gateway has ended without notice, and its servers with it").help(
        format!(
            "see `mgp logs`, `mgp audit` and {}; the next `mgp serve` starts it again",
            place.stderr.display()
        ),
    )
}
