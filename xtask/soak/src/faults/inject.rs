//! Carries out the schedule.

use super::{Fault, Processes, plan::FaultKind};
use crate::ledger::Ledger;
use tokio::task::JoinSet;

/// Injects the faults of the schedule; ends when every stopped child runs again.
pub(crate) async fn inject(faults: Vec<Fault>, processes: Processes, ledger: Ledger) {
    let mut stopped = JoinSet::new();
    for fault in faults {
        tokio::time::sleep(fault.pause).await;
        let (signal, pause) = match fault.what {
            FaultKind::Kill => ("KILL", None),
            FaultKind::Stall(pause) => ("STOP", Some(pause)),
            FaultKind::Break(broken) => (broken.signal(), None),
        };
        // A child that is just being started again is spared.
        let Some(process) = processes.signal(fault.child, signal).await else { continue };
        ledger.fault(fault.what.name());
        if let Some(pause) = pause {
            let processes = processes.clone();
            stopped.spawn(async move {
                tokio::time::sleep(pause).await;
                processes.signal_process(process, "CONT").await;
            });
        }
    }
    stopped.join_all().await;
}
