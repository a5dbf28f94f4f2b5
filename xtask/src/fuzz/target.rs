//! One target: its inputs, and its output.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::build::{FOLDER, OUTPUT};
use crate::workspace;

/// The variable that chooses the target, by which `xtask/fuzz/src/chosen.rs` finds it.
const TARGET: &str = "MGP_FUZZ_TARGET";
/// The longest input that the fuzzer generates, in bytes.
const MAX_INPUT: usize = 4096;
/// The limits of one input: time, in seconds, and memory, in MiB.
const MAX_SECONDS: usize = 10;
const MAX_MEMORY_MIB: usize = 1024;

/// A target, and its fuzzer.
#[derive(Debug)]
pub(super) struct Target {
    name: String,
    fuzzer: PathBuf,
}

/// The end of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FuzzRun {
    /// The number of tried inputs.
    pub(super) runs: u64,
    /// The reason for the failure, and the command that reproduces it.
    pub(super) crash: Option<String>,
}

impl Target {
    pub(super) fn new(name: &str, fuzzer: &Path) -> Self {
        Self { name: name.to_owned(), fuzzer: fuzzer.to_owned() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Tries only the kept inputs.
    pub(super) fn replay(&self) -> Result<FuzzRun, String> {
        self.run("replay", &["-runs=0".to_owned(), format!("{FOLDER}/corpus/{}", self.name)])
    }

    /// Generates inputs, starting from the kept ones. New inputs are not added to the kept ones.
    pub(super) fn fuzz(&self, seconds: u32) -> Result<FuzzRun, String> {
        let found = self.folder("corpus")?;
        let kept = format!("{FOLDER}/corpus/{}", self.name);
        self.run(
            "fuzz",
            &[format!("-max_total_time={seconds}"), format!("-max_len={MAX_INPUT}"), found, kept],
        )
    }

    fn run(&self, what: &str, arguments: &[String]) -> Result<FuzzRun, String> {
        let crashes = self.folder("crashes")?;
        let log = format!("{}/{what}.log", self.folder("logs")?);
        let failed = |error| format!("{}: failed to write {log}: {error}", self.name);
        let output = File::create(workspace::root().join(&log)).map_err(failed)?;
        let mut command = Command::new(&self.fuzzer);
        command
            .env(TARGET, &self.name)
            .current_dir(workspace::root())
            .args(arguments)
            .arg(format!("-artifact_prefix={crashes}/"));
        command.args([format!("-timeout={MAX_SECONDS}"), format!("-rss_limit_mb={MAX_MEMORY_MIB}")]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output);
        let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
        let said = fs::read(workspace::root().join(&log)).map_err(failed)?;
        let said = String::from_utf8_lossy(&said);
        let crash = (!status.success()).then(|| self.crash(&said, &log));
        Ok(FuzzRun { runs: runs(&said), crash })
    }

    fn crash(&self, said: &str, log: &str) -> String {
        let name = &self.name;
        let why = said.lines().find(|line| line.contains("panicked at") || line.contains("ERROR: libFuzzer"));
        let why = why.unwrap_or("it ended with an error");
        match said.lines().find_map(|line| line.split_once("Test unit written to ")) {
            Some((_, input)) => {
                let fuzzer = self.fuzzer.display();
                format!("{name}: {input}: {why} (see {log})\n  again: {TARGET}={name} {fuzzer} {input}")
            }
            None => format!("{name}: {why} (see {log})"),
        }
    }

    /// Makes a folder only for this target, and returns its path relative to the root.
    fn folder(&self, what: &str) -> Result<String, String> {
        let folder = format!("{OUTPUT}/{what}/{}", self.name);
        fs::create_dir_all(workspace::root().join(&folder))
            .map_err(|error| format!("failed to make {folder}: {error}"))?;
        Ok(folder)
    }
}

/// Reads the count from the line "Done 430806 runs in 9 second(s)".
fn runs(said: &str) -> u64 {
    let done = said.lines().rev().find_map(|line| line.strip_prefix("Done ")?.split(' ').next());
    done.and_then(|count| count.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_names_its_input_its_reason_and_the_way_back() {
        let target = Target::new("sse", Path::new("fuzz"));
        let said = "#2 INITED\nthread '<unnamed>' panicked at src/targets/sse.rs:9:5:\nassertion failed\n\
            ==7== ERROR: libFuzzer: deadly signal\nartifact_prefix='c/'; Test unit written to c/crash-12\n";
        assert_eq!(
            target.crash(said, "l"),
            "sse: c/crash-12: thread '<unnamed>' panicked at src/targets/sse.rs:9:5: (see l)\n  again: MGP_FUZZ_TARGET=sse fuzz c/crash-12"
        );
        assert_eq!(target.crash("", "l"), "sse: it ended with an error (see l)");
    }

    #[test]
    fn the_closing_line_of_a_run_is_counted() {
        assert_eq!(runs("#8 DONE cov: 1\nDone 430806 runs in 9 second(s)\nstat::x: 1\n"), 430_806);
        assert_eq!(runs("Test unit written to x"), 0);
    }
}
