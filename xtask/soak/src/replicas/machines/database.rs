//! PostgreSQL, which can be restarted and paused.

use super::{
    process::{Process, signal_process},
    programs,
};
use crate::replicas::network::Machine;
use rustix::process::Signal;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};
use tokio::net::TcpStream;

const PORT: u16 = 5432;
/// The time limit for a start or an end.
const TIMEOUT: Duration = Duration::from_secs(60);
/// The pause between two attempts to connect.
const LOOK: Duration = Duration::from_millis(20);

/// PostgreSQL on a machine.
#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) machine: Machine,
    data: PathBuf,
    log: PathBuf,
    process: Option<Process>,
}

impl Database {
    /// Makes an empty database, and starts the server.
    pub(super) async fn start(machine: Machine, folder: &Path) -> Result<Self, String> {
        let (data, log) = (folder.join("database"), folder.join("database.log"));
        let mut command = unprivileged(&machine, &programs::path("initdb")?);
        command.args(["-A", "trust", "-U", "mgp", "--no-sync", "-D"]).arg(&data);
        let made = command.output().map_err(|error| format!("failed to run initdb: {error}"))?;
        if !made.status.success() {
            return Err(format!("initdb failed: {}", String::from_utf8_lossy(&made.stderr).trim()));
        }
        let rules = data.join("pg_hba.conf");
        let network = "host all all 10.77.0.0/24 trust\n";
        fs::write(&rules, network)
            .map_err(|error| format!("failed to write {}: {error}", rules.display()))?;
        let mut database = Self { machine, data, log, process: None };
        database.run().await?;
        Ok(database)
    }

    /// Returns the URL of the database.
    pub(super) fn url(&self) -> String {
        format!("postgres://mgp@{}:{PORT}/postgres", self.machine.address())
    }

    /// Starts the server, and waits until it accepts connections.
    async fn run(&mut self) -> Result<(), String> {
        let mut command = unprivileged(&self.machine, &programs::path("postgres")?);
        // After a crash of the server, unlike one of its machine, nothing depends on fsync.
        command
            .arg("-D")
            .arg(&self.data)
            .args(["-c", "listen_addresses=*", "-c", "fsync=off", "-c", "max_connections=200"])
            .args(["-c", "unix_socket_directories="]);
        let mut process = Process::start("PostgreSQL", &mut command, &self.log)?;
        let end = Instant::now() + TIMEOUT;
        let address = (self.machine.address(), PORT);
        while TcpStream::connect(address).await.is_err() {
            if let Some(status) = process.ended()? {
                return Err(format!("PostgreSQL ended with {status}: see {}", self.log.display()));
            }
            if Instant::now() >= end {
                return Err(format!("PostgreSQL did not start within {TIMEOUT:?}"));
            }
            tokio::time::sleep(LOOK).await;
        }
        self.process = Some(process);
        Ok(())
    }

    /// Ends the server at once, as `pg_ctl -m immediate stop` does, and starts it again.
    pub(crate) async fn restart(&mut self) -> Result<(), String> {
        if let Some(mut process) = self.process.take() {
            process.signal(Signal::QUIT)?;
            process.end(TIMEOUT).await?;
        }
        self.run().await
    }

    /// Stops the server and the processes of its connections, or continues them.
    pub(crate) fn set_paused(&self, is_paused: bool) -> Result<(), String> {
        let Some(process) = &self.process else { return Ok(()) };
        process.signal(if is_paused { Signal::STOP } else { Signal::CONT })?;
        for child in children(process.id()) {
            // A connection may have ended meanwhile.
            let _ = signal_process(child, if is_paused { Signal::STOP } else { Signal::CONT });
        }
        Ok(())
    }
}

/// Returns a command that runs a program as another user than root, whom PostgreSQL refuses.
fn unprivileged(machine: &Machine, program: &str) -> Command {
    let mut command = machine.command("unshare");
    command.args(["--user", "--map-user=1000", "--map-group=1000", "--", program]);
    command
}

/// Returns the children of a process.
fn children(parent: u32) -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter(|process| parent_of(*process) == Some(parent)).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name in brackets: state, parent.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}
