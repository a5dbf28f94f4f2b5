//! One run of a program: its input, its output, its end.

use super::ChildCommand;
use std::{
    io,
    process::{ExitStatus, Stdio},
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The outcome of one run of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunOutcome {
    /// The bytes that the program wrote to its stdout.
    pub output: Vec<u8>,
    /// The end of the program; `None` if it was killed because its output was longer than allowed.
    pub status: Option<ExitStatus>,
}

impl ChildCommand {
    /// Runs the program once: gives it `input` on its stdin, and reads its stdout to the end, at most `max_output` bytes. A program that
    /// writes more is killed. Its stderr is dropped. The outcome comes once everything is ended that the program started; when the returned future is
    /// dropped, the program is killed with all of that.
    ///
    /// # Errors
    /// Returns the error of the operating system, together with the program's name.
    pub async fn run(&self, input: &[u8], max_output: usize) -> io::Result<RunOutcome> {
        let (mut process, mut stdin, stdout) = self.spawn(Stdio::null())?;
        let write = async move {
            // A program that does not read its input to the end answers all the same.
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
            process.end_rest().await;
            return Ok(RunOutcome { output, status: None });
        }
        let status = process.wait().await?;
        process.end_rest().await;
        Ok(RunOutcome { output, status: Some(status) })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::time::Duration;

    fn shell(script: &str) -> ChildCommand {
        ChildCommand::new("test", "sh").args(["-c", script])
    }

    #[tokio::test]
    async fn the_output_of_a_program_is_read_to_its_end() {
        let long = vec![b'x'; 300_000];
        let run = shell("cat; exit 3").run(&long, 1 << 20).await.unwrap();
        assert!(run.output == long && run.status.is_some_and(|status| status.code() == Some(3)));
        // One that reads nothing is no error.
        let run = shell("exec <&-; echo done").run(&long, 100).await.unwrap();
        assert_eq!(run.output, b"done\n");
        assert!(ChildCommand::new("test", "/no/such/program").run(b"", 1).await.is_err());
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_stderr_of_a_program_is_dropped() {
        let run = shell("readlink /proc/self/fd/2; echo lost >&2").run(b"", 100).await.unwrap();
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
            Ok(crate::seam::PreparedChild { env: Vec::new(), cwd: None, in_child })
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
    async fn a_setup_ends_before_the_run_on_a_thread_that_may_block() {
        let this = std::thread::current().id();
        for (script, most) in [("echo done", 100), ("while :; do echo more; done", 100)] {
            let setup = NotesEnd::default();
            shell(script).setup(std::sync::Arc::new(setup.clone())).run(b"", most).await.unwrap();
            assert!(setup.0.lock().is_some_and(|thread| thread != this), "{script}: {setup:?}");
        }
        let setup = NotesEnd::default();
        let given_up = shell("sleep 600").setup(std::sync::Arc::new(setup.clone()));
        tokio::time::timeout(Duration::from_millis(50), given_up.run(b"", 100)).await.unwrap_err();
        let ended = async {
            while setup.0.lock().is_none() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(30), ended).await.unwrap();
        assert!(setup.0.lock().is_some_and(|thread| thread != this), "{setup:?}");
    }

    #[tokio::test]
    async fn a_program_that_writes_too_much_is_killed() {
        let endless = shell("while :; do echo 0123456789; done");
        let run =
            tokio::time::timeout(Duration::from_secs(30), endless.run(b"", 1000)).await.unwrap().unwrap();
        assert_eq!((run.output.len(), run.status), (1000, None));
    }
}
