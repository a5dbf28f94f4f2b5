//! The hostile program: tries everything, each attempt in a separate process, and writes a line for each.

use crate::{
    attempts::{ALL, Attempt},
    ground::Ground,
};
use std::{
    env, fs,
    io::{self, Write},
    process::{Command, ExitCode, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

/// The name of the file with the results, in the private folder.
pub(crate) const RESULTS: &str = "results";

/// The longest time of one attempt.
const LIMIT: Duration = Duration::from_secs(60);

/// The end of an attempt.
enum Outcome {
    Through,
    Refused(String),
    /// The attempt was not decisive, for this reason.
    Untried(String),
}

pub(crate) fn try_all(text: &str) -> ExitCode {
    let Some(ground) = Ground::of_text(text) else { return ExitCode::FAILURE };
    let mut results = String::new();
    for Attempt { name, .. } in ALL.iter().copied().flatten() {
        let (word, why) = match outcome(name, text) {
            Outcome::Through => ("through", String::new()),
            Outcome::Refused(why) => ("refused", why),
            Outcome::Untried(why) => ("untried", why),
        };
        results.push_str(&format!("{name}: {word} {}\n", why.lines().last().unwrap_or_default()));
    }
    match fs::write(ground.own(RESULTS), results) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("failed to write the results: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one attempt in a separate process, whose crash is a refusal as well.
fn outcome(name: &str, text: &str) -> Outcome {
    let run = || -> io::Result<Option<Output>> {
        let program = env::current_exe().or_else(|_| fs::read_link("/proc/self/exe"))?;
        let mut command = Command::new(program);
        command.args(["attempt", name, text]).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            if child.try_wait()?.is_some() {
                return child.wait_with_output().map(Some);
            }
            thread::sleep(Duration::from_millis(2));
        }
        child.kill()?;
        child.wait().map(|_| None)
    };
    match run() {
        Ok(Some(output)) if output.status.success() => Outcome::Through,
        Ok(Some(output)) => {
            let error = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Outcome::Refused(if error.is_empty() { output.status.to_string() } else { error })
        }
        Ok(None) => Outcome::Untried("took too long".to_owned()),
        Err(error) => Outcome::Untried(error.to_string()),
    }
}

pub(crate) fn try_one(name: &str, text: &str) -> ExitCode {
    let attempt = ALL.iter().copied().flatten().find(|attempt| attempt.name == name);
    let (Some(attempt), Some(ground)) = (attempt, Ground::of_text(text)) else {
        let _ = writeln!(io::stderr(), "no such attempt");
        return ExitCode::FAILURE;
    };
    match (attempt.run)(&ground) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}
