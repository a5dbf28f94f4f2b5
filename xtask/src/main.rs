//! `cargo xtask`: everything that a developer or CI runs. Each command is one module; this file only chooses.

mod ci;
mod compatibility;
mod fuzz;
mod lanes;
mod layers;
mod mutants;
mod postgres;
mod process;
mod rust_code;
mod spec;
mod tally;
mod tidy;
mod tree;
mod workspace;

use postgres::PostgresServer;
use std::process::ExitCode;

struct Command {
    name: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const COMMANDS: &[Command] = &[
    Command { name: "ci", about: "every check of the gate, in order, with one closing line", run: ci::run },
    Command {
        name: "spec",
        about: "the specification's JSON against the types, docs/errors.md, docs/schemas and the tables of docs/configuration.md",
        run: spec::run,
    },
    Command {
        name: "compatibility",
        about: "the pages on MCP, MGP and the seeds against the methods, the tests and the conformance suite",
        run: compatibility::run,
    },
    Command {
        name: "tidy",
        about: "rules on the text of the repository: sizes, leftovers, links",
        run: tidy::run,
    },
    Command {
        name: "layers",
        about: "which crate, module and room may depend on which, checked with cargo metadata and the sources",
        run: layers::run,
    },
    Command { name: "fuzz", about: "arbitrary bytes for the parsers of our own", run: fuzz::run },
    Command { name: "mutants", about: "cargo-mutants over the code that guards", run: mutants::run },
    Command {
        name: "postgres",
        about: "a command with a PostgreSQL server of its own, for tests of stores",
        run: postgres::run,
    },
    Command {
        name: "peers",
        about: "other people's clients and servers against ours",
        run: |arguments| process::run_package("xtask-peers", &["-q"], arguments),
    },
    Command {
        name: "console",
        about: "the console in headless Chromium, with a hostile server behind it",
        run: |arguments| process::run_package("xtask-console", &["-q"], arguments),
    },
    Command {
        name: "conformance",
        about: "MCP's official conformance suite against ours",
        run: |arguments| process::run_package("xtask-conformance", &["-q"], arguments),
    },
    Command {
        name: "confine",
        about: "a hostile program, confined by old and new Landlock and not confined, as each user",
        run: |arguments| process::run_package("xtask-confine", &["-q"], arguments),
    },
    Command {
        name: "dist",
        about: "the packages of a release, and the check that each installs and works",
        run: |arguments| process::run_package("xtask-dist", &["-q"], arguments),
    },
    Command {
        name: "chart",
        about: "the Helm chart, rendered with several values and checked",
        run: |arguments| process::run_package("xtask-chart", &["-q"], arguments),
    },
    Command {
        name: "soak",
        about: "many hosts, many children, faults on purpose and bad servers, in a release build",
        run: soak,
    },
    Command {
        name: "eval",
        about: "the quality of searches in a set of tools, in a release build",
        run: |arguments| retrieval("eval", arguments),
    },
    Command {
        name: "fit",
        about: "learns the weights of words and meaning",
        run: |arguments| retrieval("fit", arguments),
    },
    Command {
        name: "distill",
        about: "makes the table of the embedded embedder",
        run: |arguments| retrieval("distill", arguments),
    },
    Command {
        name: "onnxruntime",
        about: "installs ONNX Runtime from PyPI and prints where it is",
        run: |arguments| retrieval("onnxruntime", arguments),
    },
    Command { name: "bench", about: "speed, ours versus theirs, in a release build", run: bench },
];

/// Runs the soak test. With replicas, builds the program that they run.
fn soak(arguments: &[String]) -> Result<(), String> {
    if arguments.iter().any(|argument| argument == "--replicas") {
        let mut build = process::cargo(&["build", "--release", "-q", "-p", "mgp", "--features", "postgres"]);
        let status = build.status().map_err(|error| format!("failed to run {build:?}: {error}"))?;
        if !status.success() {
            return Err(format!("mgp does not build: {status}"));
        }
    }
    process::run_package("xtask-soak", &["--release", "-q"], arguments)
}

/// Runs a bench. Unless the environment names a PostgreSQL server, the bench of replicas gets a new one, with the settings that an
/// installed server has. Where none is installed, the bench reports this.
fn bench(arguments: &[String]) -> Result<(), String> {
    let needs_server = arguments.iter().any(|argument| argument == "replicas")
        && std::env::var_os(postgres::VARIABLE).is_none();
    let server = if needs_server { PostgresServer::start_with_defaults()? } else { None };
    process::run_package_with("xtask-bench", &["--profile", "fast", "-q"], arguments, |command| {
        if let Some(server) = &server {
            server.serve(command);
        }
    })
}

/// Runs one of the commands of the program for retrieval.
fn retrieval(command: &str, arguments: &[String]) -> Result<(), String> {
    let arguments: Vec<_> = [command.to_owned()].into_iter().chain(arguments.iter().cloned()).collect();
    process::run_package("xtask-retrieval", &["--release", "-q"], &arguments)
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<(), String> {
    let Some((name, rest)) = arguments.split_first() else {
        return Err(format!("no command given\n\n{}", usage()));
    };
    if matches!(name.as_str(), "--help" | "-h" | "help") {
        println!("{}", usage());
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(rest),
        None => Err(format!("unknown command `{name}`\n\n{}", usage())),
    }
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask COMMAND [OPTIONS]    (COMMAND --help explains it)\n");
    for command in COMMANDS {
        text.push_str(&format!("\n  {:<11} {}", command.name, command.about));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_command_is_named_and_the_known_ones_are_listed() {
        let error = dispatch(&["tydi".to_owned()]).unwrap_err();
        assert!(error.starts_with("unknown command `tydi`"), "{error}");
        assert!(COMMANDS.iter().all(|command| error.contains(command.about)), "{error}");
    }
}
