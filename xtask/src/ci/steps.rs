//! The steps, in the order in which they run: quick ones first.

use std::process::{Command, Stdio};
use std::thread;

use super::step::{Outcome, Step, Verdict, is_ci};
use super::{features, packages, problems::problems, test_times};
use crate::postgres::PostgresServer;
use crate::process::{ProcessEnd, cargo, has_subcommand, run_in_target, run_shown, workspace_with};
use crate::tally::Tally;
use crate::{compatibility, fuzz, layers, spec, tidy, workspace};

pub(super) const STEPS: &[Step] = &[
    step_of("fmt", "cargo fmt --all --check", || cargo_step(&["fmt", "--all", "--check"])),
    step_of("locked", "Cargo.lock of the fuzzer, which is a separate workspace", fuzz_lock),
    step_of("clippy", "cargo clippy on everything, warnings denied", clippy),
    step_of("spec", "cargo xtask spec", || Outcome::of(spec::run(&[]))),
    step_of("compatibility", "cargo xtask compatibility", || Outcome::of(compatibility::run(&[]))),
    step_of("tidy", "cargo xtask tidy", || Outcome::of(tidy::run(&[]))),
    step_of("layers", "cargo xtask layers", || Outcome::of(layers::run(&[]))),
    step_of("packages", "cargo package on each published crate", packages::run),
    step_of("tests", "every test, with every feature", tests),
    step_of("postgres", "the tests of the kernel again, with its stores in PostgreSQL", kernel_with_postgres),
    step_of(
        "features",
        "each crate with no features, the default ones, `full` and all",
        features::check_feature_sets,
    ),
    step_of("docs", "every example in the documentation, and cargo doc, broken links denied", docs),
    step_of("deny", "cargo deny check bans licenses sources", deny),
    step_of("eval", "cargo xtask eval --bars: the quality of tool searches", || {
        package("xtask-retrieval", &["eval", "--bars"])
    }),
    step_of("peers", "cargo xtask peers", || peers(&[])),
    step_of(
        "dist",
        "cargo xtask dist --check: the archive, npm's packages and the wheel, installed and used",
        dist,
    ),
    step_of("chart", "cargo xtask chart: the Helm chart, rendered and checked", || {
        package("xtask-chart", &[])
    }),
    step_of("conformance", "cargo xtask conformance", || conformance(&[])),
    step_of("confine", "cargo xtask confine: a hostile program gets nothing through", || {
        package("xtask-confine", &[])
    }),
    step_of("console", "cargo xtask console: the console in a browser", || package("xtask-console", &[])),
    step_of("kills", "a call with an idempotency key, while 200 gateways are killed", kills),
    // Its last line counts requests, not tests. The release build of `cargo xtask soak` would take ten minutes.
    step_of("soak", "cargo xtask soak, a minute for each part, with debug assertions", || {
        program("xtask-soak", &[]).0
    }),
    step_of("replicas", "cargo xtask soak --replicas 3, a minute, with debug assertions", replicas),
    // The following steps take long, and find little that the steps above do not.
    long_step("examples", "cargo build --examples: that each links", || {
        let mut command = cargo(&["build", "--quiet", "--examples"]);
        step(command.args(EVERYTHING)).0
    }),
    long_step("each-feature", "each crate with each single feature", features::check_each_feature),
    long_step("peers-default", "cargo xtask peers with programs of the default features", || {
        peers(&["--default-features"])
    }),
    long_step("conformance-default", "cargo xtask conformance with programs of the default features", || {
        conformance(&["--default-features"])
    }),
    long_step("fuzz", "cargo xtask fuzz, each target for a minute", || Outcome::of(fuzz::run(&[]))),
];

const fn step_of(name: &'static str, about: &'static str, run: fn() -> Outcome) -> Step {
    Step { name, about, is_long: false, run }
}

const fn long_step(name: &'static str, about: &'static str, run: fn() -> Outcome) -> Step {
    Step { name, about, is_long: true, run }
}

const EVERYTHING: &[&str] = &["--workspace", "--all-features"];
/// The targets with tests. Without this choice Cargo would build every example too.
const TESTS: &[&str] = &["--lib", "--bins", "--tests"];

fn clippy() -> Outcome {
    let mut command = cargo(&["clippy"]);
    command.args(EVERYTHING).args(["--all-targets", "--", "-D", "warnings"]);
    step(&mut command).0
}

/// Checks that the lock file of the fuzzer matches the manifests, which it shares with this workspace.
fn fuzz_lock() -> Outcome {
    let manifest = "fuzz/Cargo.toml";
    let mut command = cargo(&["metadata", "--locked", "--format-version", "1", "--manifest-path", manifest]);
    match command.stdout(Stdio::null()).status() {
        Ok(status) if status.success() => Outcome::of(Ok(())),
        Ok(_) => Outcome::of(Err(format!(
            "cargo's error says why; if fuzz/Cargo.lock has to be updated, `cargo metadata --manifest-path {manifest}` does that"
        ))),
        Err(error) => Outcome::of(Err(format!("failed to run {command:?}: {error}"))),
    }
}

/// Builds the tests, without running them.
pub(super) fn build_tests() -> Result<(), String> {
    let run =
        if has_subcommand("nextest") { &["nextest", "run", "--no-run"][..] } else { &["test", "--no-run"] };
    let mut tests = cargo(run);
    for command in [&mut build_examples()?, tests.args(EVERYTHING).args(TESTS)] {
        if let Verdict::Failed(why) = step(command).0.verdict {
            return Err(format!("the tests do not build: {why}"));
        }
    }
    Ok(())
}

/// Returns the build of the examples that tests run as programs. The tests of the server SDK compile its
/// other examples themselves, except `everything`, which the conformance suite runs.
fn build_examples() -> Result<Command, String> {
    let mut command = cargo(&["build", "--quiet", "--example", "add"]);
    command.args(EVERYTHING);
    let members = workspace::members()?;
    let run = ["mgp-client-sdk", "mgp-kernel"];
    let packages = members.packages.iter().filter(|package| run.contains(&package.name.as_str()));
    for example in packages.flat_map(|package| &package.targets).filter(|target| target.is_example()) {
        command.args(["--example", &example.name]);
    }
    Ok(command)
}

fn tests() -> Outcome {
    let mut examples = match build_examples() {
        Ok(examples) => examples,
        Err(why) => return Outcome::of(Err(why)),
    };
    let (built, _) = step(&mut examples);
    if built.verdict != Verdict::Passed {
        return built;
    }
    let mut command = tests_of(TESTS, test_threads());
    let (outcome, output) = with_postgres(&mut command);
    counting_tests(outcome, &output)
}

/// Runs the tests of the kernel with its stores in PostgreSQL: the tests before had them in SQLite.
fn kernel_with_postgres() -> Outcome {
    let server = match PostgresServer::start() {
        Ok(Some(server)) => server,
        Ok(None) => return Outcome::without_tool_of("PostgreSQL", "apt-get install postgresql", is_ci()),
        Err(why) => return Outcome::of(Err(format!("PostgreSQL did not start: {why}"))),
    };
    // These tests wait for the database most of the time.
    let mut command = tests_of(&["--test", "kernel"], 2 * test_threads());
    server.serve(command.env("MGP_TEST_STORES", "postgres"));
    let (outcome, output) = step(&mut command);
    counting_tests(outcome, &output)
}

/// Returns the command that runs tests, each in a process of its own where nextest is installed.
fn tests_of(targets: &[&str], threads: usize) -> Command {
    let mut command = if has_subcommand("nextest") {
        let mut command = cargo(&["nextest", "run", "--no-fail-fast", "--no-tests", "pass"]);
        command.args(["--test-threads", &threads.to_string()]);
        command
    } else {
        cargo(&["test", "--no-fail-fast"])
    };
    command.args(EVERYTHING).args(targets);
    command
}

/// Adds the counts of the tests, the failed ones, and the slowest ones.
fn counting_tests(outcome: Outcome, output: &str) -> Outcome {
    if has_subcommand("nextest") {
        let (failed, slowest) = (test_times::failed(output), test_times::slowest(output, 10));
        return Outcome { failed, slowest, ..outcome.counting(Tally::of_nextest(output)) };
    }
    outcome.counting(Tally::of_cargo_test(output))
}

/// Runs a command with a new PostgreSQL server, or without one if none is installed: in CI, what needs it then fails.
fn with_postgres(command: &mut Command) -> (Outcome, String) {
    match PostgresServer::start() {
        Ok(server) => {
            if let Some(server) = &server {
                server.serve(command);
            }
            step(command)
        }
        Err(why) => (Outcome::of(Err(format!("PostgreSQL did not start: {why}"))), String::new()),
    }
}

/// Returns the number of concurrent tests: many of them wait for programs that they started.
fn test_threads() -> usize {
    3 * thread::available_parallelism().map_or(1, usize::from)
}

fn kills() -> Outcome {
    // Not run by nextest, which ends a test after a time.
    let mut command = cargo(&["test", "--test", "cli"]);
    // With the features of the other tests, so that nothing is rebuilt.
    command
        .args(EVERYTHING)
        .args(["at_most_once_despite_kills", "--", "--nocapture"])
        .env("MGP_KILLS", "200");
    let (outcome, output) = step(&mut command);
    outcome.counting(Tally::of_cargo_test(&output))
}

/// Runs replicas of the program while they are killed and cut off. The machine does other work too, so bounds on time are loose.
fn replicas() -> Outcome {
    if let Err(error) = built("mgp") {
        return Outcome::of(Err(error));
    }
    let arguments = ["--replicas", "3", "--seconds", "60", "--sessions", "60", "--slack", "10"];
    let (outcome, output) = program("xtask-soak", &arguments);
    match output.lines().find_map(|line| line.strip_prefix("soak: skipped, because ")) {
        Some(why) => Outcome { verdict: Verdict::Skipped(why.to_owned()), ..outcome },
        None => Outcome { problems: problems(&output), ..outcome },
    }
}

/// Runs the examples and writes the pages concurrently: rustdoc leaves a core idle.
fn docs() -> Outcome {
    let (examples, pages) = thread::scope(|scope| {
        let pages = scope.spawn(pages);
        (doctests(), pages.join())
    });
    let Err(mut why) = pages.unwrap_or_else(|_| Err("the thread of `cargo doc` panicked".to_owned())) else {
        return examples;
    };
    if let Verdict::Failed(first) = &examples.verdict {
        why = format!("{first}; {why}");
    }
    Outcome { verdict: Verdict::Failed(why), ..examples }
}

fn doctests() -> Outcome {
    let mut command = cargo(&["test", "--doc", "--no-fail-fast"]);
    let (outcome, output) = step(command.args(EVERYTHING));
    outcome.counting(Tally::of_cargo_test(&output))
}

/// Writes the pages in the second folder, which is not locked by the tests of the examples.
fn pages() -> Result<(), String> {
    let folder = workspace::second_target(&workspace::members()?);
    let mut command = cargo(&["doc", "--no-deps"]);
    command.args(EVERYTHING).env("RUSTDOCFLAGS", "-D warnings -D rustdoc::broken_intra_doc_links");
    let ProcessEnd { status, .. } = run_in_target(&mut command, &folder)?;
    if status.success() { Ok(()) } else { Err(format!("`cargo doc` ended with {status}")) }
}

fn deny() -> Outcome {
    if !has_subcommand("deny") {
        return Outcome::without_tool("cargo-deny", is_ci());
    }
    // The advisories need a database from the network; these three checks work offline.
    cargo_step(&["deny", "--all-features", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"])
}

/// Makes packages of the program that the tests have built, and checks them.
fn dist() -> Outcome {
    match built("mgp") {
        Ok(program) => {
            let program = program.get_program().to_string_lossy().into_owned();
            package("xtask-dist", &["--check", "--only", "archive,npm,pypi", "--program", &program])
        }
        Err(error) => Outcome::of(Err(error)),
    }
}

/// Runs a program of this workspace whose last line counts its checks.
fn package(name: &str, arguments: &[&str]) -> Outcome {
    counted(name, program(name, arguments))
}

fn peers(arguments: &[&str]) -> Outcome {
    package_with_postgres("xtask-peers", arguments)
}

fn conformance(arguments: &[&str]) -> Outcome {
    package_with_postgres("xtask-conformance", arguments)
}

/// Builds and runs the program of a package like [`package`], with a new PostgreSQL server.
fn package_with_postgres(name: &str, arguments: &[&str]) -> Outcome {
    match built(name) {
        Ok(mut program) => counted(name, with_postgres(program.args(arguments))),
        Err(error) => Outcome::of(Err(error)),
    }
}

/// Reads the counts of a program's closing line, and the problems in its rows.
fn counted(name: &str, (outcome, output): (Outcome, String)) -> Outcome {
    let outcome = Outcome { problems: problems(&output), ..outcome };
    match Tally::of_closing_line(&output) {
        Some(tally) => outcome.counting(tally),
        None if outcome.verdict != Verdict::Passed => outcome,
        None => Outcome::of(Err(format!("{name} ended without its closing line"))),
    }
}

/// Builds and runs the program of a package.
fn program(name: &str, arguments: &[&str]) -> (Outcome, String) {
    match built(name) {
        Ok(mut program) => step(program.args(arguments)),
        Err(error) => (Outcome::of(Err(error)), String::new()),
    }
}

/// Builds the program of a package, and returns the command that runs it.
/// An example is built too, because Cargo then chooses features as for the tests, including those of dev-dependencies. So the
/// program's dependencies are not rebuilt. `cargo run -p` would choose fewer features, and rebuild them.
fn built(name: &str) -> Result<Command, String> {
    let workspace = workspace_with(name)?;
    let mut build = cargo(&["build", "--quiet", "--example", "add", "--bin", name]);
    let status = build.args(EVERYTHING).status();
    let status = status.map_err(|error| format!("failed to run {build:?}: {error}"))?;
    if !status.success() {
        return Err(format!("{name} does not build: {status}"));
    }
    let program = format!("debug/{name}{}", std::env::consts::EXE_SUFFIX);
    let mut command = Command::new(workspace.target_directory.join(program));
    command.current_dir(workspace::root()).stdin(Stdio::null());
    Ok(command)
}

fn cargo_step(arguments: &[&str]) -> Outcome {
    step(&mut cargo(arguments)).0
}

fn step(command: &mut Command) -> (Outcome, String) {
    match run_shown(command) {
        Ok(ProcessEnd { status, output }) if status.success() => (Outcome::of(Ok(())), output),
        Ok(ProcessEnd { status, output }) => (Outcome::of(Err(status.to_string())), output),
        Err(error) => (Outcome::of(Err(error)), String::new()),
    }
}
