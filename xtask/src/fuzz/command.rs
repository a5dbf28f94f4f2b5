//! Chooses the targets, replays the kept inputs of each, then fuzzes two targets at a time.

use std::fs;

use super::build;
use super::target::{FuzzRun, Target};
use crate::lanes::in_lanes;
use crate::workspace;

/// The default time for which each target runs, in seconds.
const SECONDS: u32 = 60;
/// The number of targets that run at the same time.
const PARALLEL_TARGETS: usize = 2;

const HELP: &str = "usage: cargo xtask fuzz [TARGET...] [--seconds N]

Builds the targets of xtask/fuzz and runs each for N seconds (60), two at a time, after all inputs in fuzz/corpus/ were tried.
An input that crashes one is named, and stays in target/fuzz/crashes/: fix the fault, and keep the input in fuzz/corpus/.
With 0 seconds only the kept inputs are tried. The targets:";

#[derive(Debug, PartialEq, Eq)]
struct Options {
    targets: Vec<String>,
    seconds: u32,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let known = known()?;
    let Some(options) = parse(arguments, &known)? else {
        println!("{HELP}");
        for name in known {
            println!("  {name}");
        }
        return Ok(());
    };
    let fuzzer = build::fuzzer()?;
    let targets: Vec<_> = options.targets.iter().map(|name| Target::new(name, &fuzzer)).collect();
    let mut ended = Vec::new();
    for target in &targets {
        ended.push(target.replay()?);
    }
    // A target that fails on a kept input would fail on that input again.
    if options.seconds > 0 && ended.iter().all(|ended| ended.crash.is_none()) {
        ended.extend(fuzz(&targets, options.seconds)?);
    }
    let crashes: Vec<_> = ended.iter().filter_map(|ended| ended.crash.as_deref()).collect();
    for crash in &crashes {
        println!("{crash}");
    }
    let runs: u64 = ended.iter().map(|ended| ended.runs).sum();
    println!("fuzz: {} targets, {runs} runs, {} crashes", targets.len(), crashes.len());
    if crashes.is_empty() { Ok(()) } else { Err(format!("{} targets crashed", crashes.len())) }
}

/// Runs the targets, several at the same time.
fn fuzz(targets: &[Target], seconds: u32) -> Result<Vec<FuzzRun>, String> {
    in_lanes(&[(); PARALLEL_TARGETS], targets, |(), target| {
        let run = target.fuzz(seconds)?;
        println!("{:<14} {:>10} runs", target.name(), run.runs);
        Ok(run)
    })
}

/// Returns the names of the targets: each has a folder of kept inputs, which a test of xtask/fuzz checks.
fn known() -> Result<Vec<String>, String> {
    let folder = workspace::root().join(build::FOLDER).join("corpus");
    let failed = |error: std::io::Error| format!("failed to read {}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Returns the options, or `None` if help was asked for.
fn parse(arguments: &[String], known: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options { targets: Vec::new(), seconds: SECONDS };
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--seconds" => {
                let seconds = arguments.next().and_then(|seconds| seconds.parse().ok());
                options.seconds = seconds.ok_or("`--seconds` needs a number of seconds")?;
            }
            name if known.iter().any(|target| target == name) => options.targets.push(name.to_owned()),
            other => {
                let known = known.join(", ");
                return Err(format!(
                    "unexpected argument `{other}`: expected --seconds, --help or one of {known}"
                ));
            }
        }
    }
    if options.targets.is_empty() {
        options.targets = known.to_vec();
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn all_targets_run_by_default_and_an_unknown_one_is_refused() {
        let read = |text: &str| parse(&words(text), &words("a b"));
        assert_eq!(read(""), Ok(Some(Options { targets: words("a b"), seconds: 60 })));
        assert_eq!(read("b --seconds 5"), Ok(Some(Options { targets: words("b"), seconds: 5 })));
        assert!(read("c").unwrap_err().contains("unexpected argument `c`"));
        assert!(read("--seconds soon").unwrap_err().contains("needs a number"));
    }
}
