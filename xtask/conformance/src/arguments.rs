//! The command line.

use crate::{legs::Leg, revision::Revision};
use std::path::PathBuf;
use xtask_install::ProgramFeatures;

/// The usage of the command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask conformance [server] [gateway] [replicas] [client] [OPTIONS]

Installs MCP's official conformance suite into target/conformance and runs it, by default against all four legs:
  server          a server made with the server SDK
  gateway         the same server behind the kernel
  replicas        the same server behind three kernels, which share a database and are behind a balancer (HAProxy);
                  `cargo xtask postgres cargo xtask conformance replicas` starts a database
  client          a client made with the client SDK

Exit code 1 if a scored scenario fails, or one that must pass here although it is not scored. Its line begins with FAIL, that of any
other failure with fail. With CI=true in the environment, a suite that could not be installed is a failure; otherwise the run is skipped.

  --revision REV      only this revision of MCP: 2025-11-25 or 2026-07-28
  --scenario NAME     only this scenario, with the details of the checks that failed
  --list              print the scenarios with their sides, revisions and weights, and run none; xtask/conformance/scenarios.txt
                      must have the same content, or a run of everything fails
  --json FILE         write every scenario's result to this file; a relative path starts at the workspace
  --keep              keep the output of the suite and the programs, in target/conformance/run
  --default-features  build our programs with their default features, as users do (otherwise with all, as in the tests)";

/// The parsed command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The chosen legs, in the order of [`Leg::ALL`].
    pub(crate) legs: Vec<Leg>,
    pub(crate) revisions: Vec<Revision>,
    pub(crate) scenario: Option<String>,
    /// True if the scenarios are listed and not run.
    pub(crate) list: bool,
    pub(crate) json: Option<PathBuf>,
    pub(crate) keep: bool,
    pub(crate) features: ProgramFeatures,
}

impl Arguments {
    /// Reads the command line. Returns `None` for a request for help.
    pub(crate) fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut legs = Vec::new();
        let mut parsed = Self {
            legs: Leg::ALL.to_vec(),
            revisions: Revision::ALL.to_vec(),
            scenario: None,
            list: false,
            json: None,
            keep: false,
            features: ProgramFeatures::All,
        };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = |what: &str| {
                let value = rest.next().filter(|value| !value.starts_with("--"));
                value.cloned().ok_or_else(|| format!("{argument} needs {what}"))
            };
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--keep" => parsed.keep = true,
                "--default-features" => parsed.features = ProgramFeatures::Default,
                "--list" => parsed.list = true,
                "--scenario" => parsed.scenario = Some(value("a scenario's name")?),
                "--json" => parsed.json = Some(value("a file")?.into()),
                "--revision" => {
                    let given = value("a revision")?;
                    let revision = Revision::parse(&given).ok_or_else(|| {
                        let known = Revision::ALL.map(Revision::as_str).join(" or ");
                        format!("--revision: expected {known}, found {given:?}")
                    })?;
                    parsed.revisions = vec![revision];
                }
                other => match Leg::parse(other) {
                    Some(leg) => legs.push(leg),
                    None => return Err(format!("unknown argument `{other}`\n\n{USAGE}")),
                },
            }
        }
        if !legs.is_empty() {
            parsed.legs.retain(|leg| legs.contains(leg));
        }
        Ok(Some(parsed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Option<Arguments>, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn only_the_named_legs_run_in_their_order() {
        assert_eq!(parse("").unwrap().unwrap().legs, Leg::ALL);
        assert_eq!(parse("client server").unwrap().unwrap().legs, [Leg::Server, Leg::Client]);
    }

    #[test]
    fn options_have_values() {
        let parsed = parse(
            "server --revision 2026-07-28 --scenario caching --json out.json --keep --default-features",
        );
        let expected = Arguments {
            legs: vec![Leg::Server],
            revisions: vec![Revision::V2026_07_28],
            scenario: Some("caching".to_owned()),
            list: false,
            json: Some("out.json".into()),
            keep: true,
            features: ProgramFeatures::Default,
        };
        assert_eq!(parsed, Ok(Some(expected)));
        assert_eq!(parse("--keep --help"), Ok(None));
        assert!(parse("--list").unwrap().unwrap().list);
    }

    #[test]
    fn an_unknown_or_missing_argument_is_named() {
        assert!(parse("proxy").unwrap_err().starts_with("unknown argument `proxy`"));
        assert!(parse("--revision 2024-11-05").unwrap_err().contains(r#"found "2024-11-05""#));
        for option in ["--revision", "--scenario", "--json"] {
            assert!(parse(option).unwrap_err().starts_with(option), "{option}");
            assert!(parse(&format!("{option} --keep")).unwrap_err().starts_with(option), "{option}");
        }
    }
}
