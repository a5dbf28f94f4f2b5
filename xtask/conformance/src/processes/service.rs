//! A program that announces its address in a line of its output.

use std::{fs::File, path::Path, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    process::{Child, Command},
    time::timeout,
};

/// The time limit for the program to listen.
const START: Duration = Duration::from_secs(60);
/// The longest line that is read, in bytes.
const LINE: u64 = 64 * 1024;
/// The most characters of the program's output that an error shows.
const SHOWN: usize = 1000;

/// The stream of the announcement, and the text before the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announcement {
    OnStdout(&'static str),
    OnStderr(&'static str),
}

/// A program that listens, killed on drop.
#[derive(Debug)]
pub(crate) struct Service {
    url: String,
    _child: Child,
}

impl Service {
    /// Starts the program and waits until it listens. Its output goes to a file.
    pub(crate) async fn start(
        mut command: Command,
        announced: Announcement,
        log: &Path,
    ) -> Result<Self, String> {
        let name = Path::new(command.as_std().get_program()).file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let file =
            File::create(log).map_err(|error| format!("failed to write {}: {error}", log.display()))?;
        command.stdin(Stdio::null()).kill_on_drop(true);
        match announced {
            Announcement::OnStdout(_) => {
                command.stdout(Stdio::piped()).stderr(Stdio::from(clone(&file, log)?))
            }
            Announcement::OnStderr(_) => {
                command.stderr(Stdio::piped()).stdout(Stdio::from(clone(&file, log)?))
            }
        };
        let mut child = command.spawn().map_err(|error| format!("failed to start {name}: {error}"))?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (out, err) = (stdout.map(BufReader::new), stderr.map(BufReader::new));
        let told = match (announced, out, err) {
            (Announcement::OnStdout(before), Some(out), _) => timeout(START, heard(out, before, file)).await,
            (Announcement::OnStderr(before), _, Some(err)) => timeout(START, heard(err, before, file)).await,
            _ => return Err(format!("failed to read the output of {name}")),
        };
        match told {
            Ok(Some(url)) => Ok(Self { url, _child: child }),
            Ok(None) => Err(format!("{name} ended before it listened: {}", end_of(log))),
            Err(_) => Err(format!("{name} did not listen within {START:?}: {}", end_of(log))),
        }
    }

    /// Returns the address that the program listens on.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

fn clone(file: &File, log: &Path) -> Result<File, String> {
    file.try_clone().map_err(|error| format!("failed to write {}: {error}", log.display()))
}

/// Waits for the line, or returns `None` if the stream ends without it. The rest of the stream still goes to the file.
async fn heard<R>(mut stream: R, before: &str, log: File) -> Option<String>
where
    R: AsyncBufRead + Send + Unpin + 'static,
{
    let mut log = tokio::fs::File::from_std(log);
    let mut line = Vec::new();
    loop {
        line.clear();
        if (&mut stream).take(LINE).read_until(b'\n', &mut line).await.unwrap_or(0) == 0 {
            let _ = log.flush().await;
            return None;
        }
        let _ = log.write_all(&line).await;
        if let Some(url) = String::from_utf8_lossy(&line).trim().strip_prefix(before) {
            tokio::spawn(async move { tokio::io::copy_buf(&mut stream, &mut log).await });
            return Some(url.to_owned());
        }
    }
}

fn end_of(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let text = text.trim();
    let start = text.char_indices().rev().nth(SHOWN).map_or(0, |(at, _)| at);
    text[start..].to_owned()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    async fn start(script: &str, announced: Announcement) -> (Result<Service, String>, PathBuf) {
        let name = script.len();
        let log = std::env::temp_dir().join(format!("mgp-service-{}-{name}.log", std::process::id()));
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        (Service::start(command, announced, &log).await, log)
    }

    #[tokio::test]
    async fn the_address_is_read_from_the_line_that_names_it() {
        for (script, announced) in [
            ("echo a; echo listening on http://b; sleep 60", Announcement::OnStdout("listening on ")),
            ("echo at http://b >&2; sleep 60", Announcement::OnStderr("at ")),
        ] {
            let (service, log) = start(script, announced).await;
            std::fs::remove_file(log).unwrap();
            assert_eq!(service.unwrap().url(), "http://b");
        }
    }

    #[tokio::test]
    async fn a_program_that_ends_is_an_error_with_its_output() {
        let (service, log) =
            start("echo no such port >&2; exit 3", Announcement::OnStdout("listening on ")).await;
        std::fs::remove_file(log).unwrap();
        assert_eq!(service.unwrap_err(), "sh ended before it listened: no such port");
    }
}
