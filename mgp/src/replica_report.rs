//! The reports of replicas on themselves: each one writes its own into the database, and commands read all of them.

use crate::{error::CliError, setup::Setup};
use mgp_types::lifecycle::KernelStatus;
use serde::{Deserialize, Serialize};

#[cfg(feature = "postgres")]
pub(crate) use shared::{publish, read};

/// A replica, as it reported on itself.
#[derive(Debug, Serialize)]
pub(crate) struct ReportedReplica {
    /// Its address for other replicas.
    pub(crate) address: String,
    /// The time since the report, in whole seconds.
    pub(crate) reported_secs_ago: u64,
    #[serde(flatten)]
    pub(crate) report: Report,
}

/// The content of a report.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) pid: u32,
    #[serde(flatten)]
    pub(crate) status: Box<KernelStatus>,
}

/// Returns the replicas of the configured database; none without one.
#[cfg(not(feature = "postgres"))]
#[expect(clippy::unused_async, reason = "with the feature `postgres`, the database is read")]
pub(crate) async fn read(_: &Setup) -> Result<Vec<ReportedReplica>, CliError> {
    Ok(Vec::new())
}

#[cfg(feature = "postgres")]
mod shared {
    use super::{CliError, Report, ReportedReplica, Setup};
    use mgp_kernel::{Kernel, MAX_REPLICA_REPORT, SqlReplicaStore};
    use mgp_transport::seam::LogLimit;
    use mgp_types::lifecycle::KernelStatusParams;
    use std::{process, sync::Arc, time::Duration};
    use tokio::time::{MissedTickBehavior, interval};

    /// The interval between two reports.
    const INTERVAL: Duration = Duration::from_secs(5);

    /// The time after which a report is repeated that came before the replica's entry.
    const EARLY: Duration = Duration::from_millis(200);

    /// Writes a report on a kernel into the database every few seconds.
    pub(crate) async fn publish(store: Arc<SqlReplicaStore>, kernel: Kernel) {
        let warnings = LogLimit::default();
        let mut ticks = interval(INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            match store.report(&text(&kernel).await).await {
                Ok(true) => {}
                Ok(false) => ticks.reset_after(EARLY),
                Err(error) => {
                    if let Some(left_out) = warnings.admit() {
                        tracing::warn!(%error, left_out, "`mgp status` elsewhere shows an old report on this replica");
                    }
                }
            }
        }
    }

    /// Returns a report; without the hosts and the calls of each server if it would be too long.
    async fn text(kernel: &Kernel) -> String {
        let status = kernel.operator().status(&KernelStatusParams::default()).await;
        let mut report = Report { pid: process::id(), status: Box::new(status) };
        let write = |report: &Report| serde_json::to_string(report).unwrap_or_default();
        let text = write(&report);
        if text.len() <= MAX_REPLICA_REPORT {
            return text;
        }
        report.status.hosts.clear();
        if let Some(traffic) = &mut report.status.traffic {
            traffic.servers.clear();
        }
        write(&report)
    }

    /// Returns the replicas of the configured database; none without one.
    pub(crate) async fn read(setup: &Setup) -> Result<Vec<ReportedReplica>, CliError> {
        let Some(store) = setup.state.replica(Duration::ZERO)? else { return Ok(Vec::new()) };
        let mut replicas = Vec::new();
        for found in store.reports().await? {
            let Some((text, age)) = found.report else { continue };
            // Another version of the program may report other members.
            if let Ok(report) = serde_json::from_str::<Report>(&text) {
                let reported_secs_ago = age.as_secs();
                replicas.push(ReportedReplica { address: found.address, reported_secs_ago, report });
            }
        }
        Ok(replicas)
    }
}
