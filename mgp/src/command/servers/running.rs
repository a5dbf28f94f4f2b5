//! The servers of the kernels that run already, so that `mgp servers` need not start them a second time.

use crate::{
    command::status::statuses, control::kernels_that_run, error::CliError, output::note, setup::Setup,
};
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
        let mut reports = match statuses(&kernels, params).await {
            Ok(reports) => reports,
            Err(error) => {
                note(&format!("{}; the servers are started anew", error.message()));
                return Ok(Vec::new());
            }
        };
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
    status.servers.iter().any(|server| starting(server.state))
}
