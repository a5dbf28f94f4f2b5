//! Runs of programs with a time limit.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The most bytes of each output that are read.
const MAX_OUTPUT: u64 = 64 << 10;

/// Runs a program, at most for `limit`. Returns its stdout and stderr.
///
/// # Errors
/// If the program cannot be started, fails or takes longer, with the last line of its stderr.
pub(super) fn run_bounded(
    command: &mut Command,
    input: &[u8],
    limit: Duration,
) -> io::Result<(String, String)> {
    let name = command.get_program().to_owned();
    let failed = |kind, text: &str| io::Error::new(kind, format!("{} {text}", OsStr::display(&name)));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().map_err(|error| failed(error.kind(), &format!("cannot be started: {error}")))?;
    let (stdin, input) = (child.stdin.take(), input.to_owned());
    // A program may fail without reading its input.
    let write = thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let outputs = [child.stdout.take().map(read), child.stderr.take().map(read)];
    let start = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if start.elapsed() > limit => {
                child.kill()?;
                child.wait()?;
                return Err(failed(io::ErrorKind::TimedOut, &format!("takes longer than {limit:?}")));
            }
            None => thread::sleep(Duration::from_millis(2)),
        }
    };
    drop(write);
    let [stdout, stderr] =
        outputs.map(|output| output.and_then(|output| output.join().ok()).unwrap_or_default());
    if status.success() {
        return Ok((stdout, stderr));
    }
    let last = stderr.lines().rfind(|line| !line.trim().is_empty());
    Err(failed(
        io::ErrorKind::Other,
        &format!("fails: {}", last.map_or_else(|| status.to_string(), str::to_owned)),
    ))
}

fn read(output: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let mut output = output;
        let _ = output.by_ref().take(MAX_OUTPUT).read_to_end(&mut bytes);
        // The rest is read and dropped, or the program would wait.
        let _ = io::copy(&mut output, &mut io::sink());
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn shell(script: &str, input: &[u8], limit: Duration) -> io::Result<(String, String)> {
        run_bounded(Command::new("sh").args(["-c", script]), input, limit)
    }

    #[test]
    fn a_run_returns_its_output_and_reports_its_failure() {
        let long = vec![b'x'; 1 << 20];
        let (out, err) = shell("cat; echo warned >&2", &long, LONG).unwrap();
        assert_eq!((out.len(), &*err), (64 << 10, "warned\n"));
        let error = shell("echo first >&2; echo the reason >&2; exit 3", &long, LONG).unwrap_err();
        assert_eq!(error.to_string(), "sh fails: the reason");
        assert!(shell("exit 3", b"", LONG).unwrap_err().to_string().contains("exit status: 3"));
        let missing = run_bounded(&mut Command::new("/no/such/engine"), b"", LONG).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn a_run_past_its_limit_is_killed() {
        let error = shell("exec sleep 600", b"", Duration::ZERO).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    }
}
