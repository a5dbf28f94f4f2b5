//! The subcommands of `mgp keys`.

use super::{
    change::{AddArgs, RotateArgs, add, revoke, rotate},
    list::list,
    new::{NewArgs, new},
};
use crate::{error::CliError, options::Options, output::Outcome};
use clap::{Args, Subcommand};

/// Make and revoke keys for hosts that connect over HTTP
#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Make a key, store its hash in the state folder, and print the key once
    ///
    /// Running gateways accept it within a second. --agent sets the agent that its owner calls for.
    Add(AddArgs),
    /// List every key of the state folder, without its text
    List,
    /// Revoke a key; running gateways reject it within a second
    Revoke {
        /// The name of the key
        #[arg(value_parser = name)]
        name: String,
    },
    /// Replace a key with a new one; the old key is accepted for a grace period
    Rotate(RotateArgs),
    /// Print a new random key once, and the lines for mgp.toml that make it valid
    ///
    /// Nothing is stored: the configuration holds only the key's hash. --agent sets the agent that its owner calls
    /// for.
    New(NewArgs),
}

pub(crate) async fn run(options: &Options, args: KeysArgs) -> Result<Outcome, CliError> {
    match args.command {
        KeysCommand::Add(args) => add(options, args).await,
        KeysCommand::List => list(options).await,
        KeysCommand::Revoke { name } => revoke(options, name).await,
        KeysCommand::Rotate(args) => rotate(options, args).await,
        KeysCommand::New(args) => new(options, args).await,
    }
}

/// Parses the name of a key.
pub(super) fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > 256 || text.chars().any(char::is_control) {
        return Err("expected 1 to 256 bytes of text".to_owned());
    }
    Ok(text.to_owned())
}
