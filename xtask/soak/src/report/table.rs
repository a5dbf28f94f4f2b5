//! The printed table.

use super::{Outcome, memory::allowed_growth};
use crate::{
    bad_servers,
    comparison::{Comparison, Ratio},
    ledger::Row,
};
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
        "faults, and their outcomes",
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
    if let Some(comparison) = &outcome.comparison {
        ratios(&mut text, comparison);
    }
    text
}

fn ratios(text: &mut String, comparison: &Comparison) {
    let (bad, pairs) = (bad_servers::ALL.len(), comparison.pairs.len());
    let _ = writeln!(text, "\nwithout and with {bad} bad servers (medians over {pairs} pairs of windows)");
    let _ = writeln!(
        text,
        "{:<24} {:<12} {:>10} {:>10} {:>7} {:>9} {:>7} {:>7}",
        "", "", "without", "with", "ratio", "processes", "noise", "bound"
    );
    for Ratio { what, measure, alone, beside, ratio, processes, noise, bound } in comparison.ratios() {
        let _ = writeln!(
            text,
            "{what:<24} {measure:<12} {alone:>10.0} {beside:>10.0} {ratio:>7.2} {processes:>9.2} {noise:>7.2} {bound:>7.2}"
        );
    }
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
    let mut line =
        format!("soak: {} requests, {} lost, {} answered twice, {left} left", sum.sent, sum.lost, sum.twice);
    if let Some(comparison) = &outcome.comparison {
        let _ = write!(line, "; with {} bad servers {}", bad_servers::ALL.len(), comparison.summary());
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        arguments::Arguments,
        comparison::{Latencies, RequestKind},
        ledger::{AuditComparison, Book},
        report::{LeftoverCounts, Memory, required},
    };
    use std::time::Duration;

    #[test]
    fn every_nonzero_count_is_a_problem_in_the_closing_line() {
        let required = required(&Arguments::default());
        let mut outcome = Outcome {
            book: Book::default(),
            audited: AuditComparison::default(),
            at_rest: LeftoverCounts::default(),
            left: LeftoverCounts::default(),
            memory: Memory::default(),
            comparison: None,
            required: required.clone(),
            down: Vec::new(),
        };
        assert_eq!(outcome.problems().len(), required.len(), "what never happened");
        outcome.book.faults = required.into_iter().map(|what| (what, 1)).collect();
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

    #[test]
    fn slowdown_and_memory_growth_with_bad_servers_are_problems() {
        let window = |ms| {
            let mut latencies = Latencies::default();
            for kind in RequestKind::ALL {
                latencies.add(kind, Duration::from_millis(ms));
            }
            latencies
        };
        let outcome = |beside, memory: [u64; 3]| Outcome {
            book: Book::default(),
            audited: AuditComparison::default(),
            at_rest: LeftoverCounts::default(),
            left: LeftoverCounts::default(),
            memory: Memory::default(),
            comparison: Some(Comparison {
                pairs: vec![[window(10), window(beside)]; 3],
                memory: memory.map(|mib| mib * 1024).to_vec(),
                with_processes: Vec::new(),
            }),
            required: Vec::new(),
            down: Vec::new(),
        };
        let quick = outcome(11, [20, 30, 40]);
        assert_eq!(quick.problems(), Vec::<String>::new());
        assert!(closing(&quick).ends_with(
            "0 left; with 30 bad servers a list of 1.00 times the length takes 1.10 times as long (p99 1.10), a call 1.10 (p99 1.10)"
        ));
        let slow = outcome(50, [20, 30, 90]);
        assert_eq!(slow.problems().len(), 1 + RequestKind::ALL.len(), "{:?}", slow.problems());
        assert!(slow.problems()[0].contains("with bad servers: expected at most"), "{:?}", slow.problems());
        assert!(table(&slow).contains("a whole list"));
    }
}
