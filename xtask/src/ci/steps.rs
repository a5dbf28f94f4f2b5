//! The steps, in the order in which they run: quick ones first.

use std::process::Command;

use super::features;
use super::step::{Outcome, Step, is_ci};
use crate::process::{Finished, cargo, has_subcommand, package_command, require_package, run_shown};
use crate::tally::Tally;
use crate::{layers, spec, tidy};

pub(super) const STEPS: &[Step] = &[
    Step { name: "fmt", about: "cargo fmt --all --check", run: || cargo_step(&["fmt", "--all", "--check"]) },
    Step { name: "clippy", about: "cargo clippy on everything, warnings denied", run: clippy },
    Step { name: "spec", about: "cargo xtask spec", run: || Outcome::of(spec::run(&[])) },
    Step { name: "tidy", about: "cargo xtask tidy", run: || Outcome::of(tidy::run(&[])) },
    Step { name: "layers", about: "cargo xtask layers", run: || Outcome::of(layers::run(&[])) },
    Step { name: "tests", about: "every test, with every feature", run: tests },
    Step { name: "doctests", about: "every example in the documentation", run: doctests },
    Step {
        name: "features",
        about: "each crate without features, and with each one alone",
        run: features::run,
    },
    Step { name: "docs", about: "cargo doc, broken links denied", run: docs },
    Step { name: "deny", about: "cargo deny check bans licenses sources", run: deny },
    Step { name: "peers", about: "cargo xtask peers", run: peers },
];

const EVERYTHING: &[&str] = &["--workspace", "--all-features"];

fn clippy() -> Outcome {
    let mut command = cargo(&["clippy"]);
    command.args(EVERYTHING).args(["--all-targets", "--", "-D", "warnings"]);
    step(&mut command).0
}

fn tests() -> Outcome {
    if has_subcommand("nextest") {
        let mut command = cargo(&["nextest", "run", "--no-fail-fast", "--no-tests", "pass"]);
        let (outcome, output) = step(command.args(EVERYTHING));
        return outcome.counting(Tally::of_nextest(&output));
    }
    let mut command = cargo(&["test", "--no-fail-fast", "--lib", "--bins", "--tests", "--examples"]);
    let (outcome, output) = step(command.args(EVERYTHING));
    outcome.counting(Tally::of_cargo_test(&output))
}

fn doctests() -> Outcome {
    let mut command = cargo(&["test", "--doc", "--no-fail-fast"]);
    let (outcome, output) = step(command.args(EVERYTHING));
    outcome.counting(Tally::of_cargo_test(&output))
}

fn docs() -> Outcome {
    let mut command = cargo(&["doc", "--no-deps"]);
    command.args(EVERYTHING).env("RUSTDOCFLAGS", "-D warnings -D rustdoc::broken_intra_doc_links");
    step(&mut command).0
}

fn deny() -> Outcome {
    if !has_subcommand("deny") {
        return Outcome::without_tool("cargo-deny", is_ci());
    }
    // The advisories need a database from the network; these three need only what is here.
    cargo_step(&["deny", "--all-features", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"])
}

fn peers() -> Outcome {
    if let Err(error) = require_package("xtask-peers") {
        return Outcome::of(Err(error));
    }
    let (outcome, output) = step(&mut package_command("xtask-peers", &["-q"], &[]));
    match Tally::of_closing_line(&output) {
        Some(tally) => outcome.counting(tally),
        None => Outcome::of(Err("peers ended without its closing line".to_owned())),
    }
}

fn cargo_step(arguments: &[&str]) -> Outcome {
    step(&mut cargo(arguments)).0
}

fn step(command: &mut Command) -> (Outcome, String) {
    match run_shown(command) {
        Ok(Finished { status, output }) if status.success() => (Outcome::of(Ok(())), output),
        Ok(Finished { status, output }) => (Outcome::of(Err(status.to_string())), output),
        Err(error) => (Outcome::of(Err(error)), String::new()),
    }
}
