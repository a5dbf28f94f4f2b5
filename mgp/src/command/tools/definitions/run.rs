//! The subcommands about pinned definitions.

use super::{
    accept::{AcceptArgs, accept},
    compare::compare,
    diff::{DiffArgs, diff},
    forget::{ForgetArgs, forget},
};
use crate::{args::Options, error::CliError, output::Outcome, setup::Setup};
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(in crate::command::tools) enum DefinitionsCommand {
    /// Tools whose definition changed since it was accepted, with each difference; starts no server
    ///
    /// Exit code 1 if there are any. A change is breaking if a call that was valid may be refused, or a result may surprise its reader.
    ///
    /// Between two files whose names end in .json, such as results of tools/list: every change, and whether versions say so (breaking: the
    /// first number; added: the second). Exit code 1 if they do not.
    Diff(DiffArgs),
    /// Accept the definition that a server lists for tools that changed
    Accept(AcceptArgs),
    /// Forget pinned definitions, so that what the server lists next is pinned
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
    let setup = Setup::load_for_state(options)?;
    match command {
        DefinitionsCommand::Diff(args) => diff(&setup, args).await,
        DefinitionsCommand::Accept(args) => accept(&setup, args).await,
        DefinitionsCommand::Forget(args) => forget(&setup, args).await,
    }
}
