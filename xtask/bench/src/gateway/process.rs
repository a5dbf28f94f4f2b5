//! A program that serves during the measurement.

use crate::measure::resident_of;
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
/// The time without work after which a program has ended the work that follows its answers.
const IDLE: Duration = Duration::from_millis(750);
/// The time limit for that work.
const SETTLE: Duration = Duration::from_secs(3);

/// A program that serves, killed on drop.
#[derive(Debug)]
pub(crate) struct Process {
    name: &'static str,
    /// The file of the program's output, for errors.
    log: PathBuf,
    child: Child,
}

impl Process {
    /// Starts the program. Its output goes into a file in the folder.
    pub(super) fn start(mut command: Command, name: &'static str, folder: &Path) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("failed to start {name}: {error}");
        let log = folder.join(format!("{name}.log"));
        let file = File::create(&log).map_err(failed)?;
        command.stdout(file.try_clone().map_err(failed)?).stderr(file);
        let child = command.stdin(Stdio::piped()).kill_on_drop(true).spawn().map_err(failed)?;
        Ok(Self { name, log, child })
    }

    /// Returns the processor time that the program has used, in clock ticks. `None` on systems without `/proc`.
    fn work(&self) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()?)).ok()?;
        // The name of the program before the parenthesis may have spaces.
        let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        fields.map(|ticks| ticks.parse::<u64>().ok()).sum()
    }

    /// Returns the resident memory of the program, in KiB; 0 if it has ended, or the system does not report it.
    pub(crate) fn memory(&self) -> u64 {
        self.child.id().map_or(0, |id| resident_of(&id.to_string()))
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

/// Waits until the programs do no work, so that what one does after its answers is not measured with another.
pub(super) async fn settle(programs: &[&Process]) {
    let work = || programs.iter().map(|program| program.work()).collect::<Vec<_>>();
    let end = Instant::now() + SETTLE;
    let mut before = work();
    while Instant::now() < end {
        sleep(IDLE).await;
        let after = work();
        if after == before {
            return;
        }
        before = after;
    }
}

/// Returns an address of this machine that nothing listens on.
pub(super) fn free_address() -> Result<SocketAddr, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = listener.and_then(|listener| listener.local_addr());
    address.map_err(|error| format!("failed to find a free port: {error}"))
}
