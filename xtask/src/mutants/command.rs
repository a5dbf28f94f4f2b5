//! Runs cargo-mutants and compares its survivors with the list of accepted ones.

use std::fs;
use std::process::Command;

use super::accepted::{self, Comparison};
use super::outcome::{Outcomes, file_of};
use crate::process::{cargo, has_subcommand};
use crate::workspace;

/// The code whose tests are themselves tested: the code that drives a connection, and the code that refuses.
const GUARDS: &[&str] = &[
    "mgp-transport/src/connection/**/*.rs",
    "mgp-transport/src/outbound/**/*.rs",
    "mgp-transport/src/seam/slot.rs",
    "mgp-transport/src/http/server/auth/authority.rs",
    "mgp-transport/src/http/server/auth/authorize.rs",
    "mgp-transport/src/http/server/endpoint/stateless.rs",
    "mgp-transport/src/http/server/state.rs",
    "mgp-transport/src/http/server/stateless/**/*.rs",
    "mgp-security/src/access/**/*.rs",
    "mgp-security/src/audit/**/*.rs",
    "mgp-security/src/confine/**/*.rs",
    "mgp-security/src/definition/**/*.rs",
    "mgp-security/src/identity/oauth/**/*.rs",
    "mgp-security/src/permission/**/*.rs",
    "mgp-security/src/scope/**/*.rs",
    "mgp-security/src/validator/**/*.rs",
    "mgp-server-sdk/src/seal.rs",
    "mgp-kernel/src/host/parking/**/*.rs",
    "mgp-kernel/src/catalog/tools/offered.rs",
    "mgp-kernel/src/exchange/callers.rs",
    "mgp-kernel/src/host/dialect.rs",
    "mgp-kernel/src/exchange/questions.rs",
    "mgp-kernel/src/features/tasks/**/*.rs",
    "mgp-kernel/src/catalog/tools/needs.rs",
];
/// Patterns of mutants' names that prove nothing, and the reasons.
const NOT_TRIED: &[(&str, &str)] = &[
    ("impl (fmt::)?Debug for ", "debug output is not behaviour"),
    (r"replace \| with \^", "flags that share no bit are the same together either way"),
];
const ACCEPTED: &str = "xtask/mutants-accepted.txt";
const OUTPUT: &str = "target/mutants";

const HELP: &str = "usage: cargo xtask mutants [--list] [--file GLOB]... [-- CARGO-MUTANTS OPTIONS]

Changes the guarding code one bit at a time and runs its tests. A survivor without a line in
xtask/mutants-accepted.txt is a failure, and so is a line without a survivor.

  --list       only print the mutants
  --file GLOB  these files instead of:";

#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    list: bool,
    files: Vec<String>,
    rest: Vec<String>,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(options) = parse(arguments)? else {
        println!("{HELP}");
        for glob in GUARDS {
            println!("               {glob}");
        }
        for (pattern, reason) in NOT_TRIED {
            println!("\nNot tried: `{pattern}`, because {reason}.");
        }
        return Ok(());
    };
    if !has_subcommand("mutants") {
        return Err("cargo-mutants is not installed: cargo install cargo-mutants --locked".to_owned());
    }
    let accepted = workspace::root().join(ACCEPTED);
    let accepted =
        fs::read_to_string(accepted).map_err(|error| format!("failed to read {ACCEPTED}: {error}"))?;
    let accepted = accepted::parse(&accepted).map_err(|error| format!("{ACCEPTED}: {error}"))?;

    let mut command = command(&options);
    let status = command.status().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    if options.list {
        return if status.success() { Ok(()) } else { Err(format!("cargo mutants ended with {status}")) };
    }
    // 2 and 3 mean that some mutants survived or timed out, which the lists show in detail.
    if !matches!(status.code(), Some(0 | 2 | 3)) {
        return Err(format!("cargo mutants ended with {status}: the tests must pass on the unchanged code"));
    }
    let outcomes = Outcomes::read(&workspace::root().join(OUTPUT).join("mutants.out"))?;
    let whole = options.files.is_empty() && options.rest.is_empty();
    let judged = accepted.into_iter().filter(|entry| whole || outcomes.covers(file_of(&entry.mutant)));
    report(&outcomes, &accepted::compare(&outcomes.missed, judged.collect()))
}

fn command(options: &Options) -> Command {
    let mut command = cargo(&["mutants", "--all-features", "--output", OUTPUT]);
    if has_subcommand("nextest") {
        command.args(["--test-tool", "nextest"]);
    }
    if options.list {
        command.arg("--list");
    }
    let guards = GUARDS.iter().copied().filter(|_| options.files.is_empty());
    for glob in guards.chain(options.files.iter().map(String::as_str)) {
        command.args(["--file", glob]);
    }
    for (pattern, _) in NOT_TRIED {
        command.args(["--exclude-re", pattern]);
    }
    command.args(&options.rest);
    command
}

fn report(outcomes: &Outcomes, comparison: &Comparison) -> Result<(), String> {
    for mutant in &outcomes.timeout {
        println!("timed out, counted as caught: {mutant}");
    }
    for mutant in &comparison.missed {
        println!("missed: {mutant}");
    }
    for entry in &comparison.stale {
        println!("{ACCEPTED}:{}: no such survivor: {}", entry.line, entry.mutant);
    }
    let caught = outcomes.caught.len() + outcomes.timeout.len();
    let Comparison { accepted, missed, stale } = comparison;
    println!("{caught} caught, {accepted} accepted, {} missed", missed.len());
    match (caught + accepted + missed.len(), missed.len(), stale.len()) {
        (0, ..) => Err("no mutant was tried: the globs match nothing".to_owned()),
        (_, 0, 0) => Ok(()),
        (_, missed, stale) => Err(format!("{missed} mutants missed, {stale} stale lines in {ACCEPTED}")),
    }
}

/// Returns the options, or `None` if help was asked for.
fn parse(arguments: &[String]) -> Result<Option<Options>, String> {
    let mut options = Options::default();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--list" => options.list = true,
            "--file" => options.files.push(arguments.next().ok_or("`--file` needs a glob")?.clone()),
            "--" => options.rest = arguments.by_ref().cloned().collect(),
            _ => {
                return Err(format!(
                    "unexpected argument `{argument}`: expected --list, --file, -- or --help"
                ));
            }
        }
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::super::accepted::AcceptedMutant;
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_are_read_and_unknown_ones_named() {
        let options = parse(&words("--file a --list --file b -- -j 2")).unwrap().unwrap();
        assert_eq!(options, Options { list: true, files: words("a b"), rest: words("-j 2") });
        assert!(parse(&words("--fiel a")).unwrap_err().contains("unexpected argument `--fiel`"));
        assert!(parse(&words("--file")).unwrap_err().contains("needs a glob"));
    }

    #[test]
    fn every_guard_exists() {
        for glob in GUARDS {
            let path = glob.strip_suffix("/**/*.rs").unwrap_or(glob);
            assert!(workspace::root().join(path).exists(), "{glob}");
        }
    }

    #[test]
    fn missed_stale_and_nothing_at_all_are_failures() {
        let outcomes = Outcomes { caught: words("a:1:1:"), ..Outcomes::default() };
        assert_eq!(report(&outcomes, &Comparison::default()), Ok(()));
        let missed = Comparison { missed: words("b:1:1:"), ..Comparison::default() };
        assert!(report(&outcomes, &missed).unwrap_err().starts_with("1 mutants missed"));
        let stale = vec![AcceptedMutant { mutant: "b: x".to_owned(), line: 4 }];
        assert!(
            report(&outcomes, &Comparison { stale, ..Comparison::default() })
                .unwrap_err()
                .contains("1 stale")
        );
        assert!(report(&Outcomes::default(), &Comparison::default()).unwrap_err().contains("match nothing"));
    }
}
