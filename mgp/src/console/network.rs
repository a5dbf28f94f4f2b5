//! The console for operators of other machines.

use super::commands::{GatewayCommands, RunLine};
use crate::{
    error::CliError,
    options::Options,
    output::say,
    setup::{Reloader, Setup},
};
use mgp_console::{Console, ConsoleAddress, KeyedOperator, Operator, OperatorKeys};
use mgp_kernel::Kernel;
use mgp_security::keys::{KeyHash, Keys};
use mgp_transport::http::server::{ApiKey, RunningPage, serve_router_to};
use mgp_types::lifecycle::OperatorRole;
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

/// Serves the console at `console.listen` until the returned page is dropped. A failure is only a warning, because of several gateways with one
/// configuration, only one can use the address.
///
/// # Errors
/// [`CliError`] if the keys cannot be read.
pub(crate) async fn serve_network(
    options: &Options,
    run_line: RunLine,
    (kernel, reloader): (&Kernel, &Arc<Reloader>),
    setup: &Setup,
) -> Result<Option<RunningPage>, CliError> {
    let Some(config) = setup.loaded.as_ref().map(|loaded| &loaded.config.console) else { return Ok(None) };
    let (Some(listen), Some(origin)) = (config.listen, &config.origin) else { return Ok(None) };
    let Ok(uri) = origin.parse() else { return Ok(None) };
    let state = Keys::open(Arc::new(setup.state.keys()?), kernel.access().clone()).await?;
    let keys = Box::new(ConsoleKeys { state, configured: configured(setup) });
    let proxies = match &config.proxies[..] {
        [] => vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)],
        proxies => proxies.to_vec(),
    };
    let commands = GatewayCommands::new(options, run_line, reloader.clone());
    let console = Console::new(commands, ConsoleAddress::Public(uri, keys));
    let page = serve_router_to(proxies, listen, |_| console.map(Console::router));
    Ok(match page.await {
        Ok(page) => {
            say(&format!("serving the console at {} for {origin}", page.address()));
            Some(page)
        }
        Err(error) => {
            tracing::warn!(%error, "the console is not served at console.listen; another gateway may use the address");
            None
        }
    })
}

/// Returns the keys of the configuration whose owners may do everything.
fn configured(setup: &Setup) -> Vec<(KeyHash, String)> {
    let keys = setup.loaded.iter().flat_map(|loaded| &loaded.config.http.api_keys);
    let admins = keys.filter(|key| key.admin);
    admins.filter_map(|key| Some((key.hash.parse::<ApiKey>().ok()?.into(), key.id.clone()))).collect()
}

/// The keys that open the console: those of the state folder with a role in it, and all with the rights of an administrator.
#[derive(Debug)]
struct ConsoleKeys {
    state: Keys,
    configured: Vec<(KeyHash, String)>,
}

impl OperatorKeys for ConsoleKeys {
    fn operator(&self, key: &str) -> Option<KeyedOperator> {
        let hash: KeyHash = ApiKey::of(key).into();
        if let Some((_, id)) = self.configured.iter().find(|(known, _)| *known == hash) {
            let operator = Operator { name: id.clone(), role: OperatorRole::Admin };
            return Some(KeyedOperator { operator, holds: Box::new(|| true) });
        }
        let known = self.state.operator(&hash)?;
        let operator = Operator { name: known.0.clone(), role: known.1 };
        let state = self.state.clone();
        let holds = Box::new(move || state.operator(&hash).as_ref() == Some(&known));
        Some(KeyedOperator { operator, holds })
    }
}
