//! The command line.

use super::{command, exit::EXIT_CODES, options::Options};
use clap::{Parser, Subcommand};

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

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(command::serve::ServeArgs),
    Status(command::status::StatusArgs),
    Reload(command::reload::ReloadArgs),
    Stop(command::stop::StopArgs),
    #[cfg(feature = "console")]
    Console(command::console::ConsoleArgs),
    Call(command::call::CallArgs),
    Tools(command::tools::ToolsArgs),
    Servers(command::servers::ServersArgs),
    Registry(command::registry::RegistryArgs),
    Access(command::access::AccessArgs),
    Approve(command::approve::ApproveArgs),
    Limits(command::limits::LimitsArgs),
    Audit(Box<command::audit::AuditArgs>),
    Transactions(command::transactions::TransactionsArgs),
    Events(command::events::EventsArgs),
    Logs(command::logs::LogsArgs),
    Keys(command::keys::KeysArgs),
    Store(command::store::StoreArgs),
    Secrets(command::secrets::SecretsArgs),
    Trust(command::trust::TrustArgs),
    Init(command::init::InitArgs),
    Add(command::add::AddArgs),
    Connect(command::connect::ConnectArgs),
    Disconnect(command::connect::DisconnectArgs),
    Config(command::config::ConfigArgs),
    Check(command::check::CheckArgs),
    Doctor(command::doctor::DoctorArgs),
    /// Show what the gateway does, on servers that are built in
    ///
    /// Needs no configuration, no network and no other program. Leaves nothing behind.
    Demo,
    Completions(command::completions::CompletionsArgs),
    Update(command::update::UpdateArgs),
    #[command(hide = true)]
    Man(command::man::ManArgs),
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
