//! Lists, in pages and within bounds.

use crate::{
    scripted::{self, plain, result},
    support::{Way, builder, open, within},
};
use mgp_client_sdk::{CallError, Era, EraChoice, client::Limits};
use serde_json::json;
use std::sync::Arc;

#[tokio::test]
async fn every_page_of_every_list_is_read_on_every_connection() {
    for way in Way::ALL {
        let connected = open(*way).await;
        let client = &connected.client;
        let tools = within(client.list_tools()).await.unwrap();
        let tools: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(tools, ["add", "fail", "work", "speak", "greet", "think", "roots"], "{way:?}");
        let resources = within(client.list_resources()).await.unwrap();
        let uris: Vec<_> = resources.iter().map(|resource| resource.uri.as_str()).collect();
        assert_eq!(uris, ["memo:1", "memo:2", "memo:3"], "{way:?}");
        let templates = within(client.list_resource_templates()).await.unwrap();
        assert_eq!(templates[0].uri_template, "note://{id}", "{way:?}");
        let prompts = within(client.list_prompts()).await.unwrap();
        let prompts: Vec<_> = prompts.iter().map(|prompt| prompt.name.as_str()).collect();
        assert_eq!(prompts, ["review", "roots"], "{way:?}");
    }
}

#[tokio::test]
async fn an_endless_list_is_an_error() {
    let script = |line: &serde_json::Value| {
        plain(line, &json!({})).unwrap_or_else(|| {
            let page = line["params"]["cursor"].as_str().map_or(0, str::len);
            let tools = ["a", "b"].map(|name| json!({"name": format!("{name}{page}"), "inputSchema": {}}));
            result(json!({"tools": tools, "nextCursor": "x".repeat(page + 1)}))
        })
    };
    for (limits, expected) in [
        (Limits { pages: 3, ..Limits::default() }, "more than 3 pages"),
        (Limits { entries: 5, ..Limits::default() }, "more than 5 entries"),
    ] {
        let builder = builder().limits(limits);
        let choice = EraChoice::Known(Era::Initialize);
        let (client, lines) = scripted::connect(Arc::new(script), builder, choice).await;
        let error = within(client.unwrap().list_tools()).await.unwrap_err();
        assert!(matches!(error, CallError::Unreadable(_)) && error.to_string().contains(expected), "{error}");
        assert_eq!(lines.of("tools/list").len(), 3);
    }
}

#[tokio::test]
async fn an_unreadable_list_entry_costs_no_other_entry() {
    let script = |line: &serde_json::Value| {
        plain(line, &json!({"tools": {}, "resources": {}, "prompts": {}})).unwrap_or_else(|| {
            let odd = json!({"name": "odd", "uri": "r://odd", "uriTemplate": "r://{odd}", "title": 7,
                "description": [], "annotations": "none", "icons": {}, "_meta": 1, "size": -1.5, "mimeType": {},
                "arguments": "none", "security": [{"oauth2": []}]});
            let entries = json!([{"title": "nothing to ask for it by"}, 7, odd]);
            result(json!({"tools": entries, "resources": entries, "resourceTemplates": entries, "prompts": entries}))
        })
    };
    let choice = EraChoice::Known(Era::Initialize);
    let client = scripted::connect(Arc::new(script), builder(), choice).await.0.unwrap();
    let tools = within(client.list_tools()).await.unwrap();
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["odd"]);
    let resources = within(client.list_resources()).await.unwrap();
    assert_eq!(resources.iter().map(|one| one.uri.as_str()).collect::<Vec<_>>(), ["r://odd"]);
    let templates = within(client.list_resource_templates()).await.unwrap();
    assert_eq!(templates.iter().map(|one| one.uri_template.as_str()).collect::<Vec<_>>(), ["r://{odd}"]);
    let prompts = within(client.list_prompts()).await.unwrap();
    assert_eq!(prompts.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["odd"]);
}
