//! `mgp stop`: ends running gateways.

use crate::{
    control::running_kernels,
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use futures_util::future::join_all;
use mgp_types::{
    lifecycle::{Shutdown, ShutdownParams, ShutdownReason},
    negotiation::ExtensionSet,
};
use serde::Serialize;

/// End running gateways, and their servers with them
///
/// Running calls are finished first, within the time limits of their servers. A host that is still connected loses its tools until it starts
/// `mgp serve` again.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// Only the gateway with this process id
    #[arg(long)]
    pid: Option<u32>,
    /// Time that running calls get, in seconds, instead of the time limits of their servers
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(..=3600))]
    within: Option<u64>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct StopReport {
    stopped: Vec<u32>,
}

pub(crate) async fn run(options: &Options, args: StopArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let running = running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await?;
    let params = ShutdownParams {
        reason: ShutdownReason::OperatorRequest,
        timeout_ms: args.within.map(|seconds| seconds * 1000),
    };
    let stopping = running.iter().map(async |kernel| {
        let answer = kernel.client.request::<Shutdown>(&params).await;
        if let Ok(answer) = &answer {
            if let Some(calls) = answer.pending_requests.filter(|calls| *calls > 0) {
                let limit = answer.estimated_drain_ms.unwrap_or_default().div_ceil(1000);
                note(&format!("process {} finishes {calls} calls, for up to {limit} s", kernel.pid));
            }
            kernel.client.peer().closed().await;
        }
        (kernel.pid, answer)
    });
    let (mut stopped, mut refused) = (Vec::new(), None);
    for (pid, answer) in join_all(stopping).await {
        match answer {
            Ok(_) => stopped.push(pid),
            Err(error) => {
                note(&format!("in the gateway of process {pid}: {error}"));
                refused = Some(error);
            }
        }
    }
    if stopped.is_empty()
        && let Some(error) = refused
    {
        return Err(CliError::from(error));
    }
    let exit = if refused.is_none() { Exit::Success } else { Exit::Failed };
    let text: Vec<_> = stopped.iter().map(|pid| format!("gateway of process {pid}: stopped")).collect();
    Ok(Outcome::new(text.join("\n"), &StopReport { stopped })?.with_exit(exit))
}
