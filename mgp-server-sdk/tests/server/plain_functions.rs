//! Functions that are not async are handlers of every kind.

use crate::support::Client;
use mgp_server_sdk::{
    Json, Prompt, Resource, ResourceTemplate, Server, Tool, ToolError,
    extract::{Args, Prefix, State},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Deserialize, Serialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

fn swap(Args(Pair { a, b }): Args<Pair>) -> Json<Pair> {
    Json(Pair { a: b, b: a })
}

fn divide(State(unit): State<&'static str>, Args(Pair { a, b }): Args<Pair>) -> Result<String, ToolError> {
    let quotient = a.checked_div(b).ok_or("nothing is divided by zero")?;
    Ok(format!("{quotient} {unit}"))
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    name: String,
}

fn note(Args(Note { name }): Args<Note>) -> String {
    format!("about {name}")
}

fn names(Prefix(typed): Prefix) -> Vec<String> {
    vec![format!("{typed}!")]
}

#[tokio::test]
async fn a_plain_function_can_serve_every_feature() {
    let server = Server::new("s", "1")
        .state("m")
        .tool(Tool::new("swap", "", swap))
        .tool(Tool::new("divide", "", divide))
        .tool(Tool::new("wave", "", || "waves"))
        .resource(Resource::text("note://all", "all", || "all notes"))
        .resource_template(ResourceTemplate::text("note://{name}", "note", note).complete("name", names))
        .prompt(Prompt::new("about", "", note).complete("name", names));
    let client = Client::plain(server).await;
    let swapped = client.call("swap", json!({"a": 1, "b": 2})).await.unwrap();
    assert_eq!(swapped["structuredContent"], json!({"a": 2, "b": 1}));
    let tools = client.request("tools/list", json!({})).await.unwrap();
    assert_eq!(tools["tools"][0]["outputSchema"]["required"], json!(["a", "b"]));
    assert_eq!(client.text("divide", json!({"a": 6, "b": 3})).await, "2 m");
    assert_eq!(client.failure("divide", json!({"a": 6, "b": 0})).await, "nothing is divided by zero");
    assert_eq!(client.text("wave", json!({})).await, "waves");
    for (uri, text) in [("note://all", "all notes"), ("note://x", "about x")] {
        let read = client.request("resources/read", json!({"uri": uri})).await.unwrap();
        assert_eq!(read["contents"][0]["text"], text);
    }
    let prompt = client.request("prompts/get", json!({"name": "about", "arguments": {"name": "x"}})).await;
    assert_eq!(prompt.unwrap()["messages"][0]["content"]["text"], "about x");
    for reference in [
        json!({"type": "ref/prompt", "name": "about"}),
        json!({"type": "ref/resource", "uri": "note://{name}"}),
    ] {
        let asked = json!({"ref": reference, "argument": {"name": "name", "value": "y"}});
        let completed = client.request("completion/complete", asked).await.unwrap();
        assert_eq!(completed["completion"]["values"], json!(["y!"]));
    }
}
