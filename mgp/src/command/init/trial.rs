//! The trial start of confined servers.

use crate::{error::CliError, options::Options, setup::Setup, signals::Signals, wait};
use mgp_types::lifecycle::ServerState;
use std::{path::Path, time::Duration};

/// The time limit for the servers to come up. A package that is loaded for the first time may need longer.
const LIMIT: Duration = Duration::from_secs(10);

/// Starts confined servers of a written file, all at once, and ends them again. Returns a remark for each that does not come up.
pub(super) async fn trial(options: &Options, file: &Path, confined: &[String]) -> Vec<String> {
    if confined.is_empty() {
        return Vec::new();
    }
    match started(options, file, confined).await {
        Ok(remarks) => remarks,
        Err(error) => vec![format!("the confined servers were not tried: {}", error.message())],
    }
}

async fn started(options: &Options, file: &Path, confined: &[String]) -> Result<Vec<String>, CliError> {
    let config = file.to_str().map(str::to_owned);
    let setup = Setup::load(&Options { config, demo: false, ..options.clone() }).await?;
    let mut signals = Signals::listen()?;
    let kernel = setup.start_asleep().await?;
    let servers: Vec<_> = kernel
        .servers()
        .iter()
        .filter(|server| confined.iter().any(|id| id == server.id()))
        .cloned()
        .collect();
    tokio::select! {
        _ = tokio::time::timeout(LIMIT, wait::for_servers(&servers)) => {}
        () = signals.next() => {}
    }
    let remark = |server: &std::sync::Arc<mgp_kernel::Server>| {
        let (id, status) = (server.id(), server.status());
        match status.state {
            ServerState::Connected => None,
            _ if server.is_coming_up() => Some(format!(
                "{id} is not up after {} s: see with `mgp servers` whether it comes up",
                LIMIT.as_secs()
            )),
            _ => Some(format!("{id} does not start confined: {}", status.reason)),
        }
    };
    let remarks = servers.iter().filter_map(remark).collect();
    kernel.shutdown().await;
    Ok(remarks)
}
