//! `resources/*`.

use crate::support::Client;
use mgp_server_sdk::{
    Resource, ResourceTemplate, Server, ToolError,
    extract::{Args, Prefix, Uri},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Note {
    owner: String,
    id: u64,
}

async fn note(Uri(uri): Uri, Args(Note { owner, id }): Args<Note>) -> Result<String, ToolError> {
    if id == 0 { Err(ToolError::resource_not_found(&uri)) } else { Ok(format!("{owner} {id}")) }
}

async fn owners(Prefix(typed): Prefix) -> Vec<&'static str> {
    ["ann", "amy", "bob"].into_iter().filter(|name| name.starts_with(&*typed)).collect()
}

fn library() -> Server {
    Server::new("s", "1")
        .resource(Resource::text("motd://today", "motd", async || "Be kind.").title("Today").size(8))
        .resource(Resource::binary("img://dot", "dot", async || vec![0u8, 255]).mime_type("image/x"))
        .resource_template(
            ResourceTemplate::text("note://{owner}/{id}", "note", note)
                .mime_type("text/markdown")
                .complete("owner", owners),
        )
}

#[tokio::test]
async fn resources_and_templates_are_listed() {
    let client = Client::plain(library()).await;
    assert_eq!(
        client.initialized["capabilities"],
        json!({"resources": {"subscribe": true, "listChanged": true}, "completions": {}})
    );
    let resources = client.request("resources/list", json!({})).await.unwrap();
    let motd =
        json!({"uri": "motd://today", "name": "motd", "title": "Today", "mimeType": "text/plain", "size": 8});
    assert_eq!(resources["resources"][0], motd);
    assert_eq!(resources["resources"][1]["mimeType"], "image/x");
    let templates = client.request("resources/templates/list", json!({})).await.unwrap();
    let note = json!({"uriTemplate": "note://{owner}/{id}", "name": "note", "mimeType": "text/markdown"});
    assert_eq!(templates, json!({"resourceTemplates": [note]}));
}

#[tokio::test]
async fn a_resource_is_read_as_text_or_bytes_or_by_its_template() {
    let client = Client::plain(library()).await;
    for (uri, expected) in [
        ("motd://today", json!({"uri": "motd://today", "mimeType": "text/plain", "text": "Be kind."})),
        ("img://dot", json!({"uri": "img://dot", "mimeType": "image/x", "blob": "AP8="})),
        ("note://a%20b/7", json!({"uri": "note://a%20b/7", "mimeType": "text/markdown", "text": "a b 7"})),
    ] {
        let result = client.request("resources/read", json!({"uri": uri})).await.unwrap();
        assert_eq!(result, json!({"contents": [expected]}));
    }
}

#[tokio::test]
async fn an_unknown_uri_is_an_error_that_names_it() {
    let client = Client::plain(library()).await;
    for (method, uri) in [
        ("resources/read", "motd://tomorrow"),
        ("resources/read", "note://a/0"),
        ("resources/subscribe", "note://a"),
    ] {
        let error = client.request(method, json!({"uri": uri})).await.unwrap_err();
        assert_eq!((error.code, error.message), (-32002, format!("resource not found: {uri:?}")));
        assert_eq!(error.data.unwrap().as_str(), json!({"uri": uri}).to_string());
    }
    let error = client.request("resources/read", json!({"uri": "note://a/x"})).await.unwrap_err();
    let expected = "invalid arguments: id: invalid value: string \"x\", expected u64";
    assert_eq!((error.code, &*error.message), (-32602, expected));
    let error = client.request("resources/read", json!({})).await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.contains("missing uri"), "{error}");
}

#[tokio::test]
async fn only_subscribers_are_notified_of_a_resource() {
    let stack = library().build().unwrap();
    let (mut one, mut other) = (Client::of(&stack, false).await, Client::of(&stack, true).await);
    let uri = json!({"uri": "motd://today"});
    one.request("resources/subscribe", uri.clone()).await.unwrap();
    other.request("resources/subscribe", json!({"uri": "note://a/1"})).await.unwrap();
    stack.notifier().resource_updated("motd://today").await;
    assert_eq!(one.heard().await, ("notifications/resources/updated".to_owned(), uri.clone()));
    one.request("resources/unsubscribe", uri).await.unwrap();
    stack.notifier().resource_updated("motd://today").await;
    one.heard_nothing_more().await;
    other.heard_nothing_more().await;
}

#[tokio::test]
async fn subscriptions_of_a_session_are_bounded() {
    let client = Client::mgp(library()).await;
    for id in 0..1024 {
        client.request("resources/subscribe", json!({"uri": format!("note://a/{id}")})).await.unwrap();
    }
    let more = json!({"uri": "note://a/1024"});
    assert_eq!(client.request("resources/subscribe", more.clone()).await.unwrap_err().code, 3001);
    client.request("resources/subscribe", json!({"uri": "note://a/7"})).await.unwrap();
    client.request("resources/unsubscribe", json!({"uri": "note://a/7"})).await.unwrap();
    client.request("resources/subscribe", more).await.unwrap();
}

#[tokio::test]
async fn a_variable_is_completed() {
    let client = Client::plain(library()).await;
    let ask = |uri: &str, name: &str| {
        let reference = json!({"type": "ref/resource", "uri": uri});
        let params = json!({"ref": reference, "argument": {"name": name, "value": "a"}});
        client.request("completion/complete", params)
    };
    assert_eq!(
        ask("note://{owner}/{id}", "owner").await.unwrap(),
        json!({"completion": {"values": ["ann", "amy"], "total": 2, "hasMore": false}})
    );
    let none = ask("note://{owner}/{id}", "id").await.unwrap();
    assert_eq!(none["completion"]["values"], json!([]));
    let error = ask("note://{x}", "x").await.unwrap_err();
    assert_eq!(error.message, "invalid params: ref: unknown resource template \"note://{x}\"");
}
