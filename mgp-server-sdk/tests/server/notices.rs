//! Notifications from a server to its clients.

use crate::support::Client;
use mgp_server_sdk::{Notifier, Server, Tool};
use serde_json::json;

#[tokio::test]
async fn every_client_is_notified_of_a_changed_list() {
    let change = async |notifier: Notifier| {
        notifier.tools_changed().await;
        notifier.resources_changed().await;
        notifier.prompts_changed().await;
    };
    let stack = Server::new("s", "1").tool(Tool::new("change", "", change)).build().unwrap();
    let (mut one, mut other) = (Client::of(&stack, false).await, Client::of(&stack, true).await);
    other.request("ping", json!({})).await.unwrap();
    one.call("change", json!({})).await.unwrap();
    for client in [&mut one, &mut other] {
        for list in ["tools", "resources", "prompts"] {
            let expected = (format!("notifications/{list}/list_changed"), json!({}));
            assert_eq!(client.heard().await, expected);
        }
        client.heard_nothing_more().await;
    }
}

#[tokio::test]
async fn a_disconnected_client_is_not_notified_and_delays_nobody() {
    let stack = Server::new("s", "1").tool(Tool::new("t", "", async || ())).build().unwrap();
    let (gone, mut here) = (Client::of(&stack, false).await, Client::of(&stack, false).await);
    drop(gone);
    here.request("tools/list", json!({})).await.unwrap();
    stack.notifier().tools_changed().await;
    assert_eq!(here.heard().await.0, "notifications/tools/list_changed");
}
