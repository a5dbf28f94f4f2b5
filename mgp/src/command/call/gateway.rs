//! `mgp call --keep-result` and `--ref`: the running gateway that makes the call, because what it keeps ends with it.

use crate::{
    args::Options,
    control::{RunningKernel, running_kernels},
    error::CliError,
    host::Host,
    setup::{Setup, operator},
};
use mgp_client_sdk::kernel::command_word;
use mgp_types::error::ErrorCode;

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
