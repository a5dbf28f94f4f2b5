//! Carries out the schedule.

use super::{
    FaultKind, KINDS,
    plan::{Fault, Plan},
};
use crate::replicas::{hosts::Context, machines::Fleet, network::Network};
use std::time::Duration;
use tokio::time::Instant;

/// A fault that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) kind: FaultKind,
    pub(crate) begin: Instant,
    /// The time at which the fault was undone.
    pub(crate) end: Instant,
}

/// Injects faults, one after the other, until a time has passed and each fault has happened. Returns them.
pub(crate) async fn inject(
    fleet: &mut Fleet,
    seed: u64,
    time: Duration,
    context: &Context,
) -> Result<Vec<Window>, String> {
    let start = Instant::now();
    let (mut plan, end) = (Plan::new(seed, fleet.replicas.len()), start + time);
    let mut windows = Vec::new();
    loop {
        let fault = plan.next();
        tokio::time::sleep(fault.pause).await;
        if Instant::now() >= end && windows.len() >= KINDS.len() {
            return Ok(windows);
        }
        let begin = Instant::now();
        let is_cut_off = matches!(fault.kind, FaultKind::CutDatabase | FaultKind::Isolate);
        context.set_cut_off(is_cut_off.then_some(fault.replica));
        let end = carry_out(fleet, fault).await?;
        context.ledger.fault(fault.kind.name());
        context.set_cut_off(None);
        windows.push(Window { kind: fault.kind, begin, end });
        println!(
            "after {:.1} s: {} for {:.1} s",
            (begin - start).as_secs_f64(),
            fault.kind.name(),
            (end - begin).as_secs_f64()
        );
        for replica in &mut fleet.replicas {
            replica.ready().await?;
        }
    }
}

/// Makes a fault and undoes it. Returns the time at which it was undone.
async fn carry_out(fleet: &mut Fleet, fault: Fault) -> Result<Instant, String> {
    let Fault { kind, replica, other, time, .. } = fault;
    match kind {
        FaultKind::Kill | FaultKind::End => {
            let replica = &mut fleet.replicas[replica];
            if kind == FaultKind::Kill {
                replica.kill().await?;
            } else {
                replica.end().await?;
            }
            let end = Instant::now();
            tokio::time::sleep(time).await;
            replica.start()?;
            return Ok(end);
        }
        FaultKind::CutDatabase => {
            let (replica, database) = (&fleet.replicas[replica].machine, &fleet.database.machine);
            Network::cut(replica, database)?;
            tokio::time::sleep(time).await;
            Network::heal(replica, database)?;
        }
        FaultKind::CutReplicas => {
            let (one, other) = (&fleet.replicas[replica].machine, &fleet.replicas[other].machine);
            Network::cut(one, other)?;
            tokio::time::sleep(time).await;
            Network::heal(one, other)?;
        }
        FaultKind::Isolate => {
            let replica = &fleet.replicas[replica].machine;
            Network::set_link(replica, false)?;
            tokio::time::sleep(time).await;
            Network::set_link(replica, true)?;
        }
        FaultKind::RestartDatabase => fleet.database.restart().await?,
        FaultKind::PauseDatabase => {
            fleet.database.set_paused(true)?;
            tokio::time::sleep(time).await;
            fleet.database.set_paused(false)?;
        }
    }
    Ok(Instant::now())
}
