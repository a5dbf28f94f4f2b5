//! The printed table.

use super::{Outcome, memory::allowed_growth};
use crate::ledger::Row;
use std::fmt::Write;

/// Writes everything but the closing line.
pub(crate) fn table(outcome: &Outcome) -> String {
    let mut text = format!(
        "{:<16} {:>8} {:>10} {:>8} {:>8} {:>8}\n",
        "request", "sent", "once", "twice", "lost", "cut off"
    );
    let mut row = |name: &str, row: Row| {
        let Row { sent, once, twice, lost, cut } = row;
        let _ = writeln!(text, "{name:<16} {sent:>8} {once:>10} {twice:>8} {lost:>8} {cut:>8}");
    };
    for (name, counts) in &outcome.book.rows {
        row(name, *counts);
    }
    row("all", outcome.book.sum());
    let causes = outcome.book.causes.iter().map(|(name, count)| (name.clone(), *count));
    list(&mut text, "errors, by cause", causes);
    list(
        &mut text,
        "faults, and what came of them",
        outcome.book.faults.iter().map(|(name, count)| ((*name).to_owned(), *count)),
    );
    let audited = &outcome.audited;
    let events = [
        ("calls that a server answered", audited.answered),
        ("TOOL_EXECUTED events of these", audited.executed),
        ("events of calls that failed or were cut off", audited.others),
        ("calls that disagree", audited.wrong),
        ("retries", audited.retries),
    ];
    list(&mut text, "audit", events.map(|(name, count)| (name.to_owned(), count)));
    for problem in &audited.problems {
        let _ = writeln!(text, "           {problem}");
    }
    let left =
        |left: super::LeftoverCounts| left.named().map(|(name, count)| (name.to_owned(), count as u64));
    list(&mut text, "left when the hosts were gone, above before", left(outcome.at_rest));
    list(&mut text, "left after the shutdown, above the start", left(outcome.left));
    let memory = &outcome.memory;
    let (middle, last) = memory.thirds();
    let sizes = [
        ("start", memory.start),
        ("in the middle third (median)", middle),
        ("in the last third (median)", last),
        ("growth from the middle third to the last", memory.growth()),
        ("growth allowed", allowed_growth(outcome.book.sum().sent)),
        ("peak", memory.peak),
        ("end", memory.end),
    ];
    list(&mut text, "resident memory, KiB (hosts included)", sizes.map(|(name, kib)| (name.to_owned(), kib)));
    text
}

fn list(text: &mut String, title: &str, lines: impl IntoIterator<Item = (String, u64)>) {
    let _ = writeln!(text, "\n{title}");
    for (name, count) in lines {
        let _ = writeln!(text, "{count:>10} {name}");
    }
}

/// Writes the last line.
pub(crate) fn closing(outcome: &Outcome) -> String {
    let sum = outcome.book.sum();
    let left = outcome.at_rest.sum() + outcome.left.sum();
    format!("soak: {} requests, {} lost, {} answered twice, {left} left", sum.sent, sum.lost, sum.twice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ledger::{AuditComparison, Book},
        report::{LeftoverCounts, Memory, outcome::required},
    };

    #[test]
    fn whatever_is_not_zero_is_a_problem_and_counts_in_the_closing_line() {
        let mut outcome = Outcome {
            book: Book::default(),
            audited: AuditComparison::default(),
            at_rest: LeftoverCounts::default(),
            left: LeftoverCounts::default(),
            memory: Memory::default(),
            down: Vec::new(),
        };
        assert_eq!(outcome.problems().len(), required().count(), "what never happened");
        outcome.book.faults = required().map(|what| (what, 1)).collect();
        outcome.book.rows.insert("echo", Row { sent: 7, once: 5, cut: 2, ..Row::default() });
        assert_eq!(outcome.problems(), Vec::<String>::new());
        assert_eq!(closing(&outcome), "soak: 7 requests, 0 lost, 0 answered twice, 0 left");
        outcome.book.rows.insert("slow", Row { sent: 4, twice: 1, lost: 2, ..Row::default() });
        outcome.audited.wrong = 1;
        outcome.at_rest.parked = 1;
        outcome.left.tasks = 3;
        outcome.book.wrong.insert("events".to_owned(), 1);
        outcome.down.push("soak1".to_owned());
        let mib = |mib: u64| mib * 1024;
        outcome.memory = Memory::default().at_end(vec![mib(20), mib(30), mib(90)]);
        assert_eq!(outcome.problems().len(), 9, "{:?}", outcome.problems());
        assert_eq!(closing(&outcome), "soak: 11 requests, 2 lost, 1 answered twice, 4 left");
        assert!(table(&outcome).contains("3 tasks"));
    }
}
