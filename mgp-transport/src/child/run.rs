//! One run of a program: its input, its output, its end.

use super::{ChildCommand, ChildProcess, StderrTail};
use std::{
    io,
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::{ChildStdin, ChildStdout},
};

/// The time limit of reading stderr to its end, after the program has ended.
const STDERR: Duration = Duration::from_secs(1);

/// The outcome of one run of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// The bytes that the program wrote to its stdout.
    pub output: Vec<u8>,
    /// The end of the program; `None` if it was killed because its output was longer than allowed.
    pub status: Option<ExitStatus>,
}

impl ChildCommand {
    /// Runs the program once: writes `input` to its stdin, and reads its stdout to the end, at most `max_output` bytes. A program
    /// that writes more, or takes longer than `limit`, is killed. Its stderr is dropped. Returns once everything that the program
    /// started has ended. Dropping the returned future kills the program and everything that it started.
    ///
    /// # Errors
    /// Returns [`io::ErrorKind::TimedOut`] past the limit, and otherwise the error of the operating system, together with the program's name.
    pub async fn run(&self, input: &[u8], max_output: usize, limit: Duration) -> io::Result<RunOutcome> {
        self.run_to(Stdio::null(), input, max_output, limit).await.map(|(outcome, _)| outcome)
    }

    /// Runs the program once, like [`run`](Self::run), and also returns the last lines of its stderr, which are logged too.
    ///
    /// # Errors
    /// The same as those of [`run`](Self::run).
    pub async fn run_with_stderr(
        &self,
        input: &[u8],
        max_output: usize,
        limit: Duration,
    ) -> io::Result<(RunOutcome, Vec<String>)> {
        let (outcome, stderr) = self.run_to(Stdio::piped(), input, max_output, limit).await?;
        Ok((outcome, stderr.at_end(STDERR).await))
    }

    async fn run_to(
        &self,
        stderr: Stdio,
        input: &[u8],
        max_output: usize,
        limit: Duration,
    ) -> io::Result<(RunOutcome, StderrTail)> {
        let (mut process, stdin, stdout) = self.spawn(stderr).await?;
        let stderr = process.stderr();
        // A scan of every process would cost each call of a made tool more than its run, and made tools are confined.
        process.leave_run();
        let ran = tokio::time::timeout(limit, exchange(&mut process, stdin, stdout, input, max_output)).await;
        // Not within the limit: an outcome that came in time counts.
        process.end_rest().await;
        let ran = ran.unwrap_or_else(|_| {
            Err(io::Error::new(io::ErrorKind::TimedOut, format!("no end within {limit:?}")))
        });
        Ok((ran?, stderr))
    }
}

/// Writes the input of a program, reads its output, and waits for its end.
async fn exchange(
    process: &mut ChildProcess,
    mut stdin: ChildStdin,
    stdout: ChildStdout,
    input: &[u8],
    max_output: usize,
) -> io::Result<RunOutcome> {
    let write = async move {
        // A program may answer without reading its input to the end.
        let _ = stdin.write_all(input).await;
        drop(stdin);
    };
    let limit = u64::try_from(max_output).unwrap_or(u64::MAX).saturating_add(1);
    let mut output = Vec::new();
    let mut bounded = stdout.take(limit);
    let read = bounded.read_to_end(&mut output);
    tokio::pin!(write);
    tokio::pin!(read);
    let mut is_written = false;
    loop {
        tokio::select! {
            () = &mut write, if !is_written => is_written = true,
            read = &mut read => {
                read?;
                break;
            }
        }
    }
    if output.len() > max_output {
        output.truncate(max_output);
        return Ok(RunOutcome { output, status: None });
    }
    let status = process.wait().await?;
    Ok(RunOutcome { output, status: Some(status) })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The time limit of a run that ends by itself.
    const LONG: Duration = Duration::from_secs(120);

    fn shell(script: &str) -> ChildCommand {
        ChildCommand::new("test", "sh").args(["-c", script])
    }

    #[tokio::test]
    async fn a_program_s_output_is_read_to_its_end() {
        let long = vec![b'x'; 300_000];
        let run = shell("cat; exit 3").run(&long, 1 << 20, LONG).await.unwrap();
        assert!(run.output == long && run.status.is_some_and(|status| status.code() == Some(3)));
        // One that reads nothing is no error.
        let run = shell("exec <&-; echo done").run(&long, 100, LONG).await.unwrap();
        assert_eq!(run.output, b"done\n");
        assert!(ChildCommand::new("test", "/no/such/program").run(b"", 1, LONG).await.is_err());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_program_s_stderr_is_dropped() {
        let run = shell("readlink /proc/self/fd/2; echo lost >&2").run(b"", 100, LONG).await.unwrap();
        assert_eq!(String::from_utf8_lossy(&run.output), "/dev/null\n");
    }

    /// A setup that does nothing, and notes the thread on which it is dropped.
    #[cfg(target_os = "linux")]
    #[derive(Debug, Clone, Default)]
    struct NotesEnd(std::sync::Arc<parking_lot::Mutex<Option<std::thread::ThreadId>>>);

    #[cfg(target_os = "linux")]
    struct InChild(NotesEnd);

    #[cfg(target_os = "linux")]
    impl crate::seam::ChildSetup for NotesEnd {
        fn prepare(&self) -> io::Result<crate::seam::PreparedChild> {
            let in_child = std::sync::Arc::new(InChild(self.clone()));
            Ok(crate::seam::PreparedChild {
                isolated: false,
                env: Vec::new(),
                cwd: None,
                ends_with_parent: false,
                through: None,
                in_child,
            })
        }
    }

    // SAFETY: it does nothing.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "the trait asks for a promise")]
    unsafe impl crate::seam::SetupInChild for InChild {
        fn apply(&self) -> io::Result<()> {
            Ok(())
        }

        fn conclude(&self, started: io::Result<()>) -> io::Result<()> {
            started
        }
    }

    #[cfg(target_os = "linux")]
    impl Drop for InChild {
        fn drop(&mut self) {
            *self.0.0.lock() = Some(std::thread::current().id());
        }
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_setup_ends_before_the_run_on_a_blocking_thread() {
        let this = std::thread::current().id();
        for (script, most) in [("echo done", 100), ("while :; do echo more; done", 100)] {
            let setup = NotesEnd::default();
            shell(script).setup(std::sync::Arc::new(setup.clone())).run(b"", most, LONG).await.unwrap();
            assert!(setup.0.lock().is_some_and(|thread| thread != this), "{script}: {setup:?}");
        }
        let setup = NotesEnd::default();
        let endless = shell("sleep 600").setup(std::sync::Arc::new(setup.clone()));
        let late = endless.run(b"", 100, Duration::from_millis(50)).await.unwrap_err();
        assert_eq!(late.kind(), io::ErrorKind::TimedOut, "{late}");
        assert!(setup.0.lock().is_some_and(|thread| thread != this), "{setup:?}");
        // Nobody waits for the end of one that is given up, so it has ended when it is dropped.
        let setup = NotesEnd::default();
        let given_up = shell("sleep 600").setup(std::sync::Arc::new(setup.clone()));
        tokio::time::timeout(Duration::from_millis(50), given_up.run(b"", 100, LONG)).await.unwrap_err();
        assert!(setup.0.lock().is_some(), "{setup:?}");
    }

    #[tokio::test]
    async fn a_program_that_writes_too_much_is_killed() {
        let endless = shell("while :; do echo 0123456789; done");
        let run = endless.run(b"", 1000, LONG).await.unwrap();
        assert_eq!((run.output.len(), run.status), (1000, None));
    }
}
