//! `mgp reload`: makes running kernels read their configuration again.

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
    lifecycle::{ConfigurationChange, ReloadConfiguration},
    negotiation::ExtensionSet,
    rpc::Empty,
};
use serde::Serialize;

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

#[derive(Serialize)]
struct KernelReload {
    pid: u32,
    #[serde(flatten)]
    change: ConfigurationChange,
}

pub(crate) async fn run(options: &Options, args: ReloadArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let running = running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await?;
    let params = Empty::default();
    let asking = running
        .iter()
        .map(async |kernel| (kernel.pid, kernel.client.request::<ReloadConfiguration>(&params).await));
    let (mut kernels, mut refused) = (Vec::new(), Vec::new());
    for (pid, answer) in join_all(asking).await {
        match answer {
            Ok(change) => kernels.push(KernelReload { pid, change }),
            Err(error) => refused.push((pid, error)),
        }
    }
    if kernels.is_empty()
        && let Some((_, error)) = refused.pop()
    {
        return Err(CliError::from(error).with_exit(Exit::Configuration));
    }
    for (pid, error) in &refused {
        note(&format!("in the gateway of process {pid}: {error}"));
    }
    let exit = if refused.is_empty() { Exit::Success } else { Exit::Failed };
    let text: Vec<_> = kernels
        .iter()
        .map(|kernel| format!("gateway of process {}: {}", kernel.pid, kernel.change))
        .collect();
    Ok(Outcome::new(text.join("\n"), &Reloads { kernels })?.with_exit(exit))
}
