//! The running gateway that makes a call. A gateway with this configuration is used, so that no server is started a second time. For
//! `--keep-result` and `--ref`, it is the gateway that keeps the data, because kept data ends with its gateway.

use super::answer::ServerStanding;
use crate::{
    control::{RunningKernel, kernels_that_run, running_kernels, statuses},
    error::CliError,
    host::Host,
    operator::operator,
    options::Options,
    output::note,
    setup::Setup,
    wait::Progress,
};
use mgp_kernel::command_word;
use mgp_types::{
    error::ErrorCode,
    lifecycle::{KernelStatus, KernelStatusParams, ReportKernel, ServerReport, ServerState},
    negotiation::ExtensionSet,
};
use std::{convert::Infallible, time::Duration};

/// The interval at which a waiting call checks for servers that are starting.
const LOOK: Duration = Duration::from_secs(2);
/// The request for the states of servers, without checks and tools.
const REPORT: KernelStatusParams =
    KernelStatusParams { checks: false, tools: false, notices: false, server: None };

/// A running gateway with the configuration of the command.
#[derive(Debug)]
pub(super) struct Gateway {
    pub(super) kernel: RunningKernel,
    status: KernelStatus,
}

impl Gateway {
    /// Returns the first running gateway with the command's configuration, or `None` if none answers.
    pub(super) async fn find(setup: &Setup) -> Option<Self> {
        let mut kernels = kernels_that_run(setup, ExtensionSet::EMPTY).await;
        if kernels.is_empty() {
            return None;
        }
        let configuration = setup.configuration();
        let reports = statuses(&kernels, &REPORT).await.inspect_err(|error| note(error.message())).ok()?;
        let is_same =
            |(_, status): &(u32, KernelStatus)| status.configuration.as_ref() == Some(&configuration);
        let (pid, status) = reports.into_iter().find(is_same)?;
        let place = kernels.iter().position(|kernel| kernel.pid == pid)?;
        Some(Self { kernel: kernels.swap_remove(place), status })
    }

    /// Returns the states of the gateway's servers, refreshed if the gateway answers.
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

    /// Reports servers that are starting and that the call may need. Never returns.
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

/// Connects to the only running gateway of the state folder, or to the one with a process id.
pub(super) async fn connect(
    setup: &Setup,
    options: &Options,
    pid: Option<u32>,
    streams: bool,
) -> Result<RunningKernel, CliError> {
    if let Some(agent) = &options.agent {
        return Err(CliError::usage(format!(
            "the call with --keep-result or --ref is made by a running gateway for {:?}, the name of your account ($USER): expected no --agent, found {agent:?}",
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
                "a running gateway calls {tool:?} for {account}, the name of your account ($USER): `mgp access grant {account} SERVER` lets it use a server"
            ))
        }
        _ => error,
    }
}
