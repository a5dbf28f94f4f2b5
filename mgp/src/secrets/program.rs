//! Programs that print secrets, such as those of password managers.

use crate::{output::on_one_line, process_group::ProcessGroup};
use futures_util::{FutureExt, future::FusedFuture};
use mgp_discovery::config::MAX_SECRET;
use std::{io, path::Path, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    process::Command,
    time::timeout,
};

/// The time limit of a program.
pub(super) const LIMIT: Duration = Duration::from_secs(10);
/// The time for the last lines of stderr, once the program has ended.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// The most of stderr that is kept, in bytes.
const MAX_STDERR: usize = 4 * 1024;
/// The most of a line of stderr that an error shows, in characters.
const SHOWN: usize = 200;

/// Runs a program without a shell, and returns its output. It gets the environment of this process, and no input.
///
/// # Errors
/// A sentence with the program's name and the last line of its stderr. Neither its arguments nor its output are shown.
pub(super) async fn output(words: &[String], limit: Duration) -> Result<Vec<u8>, String> {
    let (program, args) = words.split_first().ok_or("expected a program")?;
    let name = Path::new(program).file_name().map_or(program.into(), |name| name.to_string_lossy());
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let started = command.spawn();
    let mut child = started.map_err(|error| {
        format!("failed to start {program:?}, which prints the secret: {error}; install it, or name its whole path")
    })?;
    let group = ProcessGroup::new(child.id());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut last_words = Vec::new();
    let ended = {
        let words = keep_end(stderr, &mut last_words).fuse();
        let running = async {
            let output = read(stdout).await?;
            Ok::<_, io::Error>((child.wait().await?, output))
        };
        tokio::pin!(words, running);
        let ended = timeout(limit, async {
            tokio::select! {
                ended = &mut running => ended,
                // A program may close its stderr early.
                () = &mut words => running.await,
            }
        });
        let ended = ended.await;
        let has_failed = matches!(&ended, Ok(Ok((status, _))) if !status.success());
        if has_failed && !words.is_terminated() {
            // Another process may keep the pipe open.
            let _ = timeout(LAST_WORDS, words).await;
        }
        ended
    };
    let advice = "run the command in a terminal to see why";
    match ended {
        Ok(Ok((status, output))) if status.success() => {
            // A service that the program started may stay.
            group.leave();
            Ok(output)
        }
        Ok(Ok((status, _))) => {
            let last = String::from_utf8_lossy(&last_words).trim_end().lines().last().map(str::to_owned);
            let last: String = on_one_line(last.unwrap_or_default().trim()).chars().take(SHOWN).collect();
            let last = if last.is_empty() { last } else { format!(": {last}") };
            Err(format!("`{name}`, which prints the secret, failed ({status}){last}; {advice}"))
        }
        Ok(Err(error)) => Err(format!("failed to read the output of `{name}`: {error}; {advice}")),
        Err(_) => Err(format!("`{name}`, which prints the secret, took longer than {limit:?}; {advice}")),
    }
}

/// Reads an output to its end.
async fn read(output: Option<impl AsyncRead + Unpin>) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if let Some(output) = output {
        output.take(MAX_SECRET as u64 + 2).read_to_end(&mut content).await?;
    }
    // A line break at the end does not count.
    if content.len() > MAX_SECRET + 1 {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("longer than {MAX_SECRET} bytes")));
    }
    Ok(content)
}

/// Reads an output to its end, and keeps the last part.
async fn keep_end(output: Option<impl AsyncRead + Unpin>, kept: &mut Vec<u8>) {
    let Some(mut output) = output else { return };
    let mut part = [0; 1024];
    while let Ok(count @ 1..) = output.read(&mut part).await {
        kept.extend_from_slice(&part[..count]);
        kept.drain(..kept.len().saturating_sub(MAX_STDERR));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    async fn run(script: &str, limit: Duration) -> Result<Vec<u8>, String> {
        let words = ["sh", "-c", script].map(str::to_owned);
        output(&words, limit).await
    }

    #[tokio::test]
    async fn a_program_s_output_is_read_and_its_failure_named() {
        let long = Duration::from_secs(60);
        assert_eq!(run("cat; echo hush; echo more >&2", long).await.unwrap(), b"hush\n");
        let error =
            run("echo hush; echo first >&2; printf 'vault \\033[1mlocked\\n\\n' >&2; exit 3", long).await;
        let error = error.unwrap_err();
        assert!(
            error.contains("`sh`") && error.contains("exit status: 3") && error.contains("locked; run"),
            "{error}"
        );
        assert!(!error.contains("hush") && !error.contains("first") && !error.contains('\x1b'), "{error}");
        let error = run(&format!("head -c {} /dev/zero", MAX_SECRET + 2), long).await.unwrap_err();
        assert!(error.contains("longer than"), "{error}");
        let error = output(&["no-such-program".to_owned(), "hush".to_owned()], long).await.unwrap_err();
        assert!(error.contains("failed to start \"no-such-program\"") && !error.contains("hush"), "{error}");
    }

    #[tokio::test]
    async fn a_program_that_hangs_is_killed_with_its_children() {
        let folder = tempfile::tempdir().unwrap();
        let pid = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > '{0}.new'; mv '{0}.new' '{0}'; wait", pid.display());
        let started = async {
            while !pid.exists() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            ended = run(&script, Duration::from_secs(60)) => panic!("{ended:?}"),
            () = started => {}
        }
        let pid = std::fs::read_to_string(pid).unwrap().trim().parse().unwrap();
        let pid = rustix::process::Pid::from_raw(pid).unwrap();
        xtask_testing::block_until_some(|| {
            let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
            // A zombie has ended.
            status.map_or(true, |status| status.contains(") Z ")).then_some(())
        });
        let error = run("sleep 1000", Duration::from_millis(1)).await.unwrap_err();
        assert!(error.contains("took longer than 1ms"), "{error}");
    }
}
