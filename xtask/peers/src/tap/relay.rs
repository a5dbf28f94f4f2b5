//! Runs a program and passes on its input and output.

use super::{
    command::stderr_of,
    record::{Direction, Writer},
};
use std::{
    path::Path,
    process::{ExitCode, ExitStatus, Stdio},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// The time limit for the program to end after its stdin has ended.
const AFTER_STDIN: Duration = Duration::from_secs(5);
/// The time limit for the program to end after a request to terminate.
const AFTER_SIGNAL: Duration = Duration::from_secs(4);

/// Runs the tap until its program ends.
pub(crate) async fn run(arguments: &[String]) -> Result<ExitCode, String> {
    let [record, program, arguments @ ..] = arguments else {
        return Err("a tap needs a record, a program and its arguments".to_owned());
    };
    let record = Path::new(record);
    let stderr = std::fs::File::create(stderr_of(record));
    let stderr = stderr.map_err(|error| format!("failed to create a log: {error}"))?;
    let writer = Arc::new(Writer::open(record)?);
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(stderr).kill_on_drop(true);
    let mut child = command.spawn().map_err(|error| format!("failed to start {program}: {error}"))?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(format!("failed to start {program}: no pipes to it"));
    };
    let input = pass(tokio::io::stdin(), stdin, Direction::ToServer, writer.clone());
    let output = tokio::spawn(pass(stdout, tokio::io::stdout(), Direction::ToClient, writer));
    let mut input = tokio::spawn(input);
    let status = tokio::select! {
        status = child.wait() => status.map_err(|error| format!("failed to wait for {program}: {error}"))?,
        _ = &mut input => match timeout(AFTER_STDIN, child.wait()).await {
            Ok(status) => status.map_err(|error| format!("failed to wait for {program}: {error}"))?,
            Err(_) => end(&mut child).await?,
        },
        () = asked_to_end() => end(&mut child).await?,
    };
    // The last output is still in the pipe. If another process keeps the pipe open, the tap does not wait for it.
    let _ = timeout(Duration::from_secs(1), output).await;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Passes lines on individually: a line is in the record before the other side receives it.
async fn pass(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    direction: Direction,
    record: Arc<Writer>,
) {
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        match from.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        record.write(direction, &line);
        if to.write_all(&line).await.is_err() || to.flush().await.is_err() {
            return;
        }
    }
}

/// Asks the program to terminate, and kills it if it does not.
async fn end(child: &mut Child) -> Result<ExitStatus, String> {
    if let Some(pid) = child.id() {
        crate::rows::signal("TERM", pid).await;
    }
    if let Ok(Ok(status)) = timeout(AFTER_SIGNAL, child.wait()).await {
        return Ok(status);
    }
    child.start_kill().map_err(|error| format!("failed to kill: {error}"))?;
    child.wait().await.map_err(|error| format!("failed to wait: {error}"))
}

#[cfg(unix)]
async fn asked_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut interrupt)) =
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}

#[cfg(not(unix))]
async fn asked_to_end() {
    let _ = tokio::signal::ctrl_c().await;
}
