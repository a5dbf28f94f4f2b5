//! The result of every scenario, for programs.

use super::{Outcome, Tally};
use crate::{
    results::{Kind, Scenario, Status},
    suite,
};
use serde_json::{Value, json};

/// Returns the whole run as JSON.
pub(crate) fn json(outcomes: &[Outcome], tally: Tally) -> Value {
    let leg = |outcome: &Outcome| {
        json!({
            "leg": outcome.leg.as_str(),
            "revision": outcome.revision.as_str(),
            "scored": outcome.scored().count(),
            "passed": outcome.scored().filter(|scenario| scenario.has_passed()).count(),
            "scenarios": outcome.scenarios.iter().map(scenario).collect::<Vec<_>>(),
        })
    };
    json!({
        "suite": suite::VERSION,
        "legs": outcomes.iter().map(leg).collect::<Vec<_>>(),
        "passed": tally.passed,
        "failed": tally.failed,
        "skipped": tally.skipped,
    })
}

fn scenario(scenario: &Scenario) -> Value {
    let kind = match scenario.kind {
        Kind::Scored => "scored",
        Kind::MustPass => "must_pass",
        Kind::Shown => "shown",
    };
    let checks = |status| {
        let check = |check: &crate::results::Check| json!({ "id": check.id, "name": check.name, "message": check.message() });
        scenario.with(status).map(check).collect::<Vec<_>>()
    };
    let mut value = json!({
        "name": scenario.name,
        "kind": kind,
        "passed": scenario.has_passed(),
        "untested": scenario.is_untested(),
        "checks": {
            "success": scenario.with(Status::Success).count(),
            "failure": scenario.with(Status::Failure).count(),
            "warning": scenario.with(Status::Warning).count(),
            "skipped": scenario.with(Status::Skipped).count(),
            "info": scenario.with(Status::Info).count(),
        },
        "failures": checks(Status::Failure),
        "warnings": checks(Status::Warning),
    });
    if let Some(problem) = scenario.problem() {
        value["problem"] = problem.into();
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{legs::Leg, results::ScenarioOutput, revision::Revision};

    #[test]
    fn every_scenario_is_reported_with_its_failures() {
        let checks = r#"[{"id":"a","name":"A","status":"SUCCESS"},
                         {"id":"b","name":"B","status":"FAILURE","errorMessage":"no"}]"#;
        let failed = Scenario {
            name: "ping".to_owned(),
            kind: Kind::Scored,
            written: Ok(ScenarioOutput { checks: serde_json::from_str(checks).unwrap(), said: None }),
        };
        let lost = Scenario { name: "skills".to_owned(), kind: Kind::Shown, written: Err("gone".to_owned()) };
        let outcome =
            Outcome { leg: Leg::Gateway, revision: Revision::V2026_07_28, scenarios: vec![failed, lost] };
        let mut tally = Tally::default();
        tally.add(&outcome, Scenario::counts);
        let json = json(&[outcome], tally);
        let leg = &json["legs"][0];
        assert_eq!((&leg["leg"], &leg["scored"], &leg["passed"]), (&json!("gateway"), &json!(1), &json!(0)));
        let expected = json!([{ "id": "b", "name": "B", "message": "no" }]);
        assert_eq!(leg["scenarios"][0]["failures"], expected);
        assert_eq!(leg["scenarios"][0]["checks"]["success"], json!(1));
        assert_eq!(leg["scenarios"][1]["problem"], json!("gone"));
        assert_eq!(json["failed"], json!(1));
    }
}
