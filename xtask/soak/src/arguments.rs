//! The command line.

use std::{path::PathBuf, str::FromStr, time::Duration};

/// The usage of the command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask soak [--seconds N] [--only PART] [--sessions N] [--children N] [--seed N] [--json FILE]

Runs the kernel between many hosts over HTTP and many children over stdio, and counts the answers. There are two parts:

  faults          faults, reloads and restarts on purpose
  bad-servers     the servers without and with 30 that are slow, dead, wrong or flooding, in turn

Ends with 1 if a request was lost or answered twice, the audit trail disagrees, memory grows, a fault never happened, anything is left, or
the servers and lists are more than twice as slow with bad servers as without.

  --seconds N     the length of each part (60)
  --only PART     run this part only
  --sessions N    the number of hosts in the part with faults, of both eras (200)
  --children N    the number of good servers (70)
  --seed N        the seed of the faults (1)
  --json FILE     also write the counts to this file";

/// The work of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    /// Be the child with this number.
    Child(usize),
    Run(Arguments),
}

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Faults,
    BadServers,
}

/// The parameters of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The time of each part.
    pub(crate) time: Duration,
    /// The only part to run; `None`: both.
    pub(crate) only: Option<Part>,
    pub(crate) sessions: usize,
    pub(crate) children: usize,
    pub(crate) seed: u64,
    pub(crate) json: Option<PathBuf>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), only: None, sessions: 200, children: 70, seed: 1, json: None }
    }
}

impl Arguments {
    /// Returns whether a part runs.
    pub(crate) fn has(&self, part: Part) -> bool {
        self.only.is_none_or(|only| only == part)
    }

    pub(crate) fn parse(words: &[String]) -> Result<Request, String> {
        let mut parsed = Self::default();
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut value =
                || rest.next().map(String::as_str).ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--help" | "-h" => return Ok(Request::Help),
                // The word after the number marks the run that the child belongs to.
                "--child" => return Ok(Request::Child(number(word, value()?)?)),
                "--seconds" => parsed.time = Duration::from_secs(positive(word, value()?)?),
                "--only" => parsed.only = Some(part(value()?)?),
                "--sessions" => parsed.sessions = positive(word, value()?)?,
                "--children" => parsed.children = positive(word, value()?)?,
                "--seed" => parsed.seed = number(word, value()?)?,
                "--json" => parsed.json = Some(value()?.into()),
                other => return Err(format!("unknown argument `{other}`\n\n{USAGE}")),
            }
        }
        Ok(Request::Run(parsed))
    }
}

fn part(value: &str) -> Result<Part, String> {
    match value {
        "faults" => Ok(Part::Faults),
        "bad-servers" => Ok(Part::BadServers),
        other => Err(format!("--only is {other:?}: expected faults or bad-servers")),
    }
}

fn number<N: FromStr>(name: &str, value: &str) -> Result<N, String> {
    value.parse().map_err(|_| format!("{name} is {value:?}: expected a number"))
}

fn positive<N: FromStr + Default + PartialEq>(name: &str, value: &str) -> Result<N, String> {
    match number(name, value)? {
        zero if zero == N::default() => Err(format!("{name} is 0: expected 1 or more")),
        number => Ok(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Arguments::parse(&words)
    }

    #[test]
    fn missing_options_have_defaults() {
        assert_eq!(parse(""), Ok(Request::Run(Arguments::default())));
        let expected =
            Arguments { sessions: 8, seed: 0, json: Some("a.json".into()), ..Arguments::default() };
        assert_eq!(parse("--sessions 8 --seed 0 --json a.json"), Ok(Request::Run(expected)));
        assert_eq!(parse("--child 7 run-1"), Ok(Request::Child(7)));
        let both = Arguments::default();
        assert!(both.has(Part::Faults) && both.has(Part::BadServers));
        let one = Arguments { only: Some(Part::BadServers), ..Arguments::default() };
        assert!(!one.has(Part::Faults) && one.has(Part::BadServers));
        assert_eq!(parse("--only bad-servers"), Ok(Request::Run(one)));
    }

    #[test]
    fn an_invalid_argument_is_named() {
        assert!(parse("--seconds").unwrap_err().contains("`--seconds` needs a value"));
        assert!(parse("--children 0").unwrap_err().contains("--children is 0"));
        assert!(parse("--only some").unwrap_err().contains("expected faults or bad-servers"));
        assert!(parse("--seed x").unwrap_err().contains("--seed is \"x\""));
        assert!(parse("--fast").unwrap_err().starts_with("unknown argument `--fast`"));
    }
}
