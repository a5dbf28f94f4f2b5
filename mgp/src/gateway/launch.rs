//! Starts the gateway of a place, as a process that outlives the one that starts it.

use super::{place::GatewayPlace, shell_path::for_gateway};
use crate::{error::CliError, exit::Exit, output::note};
use mgp_store::private_file::{PrivateFile, make_private_folder};
use std::{
    ffi::OsString,
    fs::{self, OpenOptions},
    io::{self, ErrorKind, Read},
    process::{ChildStdout, Command, Stdio},
    thread,
    time::Duration,
};

/// The time limit of the start.
const START: Duration = Duration::from_secs(60);
/// The time after which a start that takes long is noted.
const LONG: Duration = Duration::from_secs(3);
/// The size at which the file of stderr begins again, in bytes.
const MAX_STDERR: u64 = 1 << 20;
/// The most of stderr that an error shows, in bytes.
const SHOWN: usize = 2048;
/// The option of the gateway's process.
const GATEWAY: &str = "--gateway";

/// Starts the gateway with the arguments of a process that serves a host, unless another process has started it meanwhile. Waits until it listens.
///
/// # Errors
/// If it does not listen in time, with what it wrote to stderr.
pub(crate) async fn start(
    place: &GatewayPlace,
    args: impl IntoIterator<Item = OsString>,
) -> Result<(), CliError> {
    let failed = |problem: &dyn std::fmt::Display| not_started(place, problem);
    let _turn = place.lock(START).await.map_err(|error| failed(&error))?;
    if place.connect().await.map_err(|error| failed(&error))?.is_some() {
        return Ok(());
    }
    let stderr = stderr(place).map_err(|error| failed(&error))?;
    let before = stderr.metadata().map_or(0, |found| found.len());
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let (state, names) = (place.state.clone(), place.environment.clone());
    let variables = tokio::task::spawn_blocking(move || for_gateway(&state, &names)).await;
    let mut gateway = Command::new(program)
        .envs(variables.unwrap_or_default())
        .args(args)
        .arg(GATEWAY)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .map_err(|error| failed(&error))?;
    let Some(stdout) = gateway.stdout.take() else { return Err(failed(&"it has no stdout")) };
    match until_listening(stdout).await {
        Ok(true) => {
            // If it ends before this process, it does not stay a zombie.
            thread::spawn(move || gateway.wait());
            Ok(())
        }
        Ok(false) => Err(failed(&format_args!("it ended{}", written(place, before)))),
        Err(error) => {
            // The next host would wait for it as well.
            let _ = gateway.kill();
            Err(failed(&format_args!("{error}{}", written(place, before))))
        }
    }
}

/// Waits until the gateway writes a line and closes its stdout. Returns false if it closes it without a line.
async fn until_listening(mut stdout: ChildStdout) -> io::Result<bool> {
    let reading = tokio::task::spawn_blocking(move || {
        let mut line = Vec::new();
        stdout.read_to_end(&mut line).map(|count| count > 0)
    });
    tokio::pin!(reading);
    tokio::select! {
        read = &mut reading => return read.map_err(io::Error::other)?,
        () = tokio::time::sleep(LONG) => {
            note(&format!("the gateway is starting, for up to {} s; Ctrl-C ends the wait", START.as_secs()));
        }
    }
    let late =
        |_| io::Error::new(ErrorKind::TimedOut, format!("it did not listen within {} s", START.as_secs()));
    tokio::time::timeout(START, reading).await.map_err(late)?.map_err(io::Error::other)?
}

/// Opens the file for the stderr of the gateway.
fn stderr(place: &GatewayPlace) -> io::Result<fs::File> {
    if let Some(folder) = place.stderr.parent() {
        make_private_folder(folder)?;
    }
    match fs::metadata(&place.stderr) {
        Err(_) => drop(PrivateFile::new(&place.stderr).create()?),
        Ok(found) if found.len() > MAX_STDERR => fs::remove_file(&place.stderr)
            .and_then(|()| PrivateFile::new(&place.stderr).create())
            .map(drop)?,
        Ok(_) => {}
    }
    OpenOptions::new().append(true).open(&place.stderr)
}

/// Returns the last that a gateway wrote to stderr since a length, to be appended to a sentence.
fn written(place: &GatewayPlace, before: u64) -> String {
    let bytes = fs::read(&place.stderr).unwrap_or_default();
    let fresh = bytes.get(usize::try_from(before).unwrap_or(usize::MAX)..).unwrap_or_default();
    let last = String::from_utf8_lossy(&fresh[fresh.len().saturating_sub(SHOWN)..]);
    match last.trim() {
        "" => String::new(),
        text => format!(": {text}"),
    }
}

fn not_started(place: &GatewayPlace, problem: &dyn std::fmt::Display) -> CliError {
    CliError::new(Exit::Failed, format!("the gateway did not start: {problem}")).help(format!(
        "see `mgp logs` and {}; --alone serves this host without a gateway for all",
        place.stderr.display()
    ))
}
