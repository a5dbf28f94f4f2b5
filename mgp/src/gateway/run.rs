//! The gateway's process: serves every host that hands over its streams, and ends when it has been idle.

use super::{
    handover::{GatewayMessage, Messages},
    place::GatewayPlace,
    session::Arrival,
};
#[cfg(feature = "console")]
use crate::console::ConsoleServer;
use crate::{error::CliError, output::note, setup::Reloader, signals::Signals};
use mgp_kernel::Kernel;
use mgp_transport::local_socket::{LocalListener, LocalStream};
use mgp_types::context::{ActorType, Principal};
use std::{
    fs,
    io::{self, Write},
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

/// The most hosts at the same time.
const MAX_HOSTS: usize = 1024;
/// The pause after a failure to accept a connection, for example because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(200);
/// The longest interval in which a gateway without hosts checks whether something else uses it.
const LOOK: Duration = Duration::from_secs(1);
/// The time limit for writing the last answers after all servers have stopped.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// The time limit for the changes of the configuration that a host waits for.
const CATCH_UP: Duration = Duration::from_secs(5);

/// The socket of a gateway. Its file is removed when this value is dropped.
#[derive(Debug)]
pub(crate) struct GatewayListener {
    listener: LocalListener,
    gateway: Arc<Gateway>,
}

/// A gateway, as its sessions see it.
#[derive(Debug)]
struct Gateway {
    kernel: Kernel,
    reloader: Arc<Reloader>,
    #[cfg(feature = "console")]
    console: Arc<ConsoleServer>,
    socket: PathBuf,
    /// The number of hosts that are served.
    served: AtomicUsize,
    /// True if another gateway has the place. No more hosts are taken then.
    leaves: AtomicBool,
}

impl GatewayListener {
    /// Listens at a place, in a session of its own, so that the signals of a terminal do not reach it. The process that starts the gateway holds
    /// the lock of the place, so a socket that is there is left over.
    ///
    /// # Errors
    /// If the system refuses.
    pub(crate) fn bind(
        place: &GatewayPlace,
        kernel: &Kernel,
        reloader: &Arc<Reloader>,
        #[cfg(feature = "console")] console: Arc<ConsoleServer>,
    ) -> io::Result<Self> {
        // It fails for a process that leads a session already.
        let _ = rustix::process::setsid();
        match fs::remove_file(&place.socket) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = LocalListener::bind(&place.socket)?;
        let gateway = Gateway {
            kernel: kernel.clone(),
            reloader: reloader.clone(),
            #[cfg(feature = "console")]
            console,
            socket: place.socket.clone(),
            served: AtomicUsize::new(0),
            leaves: AtomicBool::new(false),
        };
        Ok(Self { listener, gateway: Arc::new(gateway) })
    }

    /// Serves hosts until nothing has used the kernel for `idle`, a signal arrives, or a host with the admin role stops the kernel.
    pub(crate) async fn serve(self, idle: Option<Duration>, signals: &mut Signals) -> Result<(), CliError> {
        // The process that started this one waits for a line and for the end of the pipe.
        say_listening()?;
        let (end, mut hosts) = (CancellationToken::new(), JoinSet::new());
        let kernel = self.gateway.kernel.clone();
        tokio::select! {
            () = self.accept(&mut hosts, &end, idle) => {}
            () = signals.next() => {}
            () = kernel.stop_requested() => {}
        }
        drop(self);
        end.cancel();
        let parting = async {
            kernel.shutdown().await;
            let _ = timeout(LAST_ANSWERS, async { while hosts.join_next().await.is_some() {} }).await;
        };
        tokio::select! {
            () = parting => {}
            () = signals.next() => note("calls that were running are cut off"),
        }
        Ok(())
    }

    /// Serves each host until the gateway is idle, or until the last host of a gateway that leaves is gone.
    async fn accept(&self, hosts: &mut JoinSet<()>, end: &CancellationToken, idle: Option<Duration>) {
        let mut used = Instant::now();
        loop {
            let leaves = self.gateway.leaves.load(Ordering::Relaxed);
            if !hosts.is_empty() || self.gateway.is_used() {
                used = Instant::now();
            } else if leaves || idle.is_some_and(|idle| used.elapsed() >= idle) {
                return;
            }
            tokio::select! {
                accepted = self.listener.accept(), if hosts.len() < MAX_HOSTS => match accepted {
                    Ok(stream) => drop(hosts.spawn(self.gateway.clone().host(stream, end.child_token()))),
                    Err(error) => {
                        tracing::warn!(%error, "a connection to the gateway was not taken");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
                Some(_) = hosts.join_next() => {}
                // Other users of the kernel do not announce that they have ended.
                () = sleep(idle.map_or(LOOK, |idle| LOOK.min(idle))) => {}
            }
        }
    }
}

impl Drop for GatewayListener {
    fn drop(&mut self) {
        self.gateway.leave();
    }
}

impl Gateway {
    /// Returns whether anything but a host uses the gateway.
    fn is_used(&self) -> bool {
        #[cfg(feature = "console")]
        if self.console.is_used() {
            return true;
        }
        self.kernel.is_used()
    }

    /// Takes no more hosts, and makes the place free.
    fn leave(&self) {
        if !self.leaves.swap(true, Ordering::Relaxed) {
            // If this fails, the next gateway removes it.
            let _ = fs::remove_file(&self.socket);
        }
    }

    /// Serves one host until its session ends.
    async fn host(self: Arc<Self>, stream: LocalStream, end: CancellationToken) {
        let served = async {
            let arrival = Arrival::receive(Messages::over(stream)).await?;
            if self.leaves.load(Ordering::Relaxed) || self.is_outdated(&arrival.handover.version).await {
                // The host's process starts another gateway as soon as it has the answer.
                self.leave();
                return arrival.process.send(&GatewayMessage::Leaving, &[]).await;
            }
            self.kernel.access().add_agent(&arrival.handover.agent);
            self.served.fetch_add(1, Ordering::Relaxed);
            let served = arrival.serve(self.kernel.face(), self.kernel.drain_limit(), end).await;
            self.served.fetch_sub(1, Ordering::Relaxed);
            served
        };
        if let Err(error) = served.await {
            tracing::warn!(%error, "a host was not served to the end of its session");
        }
    }

    /// Returns whether a host needs another gateway: its program is of a later version, or the configuration has changed in a way that needs a
    /// restart, and no other host is served.
    async fn is_outdated(&self, version: &str) -> bool {
        if is_later(version, env!("CARGO_PKG_VERSION")) {
            return true;
        }
        let by = Principal::new("kernel", ActorType::Kernel, true);
        let needs_restart = timeout(CATCH_UP, Box::pin(self.reloader.catch_up(&by))).await.unwrap_or(false);
        needs_restart && self.served.load(Ordering::Relaxed) == 0
    }
}

fn say_listening() -> io::Result<()> {
    let mut stdout = io::stdout();
    writeln!(stdout, "listening")?;
    stdout.flush()?;
    let null = fs::OpenOptions::new().write(true).open("/dev/null")?;
    Ok(rustix::stdio::dup2_stdout(&null)?)
}

/// Returns whether a version is later than another. Other text is never later.
fn is_later(version: &str, than: &str) -> bool {
    let [version, than] = [version, than].map(semver::Version::parse);
    matches!((version, than), (Ok(version), Ok(than)) if version > than)
}

#[cfg(test)]
mod tests {
    use super::is_later;

    #[test]
    fn only_a_later_version_replaces_a_gateway() {
        for (version, than, expected) in [
            ("0.10.0", "0.9.1", true),
            ("0.1.0", "0.1.0", false),
            ("0.1.0", "0.2.0", false),
            ("1.0.0-rc.1", "0.9.0", true),
            ("1.0.0-rc.1", "1.0.0", false),
            ("latest", "0.1.0", false),
        ] {
            assert_eq!(is_later(version, than), expected, "{version} {than}");
        }
    }
}
