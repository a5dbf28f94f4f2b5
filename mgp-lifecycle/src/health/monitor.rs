//! Watches a server for as long as it lives.

use super::{HealthProbe, Verdict};
use std::{sync::Arc, time::Duration};

/// Why a server counts as down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Down {
    /// Its connection is gone.
    Closed,
    /// It did not answer as often in a row as it may.
    Unresponsive {
        /// How often in a row.
        failures: u32,
        /// Why, the last time.
        why: Arc<str>,
    },
}

/// Asks a server again and again, with a pause between an answer and the next question, until it is down. Each verdict
/// is shown to `observe`, the last one too. Ends at once when the connection does.
pub async fn monitor(mut probe: HealthProbe, pause: Duration, mut observe: impl FnMut(&Verdict)) -> Down {
    let peer = probe.peer().clone();
    let watch = async {
        loop {
            tokio::time::sleep(pause).await;
            let verdict = probe.probe().await;
            observe(&verdict);
            if let Verdict::Dead { failures, why } = verdict {
                return Down::Unresponsive { failures, why };
            }
        }
    };
    tokio::select! {
        biased;
        () = peer.closed() => Down::Closed,
        down = watch => down,
    }
}
