//! The command line.

use super::{command, exit::EXIT_CODES};
use clap::{Args, Parser, Subcommand, ValueHint};

/// A gateway between AI hosts and tool servers.
///
/// Point an MCP host at `mgp serve`. The gateway then checks every call to the configured servers: access control,
/// permissions, validators and an audit trail. The other commands read and change the same state, also while gateways
/// run.
#[derive(Debug, Parser)]
#[command(name = "mgp", version, after_long_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
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
    /// Use the demo's servers instead of a configuration
    #[arg(long, global = true, conflicts_with = "config")]
    pub(crate) demo: bool,
    /// Show whole reasons at a terminal, and log to stderr; give it twice to log everything. RUST_LOG overrides it
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Print one JSON document, also for errors
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(command::serve::ServeArgs),
    Status(command::status::StatusArgs),
    Reload(command::reload::ReloadArgs),
    Call(command::call::CallArgs),
    Tools(command::tools::ToolsArgs),
    Servers(command::servers::ServersArgs),
    Registry(command::registry::RegistryArgs),
    Access(command::access::AccessArgs),
    Approve(command::approve::ApproveArgs),
    Audit(command::audit::AuditArgs),
    Transactions(command::transactions::TransactionsArgs),
    Events(command::events::EventsArgs),
    Logs(command::logs::LogsArgs),
    Keys(command::keys::KeysArgs),
    Trust(command::trust::TrustArgs),
    Init(command::init::InitArgs),
    Check(command::check::CheckArgs),
    /// Show what the gateway does, on servers that are built in
    ///
    /// Needs no configuration, no network and no other program. Leaves nothing behind.
    Demo,
    Completions(command::completions::CompletionsArgs),
    /// Run one of the demo's servers on stdin and stdout
    #[command(hide = true)]
    EmbeddedServer {
        /// The server's name
        name: String,
        /// The server's arguments
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Cli::command().debug_assert();
    }
}
