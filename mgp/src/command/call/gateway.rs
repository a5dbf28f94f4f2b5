//! The running gateway that makes a call: the one with this configuration, so that no server is started a second time; and for `--keep-result`
//! and `--ref` the one that keeps the data, because what it keeps ends with it.

use super::answer::ServerStanding;
use crate::{
    args::Options,
    command::status::statuses,
    control::{RunningKernel, kernels_that_run, running_kernels},
    error::CliError,
    host::Host,
    output::note,
    setup::{Setup, operator},
    wait::Progress,
};
use mgp_client_sdk::kernel::command_word;
use mgp_types::{
    error::ErrorCode,
    lifecycle::{KernelStatus, KernelStatusParams, ReportKernel, ServerReport, ServerState},
    negotiation::ExtensionSet,
};
use std::{convert::Infallible, time::Duration};

/// The interval at which a gateway is asked whether servers are starting while a call waits.
const LOOK: Duration = Duration::from_secs(2);
/// The report that a call needs: the states of servers.
const REPORT: KernelStatusParams = KernelStatusParams { checks: false, tools: false };

/// A running gateway with the configuration of the command.
#[derive(Debug)]
pub(super) struct Gateway {
    pub(super) kernel: RunningKernel,
    status: KernelStatus,
}

impl Gateway {
    /// Returns the first running gateway that has the configuration of the command; `None` if there is none that answers.
    pub(super) async fn find(setup: &Setup) -> Option<Self> {
        let mut kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
        if kernels.is_empty() {
            return None;
        }
        let configuration = setup.configuration();
        let reports = statuses(&kernels, REPORT).await.inspect_err(|error| note(error.message())).ok()?;
        let is_same =
            |(_, status): &(u32, KernelStatus)| status.configuration.as_ref() == Some(&configuration);
        let (pid, status) = reports.into_iter().find(is_same)?;
        let place = kernels.iter().position(|kernel| kernel.pid == pid)?;
        Some(Self { kernel: kernels.swap_remove(place), status })
    }

    /// Returns the states of its servers, as they are now if it answers.
    pub(super) async fn standings(&self) -> Vec<ServerStanding> {
        let now = self.kernel.client.request::<ReportKernel>(&REPORT).await.ok();
        let servers = now.map_or_else(|| self.status.servers.clone(), |status| status.servers);
        let standing = |server: ServerReport| ServerStanding {
            id: server.id,
            state: server.state,
            reason: server.reason,
        };
        servers.into_iter().map(standing).collect()
    }

    /// Tells a person which servers are starting, of which the call may need one. Does not return.
    pub(super) async fn tell_progress(&self) -> Infallible {
        let mut progress = Progress::default();
        loop {
            tokio::time::sleep(LOOK).await;
            let standings = self.standings().await;
            let starting = standings.into_iter().filter(|server| server.state == ServerState::Connecting);
            progress.tell(&starting.map(|server| server.id).collect::<Vec<_>>());
        }
    }
}

/// Connects to the only running gateway of the state folder, or to the one of a process.
pub(super) async fn connect(
    setup: &Setup,
    options: &Options,
    pid: Option<u32>,
    streams: bool,
) -> Result<RunningKernel, CliError> {
    if let Some(agent) = &options.agent {
        return Err(CliError::usage(format!(
            "the call with --keep-result or --ref is made by a running gateway for {:?}, the name of your account: expected no --agent, found {agent:?}",
            operator().id()
        )));
    }
    let mut gateways = running_kernels(setup, pid, Host::extensions(streams)).await?;
    let pids: Vec<_> = gateways.iter().map(|gateway| gateway.pid.to_string()).collect();
    match gateways.pop() {
        Some(gateway) if gateways.is_empty() => Ok(gateway),
        _ => Err(CliError::usage(format!(
            "{} gateways run, and each knows only what it keeps itself: expected --pid with one of {}",
            pids.len(),
            pids.join(", ")
        ))
        .help("see `mgp status`")),
    }
}

/// Adds advice to the error of a call that did not reach its tool.
pub(super) fn refused(error: CliError, tool: &str) -> CliError {
    let Some(answer) = error.answer() else { return error };
    match ErrorCode::from_code(answer.code) {
        Some(ErrorCode::AccessDenied) => {
            let operator = operator();
            let account = command_word(operator.id());
            error.help(format!(
                "a running gateway calls {tool:?} for the name of your account, which `mgp access grant {account} SERVER` lets use a server"
            ))
        }
        _ => error,
    }
}
