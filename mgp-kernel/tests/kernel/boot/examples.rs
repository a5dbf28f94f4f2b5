//! The examples of kernels, each run to its end.

use xtask_testing::run_example;

#[test]
fn a_call_is_refused_until_a_rule_allows_it() {
    let printed = run_example("kernel");
    for text in ["refused: ", "allowed: noon", "recorded: TOOL_BLOCKED", "recorded: TOOL_EXECUTED"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn a_custom_gate_refuses_and_is_recorded() {
    let printed = run_example("gate");
    for text in ["allowed: buy milk", "nothing is forgotten here", "recorded: TOOL_BLOCKED"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn a_custom_section_answers_only_admins() {
    let printed = run_example("section");
    assert!(
        printed.contains("before: festina lente") && printed.contains("needs the admin role"),
        "{printed}"
    );
}
