//! The arguments of `mgp servers`.

use super::{add, control, explain, remove, show, watch};
use crate::{error::CliError, options::Options, output::Outcome};
use clap::{Args, Subcommand};
use mgp_types::lifecycle::ServerAction;

/// Show the state of every server; explain, add, remove, start and stop servers
///
/// Exits with code 1 if a server does not start. Servers that are added here are used in addition to those of the configuration,
/// by every gateway of this account, including running ones.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ServersArgs {
    #[command(subcommand)]
    command: Option<ServersCommand>,
    /// Maximum time to wait for servers to start, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Start the servers for this command, even if a running gateway has them
    #[arg(long)]
    fresh: bool,
    /// Keep the servers running and print each change of their states; with --json, one object per line
    #[arg(short, long, conflicts_with_all = ["timeout", "fresh"])]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum ServersCommand {
    Explain(explain::ExplainArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
    /// Start a stopped server in the running gateways, with all of its restarts available again
    Start(control::ControlArgs),
    /// Stop a server in the running gateways at once; its running calls are cut off
    Stop(control::ControlArgs),
    /// Restart a server in the running gateways once its running calls have ended
    Restart(control::DrainArgs),
    /// Stop a server in the running gateways once its running calls have ended; it takes no new calls
    Drain(control::DrainArgs),
}

pub(crate) async fn run(options: &Options, args: ServersArgs) -> Result<Outcome, CliError> {
    match args.command {
        Some(ServersCommand::Explain(args)) => explain::run(options, args).await,
        // Boxed, because the future is large.
        Some(ServersCommand::Add(args)) => Box::pin(add::run(options, args)).await,
        Some(ServersCommand::Remove(args)) => remove::run(options, args).await,
        Some(ServersCommand::Start(args)) => control::run(options, ServerAction::Start, args).await,
        Some(ServersCommand::Stop(args)) => control::run(options, ServerAction::Stop, args).await,
        Some(ServersCommand::Restart(args)) => control::drain(options, ServerAction::Restart, args).await,
        Some(ServersCommand::Drain(args)) => control::drain(options, ServerAction::Drain, args).await,
        None if args.watch => watch::run(options).await,
        None => show::run(options, args.timeout, args.fresh).await,
    }
}
