//! `mgp console`: opens the console in the browser.

use crate::{
    command::role::RoleArg,
    control::running_kernels,
    error::CliError,
    operator::operator,
    options::Options,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use mgp_types::{
    lifecycle::{OpenConsole, OpenConsoleParams},
    negotiation::ExtensionSet,
};
use serde::Serialize;

/// Open the console in the browser: what agents do, what waits for a decision, what agents may
///
/// Prints the address and opens it. It signs in once, within two minutes. The console is served by the running gateway, on this machine only;
/// through SSH, forward its port: `ssh -L PORT:127.0.0.1:PORT HOST`.
#[derive(Debug, Args)]
pub(crate) struct ConsoleArgs {
    /// The role in the console
    #[arg(long, value_enum, default_value_t = RoleArg::Admin)]
    role: RoleArg,
    /// Only print the address
    #[arg(long)]
    print: bool,
    /// Only the gateway with this process id
    #[arg(long)]
    pid: Option<u32>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct ConsoleReport {
    pid: u32,
    address: String,
}

pub(crate) async fn run(options: &Options, args: ConsoleArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let kernels = running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await?;
    let Some((kernel, others)) = kernels.split_first() else { return Ok(Outcome::silent()) };
    if !others.is_empty() {
        note(&format!(
            "several gateways run; this is the console of process {}: --pid names another one",
            kernel.pid
        ));
    }
    let params = OpenConsoleParams { role: args.role.role(), name: operator().id().to_owned() };
    let address = kernel.client.request::<OpenConsole>(&params).await?.address;
    if !args.print && !options.json {
        let opened = address.clone();
        let opened = tokio::task::spawn_blocking(move || open::that_detached(opened)).await;
        if !matches!(opened, Ok(Ok(()))) {
            note("no browser could be opened: open the address yourself");
        }
    }
    Outcome::new(address.clone(), &ConsoleReport { pid: kernel.pid, address })
}
