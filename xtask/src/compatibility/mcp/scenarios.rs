//! The scenarios of MCP's conformance suite, from the list that `cargo xtask conformance --list` writes.

/// The path of the list.
pub(super) const PATH: &str = "xtask/conformance/scenarios.txt";

/// A line of the list.
#[derive(Debug)]
struct Scenario<'a> {
    side: &'a str,
    revision: &'a str,
    /// True if the run fails when the scenario does not pass.
    counts: bool,
    name: &'a str,
}

/// The list.
#[derive(Debug)]
pub(super) struct Scenarios<'a>(Vec<Scenario<'a>>);

impl<'a> Scenarios<'a> {
    /// Reads lines such as `server 2025-11-25 scored ping`. A line that starts with `#` is a comment.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let scenarios: Result<Vec<_>, _> = lines.map(scenario).collect();
        scenarios.map(Self)
    }

    /// Returns the reason why a scenario does not show the claim of a cell for a side at one of these revisions, or `None` if it does.
    pub(super) fn wrong(&self, side: &str, revisions: &[&str], name: &str) -> Option<&'static str> {
        let named: Vec<_> = self.0.iter().filter(|scenario| scenario.name == name).collect();
        let of_side: Vec<_> = named.iter().filter(|scenario| scenario.side == side).collect();
        let mut of_era = of_side.iter().filter(|scenario| revisions.contains(&scenario.revision)).peekable();
        if named.is_empty() {
            Some("is not a scenario of the suite")
        } else if of_side.is_empty() {
            Some("is a scenario of the other side")
        } else if of_era.peek().is_none() {
            Some("is not a scenario of this era")
        } else if !of_era.any(|scenario| scenario.counts) {
            Some("is neither counted by the suite nor required to pass here")
        } else {
            None
        }
    }
}

fn scenario(line: &str) -> Result<Scenario<'_>, String> {
    let words: Vec<_> = line.split(' ').collect();
    match words[..] {
        [side @ ("server" | "client"), revision, counts @ ("scored" | "must-pass" | "shown"), name] => {
            Ok(Scenario { side, revision, counts: counts != "shown", name })
        }
        _ => {
            Err(format!("{PATH}: expected a side, a revision, whether it counts and a name, found {line:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_counts_for_its_side_and_era() {
        let list =
            "# side\nserver 1 scored ping\nserver 1 shown late\nserver 2 must-pass late\nclient 2 shown call";
        let list = Scenarios::parse(list).unwrap();
        let wrong = |side, revisions: &[&str], name| list.wrong(side, revisions, name).unwrap_or("right");
        assert_eq!(wrong("server", &["1"], "ping"), "right");
        assert_eq!(wrong("server", &["1", "2"], "late"), "right");
        assert_eq!(
            wrong("server", &["1"], "late"),
            "is neither counted by the suite nor required to pass here"
        );
        assert_eq!(
            wrong("client", &["2"], "call"),
            "is neither counted by the suite nor required to pass here"
        );
        assert_eq!(wrong("client", &["1"], "ping"), "is a scenario of the other side");
        assert_eq!(wrong("server", &["2"], "ping"), "is not a scenario of this era");
        assert_eq!(wrong("server", &["1"], "pong"), "is not a scenario of the suite");
    }

    #[test]
    fn a_line_that_is_not_a_scenario_is_named() {
        for line in
            ["server 1 ping", "proxy 1 scored ping", "server 1 counts ping", "server 1 scored a b", ""]
        {
            assert!(scenario(line).unwrap_err().contains(&format!("found {line:?}")), "{line}");
        }
    }
}
