//! HAProxy, with the configuration that the repository ships.

use super::{process::Process, programs, replica};
use crate::replicas::network::Machine;
use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
};

/// The shipped configuration.
const SHIPPED: &str = include_str!("../../../../../deploy/haproxy.cfg");
const PORT: u16 = 8080;
/// The most connections of hosts.
const MAX_CONNECTIONS: usize = 4000;

/// The balancer in front of the replicas.
#[derive(Debug)]
pub(super) struct Balancer {
    pub(super) machine: Machine,
    _process: Process,
}

impl Balancer {
    pub(super) fn start(machine: Machine, folder: &Path, replicas: &[Ipv4Addr]) -> Result<Self, String> {
        let file = folder.join("haproxy.cfg");
        let text = configuration(replicas)?;
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

/// Returns the shipped configuration, with fixed addresses instead of the names of Docker.
fn configuration(replicas: &[Ipv4Addr]) -> Result<String, String> {
    let mut text = String::new();
    let (mut is_resolvers, mut has_servers) = (false, false);
    for line in SHIPPED.lines() {
        let is_section = line.starts_with(|first: char| first.is_ascii_lowercase());
        is_resolvers = if is_section { line.starts_with("resolvers ") } else { is_resolvers };
        if is_resolvers {
            continue;
        }
        if line.trim_start().starts_with("maxconn ") {
            // Twice as many must fit into the limit of open files.
            text.push_str(&format!("    maxconn {MAX_CONNECTIONS}\n"));
        } else if let Some(template) = line.trim_start().strip_prefix("server-template ") {
            has_servers = true;
            let options = options(template);
            for (number, address) in replicas.iter().enumerate() {
                text.push_str(&format!("    server replica{number} {address}:{}{options}\n", replica::PORT));
            }
        } else {
            text.push_str(line);
            text.push('\n');
        }
    }
    // The servers of `server-template` are checked because of its resolvers' answers.
    if has_servers { Ok(text) } else { Err("deploy/haproxy.cfg has no servers".to_owned()) }
}

/// Returns the options of the servers of a template, without those about names.
fn options(template: &str) -> String {
    let mut words = template.split_whitespace().skip(3);
    let mut options = String::new();
    while let Some(word) = words.next() {
        if matches!(word, "resolvers" | "init-addr") {
            words.next();
        } else {
            options.push(' ');
            options.push_str(word);
        }
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_configuration_is_used_with_fixed_addresses() {
        let text = configuration(&[Ipv4Addr::new(10, 0, 0, 1), Ipv4Addr::new(10, 0, 0, 2)]).unwrap();
        assert!(
            text.contains(
                "server replica0 10.0.0.1:7433 tcp-ut 1s\n    server replica1 10.0.0.2:7433 tcp-ut 1s\n"
            ),
            "{text}"
        );
        assert!(text.contains("balance roundrobin") && text.contains("frontend hosts"), "{text}");
        assert!(!text.contains("dns") && !text.contains("server-template"), "{text}");
    }
}
