//! Host sessions on the control socket. A command that calls a tool through a running kernel connects as a host of its agent, not as the
//! operator.
//!
//! The first line of the connection names the agent. It grants no rights: a process that can reach the socket could start its own
//! kernel for that agent in the same state folder.

use crate::options::is_agent_name;
use serde::{Deserialize, Serialize};
use std::{
    io::{self, ErrorKind},
    time::Duration,
};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// The beginning of the line. No message of a session begins with it.
const WORD: &str = "host ";
/// The longest line, in bytes.
const MAX_LINE: u64 = 4096;
/// The time limit for reading the line, once it has begun.
const LINE_TIMEOUT: Duration = Duration::from_secs(2);

/// A command that connects to the control socket as a host. It is an extension of the host's session, where the kernel's
/// approver finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandHost {
    /// The agent on whose behalf calls are made.
    pub(crate) agent: String,
    /// True if the command line confirms its calls.
    pub(crate) confirms: bool,
}

impl CommandHost {
    /// Returns the line that starts the connection.
    pub(super) fn line(&self) -> io::Result<String> {
        Ok(format!("{WORD}{}\n", serde_json::to_string(self)?))
    }

    /// Reads the line, if the connection begins with it. Other input is left unread.
    ///
    /// # Errors
    /// If the line is late, too long, or does not name an agent.
    pub(super) async fn read(input: &mut (impl AsyncBufRead + Unpin + Send)) -> io::Result<Option<Self>> {
        if input.fill_buf().await?.first() != WORD.as_bytes().first() {
            return Ok(None);
        }
        let mut line = String::new();
        let mut limited = input.take(MAX_LINE);
        let reading = limited.read_line(&mut line);
        tokio::time::timeout(LINE_TIMEOUT, reading).await.map_err(|_| wrong("it came too slowly"))??;
        let text = line.strip_suffix('\n').ok_or_else(|| wrong("it is too long"))?;
        let text = text.strip_prefix(WORD).ok_or_else(|| wrong("expected the word host"))?;
        let host: Self = serde_json::from_str(text)?;
        if !is_agent_name(&host.agent) {
            return Err(wrong("expected a name of an agent, 1 to 256 bytes of text"));
        }
        Ok(Some(host))
    }
}

fn wrong(problem: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the first line cannot be read: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    async fn read(text: &str) -> io::Result<(Option<CommandHost>, String)> {
        let mut input = BufReader::with_capacity(4, text.as_bytes());
        let host = CommandHost::read(&mut input).await?;
        let mut rest = String::new();
        input.read_to_string(&mut rest).await?;
        Ok((host, rest))
    }

    #[tokio::test]
    async fn only_a_line_that_names_an_agent_is_consumed() {
        let host = CommandHost { agent: "ann".into(), confirms: true };
        let line = host.line().unwrap();
        assert_eq!(read(&format!("{line}{{}}\n")).await.unwrap(), (Some(host), "{}\n".into()));
        for other in [r#"{"jsonrpc":"2.0"}"#, "", "\u{feff}{}", " host"] {
            assert_eq!(read(other).await.unwrap(), (None, other.into()), "{other}");
        }
    }

    #[tokio::test]
    async fn a_line_without_an_agent_is_refused() {
        let long = format!("host {}", "x".repeat(5000));
        let nobody = "host {\"agent\":\"\",\"confirms\":false}\n";
        let control = "host {\"agent\":\"a\\u001b\",\"confirms\":false}\n";
        for line in ["host\n", "host {}\n", "house\n", "host {", nobody, control, &long] {
            assert!(read(line).await.is_err(), "{line}");
        }
    }
}
