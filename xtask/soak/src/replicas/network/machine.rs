//! One machine: a network namespace with one address.

use std::{
    net::Ipv4Addr,
    process::{Child, Command, Stdio},
};

/// The network of all machines.
const PREFIX: [u8; 3] = [10, 77, 0];

/// One machine, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) name: String,
    /// The last part of the address.
    pub(super) number: u8,
    /// The process that keeps the namespace.
    holder: Child,
}

impl Machine {
    /// Starts the process that keeps a new namespace.
    pub(super) fn start(name: &str, number: u8) -> Result<Self, String> {
        let mut command = Command::new("unshare");
        // The process ends with its stdin, which this process keeps open.
        command.args(["--net", "--", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null());
        let holder = command.spawn().map_err(|error| format!("failed to run {command:?}: {error}"))?;
        Ok(Self { name: name.to_owned(), number, holder })
    }

    pub(super) fn process(&self) -> u32 {
        self.holder.id()
    }

    pub(crate) fn address(&self) -> Ipv4Addr {
        address(self.number)
    }

    /// Returns a command that runs a program on this machine. The process id of the command is that of the program.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new("nsenter");
        command
            .arg(format!("--net=/proc/{}/ns/net", self.process()))
            .arg("--")
            .arg(program)
            .stdin(Stdio::null());
        command
    }

    /// Sends all packets for another machine to nobody.
    pub(super) fn cut(&self, other: u8) -> Result<(), String> {
        let address = address(other).to_string();
        self.ip(&[
            "neigh",
            "replace",
            &address,
            "lladdr",
            "02:00:00:00:00:01",
            "nud",
            "permanent",
            "dev",
            "eth0",
        ])
    }

    /// Undoes [`cut`](Self::cut).
    pub(super) fn heal(&self, other: u8) -> Result<(), String> {
        self.ip(&["neigh", "del", &address(other).to_string(), "dev", "eth0"])
    }

    pub(super) fn ip(&self, arguments: &[&str]) -> Result<(), String> {
        succeed(self.command("ip").args(arguments))
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.holder.kill();
        let _ = self.holder.wait();
    }
}

/// Returns the address of a machine.
pub(super) fn address(number: u8) -> Ipv4Addr {
    let [a, b, c] = PREFIX;
    Ipv4Addr::new(a, b, c, number)
}

/// Runs a command to its end.
pub(super) fn succeed(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("failed to run {command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{command:?} ended with {}: {}",
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}
