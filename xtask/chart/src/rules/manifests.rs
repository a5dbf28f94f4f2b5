//! All rules on the manifests of one case.

use super::{configuration, network, pod, rollout};
use crate::objects::Objects;

/// The findings of a rule, or the reason why the manifests cannot be judged.
pub(super) type Findings = Result<Vec<String>, String>;

const RULES: &[fn(&Objects) -> Findings] = &[
    configuration::accepted,
    configuration::addresses,
    pod::rights,
    pod::files,
    pod::probes,
    network::selectors,
    network::ports,
    rollout::one_at_a_time,
    rollout::grace_period,
    rollout::count,
];

/// Returns the findings of all rules on the manifests of one case.
pub(crate) fn of_manifests(objects: &Objects) -> Vec<String> {
    RULES.iter().flat_map(|rule| rule(objects).unwrap_or_else(|reason| vec![reason])).collect()
}

/// Returns the sentences whose conditions do not hold.
pub(super) fn unmet<const N: usize>(conditions: [(bool, &str); N]) -> Vec<String> {
    conditions.into_iter().filter(|(holds, _)| !holds).map(|(_, sentence)| sentence.to_owned()).collect()
}
