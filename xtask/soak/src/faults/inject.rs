//! Goes through the schedule.

use super::{Fault, Processes, plan::What};
use crate::ledger::Ledger;
use tokio::task::JoinSet;

/// Does what the schedule says; ends when every stopped child goes on again.
pub(crate) async fn inject(faults: Vec<Fault>, processes: Processes, ledger: Ledger) {
    let mut stopped = JoinSet::new();
    for fault in faults {
        tokio::time::sleep(fault.pause).await;
        let (signal, pause) = match fault.what {
            What::Kill => ("KILL", None),
            What::Stall(pause) => ("STOP", Some(pause)),
            What::Break(broken) => (broken.signal(), None),
        };
        // One that is just being started again is spared.
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
