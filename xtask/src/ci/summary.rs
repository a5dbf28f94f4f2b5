//! The slowest tests, the table of steps, the failed tests, the problems and the closing line.

use std::fmt::Write;
use std::time::Duration;

use super::step::{Outcome, Verdict};
use super::test_times::TestTime;
use crate::tally::Tally;

/// A step that ran: its name, its outcome and its duration.
pub(super) type StepRun = (&'static str, Outcome, Duration);

/// Writes one line for each of the slowest tests, for each step, for each failed test and for each problem, then only the sum on the last line.
pub(super) fn text(ran: &[StepRun]) -> String {
    let mut text = String::new();
    list(&mut text, "The slowest tests:", ran.iter().flat_map(|(_, outcome, _)| &outcome.slowest));
    // What follows is seen where only the end of a long output is kept.
    text.push_str("\nThe steps:\n");
    for (name, outcome, took) in ran {
        let (word, why) = match &outcome.verdict {
            Verdict::Passed => ("ok", ""),
            Verdict::Failed(why) => ("FAILED", why.as_str()),
            Verdict::Skipped(why) => ("skipped", why.as_str()),
        };
        let counted = if outcome.counted == Tally::default() {
            String::new()
        } else {
            format!("({}) ", outcome.counted)
        };
        let line = format!("{name:<19} {word:<8} {:>7.1} s  {counted}{why}", took.as_secs_f64());
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let took: Duration = ran.iter().map(|(_, _, took)| *took).sum();
    let _ = writeln!(text, "{:<28} {:>7.1} s", "all", took.as_secs_f64());
    list(&mut text, "The failed tests:", ran.iter().flat_map(|(_, outcome, _)| &outcome.failed));
    let reporting = ran.iter().filter(|(_, outcome, _)| !outcome.problems.is_empty());
    for (name, outcome, _) in reporting {
        let _ = writeln!(text, "\nThe problems of {name}:\n{}", outcome.problems.join("\n"));
    }
    let _ = write!(text, "{}", sum(ran));
    text
}

/// Writes tests under a title, if there are any.
fn list<'a>(text: &mut String, title: &str, tests: impl Iterator<Item = &'a TestTime>) {
    let mut tests = tests.peekable();
    if tests.peek().is_some() {
        let _ = writeln!(text, "\n{title}");
    }
    for test in tests {
        let _ = writeln!(text, "{:>7.1} s  {}", test.seconds, test.name);
    }
}

pub(super) fn sum(ran: &[StepRun]) -> Tally {
    let mut sum = Tally::default();
    for (_, outcome, _) in ran {
        sum += outcome.tally();
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_holds_only_the_sum_of_tests_and_steps() {
        let tests = Tally { passed: 40, failed: 1, skipped: 0 };
        let slow = TestTime { name: "mgp::cli two".to_owned(), seconds: 31.204, passed: true };
        let failed = TestTime { name: "mgp::cli three".to_owned(), seconds: 1.5, passed: false };
        let ran = [
            ("fmt", Outcome::of(Ok(())), Duration::from_millis(1500)),
            (
                "tests",
                Outcome {
                    slowest: vec![slow],
                    failed: vec![failed],
                    ..Outcome::of(Err("exit status: 100".to_owned()))
                }
                .counting(tests),
                Duration::from_secs(60),
            ),
            ("deny", Outcome::without_tool("cargo-deny", false), Duration::ZERO),
            (
                "console",
                Outcome { problems: vec!["a button works FAILED".to_owned()], ..Outcome::of(Ok(())) },
                Duration::ZERO,
            ),
        ];
        let text = text(&ran);
        assert_eq!(text.lines().last(), Some("42 passed, 2 failed, 1 skipped"));
        assert!(
            text.contains(
                "tests               FAILED      60.0 s  (40 passed, 1 failed, 0 skipped) exit status: 100"
            ),
            "{text}"
        );
        assert!(text.contains("The slowest tests:\n   31.2 s  mgp::cli two\n"), "{text}");
        assert!(text.contains("The failed tests:\n    1.5 s  mgp::cli three\n"), "{text}");
        assert!(text.contains("\nThe problems of console:\na button works FAILED\n"), "{text}");
        assert!(text.contains("fmt                 ok           1.5 s\n"), "{text}");
    }
}
