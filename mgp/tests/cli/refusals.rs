//! The answers to a host and its model about a call that is refused.

use crate::support::{User, text};
use serde_json::json;

/// Returns a user whose configuration has the text `kernel` under `[kernel]`.
fn user(kernel: &str) -> User {
    let user = User::with_notes();
    let own = user.own_configuration();
    let file = text(&own).replace("[kernel]\n", &format!("[kernel]\n{kernel}\n"));
    std::fs::write(&own, file).unwrap();
    user
}

#[test]
fn a_refusal_is_an_error_or_a_result_as_configured() {
    for (kernel, is_result) in [("", false), ("refusals = \"error\"", false), ("refusals = \"result\"", true)]
    {
        let user = user(kernel);
        let mut host = user.serve(&[]);
        host.call(2, "serach_notes", &json!({ "text": "x" }));
        let reply = host.reply(2);
        let text = if is_result {
            assert_eq!(reply["result"]["isError"], true, "{reply}");
            &reply["result"]["content"][0]["text"]
        } else {
            assert_eq!(reply["error"]["code"], -32602, "{reply}");
            &reply["error"]["message"]
        };
        assert_eq!(
            text,
            "unknown tool: \"serach_notes\"; did you mean \"search_notes\"? Find tools with mgp_tools_discover.",
            "{reply}"
        );
        let report = if is_result {
            &reply["result"]["_meta"]["dev.cloto/result"]["error"]["error_details"]
        } else {
            &reply["error"]["data"]
        };
        assert_eq!(report["error_type"], "ToolNotFound", "{reply}");
        assert_eq!(report["category"], "invalid_input", "{reply}");
        assert_eq!(report["reason"], "unknown tool: \"serach_notes\"", "{reply}");
        assert_eq!(report["retryable"], false, "{reply}");
        assert!(report["trace_id"].is_string(), "{reply}");
        // Commands are not hosts: their exit codes stay.
        user.run(&["call", "serach_notes"]).fails_with(5);
    }
}

#[test]
fn a_refusal_names_only_the_grant_of_that_tool() {
    let user = user("");
    let mut host = user.serve(&["--agent", "stranger"]);
    host.call(2, "list_notes", &json!({}));
    let error = host.reply(2)["error"].clone();
    let grant = "`mgp access grant stranger notes list_notes`";
    assert!(error["message"].as_str().unwrap().contains(grant), "{error}");
    assert!(error["data"]["suggestion"].as_str().unwrap().contains(grant), "{error}");
    assert_eq!(error["data"]["error_type"], "AuthorizationError", "{error}");
    let refused = user.run(&["--agent", "stranger", "call", "list_notes"]).fails_with(4);
    assert!(refused.stderr.contains(grant), "{refused:?}");
}
