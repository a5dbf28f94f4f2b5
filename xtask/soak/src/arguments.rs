//! The command line.

use std::{net::SocketAddr, path::PathBuf, str::FromStr, time::Duration};

/// The usage of the command.
pub(crate) const USAGE: &str = "\
usage: cargo xtask soak [--seconds N] [--only PART] [--sessions N] [--children N] [--seed N] [--json FILE]
       cargo xtask soak --replicas N [--seconds N] [--sessions N] [--seed N] [--slack N] [--no-faults]

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
  --json FILE     also write the counts to this file

With --replicas, runs so many replicas of the gateway behind HAProxy, with PostgreSQL, each in its own network namespace. Replicas are killed
and cut off, and the database is restarted and paused. Ends with 1 if an acknowledged call has no event, a call is answered or carried out
twice, a transaction's report is false, a quota is not exact, a limit a minute is exceeded, a right passes calls for longer than 200 ms after
it was revoked, or a session does not answer for longer than 3 s after a fault.

  --replicas N    the number of replicas, 2 or more
  --slack N       multiply both times by this, for a machine that also does other work (1)
  --no-faults     only the load";

/// The work of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    /// Be the child with this number.
    Child(usize),
    /// Be a tool server of a run with replicas, over HTTP if there is an address.
    Tools {
        name: String,
        /// The file of the effects.
        file: PathBuf,
        address: Option<SocketAddr>,
    },
    Run(Arguments),
    Replicas(ReplicaArguments),
}

/// The parameters of a run with replicas.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ReplicaArguments {
    pub(crate) replicas: usize,
    pub(crate) time: Duration,
    pub(crate) sessions: usize,
    pub(crate) seed: u64,
    /// The number by which bounds on time are multiplied.
    pub(crate) slack: u32,
    pub(crate) has_faults: bool,
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
        let (mut replicas, mut slack, mut has_faults) = (None, 1, true);
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let mut value =
                || rest.next().map(String::as_str).ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--help" | "-h" => return Ok(Request::Help),
                // The word after the number marks the run that the child belongs to.
                "--child" => return Ok(Request::Child(number(word, value()?)?)),
                "--tools" => {
                    let (name, file) = (value()?.to_owned(), value()?.into());
                    let address = rest.next().map(|address| number(word, address)).transpose()?;
                    return Ok(Request::Tools { name, file, address });
                }
                "--replicas" => replicas = Some(positive(word, value()?)?),
                "--slack" => slack = positive(word, value()?)?,
                "--no-faults" => has_faults = false,
                "--seconds" => parsed.time = Duration::from_secs(positive(word, value()?)?),
                "--only" => parsed.only = Some(part(value()?)?),
                "--sessions" => parsed.sessions = positive(word, value()?)?,
                "--children" => parsed.children = positive(word, value()?)?,
                "--seed" => parsed.seed = number(word, value()?)?,
                "--json" => parsed.json = Some(value()?.into()),
                other => return Err(format!("unknown argument `{other}`\n\n{USAGE}")),
            }
        }
        let Some(replicas) = replicas else { return Ok(Request::Run(parsed)) };
        if replicas < 2 {
            return Err("--replicas is 1: expected 2 or more".to_owned());
        }
        let Self { time, sessions, seed, .. } = parsed;
        Ok(Request::Replicas(ReplicaArguments { replicas, time, sessions, seed, slack, has_faults }))
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
        let replicas = ReplicaArguments {
            replicas: 3,
            time: Duration::from_secs(60),
            sessions: 9,
            seed: 1,
            slack: 1,
            has_faults: true,
        };
        assert_eq!(parse("--replicas 3 --sessions 9"), Ok(Request::Replicas(replicas)));
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
        assert!(parse("--replicas 1").unwrap_err().contains("expected 2 or more"));
        assert!(parse("--fast").unwrap_err().starts_with("unknown argument `--fast`"));
    }
}
