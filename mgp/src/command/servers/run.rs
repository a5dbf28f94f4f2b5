//! The arguments of `mgp servers`.

use super::{add, control, explain, remove, show, watch};
use crate::{args::Options, error::CliError, output::Outcome};
use clap::{Args, Subcommand};
use mgp_types::lifecycle::ServerAction;

/// Show whether every server comes up; explain, add, remove, start and stop servers
///
/// Ends with exit code 1 where one does not come up. Servers that are added here stand beside those of the configuration, in every
/// kernel of this account, also in those that run.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ServersArgs {
    #[command(subcommand)]
    command: Option<ServersCommand>,
    /// The longest wait for them, in seconds
    #[arg(long, value_name = "SECS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
    /// Start the servers for this command, also where a kernel runs them already
    #[arg(long)]
    fresh: bool,
    /// Keep them running and show each change of their states; with --json, one object a line
    #[arg(short, long, conflicts_with_all = ["timeout", "fresh"])]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum ServersCommand {
    Explain(explain::ExplainArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
    /// Start a server that does not run, in the running kernels, with all of its restarts
    Start(control::ControlArgs),
    /// End a server in the running kernels at once; its running calls are cut off
    Stop(control::ControlArgs),
    /// End a server in the running kernels once its running calls have ended, and start it again
    Restart(control::DrainArgs),
    /// End a server in the running kernels once its running calls have ended; it takes no new ones
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
