//! The table, and the problems.

use super::{
    checks::{OperationCounts, RateCounts, RightsTimes, SagaCounts, SessionTimes, Trails},
    hosts::OutcomeBook,
};
use crate::ledger::{Book, Row};
use std::{fmt::Write, time::Duration};

/// The longest time for which a session may not answer after a fault.
const SESSION: Duration = Duration::from_secs(3);
/// The longest time for which a call may pass after a right was revoked.
const RIGHT: Duration = Duration::from_millis(200);

/// The outcome of a run.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) book: Book,
    pub(crate) outcomes: OutcomeBook,
    pub(crate) operations: OperationCounts,
    pub(crate) sagas: SagaCounts,
    pub(crate) quotas: Vec<String>,
    pub(crate) rates: RateCounts,
    pub(crate) rights: RightsTimes,
    pub(crate) sessions: SessionTimes,
    pub(crate) trails: Trails,
}

impl Report {
    /// Returns everything that must not be. Bounds on time are multiplied by `slack`.
    pub(crate) fn problems(&self, slack: u32) -> Vec<String> {
        let mut problems = Vec::new();
        let sum = self.book.sum();
        let mut must_be_zero = |count: u64, what: &str| {
            if count > 0 {
                problems.push(format!("{count} {what}"));
            }
        };
        let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        must_be_zero(sum.twice, "requests answered twice");
        must_be_zero(sum.unaccounted(), "requests with another count of answers");
        must_be_zero(self.trails.audited.wrong, "calls that the audit trails disagree on");
        must_be_zero(count(self.operations.repeated), "operations that took effect more than once");
        must_be_zero(count(self.operations.missing), "acknowledged operations without an effect");
        must_be_zero(self.outcomes.lost_sessions, "sessions that were forgotten");
        for (what, count) in &self.book.wrong {
            must_be_zero(*count, what);
        }
        problems.extend(self.sagas.problems.iter().cloned());
        problems.extend(self.quotas.iter().cloned());
        problems.extend(self.rates.problems.iter().cloned());
        let late = self.rights.late.last().copied().unwrap_or_default();
        if late > RIGHT * slack {
            problems.push(format!(
                "a call passed {late:?} after the right was revoked: expected at most {:?}",
                RIGHT * slack
            ));
        }
        for (fault, times) in &self.sessions.longest {
            let longest = times.iter().max().copied().unwrap_or_default();
            if longest > SESSION * slack {
                problems.push(format!(
                    "a session did not answer for {longest:?} ({fault}): expected at most {:?}",
                    SESSION * slack
                ));
            }
        }
        problems
    }
}

/// Writes everything but the closing line.
pub(crate) fn table(report: &Report) -> String {
    let mut text = format!(
        "\n{:<22} {:>8} {:>10} {:>8} {:>8} {:>8}\n",
        "request", "sent", "once", "twice", "lost", "cut off"
    );
    for (name, row) in
        report.book.rows.iter().map(|(name, row)| (*name, *row)).chain([("all", report.book.sum())])
    {
        let Row { sent, once, twice, lost, cut } = row;
        let _ = writeln!(text, "{name:<22} {sent:>8} {once:>10} {twice:>8} {lost:>8} {cut:>8}");
    }
    let mut list = |title: &str, lines: Vec<(String, String)>| {
        let _ = writeln!(text, "\n{title}");
        for (name, value) in lines {
            let _ = writeln!(text, "{value:>10} {name}");
        }
    };
    let counts = |counts: &[(&str, usize)]| {
        counts.iter().map(|(name, count)| ((*name).to_owned(), count.to_string())).collect::<Vec<_>>()
    };
    list(
        "errors, by cause",
        report.book.causes.iter().map(|(name, count)| (name.clone(), count.to_string())).collect(),
    );
    list(
        "faults",
        report.book.faults.iter().map(|(name, count)| ((*name).to_owned(), count.to_string())).collect(),
    );
    let (operations, sagas, audited) = (report.operations, &report.sagas, &report.trails.audited);
    list(
        "operations",
        counts(&[
            ("acknowledged", operations.acknowledged),
            ("effects", operations.effects),
            ("that took effect more than once", operations.repeated),
            ("acknowledged without an effect", operations.missing),
            ("repetitions with a key", usize::try_from(report.outcomes.repeated).unwrap_or(usize::MAX)),
            (
                "keys with an unknown outcome",
                usize::try_from(report.outcomes.unknown_keys).unwrap_or(usize::MAX),
            ),
        ]),
    );
    list(
        "transactions",
        counts(&[
            ("committed", sagas.committed),
            ("rolled back", sagas.rolled_back),
            ("rolled back in part", sagas.partially),
            ("never begun", sagas.never_begun),
            ("with a false report", sagas.problems.len()),
        ]),
    );
    list(
        "quotas",
        report
            .outcomes
            .spenders
            .iter()
            .map(|(agent, spending)| (format!("spender{agent}: {spending:?}"), String::new()))
            .collect(),
    );
    let rates = &report.rates;
    list(
        "a limit a minute",
        counts(&[
            ("calls that passed", rates.passed),
            ("calls that were refused", rates.refused),
            ("the most calls that passed within a minute", rates.most),
        ]),
    );
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    list(
        "audit trails",
        counts(&[
            ("events", report.trails.events),
            ("calls that a server answered", number(audited.answered)),
            ("TOOL_EXECUTED events of these", number(audited.executed)),
            ("events of calls that failed or were lost", number(audited.others)),
            ("events of calls that undo a step", report.trails.undone),
            ("calls that disagree", number(audited.wrong)),
        ]),
    );
    for problem in &audited.problems {
        list(problem, Vec::new());
    }
    let rights = &report.rights;
    list(
        "a right that comes and goes",
        vec![
            ("revocations".to_owned(), rights.revocations.to_string()),
            ("calls that passed".to_owned(), rights.passed.to_string()),
            ("revocations after which a call still passed".to_owned(), rights.late.len().to_string()),
            ("the longest time after which one passed".to_owned(), millis(rights.late.last())),
        ],
    );
    let mut times: Vec<_> = report
        .sessions
        .longest
        .iter()
        .map(|(fault, times)| (format!("{fault} ({} gaps)", times.len()), millis(times.last())))
        .collect();
    times.push(("without a fault".to_owned(), millis(Some(&report.sessions.otherwise))));
    list("the longest time for which a session did not answer", times);
    for gap in &report.sessions.long {
        list(gap, Vec::new());
    }
    text
}

fn millis(time: Option<&Duration>) -> String {
    format!("{} ms", time.copied().unwrap_or_default().as_millis())
}

/// Writes the last line.
pub(crate) fn closing(report: &Report) -> String {
    let (sum, audited) = (report.book.sum(), &report.trails.audited);
    format!(
        "soak: {} requests, {} answered twice, {} acknowledged calls, {} that the audit trails disagree on, {} effects, {} of them repeated",
        sum.sent,
        sum.twice,
        audited.answered,
        audited.wrong,
        report.operations.effects,
        report.operations.repeated
    )
}
