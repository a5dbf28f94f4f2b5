//! Lists, and their entries.

use crate::support::Client;
use expect_test::expect;
use mgp_server_sdk::{Extension, RiskLevel, SecurityMetadata, Server, Tool, extract::Args};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// The place to search.
#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Search {
    /// The text to search for.
    text: String,
    /// The place.
    place: Option<Place>,
}

#[derive(Deserialize, JsonSchema)]
#[allow(dead_code)]
struct Place {
    path: String,
}

fn searcher() -> Server {
    let mut security = SecurityMetadata::new(RiskLevel::Dangerous);
    security.reversible = Some(false);
    let search = Tool::new("search", "Looks for a text", async |_: Args<Search>| "found")
        .title("Search")
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
        .security(security)
        .risk(RiskLevel::Safe)
        .permissions(["filesystem.read"]);
    Server::new("s", "1").tool(search).tool(Tool::new("now", "Says the time", async || "now"))
}

#[tokio::test]
async fn a_definition_describes_its_tool_completely() {
    let client = Client::mgp(searcher()).await;
    let mut list = client.request("tools/list", json!({})).await.unwrap();
    list.sort_all_objects();
    expect![[r#"
        {
          "tools": [
            {
              "annotations": {
                "destructiveHint": false,
                "idempotentHint": true,
                "openWorldHint": false,
                "readOnlyHint": true
              },
              "description": "Looks for a text",
              "inputSchema": {
                "description": "The place to search.",
                "properties": {
                  "place": {
                    "description": "The place.",
                    "properties": {
                      "path": {
                        "type": "string"
                      }
                    },
                    "required": [
                      "path"
                    ],
                    "type": [
                      "object",
                      "null"
                    ]
                  },
                  "text": {
                    "description": "The text to search for.",
                    "type": "string"
                  }
                },
                "required": [
                  "text"
                ],
                "type": "object"
              },
              "name": "search",
              "security": {
                "permissions_required": [
                  "filesystem.read"
                ],
                "reversible": false,
                "risk_level": "safe"
              },
              "title": "Search"
            },
            {
              "description": "Says the time",
              "inputSchema": {
                "properties": {},
                "type": "object"
              },
              "name": "now"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&list).unwrap());
}

#[tokio::test]
async fn security_is_shown_only_if_it_was_negotiated() {
    let security = |list: Value| list["tools"][0].get("security").cloned();
    let shown = Client::mgp(searcher()).await.request("tools/list", json!({})).await.unwrap();
    assert!(security(shown).is_some());
    let hidden = Client::plain(searcher()).await.request("tools/list", json!({})).await.unwrap();
    assert_eq!(security(hidden), None);
    let without = Client::mgp(searcher().extensions([Extension::Streaming])).await;
    assert_eq!(security(without.request("tools/list", json!({})).await.unwrap()), None);
}

#[tokio::test]
async fn a_tool_shows_its_output_schema() {
    let server = Server::new("s", "1")
        .tool(Tool::new("says", "", async || ()).output::<Place>())
        .tool(Tool::new("silent", "", async || ()));
    let list = Client::plain(server).await.request("tools/list", json!({})).await.unwrap();
    let schema = &list["tools"][0]["outputSchema"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["properties"], json!({"path": {"type": "string"}}));
    assert!(list["tools"][1].get("outputSchema").is_none(), "{list}");
}

#[tokio::test]
async fn a_long_list_is_split_into_pages() {
    let mut server = Server::new("s", "1").page_size(2);
    for name in ["a", "b", "c", "d", "e"] {
        server = server.tool(Tool::new(name, "", async || ()));
    }
    let client = Client::plain(server).await;
    let (mut names, mut cursor, mut pages) = (Vec::new(), json!(null), 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) };
        let page = client.request("tools/list", params).await.unwrap();
        names.extend(page["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()));
        pages += 1;
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    assert_eq!((pages, json!(names)), (3, json!(["a", "b", "c", "d", "e"])));
    let error = client.request("tools/list", json!({"cursor": "x"})).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.starts_with("invalid cursor: expected"), "{error}");
}

#[tokio::test]
async fn methods_for_missing_features_do_not_exist() {
    let client = Client::plain(Server::new("empty", "1")).await;
    assert_eq!(client.initialized["capabilities"], json!({}));
    for method in [
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "prompts/list",
        "prompts/get",
        "completion/complete",
        "logging/setLevel",
        "tools/fly",
    ] {
        let error = client.request(method, json!({"uri": "a:b", "name": "x"})).await.unwrap_err();
        assert_eq!((error.code, error.message), (-32601, format!("method not found: {method:?}")));
    }
}
