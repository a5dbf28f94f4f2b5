//! The examples of kernels, each run to its end.

use std::process::Command;

/// Runs an example, which cargo builds beside the tests, and returns what it prints.
fn run(name: &str) -> String {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().unwrap().parent().unwrap().join("examples").join(name);
    let output = Command::new(program).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_kernel_refuses_a_call_until_a_rule_allows_it_and_records_both() {
    let printed = run("kernel");
    for text in ["refused: ", "allowed: noon", "recorded: TOOL_BLOCKED", "recorded: TOOL_EXECUTED"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn a_gate_of_one_s_own_refuses_and_is_recorded() {
    let printed = run("gate");
    for text in ["allowed: buy milk", "nothing is deleted here", "recorded: TOOL_BLOCKED"] {
        assert!(printed.contains(text), "{text}: {printed}");
    }
}

#[test]
fn a_section_of_one_s_own_answers_admins_alone() {
    let printed = run("section");
    assert!(
        printed.contains("before: festina lente") && printed.contains("needs the admin role"),
        "{printed}"
    );
}

#[test]
fn a_stack_without_a_kernel_serves_a_client() {
    let printed = run("stack");
    assert!(printed.contains("21 doubled: 42") && printed.contains("health: healthy"), "{printed}");
}
