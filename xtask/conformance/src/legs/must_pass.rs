//! Scenarios that the suite does not count, but that must pass here.

use crate::suite::Side;

const MUST_PASS: &[(Side, &str)] = &[
    (Side::Server, "json-schema-2020-12"),
    (Side::Server, "server-session-lifecycle"),
    (Side::Server, "server-sse-polling"),
    (Side::Server, "http-header-validation"),
    (Side::Server, "http-custom-header-server-validation"),
    (Side::Server, "tasks-lifecycle"),
    (Side::Server, "tasks-capability-negotiation"),
    (Side::Server, "tasks-wire-fields"),
    (Side::Server, "tasks-request-state-removal"),
    (Side::Server, "tasks-mrtr-input"),
    (Side::Server, "tasks-request-headers"),
    (Side::Server, "tasks-dispatch-and-envelope"),
    (Side::Server, "tasks-status-notifications"),
    (Side::Server, "tasks-required-task-error"),
    (Side::Server, "tasks-mrtr-composition"),
    (Side::Client, "auth/client-credentials-jwt"),
    (Side::Client, "auth/client-credentials-basic"),
    (Side::Client, "auth/enterprise-managed-authorization"),
    (Side::Client, "auth/dpop"),
    (Side::Client, "auth/dpop-nonce"),
    (Side::Client, "auth/wif-jwt-bearer"),
    (Side::Client, "json-schema-2020-12-preservation"),
];

pub(super) fn must_pass(side: Side, scenario: &str) -> bool {
    MUST_PASS.contains(&(side, scenario))
}

/// Returns the scenarios of the table that are in no list of the suite: the table is wrong, or the suite changed.
pub(super) fn unknown(side: Side, has: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let of_side = MUST_PASS.iter().filter(|(other, _)| *other == side);
    of_side.map(|(_, name)| *name).filter(|name| !has(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scenario_must_pass_on_its_own_side_only() {
        assert!(must_pass(Side::Server, "tasks-lifecycle"));
        assert!(!must_pass(Side::Client, "tasks-lifecycle"));
        assert!(!must_pass(Side::Server, "sep-2640-skills-manifest"));
    }

    #[test]
    fn a_scenario_that_the_suite_does_not_have_is_named() {
        assert_eq!(
            unknown(Side::Client, |name| name.starts_with("auth/")),
            ["json-schema-2020-12-preservation"]
        );
        assert!(unknown(Side::Server, |_| true).is_empty());
    }

    #[test]
    fn the_repository_s_list_requires_each_scenario() {
        let kept = crate::scenarios::kept().unwrap();
        for side in [Side::Server, Side::Client] {
            let is_there = |name: &str| {
                let line = |line: &str| {
                    line.starts_with(side.as_str()) && line.ends_with(&format!(" must-pass {name}"))
                };
                kept.lines().any(line)
            };
            assert_eq!(unknown(side, is_there), [""; 0]);
        }
    }
}
