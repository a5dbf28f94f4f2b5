//! The subcommands about pinned definitions.

use super::{
    accept::{AcceptArgs, accept},
    compare::compare,
    diff::{DiffArgs, diff},
    forget::{ForgetArgs, forget},
};
use crate::{error::CliError, options::Options, output::Outcome, setup::Setup};
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(in crate::command::tools) enum DefinitionsCommand {
    /// Show tools whose definitions changed since they were accepted, with each difference; starts no server
    ///
    /// Exits with code 1 if there are any. A change is breaking if a valid call may now be refused, or a result may have an unexpected
    /// form.
    ///
    /// With two files whose names end in .json, such as results of tools/list: show every change, and whether the versions account for it.
    /// A breaking change needs a new first number, an addition a new second number. Exits with code 1 if they do not.
    Diff(DiffArgs),
    /// Accept changed definitions as the server lists them
    Accept(AcceptArgs),
    /// Forget pinned definitions; the server's next definitions are pinned
    Forget(ForgetArgs),
}

pub(in crate::command::tools) async fn run(
    options: &Options,
    command: DefinitionsCommand,
) -> Result<Outcome, CliError> {
    if let DefinitionsCommand::Diff(args) = &command
        && let Some((old, new)) = args.files()
    {
        return compare(old, new);
    }
    let setup = Setup::load_for_state(options).await?;
    match command {
        DefinitionsCommand::Diff(args) => diff(&setup, args).await,
        DefinitionsCommand::Accept(args) => accept(&setup, args).await,
        DefinitionsCommand::Forget(args) => forget(&setup, args).await,
    }
}
