//! Plays the steps in their order.

use super::{
    findings::{Findings, Interrupted},
    report::{Played, Report, report},
    stage::{SERVERS, Stage},
    steps::{STEPS, Step},
    trail::{Expected, compare},
};
use mgp_types::audit::{AuditEvent, AuditEventType};
use std::{process::ExitCode, time::Duration};

/// How long to wait for events that are stored beside the replies.
const SETTLED: Duration = Duration::from_secs(2);

/// Plays the demo and prints it: for people, or as one JSON object a line. Fails where one step does.
pub(crate) async fn run(json: bool, verbose: bool) -> ExitCode {
    let report = report(json, verbose);
    match tour(&*report).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            report.broken(&why.to_string());
            ExitCode::FAILURE
        }
    }
}

/// Plays every step, also after one that failed. Returns whether all of it was as it must be.
async fn tour(report: &dyn Report) -> Result<bool, Interrupted> {
    let mut stage = Stage::set().await?;
    let (mut ok, mut stored) = (true, 0);
    for (index, step) in STEPS.iter().enumerate() {
        let played = play(*step, index + 1, &mut stage, &mut stored).await?;
        ok &= played.is_ok();
        report.step(&played);
    }
    let (trail, _folder) = stage.close().await?;
    let problems = compare(&stopped(), &trail.since(stored).await?);
    let all = trail.since(0).await?;
    report.trail(&all, &problems);
    Ok(ok && problems.is_empty())
}

/// Plays one step, and holds the events that it has left against what it did. `stored` is the number of the last event.
async fn play(
    step: &dyn Step,
    number: usize,
    stage: &mut Stage,
    stored: &mut u64,
) -> Result<Played, Interrupted> {
    stage.begin();
    let mut findings = Findings::default();
    if let Err(why) = step.play(stage, &mut findings).await {
        findings.problem(why.to_string());
    }
    let events = stage.trail.settled(*stored, findings.expected().len(), SETTLED).await?;
    for problem in compare(findings.expected(), &events) {
        findings.problem(problem);
    }
    *stored = events.iter().filter_map(AuditEvent::seq).max().unwrap_or(*stored);
    Ok(Played {
        number,
        name: step.name(),
        title: step.title(),
        shown: step.shown(),
        lines: stage.lines(),
        problems: findings.into_problems(),
    })
}

/// What is stored when the kernel stops: that it let each server go, as it was asked to.
fn stopped() -> Vec<Expected> {
    SERVERS.map(|id| Expected::by_kernel(AuditEventType::ServerDisconnected, id)).into()
}
