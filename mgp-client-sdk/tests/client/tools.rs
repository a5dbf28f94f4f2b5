//! Calls of tools.

use crate::{
    scripted::{self, plain, result},
    support::{Way, builder, connect, everything, hear_progress, json, open, text, within},
};
use mgp_client_sdk::{CallError, Era, EraChoice, RawJson};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn a_tool_is_called_on_every_connection() {
    for way in Way::ALL {
        let connected = connect(*way, everything(), builder().without_mgp()).await;
        let client = &connected.client;
        let sum = within(client.call_tool("add", json(r#"{"a":2,"b":3}"#))).await.unwrap();
        assert_eq!(text(&sum), "5", "{way:?}");
        let failed = within(client.call_tool("fail", RawJson::empty_object())).await.unwrap();
        assert!(failed.failed() && text(&failed) == "no such luck", "{way:?}");
        let unknown = within(client.call_tool("nothing", RawJson::empty_object())).await.unwrap_err();
        assert!(matches!(&unknown, CallError::Peer(error) if error.code == -32602), "{way:?}: {unknown}");
    }
}

#[tokio::test]
async fn progress_precedes_the_result_on_every_connection() {
    for way in Way::ALL {
        let connected = open(*way).await;
        let mut heard = Vec::new();
        let hear = |step: mgp_client_sdk::mcp::ProgressParams| heard.push(step.progress.as_f64().unwrap());
        let call = hear_progress(&connected.client, "work", hear);
        assert_eq!(text(&within(call).await.unwrap()), "done");
        assert_eq!(heard, [1.0, 2.0, 3.0], "{way:?}");
    }
}

#[tokio::test]
async fn ping_is_answered_on_every_connection() {
    for way in Way::ALL {
        within(open(*way).await.client.ping()).await.unwrap();
    }
}

#[tokio::test]
async fn a_result_of_an_unknown_kind_is_an_error() {
    let script = |line: &serde_json::Value| {
        plain(line, &json!({})).unwrap_or_else(|| match line["params"]["name"].as_str() {
            Some("later") => result(json!({"resultType": "later", "content": []})),
            Some("task") => result(json!({"resultType": "task", "task": {"taskId": "1"}})),
            _ => result(json!({"content": []})),
        })
    };
    let choice = EraChoice::Known(Era::Stateless);
    let client = scripted::connect(Arc::new(script), builder(), choice).await.0.unwrap();
    for (tool, kind) in [("later", r#""later""#), ("task", r#""task""#)] {
        let error = within(client.call_tool(tool, RawJson::empty_object())).await.unwrap_err();
        assert!(matches!(error, CallError::Unreadable(_)) && error.to_string().contains(kind), "{error}");
    }
    within(client.call_tool("old", RawJson::empty_object())).await.unwrap();
}

#[tokio::test]
async fn an_unreadable_tool_does_not_hide_the_others() {
    let script = |line: &serde_json::Value| {
        plain(line, &json!({})).unwrap_or_else(|| {
            result(json!({"tools": [{"title": "nameless"}, 7, {"name": "good", "inputSchema": {}}], "nextCursor": null}))
        })
    };
    for era in [Era::Initialize, Era::Stateless] {
        let choice = EraChoice::Known(era);
        let client = scripted::connect(Arc::new(script), builder(), choice).await.0.unwrap();
        let tools = within(client.list_tools()).await.unwrap();
        assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["good"]);
    }
}
