//! The subcommands of `mgp keys`.

use super::{
    change::{AddArgs, RotateArgs, add, revoke, rotate},
    list::list,
    new::{NewArgs, new},
};
use crate::{args::Options, error::CliError, output::Outcome};
use clap::{Args, Subcommand};

/// Make and revoke keys for hosts that come over HTTP
#[derive(Debug, Args)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    command: KeysCommand,
}

#[derive(Debug, Subcommand)]
enum KeysCommand {
    /// Make a key, keep its hash in the state folder, and print the key, once
    ///
    /// Running kernels let it in at once. --agent names the agent that its owner calls for.
    Add(AddArgs),
    /// Show every key of the state folder, and never its text
    List,
    /// Take back a key; running kernels turn it away at once
    Revoke {
        /// The name of the key
        #[arg(value_parser = name)]
        name: String,
    },
    /// Make another key in the place of one, which is accepted for a time of grace
    Rotate(RotateArgs),
    /// Print a new random key, once, and the lines for mgp.toml that let it in
    ///
    /// Nothing is kept: the configuration has only the key's hash. --agent names the agent that its owner calls for.
    New(NewArgs),
}

pub(crate) async fn run(options: &Options, args: KeysArgs) -> Result<Outcome, CliError> {
    match args.command {
        KeysCommand::Add(args) => add(options, args).await,
        KeysCommand::List => list(options).await,
        KeysCommand::Revoke { name } => revoke(options, name).await,
        KeysCommand::Rotate(args) => rotate(options, args).await,
        KeysCommand::New(args) => new(options, args),
    }
}

/// Reads the name of a key.
pub(super) fn name(text: &str) -> Result<String, String> {
    if text.is_empty() || text.len() > 256 || text.chars().any(char::is_control) {
        return Err("expected 1 to 256 bytes of text".to_owned());
    }
    Ok(text.to_owned())
}
