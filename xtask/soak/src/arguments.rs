//! The command line.

use std::{path::PathBuf, str::FromStr, time::Duration};

/// The usage of the command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask soak [--seconds N] [--sessions N] [--children N] [--seed N] [--json FILE]

Runs the kernel between many hosts over HTTP and many children over stdio, with faults, reloads and restarts on purpose, and counts the answers.
Ends with 1 where a request was lost or answered twice, the audit trail disagrees, memory grows, a fault never happened, or anything is left.

  --seconds N     how long hosts send requests (60)
  --sessions N    how many hosts there are, of both eras (200)
  --children N    how many servers there are (50)
  --seed N        what the faults follow from (1)
  --json FILE     write the counts there too";

/// The task of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    /// Be the child with this number.
    Child(usize),
    Run(Arguments),
}

/// The parameters of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) time: Duration,
    pub(crate) sessions: usize,
    pub(crate) children: usize,
    pub(crate) seed: u64,
    pub(crate) json: Option<PathBuf>,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { time: Duration::from_secs(60), sessions: 200, children: 50, seed: 1, json: None }
    }
}

impl Arguments {
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
    fn what_is_not_said_has_a_default() {
        assert_eq!(parse(""), Ok(Request::Run(Arguments::default())));
        let expected =
            Arguments { sessions: 8, seed: 0, json: Some("a.json".into()), ..Arguments::default() };
        assert_eq!(parse("--sessions 8 --seed 0 --json a.json"), Ok(Request::Run(expected)));
        assert_eq!(parse("--child 7 run-1"), Ok(Request::Child(7)));
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        assert!(parse("--seconds").unwrap_err().contains("`--seconds` needs a value"));
        assert!(parse("--children 0").unwrap_err().contains("--children is 0"));
        assert!(parse("--seed x").unwrap_err().contains("--seed is \"x\""));
        assert!(parse("--fast").unwrap_err().starts_with("unknown argument `--fast`"));
    }
}
