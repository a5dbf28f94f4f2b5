//! The console for operators of other machines.

use super::{
    commands::{GatewayCommands, RunLine},
    keys::ConsoleKeys,
};
use crate::{
    error::CliError,
    options::Options,
    output::say,
    setup::{Reloader, Setup},
};
use mgp_console::{Console, ConsoleAddress};
use mgp_kernel::Kernel;
use mgp_transport::http::server::{RunningPage, serve_router_to};
use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::Arc,
};

/// Serves the console at `console.listen` until the returned page is dropped. A failure is only a warning, because of several gateways with one
/// configuration, only one can use the address.
///
/// # Errors
/// [`CliError`] if the keys cannot be read, or `http.oauth` cannot be used.
pub(crate) async fn serve_network(
    options: &Options,
    run_line: RunLine,
    (kernel, reloader): (&Kernel, &Arc<Reloader>),
    setup: &Setup,
) -> Result<Option<RunningPage>, CliError> {
    let Some(config) = setup.loaded.as_ref().map(|loaded| &loaded.config.console) else { return Ok(None) };
    let (Some(listen), Some(origin)) = (config.listen, &config.origin) else { return Ok(None) };
    let Ok(uri) = origin.parse() else { return Ok(None) };
    let keys = Box::new(ConsoleKeys::open(kernel, setup).await?);
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
