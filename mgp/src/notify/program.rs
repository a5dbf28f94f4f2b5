//! A program that gets notifications.

use crate::process_group::ProcessGroup;
use std::{path::Path, process::Stdio, time::Duration};
use tokio::{io::AsyncWriteExt, process::Command, time::timeout};

/// Runs a program without a shell, with a text as its input. It gets the environment of this process, and its output is not read.
///
/// # Errors
/// A sentence with the program's name. Its arguments are not shown.
pub(super) async fn run(argv: &[String], input: &str, limit: Duration) -> Result<(), String> {
    let (program, args) = argv.split_first().ok_or("argv has no program")?;
    let name = Path::new(program).file_name().map_or(program.into(), |name| name.to_string_lossy());
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let started = command.spawn();
    let mut child = started.map_err(|error| {
        format!("failed to start {program:?}: {error}; install it, or name its whole path")
    })?;
    let group = ProcessGroup::new(child.id());
    let stdin = child.stdin.take();
    let ended = timeout(limit, async {
        if let Some(mut stdin) = stdin {
            // A program may end without reading its input.
            let _ = stdin.write_all(input.as_bytes()).await;
        }
        child.wait().await
    });
    match ended.await {
        Ok(Ok(status)) if status.success() => {
            // A service that the program started may stay.
            group.leave();
            Ok(())
        }
        Ok(Ok(status)) => Err(format!("`{name}` failed ({status}); run it in a terminal to see why")),
        Ok(Err(error)) => Err(format!("`{name}` cannot be waited for: {error}")),
        Err(_) => Err(format!("`{name}` took longer than {limit:?}; let it end sooner")),
    }
}
