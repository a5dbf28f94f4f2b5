//! The state of sessions: sealed tokens that callers bring back.

use crate::support::Client;
use mgp_server_sdk::{Error, Prompt, Server, Tool, ToolError, extract::Args, session_state::SessionState};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Deserialize, JsonSchema)]
struct Turn {
    ends: String,
}

async fn turn(Args(Turn { ends }): Args<Turn>, session: SessionState) -> Result<String, ToolError> {
    let page = session.get::<u32>()?.unwrap_or(0) + 1;
    session.set(&page)?;
    match ends.as_str() {
        "fails" => return Err(ToolError::new("torn")),
        "clears" => session.clear(),
        "long" => session.set(&"x".repeat(60_000))?,
        "text" => session.set("page")?,
        _ => {}
    }
    Ok(format!("page {page}"))
}

fn server() -> Server {
    Server::new("book", "1").tool(Tool::new("turn", "Turns", turn)).tool(Tool::new("leaf", "Leafs", turn))
}

async fn turned(client: &Client, tool: &str, ends: &str, state: &Value) -> Value {
    let meta = if state.is_null() { json!({}) } else { json!({"session_state": state}) };
    let params = json!({"name": tool, "arguments": {"ends": ends}, "_meta": meta});
    match client.request("tools/call", params).await {
        Ok(result) => result,
        Err(error) => json!({"code": error.code, "message": error.message, "data": error.data}),
    }
}

fn state(result: &Value) -> Value {
    result["_meta"].get("session_state").cloned().unwrap_or_default()
}

#[tokio::test]
async fn a_session_continues_from_its_last_call_with_any_tool() {
    for client in [Client::plain(server()).await, Client::mgp(server()).await] {
        let first = turned(&client, "turn", "well", &Value::Null).await;
        assert_eq!(first["content"][0]["text"], "page 1");
        let second = turned(&client, "leaf", "well", &state(&first)).await;
        assert_eq!(second["content"][0]["text"], "page 2");
        let failed = turned(&client, "turn", "fails", &state(&second)).await;
        assert_eq!(failed["isError"], true);
        let fourth = turned(&client, "turn", "clears", &state(&failed)).await;
        assert_eq!(fourth["content"][0]["text"], "page 4");
        assert_eq!(fourth["_meta"].get("session_state"), Some(&Value::Null));
        assert_eq!(turned(&client, "turn", "well", &Value::Null).await["content"][0]["text"], "page 1");
    }
}

#[tokio::test]
async fn session_state_is_bounded_and_stale_or_foreign_is_refused() {
    let client = Client::plain(server()).await;
    let long = turned(&client, "turn", "long", &Value::Null).await;
    let text = long["content"][0]["text"].as_str().unwrap();
    assert!(long["isError"] == true && text.contains("expected at most 65536"), "{long}");
    let of_text = state(&turned(&client, "turn", "text", &Value::Null).await);
    let foreign = state(&turned(&Client::plain(server()).await, "turn", "well", &Value::Null).await);
    for (token, reason) in
        [(of_text, "stale"), (foreign, "foreign"), (json!("x"), "foreign"), (json!(1), "unreadable")]
    {
        let refused = turned(&client, "turn", "well", &token).await;
        assert_eq!(
            (&refused["code"], &refused["data"]["session_state"]),
            (&json!(-32602), &json!(reason)),
            "{refused}"
        );
        let message = refused["message"].as_str().unwrap();
        assert!(message.ends_with("call the tool without it to begin a new session"), "{message}");
    }
}

#[test]
fn only_tools_keep_session_state_once_each_and_for_a_time() {
    let twice = |_: SessionState, _: SessionState| "x";
    let error = Server::new("s", "1").tool(Tool::new("t", "", twice)).build().unwrap_err();
    assert!(error.to_string().contains("SessionState"), "{error}");
    let prompt = |_: SessionState| "x";
    let error = Server::new("s", "1").prompt(Prompt::new("p", "", prompt)).build().unwrap_err();
    assert!(error.to_string().contains("handlers of tools"), "{error}");
    let error = server().session_state_lifetime(Duration::from_millis(999)).build().unwrap_err();
    assert!(matches!(error, Error::Limit { limit: "session_state_lifetime" }), "{error}");
}
