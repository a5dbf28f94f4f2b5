//! One replica of the gateway.

use super::{
    configuration::Settings,
    process::Process,
    programs::{self, text},
};
use crate::{replicas::network::Machine, wire::Connection};
use rustix::process::Signal;
use std::{
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// The port of hosts, and that of other replicas.
pub(super) const PORT: u16 = 7433;
pub(super) const PEERS: u16 = 7434;
/// The time limit for a start.
const START: Duration = Duration::from_secs(120);
/// The time limit for the end after SIGTERM, which the documentation names, and some more for a busy machine.
const END: Duration = Duration::from_secs(120);
/// The time limit of one look at `/readyz`, and the pause before the next one.
const ANSWER: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(50);

/// One replica.
#[derive(Debug)]
pub(crate) struct Replica {
    pub(crate) machine: Machine,
    folder: PathBuf,
    process: Option<Process>,
}

impl Replica {
    /// Writes the files of a replica, and does not start it yet.
    pub(super) fn new(machine: Machine, folder: &Path, settings: &Settings<'_>) -> Result<Self, String> {
        let folder = folder.join(&machine.name);
        let failed = |error| format!("failed to write to {}: {error}", folder.display());
        fs::create_dir_all(folder.join("home")).map_err(failed)?;
        fs::write(folder.join("mgp.toml"), settings.text()).map_err(failed)?;
        Ok(Self { machine, folder, process: None })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        (self.machine.address(), PORT).into()
    }

    /// Starts the process, and returns before it is ready.
    pub(crate) fn start(&mut self) -> Result<(), String> {
        let mut command = self.command(&["serve"])?;
        self.process = Some(Process::start(&self.machine.name, &mut command, &self.folder.join("log"))?);
        Ok(())
    }

    /// Waits until the replica is ready for hosts.
    pub(crate) async fn ready(&mut self) -> Result<(), String> {
        let end = Instant::now() + START;
        loop {
            if tokio::time::timeout(ANSWER, is_ready(self.address())).await == Ok(Some(true)) {
                return Ok(());
            }
            if let Some(process) = &mut self.process
                && let Some(status) = process.ended()?
            {
                return Err(format!("{} ended with {status}: see {}", self.machine.name, self.log()));
            }
            if Instant::now() >= end {
                return Err(format!(
                    "{} was not ready within {START:?}: see {}",
                    self.machine.name,
                    self.log()
                ));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Kills the process.
    pub(crate) async fn kill(&mut self) -> Result<(), String> {
        self.stop(Signal::KILL).await
    }

    /// Asks the process to end, and waits for its end.
    pub(crate) async fn end(&mut self) -> Result<(), String> {
        self.stop(Signal::TERM).await
    }

    async fn stop(&mut self, signal: Signal) -> Result<(), String> {
        let Some(mut process) = self.process.take() else { return Ok(()) };
        process.signal(signal)?;
        let status = process.end(END).await?;
        if signal == Signal::TERM && !status.success() {
            return Err(format!(
                "{} ended with {status} after SIGTERM: see {}",
                self.machine.name,
                self.log()
            ));
        }
        Ok(())
    }

    /// Returns what a command of the gateway writes to stdout, with the state of this replica.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let output = self.command(arguments)?.output();
        let output = output.map_err(|error| format!("failed to run mgp {arguments:?}: {error}"))?;
        let written =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let [out, errors] = written;
        if output.status.success() {
            return Ok(out);
        }
        Err(format!(
            "mgp {} of {} ended with {}: {out}{errors}",
            arguments.join(" "),
            self.machine.name,
            output.status
        ))
    }

    fn log(&self) -> String {
        self.folder.join("log").display().to_string()
    }

    fn command(&self, arguments: &[&str]) -> Result<Command, String> {
        let mut command = self.machine.command(&programs::gateway()?);
        let home = self.folder.join("home");
        command
            .arg("--trust")
            .args(arguments)
            .args(["--config", &text(&self.folder.join("mgp.toml"))?])
            .args((arguments == ["serve"]).then_some("--http"))
            .current_dir(&home)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", home.join(".config"))
            .env("MGP_STATE_DIR", self.folder.join("state"))
            .env("USER", "soak")
            .env("MGP_KEYRING", "off")
            .env("MGP_ALONE", "1");
        Ok(command)
    }
}

/// Returns whether `/readyz` responds 200; `None` if nothing responds.
async fn is_ready(address: SocketAddr) -> Option<bool> {
    let mut connection = Connection::open(address).await.ok()?;
    let request = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.send(request.as_bytes()).await.ok()?;
    let (head, _) = connection.head().await.ok()?;
    Some(head.status == 200)
}
