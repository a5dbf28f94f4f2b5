//! The time that calls of a tool took, as a running gateway measured it.

use crate::support::User;
use serde_json::json;

#[test]
fn a_tool_is_shown_with_its_times_at_the_running_gateway() {
    let user = User::with_notes();
    let shown = |text: &str| {
        let shown = user.run(&["tools", "show", "list_notes"]).succeeds().stdout;
        assert!(shown.contains(&format!("\nmeasured        {text}")), "{shown}");
    };
    shown("nothing: no gateway with this configuration runs\n");
    let mut host = user.serve(&[]);
    host.send(2, "tools/list", &json!({}));
    host.reply(2);
    shown("nothing: no call of it has been answered since the gateway started\n");
    for id in 3..=5 {
        host.send(id, "tools/call", &json!({"name": "list_notes", "arguments": {}}));
        let answer = host.reply(id);
        assert!(answer["result"]["content"].is_array() && answer["result"]["isError"] != true, "{answer}");
    }
    shown("Of 3 calls that were measured, half took at most ");
    let (_, report) = user.json(&["tools", "show", "list_notes"]);
    let expectation = &report["expectation"];
    let measured = &expectation["measured"][0];
    assert_eq!(
        (&expectation["units"], &measured["pid"], &measured["calls"]),
        (&json!(1), &json!(host.pid()), &json!(3)),
        "{report}"
    );
    assert!(measured["p50_ms"].as_u64().unwrap() <= measured["p95_ms"].as_u64().unwrap(), "{report}");
    host.close();
    assert_eq!(host.end(), 0);
    shown("nothing: no gateway with this configuration runs\n");
}
