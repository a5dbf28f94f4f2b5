//! The servers of running kernels, so that a command need not start them a second time.

use crate::{
    command::status::statuses, control::kernels_that_run, error::CliError, setup::Setup, wait::Progress,
};
use mgp_types::{
    lifecycle::{KernelStatus, KernelStatusParams, ServerReport, ServerState},
    negotiation::ExtensionSet,
};
use std::time::Duration;

/// The interval between two checks of servers that are starting.
const PAUSE: Duration = Duration::from_millis(200);

/// Returns the reports of the running kernels with this command's configuration, with their process ids. Waits until the servers that the
/// command needs have started, or for the time limit, in seconds. Empty without such a kernel.
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
        // No server is started a second time for a kernel that may have it. `--fresh` does that.
        let mut reports = statuses(&kernels, params).await.map_err(|error| {
            error.help("with `--fresh`, the command starts the servers even if kernels are running")
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

/// Returns the note that names the kernels that reported.
pub(crate) fn asked(reports: &[(u32, KernelStatus)]) -> String {
    let pids: Vec<_> = reports.iter().map(|(pid, _)| pid.to_string()).collect();
    let of = if pids.len() == 1 { "the kernel of process" } else { "the kernels of the processes" };
    format!("asked {of} {}; --fresh starts the servers anew", pids.join(", "))
}

/// Returns whether a server is starting, except servers that start on demand.
pub(super) fn is_starting(server: &ServerReport) -> bool {
    !server.on_demand && matches!(server.state, ServerState::Registered | ServerState::Connecting)
}
