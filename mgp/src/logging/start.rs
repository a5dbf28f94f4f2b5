//! The start of logging, and the log on stderr.

use super::keep;
use crate::output::shown;
use std::io::{self, IsTerminal, Write};
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// The kind of process whose logs are started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoggingProcess {
    Gateway,
    Command,
}

/// Starts logging, at the level of `RUST_LOG` or of the number of `--verbose`.
pub(crate) fn start(process: LoggingProcess, verbose: u8) {
    let default = match (verbose, process) {
        (0, LoggingProcess::Gateway) => "warn",
        // A command reports failures in its answer.
        (0, LoggingProcess::Command) => "off",
        (1, _) => "warn,mgp_client_sdk=info,mgp_kernel=info,mgp_security=info,mgp_lifecycle=info",
        (2.., _) => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let text = fmt::layer().with_writer(|| EventLines(io::stderr())).with_ansi(io::stderr().is_terminal());
    let logs = tracing_subscriber::registry().with(text.with_filter(filter));
    // Hosts rarely show a gateway's stderr.
    let kept = (process == LoggingProcess::Gateway).then(keep::layer);
    let logs = logs.with(kept);
    #[cfg(feature = "otlp")]
    let logs = logs.with(crate::traces::layer());
    let _ = logs.try_init();
}

/// A stream that writes each event as one printable line, even if it contains text of a peer.
struct EventLines<W>(W);

impl<W: Write + IsTerminal> Write for EventLines<W> {
    /// Writes an event. The layer passes each event in one call.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let is_terminal = self.0.is_terminal();
        self.0.write_all(line(&String::from_utf8_lossy(event), is_terminal).as_bytes())?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns an event as one printable line.
fn line(event: &str, is_terminal: bool) -> String {
    format!("{}\n", shown(event.trim_end(), is_terminal).replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn an_event_is_one_line_that_cannot_control_a_terminal() {
        let event = "WARN gone\n2026-11-27 ERROR forged \u{1b}[2J\u{202e}\n";
        let expected = "WARN gone\\n2026-11-27 ERROR forged \\u{1b}[2J\\u{202e}\n";
        assert_eq!(line(event, false), expected);
        assert_eq!(line(event, true), expected);
        assert_eq!(line("\u{1b}[33mWARN\u{1b}[0m gone\n", true), "\u{1b}[33mWARN\u{1b}[0m gone\n");
    }
}
