//! The tests that failed or took longest, read from the lines of `cargo nextest run`.

/// A test that ended, and its duration.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TestTime {
    pub(super) name: String,
    pub(super) seconds: f64,
    pub(super) passed: bool,
}

/// Returns the failed tests of a run, each once.
pub(super) fn failed(output: &str) -> Vec<TestTime> {
    let mut tests: Vec<_> = output.lines().filter_map(test).filter(|test| !test.passed).collect();
    tests.sort_by(|a, b| a.name.cmp(&b.name));
    tests.dedup();
    tests
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
    let passed = matches!(status.trim(), "PASS" | "LEAK");
    (status.trim() != "Summary").then(|| TestTime { name: name.trim().to_owned(), seconds, passed })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "        PASS [   0.004s] (   1/4) mgp-types::round_trips one\n\
        \x20       SLOW [> 30.000s] (─────────) mgp::cli two\n\
        \x20       PASS [  31.204s] (   2/4) mgp::cli two\n\
        \x20       FAIL [   1.500s] (   3/4) mgp::cli three\n\
        \x20    TIMEOUT [   0.500s] (   4/4) mgp::cli four\n\
        ────────────\n     Summary [  40.512s] 4 tests run: 2 passed, 2 failed, 0 skipped\n\
        \x20       FAIL [   1.500s] (   3/4) mgp::cli three\n";

    #[test]
    fn the_failed_tests_of_a_run_are_named_once() {
        let names: Vec<_> = failed(OUTPUT).into_iter().map(|test| test.name).collect();
        assert_eq!(names, ["mgp::cli four", "mgp::cli three"]);
    }

    #[test]
    fn the_slowest_tests_of_a_run_are_named_once() {
        let names: Vec<_> = slowest(OUTPUT, 2).into_iter().map(|test| (test.name, test.seconds)).collect();
        assert_eq!(names, [("mgp::cli two".to_owned(), 31.204), ("mgp::cli three".to_owned(), 1.5)]);
        assert_eq!(slowest(OUTPUT, 9).len(), 4);
    }
}
