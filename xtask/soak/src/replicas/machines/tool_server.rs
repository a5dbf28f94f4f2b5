//! The tool server over HTTP.

use super::process::Process;
use crate::replicas::{network::Machine, tools};
use std::{env, net::SocketAddr, path::Path};

const PORT: u16 = 9000;

/// The tool server that all replicas use.
#[derive(Debug)]
pub(super) struct ToolServer {
    pub(super) address: SocketAddr,
    _machine: Machine,
    _process: Process,
}

impl ToolServer {
    pub(super) fn start(machine: Machine, folder: &Path, effects: &Path) -> Result<Self, String> {
        let address = (machine.address(), PORT).into();
        let program = env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
        let mut command = machine.command(&super::programs::text(&program)?);
        command.args(["--tools", tools::REMOTE]).arg(effects).arg(format!("{address}"));
        let process = Process::start("the tool server", &mut command, &folder.join("tools.log"))?;
        Ok(Self { address, _machine: machine, _process: process })
    }
}
