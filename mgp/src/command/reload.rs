//! `mgp reload`: makes running kernels read their configuration again.

use crate::{
    control::{RunningKernel, kernels_that_run, running_kernels},
    error::CliError,
    exit::Exit,
    options::Options,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use futures_util::future::join_all;
use mgp_transport::seam::CallError;
use mgp_types::{
    lifecycle::{ConfigurationChange, ReloadConfiguration},
    negotiation::ExtensionSet,
    rpc::Empty,
};
use serde::Serialize;
use std::fmt;

/// Make running gateways read their configuration again, and show the changes
///
/// A gateway also does so when its file changes, and on SIGHUP. Servers whose settings changed are drained and restarted. The others keep
/// running, and so do their calls. A file with errors changes nothing.
#[derive(Debug, Args)]
pub(crate) struct ReloadArgs {
    /// Only the gateway with this process id
    #[arg(long)]
    pid: Option<u32>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct Reloads {
    kernels: Vec<KernelReload>,
}

/// The changes that took effect in one gateway.
#[derive(Debug, Serialize)]
pub(super) struct KernelReload {
    pid: u32,
    #[serde(flatten)]
    change: ConfigurationChange,
}

impl fmt::Display for KernelReload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gateway of process {}: {}", self.pid, self.change)
    }
}

/// A gateway that keeps its configuration.
#[derive(Debug, Serialize)]
pub(super) struct RefusedReload {
    pid: u32,
    reason: String,
    #[serde(skip)]
    error: CallError,
}

impl fmt::Display for RefusedReload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in the gateway of process {}: {}", self.pid, self.reason)
    }
}

pub(crate) async fn run(options: &Options, args: ReloadArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let running = running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await?;
    let (kernels, mut refused) = reload(&running).await;
    if kernels.is_empty()
        && let Some(RefusedReload { error, .. }) = refused.pop()
    {
        return Err(CliError::from(error).with_exit(Exit::Configuration));
    }
    refused.iter().for_each(|refused| note(&refused.to_string()));
    let exit = if refused.is_empty() { Exit::Success } else { Exit::Failed };
    let text: Vec<_> = kernels.iter().map(ToString::to_string).collect();
    Ok(Outcome::new(text.join("\n"), &Reloads { kernels })?.with_exit(exit))
}

/// Makes the gateways that run read their configuration again, if there are any. Returns those that did, and those that keep theirs.
pub(super) async fn reload_running(setup: &Setup) -> (Vec<KernelReload>, Vec<RefusedReload>) {
    reload(&kernels_that_run(setup, ExtensionSet::EMPTY).await).await
}

async fn reload(running: &[RunningKernel]) -> (Vec<KernelReload>, Vec<RefusedReload>) {
    let params = Empty::default();
    let asking = running
        .iter()
        .map(async |kernel| (kernel.pid, kernel.client.request::<ReloadConfiguration>(&params).await));
    let (mut kernels, mut refused) = (Vec::new(), Vec::new());
    for (pid, answer) in join_all(asking).await {
        match answer {
            Ok(change) => kernels.push(KernelReload { pid, change }),
            Err(error) => refused.push(RefusedReload { pid, reason: error.to_string(), error }),
        }
    }
    (kernels, refused)
}
