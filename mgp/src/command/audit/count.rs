//! `mgp audit count`: counts events by agent, server, tool, type or outcome.

use super::{filter::FilterArgs, run::TrailArgs};
use crate::{
    duration::duration,
    error::CliError,
    options::Options,
    output::{Outcome, note, on_one_line, table},
    setup::Setup,
};
use clap::{Args, ValueEnum};
use jiff::Timestamp;
use mgp_security::audit::{AuditCountQuery, AuditCounts, AuditFilter, CountBy, CountedGroup, EventCounts};
use serde::Serialize;
use std::time::Duration;

/// Count calls, failures and refusals, with the latency of calls
///
/// Counts the last 24 hours without --since. A trail may have more events than are read: then the newest ones are counted, and the answer says
/// from when on.
#[derive(Debug, Args)]
pub(super) struct CountArgs {
    /// Group the events by this
    #[arg(long, value_enum, default_value_t = By::Server)]
    by: By,
    #[command(flatten)]
    filter: FilterArgs,
    /// The length of the spans of time in the JSON document, such as 5m; by default, about 48 spans
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    bucket: Option<Duration>,
    /// Read at most N events, the newest ones
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    most: u32,
    #[command(flatten)]
    place: TrailArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
enum By {
    /// The agent, operator or server that caused the event
    Agent,
    /// The server
    Server,
    /// The tool, with its server
    Tool,
    /// The type of event
    Type,
    /// The outcome
    Result,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct CountReport {
    by: By,
    #[serde(flatten)]
    counts: AuditCounts,
}

/// The most groups of an answer.
const GROUPS: usize = 100;

/// The lengths of spans from which the default is chosen, in seconds, and the most spans that it leads to.
const LENGTHS: [u64; 12] = [10, 30, 60, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800];
const SPANS: u64 = 48;

/// The time that is counted without `--since`, in seconds.
const USUAL: u64 = 86_400;

pub(super) async fn count(options: &Options, setup: &Setup, args: &CountArgs) -> Result<Outcome, CliError> {
    let filter = AuditFilter { last: args.most, ..args.filter.filter(options)? };
    let until = filter.until.unwrap_or_else(Timestamp::now);
    if filter.since.is_some_and(|since| since >= until) {
        return Err(CliError::usage("--since is not before the end: expected an earlier time")
            .help("leave out --until, or give it a later time"));
    }
    let length = filter.since.map_or(USUAL, |since| until.duration_since(since).unsigned_abs().as_secs());
    let span = args.bucket.unwrap_or_else(|| Duration::from_secs(usual_span(length)));
    let by = match args.by {
        By::Agent => CountBy::Agent,
        By::Server => CountBy::Server,
        By::Tool => CountBy::Tool,
        By::Type => CountBy::Type,
        By::Result => CountBy::Result,
    };
    let trail = setup.audit_reader(args.place.local).await?;
    let counts = trail.count(AuditCountQuery { filter, by, span, groups: GROUPS }).await?;
    if !counts.complete {
        note(&format!(
            "there are more events than the {} that are counted, which are those since {}: --most counts more",
            counts.read, counts.since
        ));
    }
    if counts.total.events == 0 {
        note("no event matches");
    }
    let text = text(&counts);
    Outcome::new(text, &CountReport { by: args.by, counts })
}

/// Returns the length of the spans of time, if none is given, in seconds.
fn usual_span(length: u64) -> u64 {
    LENGTHS.into_iter().find(|span| length / span <= SPANS).unwrap_or_else(|| length / SPANS + 1)
}

fn text(counts: &AuditCounts) -> String {
    if counts.total.events == 0 {
        return String::new();
    }
    let rows = counts.groups.iter().map(|group| row(&name(group), &group.counts));
    let rows = rows.chain([row("(all)", &counts.total)]);
    let text = table(["of", "calls", "failed", "refused", "p50 ms", "p95 ms", "tokens", "events"], rows);
    match counts.left_out {
        0 => text,
        more => format!("{text}\nand {more} more"),
    }
}

fn name(group: &CountedGroup) -> String {
    match &group.server_id {
        Some(server) => on_one_line(&format!("{server}__{}", group.name)),
        None => on_one_line(&group.name),
    }
}

fn row(name: &str, counts: &EventCounts) -> [String; 8] {
    let ms = |ms: Option<f64>| ms.map_or_else(|| "-".to_owned(), |ms| format!("{ms:.0}"));
    [
        name.to_owned(),
        counts.calls.to_string(),
        counts.failed.to_string(),
        counts.refused.to_string(),
        ms(counts.p50_ms),
        ms(counts.p95_ms),
        counts.tokens.map_or_else(|| "-".to_owned(), |tokens| tokens.to_string()),
        counts.events.to_string(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_spans_are_few_for_any_length_of_time() {
        assert_eq!((usual_span(60), usual_span(3600), usual_span(USUAL)), (10, 300, 1800));
        for length in [0, 1, 86_400 * 7, 86_400 * 365, 86_400 * 36_500] {
            assert!(length / usual_span(length) <= SPANS, "{length}");
        }
    }
}
