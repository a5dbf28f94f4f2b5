//! Watches a server until it is down.

use super::{HealthProbe, Verdict};
use std::{sync::Arc, time::Duration};

/// The reason a server counts as down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownReason {
    /// The connection is gone.
    Closed,
    /// Too many probes in a row were not answered.
    Unresponsive {
        /// The number of failures in a row.
        failures: u32,
        /// The reason for the last failure.
        why: Arc<str>,
        /// True if the server did not answer the last probe in time, and false if it was not reached.
        is_silent: bool,
    },
}

/// Probes a server repeatedly, with a pause between an answer and the next probe, until the server is down. Each
/// verdict, the last one included, is passed to `observe`. Ends at once when the connection closes.
pub async fn monitor(
    mut probe: HealthProbe,
    pause: Duration,
    mut observe: impl FnMut(&Verdict),
) -> DownReason {
    let peer = probe.peer().clone();
    let watch = async {
        loop {
            tokio::time::sleep(pause).await;
            let verdict = probe.probe().await;
            observe(&verdict);
            if let Verdict::Dead { failures, why, is_silent } = verdict {
                return DownReason::Unresponsive { failures, why, is_silent };
            }
        }
    };
    tokio::select! {
        biased;
        () = peer.closed() => DownReason::Closed,
        down = watch => down,
    }
}
