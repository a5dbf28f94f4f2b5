//! The process that a host starts: it hands the host's streams to the gateway.

use super::{
    handover::{GatewayMessage, Handover, Messages},
    launch,
    place::GatewayPlace,
    streams::OwnStreams,
    waiting,
};
use crate::{error::CliError, exit::Exit, output::Outcome, signals::Signals};
use std::{env, ffi::OsString, io, time::Duration};

/// The most gateways that are tried: each may end while it is asked.
const ATTEMPTS: usize = 5;
/// The time limit for the answer of a gateway that runs.
const ANSWER: Duration = Duration::from_secs(10);

/// Serves the host that started this program through the gateway of a place, until the session ends. `json` is the form of an error.
///
/// # Errors
/// If there is no gateway and none can be started, or if the gateway ends before the session.
pub(crate) async fn serve_host(place: &GatewayPlace, agent: &str, json: bool) -> Result<Outcome, CliError> {
    let mut signals = Signals::listen()?;
    let streams = OwnStreams::take()?;
    let handover = Handover {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        agent: agent.to_owned(),
        folder: env::current_dir().ok().filter(|folder| folder.to_str().is_some()),
    };
    let gateway = tokio::select! {
        joined = join(place, &handover, &streams) => joined?,
        () = signals.next() => return Ok(Outcome::silent()),
    };
    waiting::begin_again(place, &gateway, &streams, json);
    waiting::until_end(place, gateway, streams, signals).await
}

/// Hands the streams to the gateway, which is started if none runs.
async fn join(place: &GatewayPlace, handover: &Handover, streams: &OwnStreams) -> Result<Messages, CliError> {
    for _ in 0..ATTEMPTS {
        match hand_over(place, handover, streams).await {
            Ok(Some(gateway)) => return Ok(gateway),
            Ok(None) => launch::start(place, own_arguments()).await?,
            Err(error) => return Err(silent(place, &error)),
        }
    }
    Err(silent(place, &io::Error::other(format!("{ATTEMPTS} gateways ended before they took this host"))))
}

fn own_arguments() -> Vec<OsString> {
    env::args_os().skip(1).collect()
}

/// Hands the streams to a gateway that runs; `None` if there is none, or if it takes no more hosts.
async fn hand_over(
    place: &GatewayPlace,
    handover: &Handover,
    streams: &OwnStreams,
) -> io::Result<Option<Messages>> {
    let Some(stream) = place.connect().await? else { return Ok(None) };
    let mut gateway = Messages::over(stream);
    let answer = async {
        gateway.send(handover, &streams.files()).await?;
        gateway.receive::<GatewayMessage>().await
    };
    match tokio::time::timeout(ANSWER, answer).await {
        Ok(Ok(Some(GatewayMessage::Serving))) => Ok(Some(gateway)),
        // It ended before it read the message.
        Ok(Ok(None | Some(GatewayMessage::Leaving))) => Ok(None),
        Ok(Ok(Some(GatewayMessage::Ended(problem)))) => {
            Err(io::Error::other(problem.unwrap_or_else(|| "the session ended at once".to_owned())))
        }
        Ok(Err(error)) if is_closed(&error) => Ok(None),
        Ok(Err(error)) => Err(error),
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("it gave no answer within {} s", ANSWER.as_secs()),
        )),
    }
}

pub(super) fn is_closed(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe)
}

/// Returns the error of a gateway that cannot be used.
pub(super) fn silent(place: &GatewayPlace, error: &io::Error) -> CliError {
    let socket = place.socket.display();
    CliError::new(Exit::Unreachable, format!("the gateway at {socket} cannot be used: {error}"))
        .help("see `mgp status`; `mgp stop` ends the gateway, and --alone serves this host without it")
}
