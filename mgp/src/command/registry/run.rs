//! The arguments of `mgp registry`, and the choice of the registry.

use super::{search, show};
use crate::{error::CliError, exit::Exit, options::Options, output::Outcome, setup::Setup};
use clap::{Args, Subcommand, ValueHint};
use mgp_discovery::{
    config::DiscoveryConfig,
    public_registry::{PublicRegistry, PublicRegistryError},
};
use mgp_transport::http::fetch::HttpFetch;
use std::{sync::Arc, time::Duration};

/// The time limit of one response of a registry.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Search a registry for servers, and show their entries for mgp.toml
///
/// Queries the public registry of MCP servers, or another one with the same API. Nothing is installed, started or written: to use a
/// server, copy its entry into the configuration. Anybody can publish in the registry, so check a server first.
#[derive(Debug, Args)]
pub(crate) struct RegistryArgs {
    #[command(subcommand)]
    command: RegistryCommand,
    /// The URL of the registry; defaults to discovery.registry of the configuration, then the public one
    #[arg(long, global = true, value_name = "URL", value_hint = ValueHint::Url)]
    registry: Option<String>,
}

#[derive(Debug, Subcommand)]
enum RegistryCommand {
    Search(search::SearchArgs),
    Show(show::ShowArgs),
}

pub(crate) async fn run(options: &Options, args: RegistryArgs) -> Result<Outcome, CliError> {
    let registry = registry(options, args.registry).await?;
    match args.command {
        RegistryCommand::Search(args) => search::run(&registry, args).await,
        RegistryCommand::Show(args) => show::run(&registry, args).await,
    }
}

/// Returns the registry at a URL, or else that of the configuration.
pub(in crate::command) async fn registry(
    options: &Options,
    url: Option<String>,
) -> Result<PublicRegistry, CliError> {
    let url = match url {
        Some(url) => url,
        None => {
            Setup::load_for_state(options)
                .await?
                .loaded
                .map_or_else(DiscoveryConfig::default, |loaded| loaded.config.discovery)
                .registry
        }
    };
    let fetch = HttpFetch::new(TIMEOUT).map_err(CliError::failed)?;
    Ok(PublicRegistry::new(&url, Arc::new(fetch))?)
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
