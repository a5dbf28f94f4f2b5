//! The arguments of `mgp servers`.

use super::{add, explain, remove, show, watch};
use crate::{args::Options, error::CliError, output::Outcome};
use clap::{Args, Subcommand};

/// Start every server and show whether it comes up; explain, add and remove servers
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
    /// Keep them running and show each change of their states; with --json, one object a line
    #[arg(short, long, conflicts_with = "timeout")]
    watch: bool,
}

#[derive(Debug, Subcommand)]
enum ServersCommand {
    Explain(explain::ExplainArgs),
    Add(add::AddArgs),
    Remove(remove::RemoveArgs),
}

pub(crate) async fn run(options: &Options, args: ServersArgs) -> Result<Outcome, CliError> {
    match args.command {
        Some(ServersCommand::Explain(args)) => explain::run(options, args).await,
        Some(ServersCommand::Add(args)) => add::run(options, args).await,
        Some(ServersCommand::Remove(args)) => remove::run(options, args).await,
        None if args.watch => watch::run(options).await,
        None => show::run(options, args.timeout).await,
    }
}
