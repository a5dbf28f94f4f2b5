//! Logs, on stderr.

use super::args::{Cli, Command};
use std::io::{self, IsTerminal};
use tracing_subscriber::{EnvFilter, Layer, fmt, layer::SubscriberExt, util::SubscriberInitExt};

/// Starts logging. `RUST_LOG` decides what is logged; else `--verbose` does.
pub(crate) fn start(cli: &Cli) {
    let default = match (cli.options.verbose, &cli.command) {
        (0, Command::Serve(_)) => "warn",
        // What goes wrong stands in the answer of a command.
        (0, _) => "off",
        (1, _) => "warn,mgp_client_sdk=info,mgp_security=info,mgp_lifecycle=info",
        (2.., _) => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let text = fmt::layer().with_writer(io::stderr).with_ansi(io::stderr().is_terminal());
    let logs = tracing_subscriber::registry().with(text.with_filter(filter));
    #[cfg(feature = "otlp")]
    let logs = logs.with(crate::traces::layer());
    let _ = logs.try_init();
}
