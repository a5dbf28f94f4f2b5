//! The arguments of `mgp registry`, and the choice of the registry that is asked.

use super::{search, show};
use crate::{args::Options, error::CliError, exit::Exit, output::Outcome, setup::Setup};
use clap::{Args, Subcommand, ValueHint};
use mgp_discovery::{
    config::DiscoveryConfig,
    public_registry::{PublicRegistry, PublicRegistryError},
};
use mgp_transport::http::fetch::HttpFetch;
use std::{sync::Arc, time::Duration};

/// The time limit of one answer of a registry.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Look servers up in a registry, and show what they would be in mgp.toml
///
/// Asks the public registry of MCP servers, or one that answers as it does. Nothing is installed, started or written: whoever wants a
/// server puts the text that is shown into the configuration. Anybody may publish there; look before you do.
#[derive(Debug, Args)]
pub(crate) struct RegistryArgs {
    #[command(subcommand)]
    command: RegistryCommand,
    /// The registry; otherwise the configuration's discovery.registry, then the public one
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    registry: Option<String>,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    Search(search::SearchArgs),
    Show(show::ShowArgs),
}

pub(crate) async fn run(options: &Options, args: RegistryArgs) -> Result<Outcome, CliError> {
    let url = match args.registry {
        Some(url) => url,
        None => {
            Setup::load_for_state(options)?
                .loaded
                .map_or_else(DiscoveryConfig::default, |loaded| loaded.config.discovery)
                .registry
        }
    };
    let fetch = HttpFetch::new(TIMEOUT).map_err(CliError::failed)?;
    let registry = PublicRegistry::new(&url, Arc::new(fetch))?;
    match args.command {
        RegistryCommand::Search(args) => search::run(&registry, args).await,
        RegistryCommand::Show(args) => show::run(&registry, args).await,
    }
}

impl From<PublicRegistryError> for CliError {
    fn from(error: PublicRegistryError) -> Self {
        let exit = match &error {
            PublicRegistryError::Url { .. } | PublicRegistryError::Asked { .. } => Exit::Usage,
            PublicRegistryError::NotFound(_) => Exit::NotFound,
            PublicRegistryError::Fetch { .. } => Exit::Unreachable,
            _ => Exit::Failed,
        };
        let help = match exit {
            Exit::NotFound => "look for it with `mgp registry search WORDS`",
            Exit::Unreachable => "check the network, or name another registry with --registry",
            _ => return Self::new(exit, error.to_string()),
        };
        Self::new(exit, error.to_string()).help(help)
    }
}
