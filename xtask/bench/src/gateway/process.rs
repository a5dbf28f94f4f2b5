//! A program that serves during the measurement.

use std::{
    fs::File,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep},
};

/// The time limit for a program to answer its first call.
const START: Duration = Duration::from_secs(120);
/// The pause between two attempts at the first call.
const PAUSE: Duration = Duration::from_millis(50);

/// A program that serves, killed on drop.
#[derive(Debug)]
pub(super) struct Process {
    name: &'static str,
    /// The file of the program's output, for errors.
    log: PathBuf,
    _child: Child,
}

impl Process {
    /// Starts the program. Its output goes into a file in the folder.
    pub(super) fn start(mut command: Command, name: &'static str, folder: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("failed to start {name}: {error}");
        let log = folder.join(format!("{name}.log"));
        let file = File::create(&log).map_err(failed)?;
        command.stdout(file.try_clone().map_err(failed)?).stderr(file);
        let child = command.stdin(Stdio::piped()).kill_on_drop(true).spawn().map_err(failed)?;
        Ok(Self { name, log, _child: child })
    }

    /// Calls until the program answers correctly.
    pub(super) async fn ready<F>(&self, ask: impl Fn() -> F) -> Result<(), String>
    where
        F: Future<Output = Result<(), String>>,
    {
        let end = Instant::now() + START;
        loop {
            let error = match tokio::time::timeout_at(end, ask()).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(error)) => error,
                Err(_) => "no answer".to_owned(),
            };
            if Instant::now() >= end {
                let said = std::fs::read_to_string(&self.log).unwrap_or_default();
                return Err(format!("{} did not serve within {START:?}: {error}\n{said}", self.name));
            }
            sleep(PAUSE).await;
        }
    }
}

/// Returns an address of this machine that nothing listens on.
pub(super) fn free_address() -> Result<SocketAddr, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.map_err(|error| format!("failed to find a free port: {error}"))
}
