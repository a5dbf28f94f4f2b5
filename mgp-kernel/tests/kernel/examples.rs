//! The examples of kernels, each run to its end.

use xtask_testing::run_example;

#[test]
fn a_kernel_refuses_a_call_until_a_rule_allows_it_and_records_both() {
    let printed = run_example("kernel");
    for text in ["refused: ", "allowed: noon", "recorded: TOOL_BLOCKED", "recorded: TOOL_EXECUTED"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn a_gate_of_one_s_own_refuses_and_is_recorded() {
    let printed = run_example("gate");
    for text in ["allowed: buy milk", "nothing is forgotten here", "recorded: TOOL_BLOCKED"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn a_section_of_one_s_own_answers_admins_alone() {
    let printed = run_example("section");
    assert!(
        printed.contains("before: festina lente") && printed.contains("needs the admin role"),
        "{printed}"
    );
}
