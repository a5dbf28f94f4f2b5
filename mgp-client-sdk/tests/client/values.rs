//! Resources, prompts and completion.

use crate::support::{Way, builder, connect, everything, open, within};
use mgp_client_sdk::{
    CallError,
    mcp::{CompletionReference, Root},
};
use serde_json::json;

#[tokio::test]
async fn a_resource_is_read_on_every_connection() {
    for way in Way::ALL {
        let connected = open(*way).await;
        for (uri, text) in [("memo:2", "sell milk"), ("note://7", "note://7 is 7")] {
            let read = within(connected.client.read_resource(uri)).await.unwrap();
            assert_eq!(read.contents[0].text.as_deref(), Some(text), "{way:?}");
        }
        let code = if way.is_stateless() { -32602 } else { -32002 };
        let error = within(connected.client.read_resource("memo:9")).await.unwrap_err();
        assert!(matches!(&error, CallError::Peer(error) if error.code == code), "{way:?}: {error}");
    }
}

#[tokio::test]
async fn a_prompt_is_filled_in_and_completed_on_every_connection() {
    for way in Way::ALL {
        let connected = open(*way).await;
        let client = &connected.client;
        let prompt = within(client.get_prompt("review", json!({"language": "Rust"}))).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("Rust"), "{way:?}");
        let review = CompletionReference::Prompt { name: "review".into(), title: None };
        let asked = client.complete(review, ("language", "Ru"), &[("other", "x")]);
        assert_eq!(within(asked).await.unwrap().values, ["Rust", r#"{"other":"x"}"#], "{way:?}");
    }
}

#[tokio::test]
async fn questions_of_resources_and_prompts_are_answered() {
    let roots = ["file:///a", "file:///b"].map(|uri| Root { uri: uri.into(), name: None, meta: None });
    for way in Way::ALL {
        let connected = connect(*way, everything(), builder().roots(roots.clone())).await;
        let read = within(connected.client.read_resource("memo:3")).await.unwrap();
        assert_eq!(read.contents[0].text.as_deref(), Some("2 roots"), "{way:?}");
        let prompt = within(connected.client.get_prompt("roots", ())).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("2 roots"), "{way:?}");
    }
}
