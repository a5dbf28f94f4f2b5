//! `mgp audit verify`: checks that trails are unchanged since they were stored.

use super::run::TrailArgs;
use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use mgp_security::audit::{AuditHead, AuditVerification, TrailVerification};
use serde::Serialize;

/// Check that no event was changed, removed, moved or cut off since it was stored
///
/// With a database, checks the trails of all machines in it. Exits with code 1 if there is a problem. A printed head covers all events of its
/// trail so far. Keep it where those who can write the trail cannot change it, and pass it to a later check: that check then also detects a
/// trail that was rewritten as a whole.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The head that an earlier check printed, which must still be in a trail
    #[arg(long, value_name = "SEQ:HASH")]
    head: Option<AuditHead>,
    #[command(flatten)]
    place: TrailArgs,
}

/// The report of one trail.
#[derive(Serialize)]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    trail: Option<String>,
    intact: bool,
    events: u64,
    unchained: u64,
    head: Option<String>,
    shortened: Option<String>,
    problem_count: u64,
    problems: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_fault: Option<String>,
}

/// The report of all trails of a database.
#[derive(Serialize)]
struct DatabaseReport {
    intact: bool,
    events: u64,
    problem_count: u64,
    trails: Vec<Report>,
}

pub(super) async fn verify(setup: &Setup, args: VerifyArgs) -> Result<Outcome, CliError> {
    let is_local = args.place.local || setup.state.audit_database().is_none();
    let trails = setup.audit_reader(is_local).await?.verify(args.head).await?;
    let is_intact = trails.iter().all(|trail| trail.verification.is_intact());
    let exit = if is_intact { Exit::Success } else { Exit::Failed };
    let mut texts = Vec::new();
    let mut reports = Vec::new();
    for trail in &trails {
        note_limits(&trail.verification);
        let report = Report::new(trail, is_local);
        texts.push(text(trail, &report));
        reports.push(report);
    }
    let text = texts.join("\n");
    let outcome = match (is_local, reports.pop()) {
        (true, Some(report)) => Outcome::new(text, &report)?,
        (_, last) => {
            reports.extend(last);
            let sum = |count: fn(&Report) -> u64| reports.iter().map(count).sum();
            let (events, problem_count) = (sum(|report| report.events), sum(|report| report.problem_count));
            let text = if reports.is_empty() { "no trail in the database".to_owned() } else { text };
            Outcome::new(text, &DatabaseReport { intact: is_intact, events, problem_count, trails: reports })?
        }
    };
    Ok(outcome.with_exit(exit))
}

/// Notes the events that cannot be checked.
fn note_limits(result: &AuditVerification) {
    if result.unchained > 0 {
        note(&format!(
            "{} events were stored before the trail had hashes, and cannot be checked",
            result.unchained
        ));
    }
    if let Some(shortened) = result.shortened {
        note(&format!(
            "the events up to {} were removed because events are not kept for ever",
            shortened.seq
        ));
    }
}

impl Report {
    fn new(trail: &TrailVerification, is_local: bool) -> Self {
        let result = &trail.verification;
        Self {
            trail: (!is_local).then(|| trail.trail.clone()),
            intact: result.is_intact(),
            events: result.events,
            unchained: result.unchained,
            head: result.head.map(|head| head.to_string()),
            shortened: result.shortened.map(|head| head.to_string()),
            problem_count: result.problem_count,
            problems: result.problems.iter().map(ToString::to_string).collect(),
            first_fault: trail.fault.as_ref().map(ToString::to_string),
        }
    }
}

fn text(trail: &TrailVerification, report: &Report) -> String {
    let result = &trail.verification;
    let of = report.trail.as_ref().map(|id| format!("trail {id}: ")).unwrap_or_default();
    if result.is_intact() {
        let head = report.head.as_deref().map(|head| format!("\nhead {head}")).unwrap_or_default();
        return format!("{of}{} events, all as they were stored{head}", result.events);
    }
    let first = report.first_fault.as_ref().map(|fault| format!("\nfirst: {fault}")).unwrap_or_default();
    let more = result.problem_count - result.problems.len() as u64;
    let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
    format!(
        "{of}{} events, {} problems:\n{}{more}{first}",
        result.events,
        result.problem_count,
        report.problems.join("\n")
    )
}
