//! The bridge that connects all machines. The hosts are on the machine of this process.

use super::machine::{Machine, address, succeed};
use std::{fs, process::Command, thread, time::Duration};

/// The bridge.
const BRIDGE: &str = "soak";
/// The number of the machine of this process.
const HOSTS: u8 = 1;
/// The time limit for a new namespace to exist, in steps of [`STEP`].
const STEPS: u32 = 1000;
const STEP: Duration = Duration::from_millis(10);

/// The bridge, and the number of the next machine.
#[derive(Debug)]
pub(crate) struct Network {
    next: u8,
}

impl Network {
    pub(crate) fn new() -> Result<Self, String> {
        ip(&["link", "set", "lo", "up"])?;
        // Without an address of its own, the bridge changes its address when a link goes down, and nobody reaches it for seconds.
        ip(&["link", "add", BRIDGE, "address", "02:00:00:00:00:02", "type", "bridge"])?;
        ip(&["addr", "add", &format!("{}/24", address(HOSTS)), "dev", BRIDGE])?;
        ip(&["link", "set", BRIDGE, "up"])?;
        Ok(Self { next: HOSTS + 1 })
    }

    /// Adds a machine.
    pub(crate) fn add(&mut self, name: &str) -> Result<Machine, String> {
        let machine = Machine::start(name, self.next)?;
        self.next += 1;
        wait_for_namespace(machine.process())?;
        let (link, process) = (link(&machine), machine.process().to_string());
        ip(&["link", "add", &link, "type", "veth", "peer", "name", "eth0", "netns", &process])?;
        ip(&["link", "set", &link, "master", BRIDGE, "up"])?;
        machine.ip(&["link", "set", "lo", "up"])?;
        machine.ip(&["addr", "add", &format!("{}/24", machine.address()), "dev", "eth0"])?;
        machine.ip(&["link", "set", "eth0", "up"])?;
        Ok(machine)
    }

    /// Drops all packets between two machines. Neither notices it.
    pub(crate) fn cut(one: &Machine, other: &Machine) -> Result<(), String> {
        one.cut(other.number)?;
        other.cut(one.number)
    }

    /// Undoes [`cut`](Self::cut).
    pub(crate) fn heal(one: &Machine, other: &Machine) -> Result<(), String> {
        one.heal(other.number)?;
        other.heal(one.number)
    }

    /// Takes a machine off the network, or puts it back.
    pub(crate) fn set_link(machine: &Machine, is_up: bool) -> Result<(), String> {
        ip(&["link", "set", &link(machine), if is_up { "up" } else { "down" }])
    }
}

/// Returns the end of a machine's link at the bridge.
fn link(machine: &Machine) -> String {
    format!("soak{}", machine.number)
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    succeed(Command::new("ip").args(arguments))
}

/// Waits until a process is in another network namespace than this one.
fn wait_for_namespace(process: u32) -> Result<(), String> {
    let namespace = |process: &str| fs::read_link(format!("/proc/{process}/ns/net")).ok();
    let own = namespace("self");
    for _ in 0..STEPS {
        if namespace(&process.to_string()).is_some_and(|its| Some(its) != own) {
            return Ok(());
        }
        thread::sleep(STEP);
    }
    Err("a network namespace was not made in time".to_owned())
}
