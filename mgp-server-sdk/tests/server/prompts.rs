//! `prompts/*` and their completion.

use crate::support::Client;
use mgp_server_sdk::{
    ContentBlock, Prompt, PromptMessage, Role, Server,
    extract::{Args, Prefix, RawArgs},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The strictness, from 1 to 5.
    strictness: Option<u8>,
    /// The language of the code.
    language: String,
}

async fn review(Args(Review { language, strictness }): Args<Review>) -> Vec<PromptMessage> {
    let message = |role, text: String| PromptMessage { role, content: ContentBlock::text(text) };
    vec![
        message(Role::User, format!("Review this {language}.")),
        message(Role::Assistant, format!("{strictness:?}")),
    ]
}

async fn languages(Prefix(typed): Prefix, RawArgs(filled): RawArgs) -> Vec<String> {
    (0..150).map(|n| format!("{typed}{n} {filled}")).collect()
}

fn server() -> Server {
    let prompt =
        Prompt::new("review", "Reviews code", review).title("Review").complete("language", languages);
    Server::new("s", "1").prompt(prompt).prompt(Prompt::new("hi", "Greets", async || "Hello"))
}

#[tokio::test]
async fn prompts_are_listed_with_their_arguments() {
    let client = Client::plain(server()).await;
    let capabilities = json!({"prompts": {"listChanged": true}, "completions": {}});
    assert_eq!(client.initialized["capabilities"], capabilities);
    assert_eq!(
        client.request("prompts/list", json!({})).await.unwrap(),
        json!({"prompts": [
            {
                "name": "review",
                "title": "Review",
                "description": "Reviews code",
                "arguments": [
                    {"name": "language", "description": "The language of the code.", "required": true},
                    {"name": "strictness", "description": "The strictness, from 1 to 5.", "required": false},
                ],
            },
            {"name": "hi", "description": "Greets"},
        ]})
    );
}

#[tokio::test]
async fn a_prompt_is_filled_in_with_typed_arguments() {
    let client = Client::plain(server()).await;
    let get = |params| client.request("prompts/get", params);
    let arguments = json!({"language": "Rust", "strictness": "5"});
    let text = |role: &str, text: &str| json!({"role": role, "content": {"type": "text", "text": text}});
    assert_eq!(
        get(json!({"name": "review", "arguments": arguments})).await.unwrap(),
        json!({"messages": [text("user", "Review this Rust."), text("assistant", "Some(5)")]})
    );
    assert_eq!(get(json!({"name": "hi"})).await.unwrap(), json!({"messages": [text("user", "Hello")]}));
    for (params, problem) in [
        (json!({"name": "review"}), "invalid arguments: missing field `language`"),
        (
            json!({"name": "review", "arguments": {"language": "Rust", "strictness": "high"}}),
            "invalid arguments: strictness: invalid value: string \"high\", expected u8",
        ),
        (
            json!({"name": "review", "arguments": {"language": 7}}),
            "invalid params: arguments.language: expected a string, found a number",
        ),
        (json!({"name": "reviw"}), "unknown prompt: \"reviw\""),
    ] {
        let error = get(params).await.unwrap_err();
        assert_eq!((error.code, &*error.message), (-32602, problem));
    }
}

#[tokio::test]
async fn an_argument_is_completed_with_at_most_100_proposals() {
    let client = Client::plain(server()).await;
    let params = json!({
        "ref": {"type": "ref/prompt", "name": "review"},
        "argument": {"name": "language", "value": "ru"},
        "context": {"arguments": {"strictness": "3"}},
    });
    let completion = &client.request("completion/complete", params).await.unwrap()["completion"];
    assert_eq!(completion["values"].as_array().unwrap().len(), 100);
    assert_eq!(completion["values"][0], r#"ru0 {"strictness":"3"}"#);
    assert_eq!((&completion["total"], &completion["hasMore"]), (&json!(150), &json!(true)));
    let unknown = json!({
        "ref": {"type": "ref/prompt", "name": "x"},
        "argument": {"name": "language", "value": "ru"},
    });
    let error = client.request("completion/complete", unknown).await.unwrap_err();
    assert_eq!((error.code, &*error.message), (-32602, "invalid params: ref: unknown prompt \"x\""));
}
