//! The reason why a scenario has no result, from the suite's log.

use std::{fs::File, io::Read, path::Path};

/// The most of a log that is read, in bytes.
const MAX_LOG: u64 = 16 * 1024 * 1024;

/// Returns the line of the suite's log about a scenario that it could not run.
pub(crate) fn reason(log: &Path, scenario: &str) -> Option<String> {
    let mut text = Vec::new();
    File::open(log).ok()?.take(MAX_LOG).read_to_end(&mut text).ok()?;
    find(&String::from_utf8_lossy(&text), scenario).map(str::to_owned)
}

/// Finds the line about a scenario. In a whole set, each failure has a line with the scenario's name; in a run of one scenario, the
/// failure ends the suite.
fn find<'a>(log: &'a str, scenario: &str) -> Option<&'a str> {
    let starts = [
        format!("Failed to run scenario {scenario}: "),
        "Server test error: ".to_owned(),
        "Client test error: ".to_owned(),
    ];
    starts.iter().find_map(|start| log.lines().find_map(|line| line.strip_prefix(start.as_str())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scenario_s_line_overrides_that_of_the_whole_run() {
        let log = "\
Running client scenario 'caching' against server: http://127.0.0.1:1/mcp
Failed to run scenario caching-more: Error: not this one
Failed to run scenario caching: Error: no such port
    at l (index.js:1)
Server test error: Error: gone
";
        assert_eq!(find(log, "caching"), Some("Error: no such port"));
        assert_eq!(find(log, "ping"), Some("Error: gone"));
        assert_eq!(find("Running client scenario 'caching'", "caching"), None);
    }
}
