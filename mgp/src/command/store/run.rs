//! The arguments of `mgp store`.

use super::migrate::{self, MigrateArgs};
use crate::{error::CliError, options::Options, output::Outcome};
use clap::{Args, Subcommand};

/// Copy the state between a folder and a PostgreSQL database
#[derive(Debug, Args)]
pub(crate) struct StoreArgs {
    #[command(subcommand)]
    command: StoreCommand,
}

#[derive(Debug, Subcommand)]
enum StoreCommand {
    /// Copy the state from a folder to a database, or back, and compare both
    ///
    /// Copies keys, rules, approvals, quotas, transactions and the other tables, each section in one transaction, and the audit trail. The source is
    /// unchanged, and the target must be empty. No gateway may use either of them. A database with the trails of several machines becomes a
    /// folder with a file for each of them, `audit-TRAIL.sqlite3`.
    Migrate(MigrateArgs),
}

pub(crate) async fn run(options: &Options, args: StoreArgs) -> Result<Outcome, CliError> {
    match args.command {
        StoreCommand::Migrate(args) => Box::pin(migrate::run(options, args)).await,
    }
}
