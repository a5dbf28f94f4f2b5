//! The servers of the kernels that run already, so that a command need not start them a second time.

use crate::{
    command::status::statuses, control::kernels_that_run, error::CliError, setup::Setup, wait::Progress,
};
use mgp_types::{
    lifecycle::{KernelStatus, KernelStatusParams, ServerReport, ServerState},
    negotiation::ExtensionSet,
};
use std::time::Duration;

/// The interval at which kernels are asked whether servers that start are up.
const PAUSE: Duration = Duration::from_millis(200);

/// Returns the reports of the running kernels that have the configuration of this command, with the ids of their processes, once the command
/// has to wait for no server or the time limit has passed, in seconds. Without such a kernel the list is empty.
pub(crate) async fn reports(
    setup: &Setup,
    timeout: u64,
    waits_for: impl Fn(&ServerReport) -> bool,
) -> Result<Vec<(u32, KernelStatus)>, CliError> {
    let mut kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
    if kernels.is_empty() {
        return Ok(Vec::new());
    }
    let params = KernelStatusParams { checks: false, tools: true };
    let end = tokio::time::Instant::now() + Duration::from_secs(timeout);
    let mut progress = Progress::default();
    loop {
        // Not started beside a kernel that may have them: a person who wants that says `--fresh`.
        let mut reports = statuses(&kernels, params).await.map_err(|error| {
            error.help("with `--fresh`, the command starts the servers beside the kernels that run")
        })?;
        reports.retain(|(_, status)| status.configuration.as_deref() == Some(&*setup.configuration()));
        kernels.retain(|kernel| reports.iter().any(|(pid, _)| *pid == kernel.pid));
        let servers = reports.iter().flat_map(|(_, status)| &status.servers);
        let mut left: Vec<_> =
            servers.filter(|server| waits_for(server)).map(|server| server.id.clone()).collect();
        left.dedup();
        if left.is_empty() || tokio::time::Instant::now() >= end {
            return Ok(reports);
        }
        progress.tell(&left);
        tokio::time::sleep(PAUSE).await;
    }
}

/// Returns the note that names the kernels that were asked.
pub(crate) fn asked(reports: &[(u32, KernelStatus)]) -> String {
    let pids: Vec<_> = reports.iter().map(|(pid, _)| pid.to_string()).collect();
    let of = if pids.len() == 1 { "the kernel of process" } else { "the kernels of the processes" };
    format!("asked {of} {}; --fresh starts the servers anew", pids.join(", "))
}

/// Returns whether a server that does not wait for a request is starting.
pub(super) fn is_starting(server: &ServerReport) -> bool {
    !server.on_demand && matches!(server.state, ServerState::Registered | ServerState::Connecting)
}
