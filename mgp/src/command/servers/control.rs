//! `mgp servers start`, `stop`, `restart` and `drain`: controls single servers of running kernels.

use crate::{
    command::known::known_server,
    control::{RunningKernel, running_kernels},
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note, on_one_line, table_of_reasons},
    setup::Setup,
    signals::Signals,
};
use clap::Args;
use futures_util::future::join_all;
use mgp_transport::seam::CallError;
use mgp_types::{
    error::ErrorCode,
    json::RawObject,
    lifecycle::{ControlServer, ControlServerParams, ControlServerResult, ServerAction, ServerState},
    negotiation::ExtensionSet,
    rpc::ErrorObject,
};
use serde::Serialize;

/// The server that a command controls.
#[derive(Debug, Args)]
pub(super) struct ControlArgs {
    /// The server, by its id or an unambiguous beginning of it
    id: String,
    /// Only the gateway with this process id; by default, every running gateway that has the server
    #[arg(long)]
    pid: Option<u32>,
    /// The reason, recorded in the audit trail
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// The server that a command controls after waiting for running calls.
#[derive(Debug, Args)]
pub(super) struct DrainArgs {
    #[command(flatten)]
    server: ControlArgs,
    /// Maximum time for running calls to end, in seconds; defaults to the server's shutdown_timeout_ms
    #[arg(long, value_name = "SECS", value_parser = clap::value_parser!(u64).range(0..=3600))]
    timeout: Option<u64>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct ControlReport {
    servers: Vec<ControlledServer>,
}

#[derive(Serialize)]
struct ControlledServer {
    pid: u32,
    #[serde(flatten)]
    result: ControlServerResult,
}

pub(super) async fn drain(
    options: &Options,
    action: ServerAction,
    args: DrainArgs,
) -> Result<Outcome, CliError> {
    control(options, action, args.server, args.timeout.map(|seconds| seconds * 1000)).await
}

pub(super) async fn run(
    options: &Options,
    action: ServerAction,
    args: ControlArgs,
) -> Result<Outcome, CliError> {
    control(options, action, args, None).await
}

async fn control(
    options: &Options,
    action: ServerAction,
    args: ControlArgs,
    timeout_ms: Option<u64>,
) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let kernels = running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await?;
    // Signals are handled from here on: before a kernel is asked, a signal ends the program as usual.
    let mut signals = Signals::listen()?;
    let mut params = ControlServerParams { server_id: args.id, action, timeout_ms, reason: args.reason };
    let meant = known_server(&setup, &params.server_id).await;
    let asking = async {
        let mut answers = ask(&kernels, &params).await;
        // A kernel with another configuration may have a server with exactly this id.
        if meant != params.server_id
            && answers
                .iter()
                .all(|(_, answer)| matches!(answer, Err(CallError::Peer(error)) if is_not_found(error)))
        {
            params.server_id = meant;
            answers = ask(&kernels, &params).await;
        }
        answers
    };
    let answers = tokio::select! {
        answers = asking => answers,
        () = signals.next() => {
            return Err(CliError::failed("the command continues in the gateway").help("see `mgp status`"));
        }
    };
    let (mut servers, mut refused, mut unknown) = (Vec::new(), Vec::new(), None);
    for (pid, answer) in answers {
        match answer {
            Ok(result) => servers.push(ControlledServer { pid, result }),
            Err(CallError::Peer(error)) if is_not_found(&error) => {
                unknown = Some(error);
            }
            Err(error) => refused.push((pid, error)),
        }
    }
    if servers.is_empty() {
        // An error of a kernel that has the server is more useful than one of a kernel without it.
        return Err(match (refused.pop(), unknown) {
            (Some((_, error)), _) => CliError::from(error).help("see `mgp status`"),
            (None, Some(error)) => CliError::from(error).with_exit(Exit::NotFound).help("see `mgp status`"),
            (None, None) => CliError::failed("no gateway answered"),
        });
    }
    for (pid, error) in &refused {
        note(&format!("in the gateway of process {pid}: {error}"));
    }
    // Kernels that share a server follow its owner.
    refused.retain(|(_, error)| !is_left_to(error, &servers));
    let failed = servers.iter().any(|server| !is_reached(action, &server.result));
    let exit = if failed || !refused.is_empty() { Exit::Failed } else { Exit::Success };
    let rows = servers.iter().map(|ControlledServer { pid, result }| {
        let on_the_way = if result.done { "" } else { " (on its way)" };
        [
            pid.to_string(),
            result.server_id.clone(),
            result.previous_state.to_string(),
            format!("{}{on_the_way}", result.state),
            on_one_line(&result.reason),
        ]
    });
    let text = table_of_reasons(["gateway", "server", "before", "now", "reason"], 2, rows);
    Ok(Outcome::new(text, &ControlReport { servers })?.with_exit(exit))
}

/// Returns whether a kernel left a command to another kernel, which carried it out.
fn is_left_to(error: &CallError, servers: &[ControlledServer]) -> bool {
    let CallError::Peer(error) = error else { return false };
    let data = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
    let owner = data.and_then(|data| data.decode::<u32>("owner_pid").ok().flatten());
    owner.is_some_and(|owner| servers.iter().any(|server| server.pid == owner))
}

/// Sends the command to each kernel.
async fn ask(
    kernels: &[RunningKernel],
    params: &ControlServerParams,
) -> Vec<(u32, Result<ControlServerResult, CallError>)> {
    let asking = kernels.iter().map(async |kernel| {
        let answer = kernel.client.request::<ControlServer>(params).await;
        (kernel.pid, answer)
    });
    join_all(asking).await
}

/// Returns whether an error means that the kernel has no such server.
fn is_not_found(error: &ErrorObject) -> bool {
    error.code == i64::from(ErrorCode::ResourceNotFound)
}

/// Returns whether a server is in the commanded state.
fn is_reached(action: ServerAction, result: &ControlServerResult) -> bool {
    let wanted = match action {
        ServerAction::Start | ServerAction::Restart => result.state == ServerState::Connected,
        // A server that was never started has nothing to stop.
        ServerAction::Stop | ServerAction::Drain => {
            matches!(result.state, ServerState::Disconnected | ServerState::Registered)
        }
    };
    result.done && wanted
}
