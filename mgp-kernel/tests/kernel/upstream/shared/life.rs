//! The end of an owner, of a guest, and of the process that they share.

use super::support::{Place, call, host, report, reports, status};
use crate::support::{jump, pass, until, until_some, within};
use mgp_kernel::Kernel;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    context::Principal,
    lifecycle::{ControlServer, ControlServerParams, RestartPolicy, ServerAction, ServerState},
    negotiation::ExtensionSet,
};
use serde_json::json;
use std::{path::Path, time::Duration};
use xtask_testing::RawPeer;

/// Returns whether a process runs.
fn runs(process: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process).join("stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

/// Watches that at most one of the processes of a place runs at a time, until the returned task is stopped.
fn at_most_one(place: &Place) -> tokio::task::JoinHandle<()> {
    let starts = place.path("starts");
    tokio::spawn(async move {
        loop {
            let text = std::fs::read_to_string(&starts).unwrap_or_default();
            let running: Vec<_> = text.lines().filter(|process| runs(process)).collect();
            assert!(running.len() <= 1, "two processes at one time: {running:?}");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_succeeds_an_owner_that_ends_and_no_call_fails() {
    let place = Place::new();
    let (owner, guest, last) = (place.kernel().await, place.kernel().await, place.kernel().await);
    let watching = at_most_one(&place);
    let (mut other, mut third) = (host(&guest).await, host(&last).await);
    // A call in flight is finished by the process that began it.
    let slow = other.send("tools/call", call("slow")).await;
    place.has_read("\"name\":\"slow\"", 1).await;
    let first = place.starts().remove(0);
    let is_leaving = || guest.kernel.servers()[0].status().state == ServerState::Draining;
    let ending = async {
        until(is_leaving).await;
        place.touch("ends");
    };
    within(async { tokio::join!(owner.kernel.shutdown(), ending) }).await;
    let answer = other.answer_to(slow).await;
    assert_eq!(answer["result"]["content"][0]["text"], format!("slow in {first}"), "{answer}");
    // The guests were told to leave, and did not lose it.
    for kernel in [&guest, &last] {
        let ends = || {
            let events = kernel.sink.events().into_iter();
            let ends = events.filter(|event| event.event_type == AuditEventType::ServerDisconnected);
            ends.map(|event| event.result).collect::<Vec<_>>()
        };
        until(|| !ends().is_empty()).await;
        assert_eq!(ends().first(), Some(&AuditResult::Success));
    }
    let process = other.text("work", json!({})).await;
    assert_eq!(third.text("work", json!({})).await, process);
    assert_eq!(place.starts().len(), 2);
    let owners = [report(&guest).await, report(&last).await].map(|report| report.shared.unwrap().owner);
    assert!(owners.contains(&true) && owners.contains(&false), "{owners:?}");
    assert!(!watching.is_finished());
    watching.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_during_a_succession_wait_for_the_next_process() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let mut other = host(&guest).await;
    let mut processes = vec![other.text("work", json!({})).await];
    let ending = tokio::spawn({
        let kernel: Kernel = owner.kernel.clone();
        async move { kernel.shutdown().await }
    });
    within(async {
        while !ending.is_finished() || processes.len() < 2 {
            let process = other.text("work", json!({})).await;
            if processes.last() != Some(&process) {
                processes.push(process);
            }
        }
    })
    .await;
    assert_eq!((processes.len(), place.starts().len()), (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kernel_survives_the_end_of_the_process() {
    let place = Place::new();
    let owner = place.kernel().await;
    let mut spec = place.spec();
    spec.restart.restart_policy = RestartPolicy::Never;
    let guest = place.kernel_with(spec, |kernel| kernel).await;
    let (mut one, mut other) = (host(&owner).await, host(&guest).await);
    let watching = at_most_one(&place);
    let hanging = other.send("tools/call", call("hang")).await;
    place.has_read("\"name\":\"hang\"", 1).await;
    let first = place.starts().remove(0);
    std::process::Command::new("kill").args(["-KILL", &first]).status().unwrap();
    let lost = other.answer_to(hanging).await;
    assert!(lost["error"]["message"].is_string(), "a call that was lost may have run: {lost}");
    for host in [&mut one, &mut other] {
        until_some(async || host.ask("tools/call", call("work")).await["result"].as_object().cloned()).await;
    }
    assert_eq!(place.starts().len(), 2);
    assert_eq!(place.count("\"name\":\"hang\""), 1, "the lost call is not made twice");
    assert!(!watching.is_finished());
    watching.abort();
}

#[tokio::test]
async fn a_call_that_a_guest_cancels_is_cancelled_at_the_server() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let mut other = host(&guest).await;
    let hanging = other.send("tools/call", call("hang")).await;
    place.has_read("\"name\":\"hang\"", 1).await;
    let told = status(&owner).await;
    assert_eq!((told.servers[0].in_flight, told.hosts), (1, Vec::new()), "a kernel is no host");
    let cancelled = json!({"requestId": hanging});
    other.say(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled})).await;
    place.has_read("notifications/cancelled", 1).await;
    reports(&owner, |report| report.in_flight == 0).await;
    // And so is one whose kernel goes at once.
    other.send("tools/call", call("hang")).await;
    place.has_read("\"name\":\"hang\"", 2).await;
    drop(other);
    drop(guest);
    place.has_read("notifications/cancelled", 2).await;
}

#[tokio::test]
async fn a_guest_cannot_restart_the_process_and_names_its_owner() {
    let place = Place::new();
    let (owner, guest) = (place.kernel().await, place.kernel().await);
    let params =
        |action| ControlServerParams { server_id: "srv".into(), action, timeout_ms: None, reason: None };
    let operator = guest.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let refused =
        within(operator.request::<ControlServer>(&params(ServerAction::Restart))).await.unwrap_err();
    let pid = std::process::id();
    assert!(refused.to_string().contains(&format!("`mgp servers restart srv --pid {pid}`")), "{refused}");
    // It can leave the process, which runs on, and come back.
    for (action, state) in
        [(ServerAction::Stop, ServerState::Disconnected), (ServerAction::Start, ServerState::Connected)]
    {
        let done = within(operator.request::<ControlServer>(&params(action))).await.unwrap();
        assert_eq!((done.done, done.state), (true, state));
    }
    assert_eq!(place.starts().len(), 1);
    let of_owner = owner.host_that(ExtensionSet::ALL, Principal::operator("ann")).await;
    let done = within(of_owner.request::<ControlServer>(&params(ServerAction::Restart))).await.unwrap();
    assert_eq!((done.done, done.state), (true, ServerState::Connected));
    assert_eq!(place.starts().len(), 2);
    reports(&guest, |report| report.state == ServerState::Connected).await;
    assert_eq!(place.starts().len(), 2);
}

#[tokio::test]
async fn an_idle_owner_keeps_the_process_for_its_guest() {
    let place = Place::new();
    let mut spec = place.spec();
    spec.idle_timeout = Some(Duration::from_secs(60));
    let owner = place.kernel_with(spec, |kernel| kernel).await;
    let guest = place.kernel().await;
    jump(Duration::from_secs(90)).await;
    // The owner takes notice of it.
    pass(Duration::from_millis(1)).await;
    assert_eq!(report(&owner).await.state, ServerState::Connected);
    guest.kernel.shutdown().await;
    reports(&owner, |report| report.shared.as_ref().unwrap().guests == 0).await;
    jump(Duration::from_secs(90)).await;
    reports(&owner, |report| report.on_demand).await;
    until(|| !runs(&place.starts()[0])).await;
}

#[tokio::test]
async fn only_the_owner_controls_the_process_and_its_permissions() {
    let place = Place::new();
    let owner = place.kernel().await;
    let mut one = host(&owner).await;
    let hanging = one.send("tools/call", call("hang")).await;
    place.has_read("\"name\":\"hang\"", 1).await;
    let folder = std::fs::read_dir(place.path("s/shared")).unwrap().flatten();
    let socket =
        folder.map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "sock"));
    let stream = tokio::net::UnixStream::connect(socket.unwrap()).await.unwrap();
    let mut peer = RawPeer::new(stream.into_split());
    let methods = [
        "mgp/lifecycle/shutdown",
        "server/discover",
        "subscriptions/listen",
        "mgp/stream/cancel",
        "mgp/callback/respond",
        "mgp/events/subscribe",
        "mgp/events/unsubscribe",
        "mgp/permission/request",
        "mgp/permission/await",
        "mgp/permission/response",
        "mgp/permission/grant",
    ];
    for (id, method) in (1..).zip(methods) {
        peer.request(id, method, json!({"request_id": 5})).await;
        let answer = peer.message().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(id), &json!(-32601)), "{answer}");
        assert_eq!(place.count(method), 0);
    }
    // A cancellation names a request of the connection on which it comes.
    for id in 1..20 {
        let params = json!({"requestId": id});
        let message = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        peer.send(message).await;
    }
    one.send("tools/call", call("free")).await;
    assert!(one.answer_to(hanging).await["result"]["content"].is_array());
}
