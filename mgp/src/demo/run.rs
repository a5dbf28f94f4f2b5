//! Runs the steps in order.

use super::{
    findings::{Findings, Interruption},
    report::{PlayedStep, Report, report},
    stage::{SERVERS, Stage},
    steps::{STEPS, Step},
    trail::{ExpectedEvent, compare},
};
use mgp_types::audit::{AuditEvent, AuditEventType};
use std::{
    fs,
    io::{self, ErrorKind},
    process::ExitCode,
    time::Duration,
};
use tempfile::TempDir;

/// The time limit for events that are stored concurrently with the replies. It is only reached if one is missing.
const SETTLED: Duration = Duration::from_secs(20);

/// The most attempts to delete the folder of the demo.
const DELETIONS: usize = 500;

/// The pause between two of them.
const PAUSE: Duration = Duration::from_millis(10);

/// Runs the demo and prints it as text, or as one JSON object per line. Fails if a step fails.
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

/// Runs every step, even after a failed one. Returns `true` if no step and no stored event had a problem.
async fn tour(report: &dyn Report) -> Result<bool, Interruption> {
    let mut stage = Stage::set().await?;
    let (mut ok, mut stored) = (true, 0);
    for (index, step) in STEPS.iter().enumerate() {
        let played = play(*step, index + 1, &mut stage, &mut stored).await?;
        ok &= played.is_ok();
        report.step(&played);
    }
    let (trail, folder) = stage.close().await?;
    let problems = compare(&stopped(), &trail.since(stored).await?);
    let all = trail.since(0).await?;
    report.trail(&all, &problems);
    drop(trail);
    delete(folder).await?;
    Ok(ok && problems.is_empty())
}

/// Deletes the folder of the demo. The threads of the audit trail may still write to it for a moment.
async fn delete(folder: TempDir) -> io::Result<()> {
    let path = folder.keep();
    let mut attempts = 0;
    loop {
        attempts += 1;
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty && attempts < DELETIONS => {
                tokio::time::sleep(PAUSE).await;
            }
            deleted => return deleted,
        }
    }
}

/// Runs one step, and compares the events that it stored with the expected ones. `stored` is the number of the last event.
async fn play(
    step: &dyn Step,
    number: usize,
    stage: &mut Stage,
    stored: &mut u64,
) -> Result<PlayedStep, Interruption> {
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
    Ok(PlayedStep {
        number,
        name: step.name(),
        title: step.title(),
        shown: step.shown(),
        lines: stage.lines(),
        notes: findings.take_notes(),
        problems: findings.into_problems(),
    })
}

/// Returns the events that are stored when the kernel stops and disconnects each server.
fn stopped() -> Vec<ExpectedEvent> {
    SERVERS.map(|id| ExpectedEvent::by_kernel(AuditEventType::ServerDisconnected, id)).into()
}
