//! Windows of time without and with the bad servers, in turn.

use super::{Comparison, Latencies, processes::ProcessStarter, ratios::MIN_PAIRS};
use crate::{
    bad_servers,
    configuration::ConfigurationFile,
    hosts::{Host, SharedState},
    report,
};
use mgp_kernel::{Kernel, Principal};
use mgp_types::lifecycle::ServerState;
use std::{net::SocketAddr, time::Duration};
use tokio::{
    runtime::Handle,
    task::JoinSet,
    time::{Instant, sleep},
};

/// The number of hosts that measure.
const HOSTS: usize = 6;
/// The number of hosts that call bad servers.
const BAD_HOSTS: usize = 4;
/// The pause before a window, in which servers are added or removed.
const SETTLE: Duration = Duration::from_secs(1);
/// The length of a window.
const WINDOW: Duration = Duration::from_secs(3);
/// The time limit for the bad servers to disappear.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(30);
/// The pause between two checks of the servers.
const LOOK: Duration = Duration::from_millis(50);

/// The parts that the windows need.
#[derive(Debug)]
pub(crate) struct Stage<'a> {
    pub(crate) kernel: &'a Kernel,
    /// The state of the hosts, except the time.
    pub(crate) shared: SharedState,
    pub(crate) kernel_side: &'a Handle,
    /// The runtime of the hosts of bad servers, which must not delay those that measure.
    pub(crate) bad_side: &'a Handle,
    /// The address of the bad servers over HTTP.
    pub(crate) http: SocketAddr,
}

impl Stage<'_> {
    /// Measures until the time has passed and there are enough pairs.
    pub(crate) async fn run(&self, mut file: ConfigurationFile, time: Duration) -> Comparison {
        let (mut comparison, end) = (Comparison::default(), Instant::now() + time);
        while Instant::now() < end || comparison.pairs.len() < MIN_PAIRS {
            let pair = comparison.pairs.len() as u64;
            sleep(SETTLE).await;
            let alone = self.window(pair).await;
            comparison.memory.push(report::resident());
            let processes = ProcessStarter::start();
            comparison.with_processes.push(self.window(pair).await);
            processes.stop();
            file.bad = Some(self.http);
            if !self.reconfigure(&file).await {
                break;
            }
            let until = Instant::now() + SETTLE + WINDOW;
            let mut bad = JoinSet::new();
            for number in 0..BAD_HOSTS {
                let host = Host::new(&self.shared(pair, until), HOSTS + number);
                bad.spawn_on(host.call_bad(), self.bad_side);
            }
            sleep(SETTLE).await;
            let beside = self.window(pair).await;
            self.note_states();
            bad.join_all().await;
            comparison.pairs.push([alone, beside]);
            file.bad = None;
            if !self.reconfigure(&file).await || !self.are_gone().await {
                break;
            }
        }
        comparison
    }

    /// Measures for the length of a window. Windows of a pair have the same requests.
    async fn window(&self, pair: u64) -> Latencies {
        let shared = self.shared(pair, Instant::now() + WINDOW);
        let hosts: JoinSet<Latencies> =
            (0..HOSTS).map(|number| Host::new(&shared, number).measure()).collect();
        let mut all = Latencies::default();
        for latencies in hosts.join_all().await {
            all.extend(&latencies);
        }
        all
    }

    fn shared(&self, pair: u64, until: Instant) -> SharedState {
        SharedState { seed: self.shared.seed.wrapping_add(pair), until, ..self.shared.clone() }
    }

    /// Applies the file to the kernel. Returns whether that succeeded.
    async fn reconfigure(&self, file: &ConfigurationFile) -> bool {
        let taken = match file.write_and_read("") {
            Ok(config) => {
                let kernel = self.kernel.clone();
                let reload =
                    async move { kernel.reconfigure(&config, &Principal::operator("soak")).await.map(drop) };
                // Processes that a reload starts belong to the kernel.
                self.kernel_side.spawn(reload).await.map_err(|error| error.to_string())
            }
            Err(error) => Err(error),
        };
        let failed = match taken {
            Ok(Ok(())) => return true,
            Ok(Err(error)) => error.to_string(),
            Err(error) => error,
        };
        self.shared.ledger.wrong(format!("bad servers could not come or go: {failed}"));
        false
    }

    /// Counts the bad servers that are as bad as they should be.
    fn note_states(&self) {
        let servers = self.kernel.servers();
        for bad in &bad_servers::ALL {
            let Some(server) = servers.iter().find(|server| server.id() == bad.id) else { continue };
            let is_connected = server.status().state == ServerState::Connected;
            if bad.connects.is_none_or(|connects| connects == is_connected) {
                self.shared.ledger.fault(bad.what);
            }
        }
    }

    /// Waits until the bad servers have disappeared. Returns whether they have.
    async fn are_gone(&self) -> bool {
        let end = Instant::now() + LEAVE_TIMEOUT;
        loop {
            let servers = self.kernel.servers();
            let left = servers.iter().find(|server| bad_servers::ALL.iter().any(|bad| bad.id == server.id()));
            match left {
                None => return true,
                Some(server) if Instant::now() >= end => {
                    let id = server.id();
                    self.shared
                        .ledger
                        .wrong(format!("{id} was not gone {LEAVE_TIMEOUT:?} after it was removed"));
                    return false;
                }
                Some(_) => sleep(LOOK).await,
            }
        }
    }
}
