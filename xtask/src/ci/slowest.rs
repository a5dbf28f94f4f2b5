//! The tests that took longest, read from the lines of `cargo nextest run`.

/// A test that ended, and its duration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TestTime {
    pub(super) name: String,
    pub(super) seconds: f64,
}

/// Returns the `count` slowest tests of a run, the slowest first.
pub(super) fn slowest(output: &str, count: usize) -> Vec<TestTime> {
    let mut tests: Vec<_> = output.lines().filter_map(test).collect();
    tests.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.name.cmp(&b.name)));
    // A failed test is repeated at the end of the run.
    tests.dedup();
    tests.truncate(count);
    tests
}

/// Reads a line such as "PASS [   0.004s] (  12/3807) mgp-types::round_trips a_test". A running test has "[> 30.000s]".
fn test(line: &str) -> Option<TestTime> {
    let (status, rest) = line.trim_start().split_once(" [")?;
    let (seconds, rest) = rest.split_once("s] ")?;
    let seconds = seconds.trim_start().parse().ok()?;
    let name = rest.trim_start();
    let name =
        name.strip_prefix('(').and_then(|counted| counted.split_once(") ")).map_or(name, |(_, name)| name);
    (status.trim() != "Summary").then(|| TestTime { name: name.trim().to_owned(), seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_tests_of_a_run_are_named_once() {
        let output = "        PASS [   0.004s] (   1/4) mgp-types::round_trips one\n\
            \x20       SLOW [> 30.000s] (─────────) mgp::cli two\n\
            \x20       PASS [  31.204s] (   2/4) mgp::cli two\n\
            \x20       FAIL [   1.500s] (   3/4) mgp::cli three\n\
            ────────────\n     Summary [  40.512s] 4 tests run: 3 passed, 1 failed, 0 skipped\n\
            \x20       FAIL [   1.500s] (   3/4) mgp::cli three\n";
        let names: Vec<_> = slowest(output, 2).into_iter().map(|test| (test.name, test.seconds)).collect();
        assert_eq!(names, [("mgp::cli two".to_owned(), 31.204), ("mgp::cli three".to_owned(), 1.5)]);
        assert_eq!(slowest(output, 9).len(), 3);
    }
}
