//! HAProxy, with the configuration that the repository ships.

use super::{process::Process, programs, replica};
use crate::replicas::network::Machine;
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
};
use xtask_testing::haproxy_configuration;

const PORT: u16 = 8080;

/// The balancer in front of the replicas.
#[derive(Debug)]
pub(super) struct Balancer {
    pub(super) machine: Machine,
    _process: Process,
}

impl Balancer {
    pub(super) fn start(machine: Machine, folder: &Path, replicas: &[Ipv4Addr]) -> Result<Self, String> {
        let file = folder.join("haproxy.cfg");
        let replicas: Vec<_> =
            replicas.iter().map(|address| SocketAddr::from((*address, replica::PORT))).collect();
        let text = haproxy_configuration(&format!(":{PORT}"), &replicas)?;
        fs::write(&file, text).map_err(|error| format!("failed to write {}: {error}", file.display()))?;
        let mut command = machine.command(&programs::path("haproxy")?);
        command.arg("-db").arg("-f").arg(&file);
        let process = Process::start("haproxy", &mut command, &folder.join("haproxy.log"))?;
        Ok(Self { machine, _process: process })
    }

    pub(super) fn address(&self) -> SocketAddr {
        (self.machine.address(), PORT).into()
    }
}
