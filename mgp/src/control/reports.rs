//! The reports of running kernels on their servers, so that a command need not start them a second time.

use super::{RunningKernel, kernels_that_run};
use crate::{error::CliError, exit::Exit, output::note, setup::Setup, wait::Progress};
use futures_util::future::join_all;
use mgp_types::{
    lifecycle::{KernelStatus, KernelStatusParams, ReportKernel, ServerReport, ServerState},
    negotiation::ExtensionSet,
};
use std::time::Duration;
use tokio::time::timeout;

/// The time limit for a kernel's report.
const REPORT_TIMEOUT: Duration = Duration::from_secs(30);

/// The interval between two checks of servers that are starting.
const PAUSE: Duration = Duration::from_millis(200);

/// Requests the kernels' reports. If only some answer, the others are named in notes.
pub(crate) async fn statuses(
    kernels: &[RunningKernel],
    params: &KernelStatusParams,
) -> Result<Vec<(u32, KernelStatus)>, CliError> {
    let asking = kernels.iter().map(async |kernel| {
        match timeout(REPORT_TIMEOUT, kernel.client.request::<ReportKernel>(params)).await {
            Ok(Ok(status)) => Ok((kernel.pid, status)),
            Ok(Err(error)) => Err((kernel.pid, error.to_string())),
            Err(_) => Err((kernel.pid, format!("no answer within {} s", REPORT_TIMEOUT.as_secs()))),
        }
    });
    let (mut statuses, mut failures) = (Vec::new(), Vec::new());
    for answer in join_all(asking).await {
        match answer {
            Ok(status) => statuses.push(status),
            Err((pid, error)) => {
                failures.push(format!("the gateway of process {pid} did not report: {error}"));
            }
        }
    }
    match failures.first() {
        Some(failure) if statuses.is_empty() => Err(CliError::new(Exit::Unreachable, failure)),
        _ => {
            failures.iter().for_each(|failure| note(failure));
            Ok(statuses)
        }
    }
}

/// Returns the reports of the running kernels with this command's configuration, with their process ids. Waits until the servers that the
/// command needs have started, or for the time limit, in seconds. Empty without such a kernel.
pub(crate) async fn reports(
    setup: &Setup,
    timeout_secs: u64,
    waits_for: impl Fn(&ServerReport) -> bool,
) -> Result<Vec<(u32, KernelStatus)>, CliError> {
    let mut kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
    if kernels.is_empty() {
        return Ok(Vec::new());
    }
    let params = KernelStatusParams { tools: true, ..KernelStatusParams::default() };
    let end = tokio::time::Instant::now() + Duration::from_secs(timeout_secs);
    let mut progress = Progress::default();
    loop {
        // No server is started a second time for a kernel that may have it. `--fresh` does that.
        let mut reports = statuses(&kernels, &params).await.map_err(|error| {
            error.help("with `--fresh`, the command starts the servers even if gateways are running")
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
    let of = if pids.len() == 1 { "the gateway of process" } else { "the gateways of the processes" };
    format!("asked {of} {}; --fresh starts the servers anew", pids.join(", "))
}

/// Returns whether a server is starting, except servers that start on demand.
pub(crate) fn is_starting(server: &ServerReport) -> bool {
    !server.on_demand && matches!(server.state, ServerState::Registered | ServerState::Connecting)
}
