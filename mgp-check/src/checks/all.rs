//! Every check, in the order in which they run.

use super::{basics, degradation, errors, idempotency, lists, messages, mgp, schemas, scopes, streaming};
use crate::Check;

const COUNT: usize = basics::CHECKS.len()
    + lists::CHECKS.len()
    + schemas::CHECKS.len()
    + mgp::CHECKS.len()
    + idempotency::CHECKS.len()
    + scopes::CHECKS.len()
    + streaming::CHECKS.len()
    + degradation::CHECKS.len()
    + errors::CHECKS.len()
    + messages::CHECKS.len();

const AREAS: [&[Check]; 10] = [
    basics::CHECKS,
    lists::CHECKS,
    schemas::CHECKS,
    mgp::CHECKS,
    idempotency::CHECKS,
    scopes::CHECKS,
    streaming::CHECKS,
    degradation::CHECKS,
    errors::CHECKS,
    // Last, because they check the messages of all others.
    messages::CHECKS,
];

/// Every check, in the order in which they run.
pub const ALL: &[Check] = &joined();

const fn joined() -> [Check; COUNT] {
    let mut all = [basics::CHECKS[0]; COUNT];
    let (mut area, mut at) = (0, 0);
    while area < AREAS.len() {
        let mut check = 0;
        while check < AREAS[area].len() {
            all[at] = AREAS[area][check];
            at += 1;
            check += 1;
        }
        area += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_are_unique_and_prefixed_and_each_rule_is_one_sentence() {
        let ids: HashSet<_> = ALL.iter().map(|check| check.id).collect();
        assert_eq!(ids.len(), ALL.len());
        for check in ALL {
            assert!(check.id.starts_with(&format!("{}.", check.area)), "{}", check.id);
            assert!(
                check.rule.ends_with('.') && !check.rule[..check.rule.len() - 1].contains(". "),
                "{}",
                check.id
            );
            assert!(["MCP ", "MGP §", "proposal "].iter().any(|of| check.of.starts_with(of)), "{}", check.id);
        }
    }
}
