//! The command line: `NAME [--json]`, and switches for profiling.

use crate::{
    benches::{self, Bench},
    gateway::ServerTransport,
    measure::{Settings, Side},
};
use std::{path::PathBuf, str::FromStr};

/// The parsed command line.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) request: Request,
    pub(crate) json: bool,
    pub(crate) settings: Settings,
}

/// The work of the program.
#[derive(Debug)]
pub(crate) enum Request {
    Help,
    List,
    Run(&'static Bench),
    /// Run the server behind the gateways.
    Serve(ServerTransport),
    /// Run a server with many tools, for the bench `console`.
    Tools(usize),
    /// Measure an index of this many tools, for the bench `search`.
    Index(usize),
}

impl Arguments {
    /// Reads the command line. An error names the problem and the expected form.
    pub(crate) fn parse(words: &[String]) -> Result<Self, String> {
        let mut request = None;
        let mut json = false;
        let mut settings = Settings::default();
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--help" | "-h" => request = Some(Request::Help),
                "--list" => request = Some(Request::List),
                "--json" => json = true,
                "--server" => request = Some(Request::Serve(over(words.next())?)),
                "--tools" => request = Some(Request::Tools(number(word, words.next())?)),
                "--index" => request = Some(Request::Index(at_least_one(word, number(word, words.next())?)?)),
                "--workers" => settings.workers = number(word, words.next())?,
                "--rounds" => settings.rounds = at_least_one(word, number(word, words.next())?)?,
                "--calls" => settings.calls = at_least_one(word, number(word, words.next())?)?,
                "--only" => settings.only = Some(side(words.next())?),
                "--program" => settings.program = Some(path(word, words.next())?),
                _ if word.starts_with('-') => return Err(format!("unknown option `{word}`\n\n{}", usage())),
                name => {
                    let bench = benches::find(name);
                    let unknown = || format!("unknown bench `{name}`; there are:\n\n{}", benches::list());
                    request = Some(Request::Run(bench.ok_or_else(unknown)?));
                }
            }
        }
        let request = request.ok_or_else(|| format!("no bench given\n\n{}", usage()))?;
        Ok(Self { request, json, settings })
    }
}

fn number<N: FromStr>(option: &str, word: Option<&str>) -> Result<N, String> {
    let word = word.unwrap_or_default();
    word.parse().map_err(|_| format!("{option}: expected a number, found `{word}`"))
}

fn at_least_one(option: &str, value: usize) -> Result<usize, String> {
    if value == 0 { Err(format!("{option}: expected at least 1, found `0`")) } else { Ok(value) }
}

fn path(option: &str, word: Option<&str>) -> Result<PathBuf, String> {
    word.map(PathBuf::from).ok_or_else(|| format!("{option}: expected a path"))
}

fn side(word: Option<&str>) -> Result<Side, String> {
    match word.unwrap_or_default() {
        "ours" => Ok(Side::Ours),
        "peer" => Ok(Side::Peer),
        other => Err(format!("--only: expected `ours` or `peer`, found `{other}`")),
    }
}

fn over(word: Option<&str>) -> Result<ServerTransport, String> {
    let word = word.unwrap_or_default();
    let address =
        || word.parse().map_err(|_| format!("--server: expected `stdio` or an address, found `{word}`"));
    if word == "stdio" { Ok(ServerTransport::Stdio) } else { address().map(ServerTransport::Http) }
}

/// Returns the usage of the program.
pub(crate) fn usage() -> String {
    let defaults = Settings::default();
    format!(
        "usage: cargo xtask bench NAME [OPTIONS]\n\n{}\n\n\
         --list         the benches by name\n\
         --json         one object instead of a table\n\
         --workers N    threads of the runtime; 0 runs everything on one thread [{}]\n\
         --rounds N     rounds of each contestant, in turn [{}]\n\
         --calls N      calls of one round [{}]\n\
         --only SIDE    `ours` or `peer`, for a profiler; the other column is 0\n\
         --program PATH `mgp` for the benches that run it, instead of a build as it is released\n\
         --server OVER  no bench: run the server behind the measured gateways, over `stdio` or at an address\n\
         --tools N      no bench: run server N of the bench `console` over stdio\n\
         --index N      no bench: measure an index of N tools, and print one object",
        benches::list(),
        defaults.workers,
        defaults.rounds,
        defaults.calls,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn an_unknown_bench_is_named_and_the_known_ones_are_listed() {
        let error = parse("cal --json").unwrap_err();
        assert!(error.starts_with("unknown bench `cal`") && error.contains("\ncall "), "{error}");
    }

    #[test]
    fn options_may_precede_or_follow_the_name() {
        let arguments = parse("--workers 0 call --json --rounds 3 --only peer --program a/mgp").unwrap();
        assert!(matches!(arguments.request, Request::Run(bench) if bench.name == "call"));
        let Settings { workers, rounds, only, program, .. } = arguments.settings;
        assert_eq!(program, Some("a/mgp".into()));
        assert_eq!((arguments.json, workers, rounds, only), (true, 0, 3, Some(Side::Peer)));
    }

    #[test]
    fn an_invalid_argument_is_refused_by_name() {
        for (line, error) in [
            ("", "no bench given"),
            ("call --fast", "unknown option `--fast`"),
            ("call --rounds 0", "--rounds: expected at least 1, found `0`"),
            ("call --calls x", "--calls: expected a number, found `x`"),
            ("call --workers", "--workers: expected a number, found ``"),
            ("--server pipe", "--server: expected `stdio` or an address, found `pipe`"),
            ("lazy --program", "--program: expected a path"),
            ("call --only both", "--only: expected `ours` or `peer`, found `both`"),
        ] {
            let said = parse(line).unwrap_err();
            assert!(said.starts_with(error), "{said}");
        }
    }
}
