//! Tools' metadata beyond MCP, as a server's author sets them and as clients get them.

use mgp_server_sdk::{
    Server, Tool,
    tool_metadata::{Compensation, Cost, CostCategory, Impact, LatencyClass, TOOL_KEY},
};
use serde_json::{Value, json};

fn tool() -> Tool {
    Tool::new("erase", "Erases a repository", async || "done")
}

#[tokio::test]
async fn custom_metadata_appears_in_the_tool_s_meta() {
    let tool = tool()
        .version("1.2.0")
        .deprecated("use archive")
        .example(json!({"repo": "a"}))
        .example_result(json!({"repo": "b"}), json!({"erased": true}))
        .fails_with("ResourceNotFound", "there is no such repository")
        .idempotency("a second call says that there is nothing to erase")
        .security_note("erases for good")
        .author("ann")
        .tags(["git"])
        .cost(Cost::new(CostCategory::Metered))
        .latency(LatencyClass::Seconds)
        .input_types(["application/json"])
        .output_types(["text/plain"])
        .max_input_size(1000)
        .compensation(Compensation::new("restore"))
        .required_scopes(["admin:repo"])
        .confirm("This erases '{repo}'.")
        .impact(Impact::Destructive);
    let client = Server::new("s", "1.0.0").tool(tool).test_client().await.unwrap();
    let listed = client.list_tools().await.unwrap();
    let meta: Value = listed[0].meta.as_ref().unwrap().get(TOOL_KEY).unwrap().decode().unwrap();
    let expected = json!({
        "version": "1.2.0", "deprecated": "use archive",
        "examples": [{"arguments": {"repo": "a"}}, {"arguments": {"repo": "b"}, "result": {"erased": true}}],
        "errors": [{"error_type": "ResourceNotFound", "when": "there is no such repository"}],
        "idempotency": "a second call says that there is nothing to erase", "security_notes": ["erases for good"], "author": "ann",
        "tags": ["git"], "cost": {"category": "metered"}, "latency": "seconds", "input_types": ["application/json"],
        "output_types": ["text/plain"], "max_input_size_bytes": 1000, "compensation": {"tool": "restore", "arguments": {}},
        "required_scopes": ["admin:repo"], "requires_confirmation": true, "confirmation_message": "This erases '{repo}'.",
        "risk_level": "destructive",
    });
    assert_eq!(meta, expected);
}

#[test]
fn metadata_that_readers_would_ignore_fails_the_build() {
    for (tool, problem) in [
        (tool().version("1.2"), "version: expected one such as 1.2.0, found \"1.2\""),
        (tool().example(json!([1])), "arguments of an example: expected a JSON object, found an array"),
        (tool().tags(["a".repeat(300)]), "tags/0: expected a text of at most 256 bytes, found 300"),
        (tool().author(" "), "author: expected a text, found an empty one"),
        (
            tool().compensation(Compensation::new("restore").arguments([1])),
            "compensation: arguments: expected an object, found an array",
        ),
        (tool().input_types(vec!["a/b"; 100]), "input_types: expected at most 64 entries, found 100"),
    ] {
        let error = Server::new("s", "1").tool(tool).build().expect_err(problem).to_string();
        assert!(error.starts_with(&format!("invalid metadata of tool \"erase\": {problem}")), "{error}");
    }
}

#[cfg(feature = "macros")]
mod attributes {
    use super::*;
    use mgp_server_sdk::tool;

    /// Adds two numbers.
    #[tool(version = "2.0.1", example(json!({"a": 1})), example(json!({"a": 2})), fails_with("ValidationError", "a is missing"), tags(["math"]))]
    fn add() -> &'static str {
        "3"
    }

    #[tokio::test]
    async fn the_attribute_accepts_the_setters() {
        let client = Server::new("s", "1.0.0").tool(add::tool()).test_client().await.unwrap();
        let listed = client.list_tools().await.unwrap();
        let meta: Value = listed[0].meta.as_ref().unwrap().get(TOOL_KEY).unwrap().decode().unwrap();
        assert_eq!((&meta["version"], meta["examples"].as_array().unwrap().len()), (&json!("2.0.1"), 2));
    }
}
