//! Counts of passed checks, and the closing lines of the runners that they are read from.

use std::fmt;
use std::ops::AddAssign;

/// The numbers of passed, failed and skipped checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Tally {
    /// Reads the line of `cargo nextest run`: "Summary [ 0.5s] 4 tests run: 3 passed (1 slow), 1 failed, 2 skipped".
    pub(crate) fn of_nextest(output: &str) -> Self {
        let summary = output.lines().rev().find(|line| line.trim_start().starts_with("Summary ["));
        let counts = summary.and_then(|line| line.split_once(" run: "));
        counts.map(|(_, list)| Self::of_list(list)).unwrap_or_default()
    }

    /// Sums the lines of `cargo test`: "test result: ok. 3 passed; 0 failed; 1 ignored; ...".
    pub(crate) fn of_cargo_test(output: &str) -> Self {
        let mut sum = Self::default();
        for line in output.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
            if let Some((_, counts)) = line.split_once(". ") {
                sum += Self::of_list(&counts.replace(';', ","));
            }
        }
        sum
    }

    /// Reads the last line of our own commands that consists of "N passed, N failed, N skipped".
    pub(crate) fn of_closing_line(output: &str) -> Option<Self> {
        output.lines().rev().map(str::trim).find_map(|line| {
            let tally = Self::of_list(line);
            (tally.to_string() == line).then_some(tally)
        })
    }

    fn of_list(list: &str) -> Self {
        let mut tally = Self::default();
        for part in without_brackets(list).split(',') {
            let Some((count, word)) = part.trim().split_once(' ') else { continue };
            let Ok(count) = count.parse::<usize>() else { continue };
            match word.trim() {
                "passed" => tally.passed += count,
                "skipped" | "ignored" => tally.skipped += count,
                "failed" | "timed out" | "exec failed" => tally.failed += count,
                _ => {}
            }
        }
        tally
    }
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_usize;
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => kept.push(character),
            _ => {}
        }
    }
    kept
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(passed: usize, failed: usize, skipped: usize) -> Tally {
        Tally { passed, failed, skipped }
    }

    #[test]
    fn a_nextest_summary_counts_timeouts_as_failures() {
        let output = "  PASS x\n     Summary [   0.512s] 6 tests run: 3 passed (1 slow, 1 leaky), 2 failed, 1 timed out, 4 skipped\n";
        assert_eq!(Tally::of_nextest(output), tally(3, 3, 4));
        assert_eq!(Tally::of_nextest("error: could not compile"), tally(0, 0, 0));
    }

    #[test]
    fn the_results_of_several_test_binaries_are_added() {
        let output = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\
            test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 5 filtered out; finished in 0.00s\n";
        assert_eq!(Tally::of_cargo_test(output), tally(5, 1, 1));
    }

    #[test]
    fn only_a_separate_line_is_a_closing_line() {
        assert_eq!(Tally::of_closing_line("x\n18 passed, 0 failed, 1 skipped\n"), Some(tally(18, 0, 1)));
        assert_eq!(Tally::of_closing_line("row 1: 18 passed, 0 failed, 1 skipped\n"), None);
        assert_eq!(Tally::of_closing_line("nothing\n"), None);
    }
}
