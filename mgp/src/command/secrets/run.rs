//! The subcommands of `mgp secrets`.

use super::{
    import::{ImportArgs, import},
    list::list,
    set::{remove, set},
};
use crate::{error::CliError, options::Options, output::Outcome};
use clap::{Args, Subcommand};
use mgp_discovery::config::secret_name;

/// Keep keys and passwords of servers in an encrypted store
///
/// A value in the configuration names a secret as `${keyring:NAME}`. Secrets are never shown.
#[derive(Debug, Args)]
pub(crate) struct SecretsArgs {
    #[command(subcommand)]
    command: SecretsCommand,
}

#[derive(Debug, Subcommand)]
enum SecretsCommand {
    /// Store a secret, which is asked for at a terminal, or read from stdin
    Set {
        /// The name of the secret
        #[arg(value_parser = name)]
        name: String,
    },
    /// List the names of the secrets, and the servers that use them
    List,
    /// Remove a secret
    Remove {
        /// The name of the secret
        name: String,
    },
    /// Move the keys in env, headers and auth of servers from the configuration into the store
    ///
    /// Shows the change, with the keys masked, and asks. Everything else in the file stays as it is.
    Import(ImportArgs),
}

pub(crate) async fn run(options: &Options, args: SecretsArgs) -> Result<Outcome, CliError> {
    match args.command {
        SecretsCommand::Set { name } => set(options, name).await,
        SecretsCommand::List => list(options).await,
        SecretsCommand::Remove { name } => remove(options, name).await,
        SecretsCommand::Import(args) => import(options, &args).await,
    }
}

/// Parses the name of a secret.
fn name(text: &str) -> Result<String, String> {
    secret_name(text).map(|()| text.to_owned())
}
