//! The messages of a shared server on its own account: each reaches the kernel that it is for.

use super::support::{Place, call, host};
use mgp_types::negotiation::{Extension, ExtensionSet, read_offer};
use serde_json::{Value, json};

#[tokio::test]
async fn a_question_reaches_the_host_of_its_call_in_any_kernel() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let (mut one, mut other) = (host(&owner).await, host(&guest).await);
    other.says(|_, _| Ok(json!({"action": "accept", "content": {"name": "Guest"}})));
    let answer = other.text("ask", json!({})).await;
    assert!(answer.contains("Guest"), "{answer}");
    let (_, question) = &other.asked[0];
    assert_eq!(question["message"], "[srv] Who?", "the guest's kernel names the server");
    assert!(one.asked.is_empty());
    let answer = one.text("ask", json!({})).await;
    assert!(answer.contains("Ann"), "{answer}");
    assert_eq!((one.asked.len(), other.asked.len()), (1, 1));
    let asked = |setup: &crate::support::Setup| {
        setup.sink.events().iter().filter(|event| event.event_type.as_str().ends_with("HOST_ASKED")).count()
    };
    assert_eq!((asked(&owner), asked(&guest)), (1, 1), "each kernel records the questions to its own hosts");
    // With calls of both kernels in flight, nobody knows for which it is asked.
    let hanging = one.send("tools/call", call("hang")).await;
    place.has_read("\"name\":\"hang\"", 1).await;
    let answer = other.text("ask", json!({})).await;
    assert!(answer.contains("calls of several hosts are in flight"), "{answer}");
    other.text("free", json!({})).await;
    one.answer_to(hanging).await;
    assert_eq!((one.asked.len(), other.asked.len()), (1, 1));
}

#[tokio::test]
async fn a_question_about_a_task_reaches_no_host_of_another_kernel() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    for (asked, asking) in [(&owner, &guest), (&guest, &owner)] {
        let (mut one, mut other) = (host(asked).await, host(asking).await);
        let hanging = one.send("tools/call", call("hang")).await;
        place.has_read("\"name\":\"hang\"", 1).await;
        other.text("work", json!({})).await;
        place.touch("late");
        place.has_read("\"id\":\"late\",\"error\"", 1).await;
        std::fs::remove_file(place.path("read")).unwrap();
        other.text("free", json!({})).await;
        one.answer_to(hanging).await;
        assert!(one.asked.is_empty() && other.asked.is_empty(), "{:?} {:?}", one.asked, other.asked);
    }
}

#[tokio::test]
async fn a_log_message_of_a_call_reaches_no_host_of_another_kernel() {
    let place = Place::new();
    place.touch("after");
    let owner = place.kernel().await;
    let mut one = host(&owner).await;
    one.get("logging/setLevel", json!({"level": "debug"})).await;
    one.text("note", json!({})).await;
    let heard = [one.hear("notifications/message").await, one.hear("notifications/message").await];
    assert_eq!(heard.map(|heard| heard["params"]["data"].clone()), ["of the call", "after the call"]);
    // A message that comes after its call may come while a call of the other kernel runs.
    let guest = place.kernel().await;
    let mut other = host(&guest).await;
    other.get("logging/setLevel", json!({"level": "debug"})).await;
    for _ in 0..20 {
        let (noted, _) = tokio::join!(other.text("note", json!({})), one.text("work", json!({})));
        assert_eq!(noted, "noted");
    }
    one.text("note", json!({})).await;
    guest.kernel.shutdown().await;
    super::support::reports(&owner, |report| report.shared.as_ref().unwrap().guests == 0).await;
    one.text("work", json!({})).await;
    for host in [&mut one, &mut other] {
        host.settle().await;
        // What the kernels log themselves is of their own events.
        let leaked: Vec<_> = host.heard.iter().filter(|heard| heard["params"]["data"].is_string()).collect();
        assert!(leaked.is_empty(), "{leaked:?}");
    }
}

#[tokio::test]
async fn a_resource_is_watched_until_no_host_of_any_kernel_needs_it() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let (mut one, mut other) = (host(&owner).await, host(&guest).await);
    let (a, b) = (json!({"uri": "file:///a"}), json!({"uri": "file:///b"}));
    one.get("resources/subscribe", a.clone()).await;
    other.get("resources/subscribe", a.clone()).await;
    other.get("resources/subscribe", b).await;
    place.has_read("\"method\":\"resources/subscribe\"", 2).await;
    // The owner's host gives it up, and the guest's still hears of it.
    one.get("resources/unsubscribe", a.clone()).await;
    // The server reads the requests of a kernel in their order.
    one.get("resources/subscribe", json!({"uri": "file:///c"})).await;
    place.has_read("\"method\":\"resources/subscribe\"", 3).await;
    assert_eq!(place.count("resources/unsubscribe"), 0);
    place.touch("change");
    let updated = other.hear("notifications/resources/updated").await;
    assert_eq!(updated["params"]["uri"], "file:///a");
    assert_eq!(one.count("notifications/resources/updated"), 0);
    other.get("resources/unsubscribe", a).await;
    place.has_read("resources/unsubscribe", 1).await;
    // A guest that goes leaves nothing behind.
    guest.kernel.shutdown().await;
    place.has_read("resources/unsubscribe", 2).await;
    assert_eq!(place.starts().len(), 1);
}

#[tokio::test]
async fn a_guest_s_roots_reach_the_server() {
    let place = Place::new();
    let (_owner, guest) = (place.kernel().await, place.kernel().await);
    let mut other = host(&guest).await;
    other.say(json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"})).await;
    place.has_read("notifications/roots/list_changed", 1).await;
}

#[tokio::test]
async fn a_shared_server_gets_no_roots_outside_of_calls() {
    let place = Place::new();
    let owner = place.kernel().await;
    let mut one = host(&owner).await;
    place.touch("roots");
    while one.asked.is_empty() {
        one.next().await;
    }
    place.has_read("\"id\":\"roots\",\"result\"", 1).await;
    let _guest = place.kernel().await;
    place.touch("roots");
    place.has_read("\"id\":\"roots\",\"error\"", 1).await;
    assert_eq!(one.asked.len(), 1);
}

#[tokio::test]
async fn a_shared_server_is_offered_extensions_without_identities() {
    let place = Place::new();
    let _kernel = place.kernel().await;
    let read = std::fs::read_to_string(place.path("read")).unwrap();
    let mut messages = read.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let hello = messages.find(|message| message["method"] == "initialize").unwrap();
    let capabilities = serde_json::from_value(hello["params"]["capabilities"].clone()).unwrap();
    let offered = read_offer(&capabilities).unwrap().extensions;
    let expected: ExtensionSet =
        [Extension::Security, Extension::CodeSafety, Extension::Lifecycle].into_iter().collect();
    assert_eq!(offered, expected);
}
