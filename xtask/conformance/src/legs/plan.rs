//! The scenarios that are run at a revision, and how they are run.

use super::must_pass::{must_pass, unknown};
use crate::{
    results::Kind,
    revision::Revision,
    suite::{ListedScenario, Requirements, Side},
};

/// The suite's tag for scenarios that belong to no revision.
const EXTENSION: &str = "extension";

/// The scenarios that are run at a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) revision: Revision,
    /// The revision's set in the suite's order: first the scored scenarios, then those that are only reported. The suite runs the set
    /// at once.
    pub(crate) set: Vec<(String, Kind)>,
    /// The scenarios outside of all sets, each in a separate run.
    pub(crate) rest: Vec<Extra>,
}

/// A scenario outside of all sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Extra {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The revision for the suite's command line; `None` for scenarios of revisions without a set.
    pub(crate) revision: Option<Revision>,
}

/// Makes the plan of a side.
pub(crate) fn plan(
    side: Side,
    revision: Revision,
    listed: &[ListedScenario],
    requirements: &Requirements,
) -> Result<Plan, String> {
    let unscored = |name: &str| if must_pass(side, name) { Kind::MustPass } else { Kind::Shown };
    let scored = requirements.scored(side).map(|name| (name.to_owned(), Kind::Scored));
    let reported = requirements.reported(side).map(|name| (name.to_owned(), unscored(name)));
    let set: Vec<_> = scored.chain(reported).collect();

    let of_side = || listed.iter().filter(|scenario| scenario.side == side);
    let unknown = unknown(side, |name| of_side().any(|scenario| scenario.name == name));
    if !unknown.is_empty() {
        return Err(format!("the suite has no scenario named {}", unknown.join(", ")));
    }
    let outside = of_side().filter(|scenario| set.iter().all(|(name, _)| *name != scenario.name));
    let rest = outside.filter_map(|scenario| {
        let revision = told(scenario, revision)?;
        let name = scenario.name.clone();
        Some(Extra { kind: unscored(&name), name, revision })
    });
    Ok(Plan { revision, rest: rest.collect(), set })
}

/// Returns the revision for the suite's command line of a scenario outside of all sets, or `None` if the scenario is not run with
/// those of `revision`. Extensions run with the newest revision, scenarios older than every set with the oldest.
fn told(scenario: &ListedScenario, revision: Revision) -> Option<Option<Revision>> {
    let has = |revision: Revision| scenario.tags.iter().any(|tag| tag == revision.as_str());
    let is_extension = scenario.tags.iter().any(|tag| tag == EXTENSION);
    let [oldest, .., newest] = Revision::ALL;
    if has(revision) || (is_extension && revision == newest) {
        Some(Some(revision))
    } else if !is_extension && !Revision::ALL.into_iter().any(has) && revision == oldest {
        Some(None)
    } else {
        None
    }
}

impl Plan {
    /// Returns the plan for only one scenario, or `None` if the scenario is not run at this revision.
    pub(crate) fn only(&self, name: &str) -> Option<Self> {
        let in_set = self.set.iter().find(|(other, _)| other == name);
        let extra = match in_set {
            Some((name, kind)) => Extra { name: name.clone(), kind: *kind, revision: Some(self.revision) },
            None => self.rest.iter().find(|extra| extra.name == name)?.clone(),
        };
        Some(Self { revision: self.revision, set: Vec::new(), rest: vec![extra] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::{parse_list, parse_requirements};

    const LIST: &str = "\
Server scenarios (test against a server):
  - ping [2025-11-25]
  - polling [2025-11-25]
  - fresh [2026-07-28]
  - both [2025-11-25,2026-07-28]
  - ancient [2025-03-26]
  - skills [extension]
  - json-schema-2020-12 [2025-11-25,2026-07-28]
Client scenarios (test against a client):
  - initialize [2025-11-25]
";
    const REQUIREMENTS: &str = "\
Server scenarios (test against a server):
  - ping
Client scenarios (test against a client):
  - initialize
Run and reported, but never scored:
  pending (1):
    - polling [server]
";

    fn of(revision: Revision) -> Result<Plan, String> {
        // The table of scenarios that must pass is compared with the list.
        let tasks = [
            "lifecycle",
            "capability-negotiation",
            "wire-fields",
            "request-state-removal",
            "mrtr-input",
            "request-headers",
            "dispatch-and-envelope",
            "status-notifications",
            "required-task-error",
            "mrtr-composition",
        ];
        let tasks = tasks.map(|name| format!("  - tasks-{name} [2024-11-05,2026-07-28]\n")).concat();
        let http = "  - http-header-validation [2026-07-28]\n  - http-custom-header-server-validation [2026-07-28]\n";
        let old = "  - server-session-lifecycle [2024-11-05,2026-07-28]\n  - server-sse-polling [2024-11-05,2026-07-28]\n";
        let list = LIST.replacen("  - ping", &format!("{tasks}{http}{old}  - ping"), 1);
        let requirements = parse_requirements(REQUIREMENTS).unwrap();
        plan(Side::Server, revision, &parse_list(&list).unwrap(), &requirements)
    }

    fn names(extras: &[Extra]) -> Vec<(&str, Option<Revision>)> {
        let ours = extras.iter().filter(|extra| {
            ["tasks-", "http-", "server-"].iter().all(|of_table| !extra.name.starts_with(of_table))
        });
        ours.map(|extra| (extra.name.as_str(), extra.revision)).collect()
    }

    #[test]
    fn a_scenario_in_no_set_runs_once_on_its_side() {
        let old = of(Revision::V2025_11_25).unwrap();
        assert_eq!(old.set, [("ping".to_owned(), Kind::Scored), ("polling".to_owned(), Kind::Shown)]);
        let at = Some(Revision::V2025_11_25);
        assert_eq!(names(&old.rest), [("both", at), ("ancient", None), ("json-schema-2020-12", at)]);

        let new = of(Revision::V2026_07_28).unwrap();
        let at = Some(Revision::V2026_07_28);
        let expected = [("fresh", at), ("both", at), ("skills", at), ("json-schema-2020-12", at)];
        assert_eq!(names(&new.rest), expected);
    }

    #[test]
    fn a_scenario_of_the_table_must_pass_even_outside_all_sets() {
        let plan = of(Revision::V2026_07_28).unwrap();
        let kind = |name: &str| plan.rest.iter().find(|extra| extra.name == name).map(|extra| extra.kind);
        assert_eq!(kind("json-schema-2020-12"), Some(Kind::MustPass));
        assert_eq!(kind("tasks-lifecycle"), Some(Kind::MustPass));
        assert_eq!(kind("skills"), Some(Kind::Shown));
    }

    #[test]
    fn a_scenario_of_the_table_that_the_suite_lost_is_an_error() {
        let requirements = parse_requirements(REQUIREMENTS).unwrap();
        let listed = parse_list(LIST).unwrap();
        let error = plan(Side::Server, Revision::V2025_11_25, &listed, &requirements).unwrap_err();
        assert!(error.contains("tasks-lifecycle") && !error.contains("json-schema"), "{error}");
    }

    #[test]
    fn a_single_scenario_gets_its_revision_and_still_counts() {
        let plan = of(Revision::V2025_11_25).unwrap();
        let only = plan.only("ping").unwrap();
        let expected =
            Extra { name: "ping".to_owned(), kind: Kind::Scored, revision: Some(Revision::V2025_11_25) };
        assert_eq!((only.set.len(), only.rest), (0, vec![expected]));
        assert_eq!(plan.only("ancient").unwrap().rest[0].revision, None);
        assert_eq!(plan.only("fresh"), None);
    }
}
