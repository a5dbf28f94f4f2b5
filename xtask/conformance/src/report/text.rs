//! Scenarios as lines: the result of each, and the suite's messages about the checks that failed.

use super::Outcome;
use crate::results::{Check, Kind, Scenario, Status};
use std::fmt::Write as _;

/// The most characters of a message that are shown, because some contain a whole message of the wire.
const SHOWN: usize = 600;

/// Writes one line for each scenario, and below it one for each check that failed or warned.
pub(crate) fn table<'a>(scenarios: impl Iterator<Item = &'a Scenario>, with_details: bool) -> String {
    let scenarios: Vec<_> = scenarios.collect();
    let width = scenarios.iter().map(|scenario| scenario.name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for scenario in scenarios {
        let word = match (scenario.has_passed(), scenario.counts()) {
            (true, _) => "pass",
            (false, true) => "FAIL",
            (false, false) => "fail",
        };
        let must = if scenario.kind == Kind::MustPass { "  (must pass)" } else { "" };
        let untested = if scenario.is_untested() { "  (nothing was tested)" } else { "" };
        let told = scenario.problem().map_or_else(|| counts(scenario), shown);
        let _ = writeln!(text, "  {word}  {:width$}  {told}{must}{untested}", scenario.name);
        for (word, status) in [("failed", Status::Failure), ("warned", Status::Warning)] {
            for check in scenario.with(status) {
                let _ = writeln!(text, "        {word} {}: {}", check.name, shown(check.message()));
                if with_details && status == Status::Failure {
                    text.push_str(&details(check));
                }
            }
        }
        if let Some(said) = scenario.said() {
            let _ = writeln!(text, "        the client said: {}", shown(said));
        }
    }
    text
}

/// Returns the last line of a leg's table: `server 2025-11-25: 30 of 30`.
pub(crate) fn closing_line(outcome: &Outcome) -> String {
    let passed = outcome.scored().filter(|scenario| scenario.has_passed()).count();
    let all = outcome.scored().count();
    format!("{} {}: {passed} of {all}", outcome.leg.as_str(), outcome.revision.as_str())
}

/// Counts the checks as `3 ok, 1 failed`, without zero counts.
fn counts(scenario: &Scenario) -> String {
    let words = [
        (Status::Success, "ok"),
        (Status::Failure, "failed"),
        (Status::Warning, "warned"),
        (Status::Skipped, "skipped"),
        (Status::Info, "noted"),
    ];
    let counted = words.map(|(status, word)| (scenario.with(status).count(), word));
    let counted = counted.iter().filter(|(count, _)| *count > 0);
    counted.map(|(count, word)| format!("{count} {word}")).collect::<Vec<_>>().join(", ")
}

/// Joins a message into one line, and cuts it.
fn shown(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &line[..end]),
        None => line,
    }
}

fn details(check: &Check) -> String {
    let details = check.details.as_ref().map(|details| format!("{details:#}")).unwrap_or_default();
    let mut text = format!("        check {}\n", check.id);
    for line in details.lines() {
        let _ = writeln!(text, "          {line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{legs::Leg, results::ScenarioOutput, revision::Revision};

    fn scenario(name: &str, kind: Kind, checks: &str) -> Scenario {
        let checks = serde_json::from_str(checks).map_err(|error| error.to_string());
        let written = checks.map(|checks| ScenarioOutput { checks, said: Some("error: refused".to_owned()) });
        Scenario { name: name.to_owned(), kind, written }
    }

    fn outcome() -> Outcome {
        let scenarios = vec![
            scenario(
                "ping",
                Kind::Scored,
                r#"[{"id":"ping","name":"Ping","status":"SUCCESS"},{"id":"w","name":"Wire","status":"SUCCESS"}]"#,
            ),
            scenario(
                "tools-list",
                Kind::Scored,
                r#"[{"id":"t","name":"Tools","status":"FAILURE","errorMessage":"none\nat all","details":{"a":1}},
                    {"id":"o","name":"Order","status":"WARNING","errorMessage":"mixed up"}]"#,
            ),
            scenario("tasks-x", Kind::MustPass, r#"[{"id":"t","name":"T","status":"SKIPPED"}]"#),
            Scenario { written: Err("no result: gone".to_owned()), ..scenario("skills", Kind::Shown, "[]") },
        ];
        Outcome { leg: Leg::Server, revision: Revision::V2025_11_25, scenarios }
    }

    #[test]
    fn failed_and_warning_checks_are_below_their_scenario() {
        let expected = "  \
  pass  ping        2 ok
  FAIL  tools-list  1 failed, 1 warned
        failed Tools: none at all
        warned Order: mixed up
        the client said: error: refused
";
        assert_eq!(table(outcome().scored(), false), expected);
        let expected = "  \
  pass  tasks-x  1 skipped  (must pass)  (nothing was tested)
  fail  skills   no result: gone
";
        assert_eq!(table(outcome().unscored(), false), expected);
    }

    #[test]
    fn details_are_shown_on_request() {
        let text = table(outcome().scored(), true);
        let expected = "        check t\n          {\n            \"a\": 1\n          }\n";
        assert!(text.contains(expected), "{text}");
    }

    #[test]
    fn only_scored_scenarios_are_counted_at_the_end() {
        assert_eq!(closing_line(&outcome()), "server 2025-11-25: 1 of 2");
    }

    #[test]
    fn only_required_scenarios_count_in_the_sum() {
        let mut tally = super::super::Tally::default();
        tally.add(&outcome(), Scenario::counts);
        assert_eq!(tally.to_string(), "2 passed, 1 failed, 0 skipped");
    }

    #[test]
    fn a_long_message_is_cut() {
        assert_eq!(shown(&"x".repeat(5000)).len(), SHOWN + 2);
    }
}
