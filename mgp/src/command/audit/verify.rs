//! `mgp audit verify`: checks that the trail is unchanged since it was stored.

use crate::{
    error::CliError,
    exit::Exit,
    output::{Outcome, note},
    setup::Setup,
};
use clap::Args;
use mgp_security::audit::{AuditHead, AuditVerification};
use serde::Serialize;

/// Check that no event was changed, removed, moved or cut off since it was stored
///
/// Exits with code 1 if there is a problem. The printed head covers all events so far. Keep it where those who can write the state
/// folder cannot change it, and pass it to a later check: that check then also detects a trail that was rewritten as a whole.
#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The head that an earlier check printed, which must still be in the trail
    #[arg(long, value_name = "SEQ:HASH")]
    head: Option<AuditHead>,
}

#[derive(Serialize)]
struct Report {
    intact: bool,
    events: u64,
    unchained: u64,
    head: Option<String>,
    shortened: Option<String>,
    problem_count: u64,
    problems: Vec<String>,
}

pub(super) async fn verify(setup: &Setup, args: VerifyArgs) -> Result<Outcome, CliError> {
    let result = setup.audit()?.verify(args.head).await?;
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
    let report = Report {
        intact: result.is_intact(),
        events: result.events,
        unchained: result.unchained,
        head: result.head.map(|head| head.to_string()),
        shortened: result.shortened.map(|head| head.to_string()),
        problem_count: result.problem_count,
        problems: result.problems.iter().map(ToString::to_string).collect(),
    };
    let exit = if report.intact { Exit::Success } else { Exit::Failed };
    Ok(Outcome::new(text(&result, &report), &report)?.with_exit(exit))
}

fn text(result: &AuditVerification, report: &Report) -> String {
    let head = report.head.as_deref().map(|head| format!("\nhead {head}")).unwrap_or_default();
    if result.is_intact() {
        return format!("{} events, all as they were stored{head}", result.events);
    }
    let more = result.problem_count - result.problems.len() as u64;
    let more = if more > 0 { format!("\nand {more} more") } else { String::new() };
    format!(
        "{} events, {} problems:\n{}{more}",
        result.events,
        result.problem_count,
        report.problems.join("\n")
    )
}
