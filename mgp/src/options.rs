//! The options of every command.

use clap::{Args, ValueHint};

/// Returns whether a text can be the name of an agent: 1 to 256 bytes without control characters.
pub(crate) fn is_agent_name(text: &str) -> bool {
    (1..=256).contains(&text.len()) && !text.chars().any(char::is_control)
}

/// The options of every command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Options {
    /// The configuration file; defaults to $MGP_CONFIG_PATH, then ./mgp.toml, then the user's own file
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<String>,
    /// The state folder; defaults to the one in the configuration, then the platform's
    #[arg(long, global = true, value_name = "DIR", env = "MGP_STATE_DIR", hide_env_values = true, value_hint = ValueHint::DirPath)]
    pub(crate) state_dir: Option<String>,
    /// The agent on whose behalf calls are made, or that a list is about; defaults to the one in the configuration
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Use a project's file this once, even if `mgp trust` has not recorded it
    #[arg(long, global = true)]
    pub(crate) trust: bool,
    /// Use the demo's servers instead of a configuration, with a state folder of their own
    #[arg(long, global = true, conflicts_with = "config")]
    pub(crate) demo: bool,
    /// Show whole events in `mgp audit` at a terminal, and log to stderr; give it twice to log everything. RUST_LOG overrides it
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print one JSON document, also for errors
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Reads `NAME=VALUE` on the command line.
pub(crate) fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    if name.is_empty() {
        return Err("expected a name before the '='".to_owned());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// Checks the id of a server on the command line.
pub(crate) fn server_id(text: &str) -> Result<String, String> {
    mgp_discovery::config::server_id(text).map(|()| text.to_owned())
}
