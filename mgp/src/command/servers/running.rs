//! The servers of the kernels that run already, so that `mgp servers` need not start them a second time.

use crate::{command::status::statuses, control::kernels_that_run, error::CliError, setup::Setup};
use mgp_types::{
    lifecycle::{KernelStatus, KernelStatusParams, ServerState},
    negotiation::ExtensionSet,
};
use std::time::Duration;

/// The interval at which kernels are asked whether servers that start are up.
const PAUSE: Duration = Duration::from_millis(200);

/// Returns the reports of the running kernels that have the configuration of this command, with the ids of their processes, once no server
/// is starting or the time limit has passed. Without such a kernel the list is empty.
pub(super) async fn reports(setup: &Setup, timeout: u64) -> Result<Vec<(u32, KernelStatus)>, CliError> {
    let mut kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
    if kernels.is_empty() {
        return Ok(Vec::new());
    }
    let params = KernelStatusParams { checks: false, tools: true };
    let end = tokio::time::Instant::now() + Duration::from_secs(timeout);
    loop {
        // Not started beside a kernel that may have them: a person who wants that says `--fresh`.
        let mut reports = statuses(&kernels, params).await.map_err(|error| {
            error.help("`mgp servers --fresh` starts the servers beside the kernels that run")
        })?;
        reports.retain(|(_, status)| status.configuration.as_deref() == Some(&*setup.configuration()));
        kernels.retain(|kernel| reports.iter().any(|(pid, _)| *pid == kernel.pid));
        if !reports.iter().any(|(_, status)| is_starting(status)) || tokio::time::Instant::now() >= end {
            return Ok(reports);
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn is_starting(status: &KernelStatus) -> bool {
    let starting = |state| matches!(state, ServerState::Registered | ServerState::Connecting);
    status.servers.iter().any(|server| !server.on_demand && starting(server.state))
}
