//! A server that is asked to stop.

use super::support::{gate_in, served, settle};
use mgp_lifecycle::{
    gate::{DrainOutcome, Gate, LifecycleLayer},
    shutdown::{Owner, ShutdownMethod, ShutdownRequest, shutdown},
};
use mgp_transport::{
    connection::Connection,
    seam::{BoxError, Incoming, Reply, Routes},
};
use mgp_types::{
    json::RawJson,
    lifecycle::{ServerState, ShutdownReason},
};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;
use tower::{Layer, ServiceExt};
use xtask_testing::RawPeer;

/// Returns a server whose calls wait for the bell.
fn server() -> (Connection, RawPeer, Gate, ShutdownRequest, Arc<Notify>) {
    let (gate, bell) = (gate_in(ServerState::Connected), Arc::new(Notify::new()));
    let (stop, request) = shutdown(gate.clone());
    let stop: Routes = ShutdownMethod::routes().with_state(stop);
    let tools = LifecycleLayer::new(gate.clone()).layer(tower::service_fn({
        let bell = bell.clone();
        move |_: Incoming| {
            let bell = bell.clone();
            async move {
                bell.notified().await;
                Ok::<_, BoxError>(Reply::ok(RawJson::string("done")))
            }
        }
    }));
    let router = tower::service_fn(move |incoming: Incoming| {
        let (stop, tools) = (stop.clone(), tools.clone());
        async move {
            if incoming.method == "tools/call" {
                tools.oneshot(incoming).await
            } else {
                stop.oneshot(incoming).await
            }
        }
    });
    let (connection, client) = served(router);
    connection.peer().session().set(Owner);
    // The codes of §14 are for peers that negotiated MGP.
    connection.peer().session().set(mgp_types::negotiation::Negotiation {
        version: mgp_types::negotiation::MgpVersion::CURRENT,
        extensions: mgp_types::negotiation::ExtensionSet::ALL,
        carrier: mgp_types::negotiation::Carrier::Capabilities,
        server_id: None,
        permissions_required: [].into(),
        claimed_trust: None,
    });
    (connection, client, gate, request, bell)
}

const STOP: &str = r#"{"reason":"configuration_change","timeout_ms":30000}"#;

#[tokio::test(start_paused = true)]
async fn a_server_asked_to_stop_drains_and_accepts_no_call() {
    let (_connection, mut client, gate, mut request, bell) = server();
    client.request(7, "tools/call", "{}").await;
    settle().await;
    let answer = client.ask_next(1, "mgp/lifecycle/shutdown", STOP).await;
    let expected = json!({"accepted": true, "pending_requests": 1, "estimated_drain_ms": 30000});
    assert_eq!(answer["result"], expected);
    let refused = client.ask_next(1, "tools/call", "{}").await;
    assert_eq!(refused["error"]["code"], 2001);
    let stop = request.wait().await.unwrap();
    assert_eq!(stop.reason, ShutdownReason::ConfigurationChange);
    let transition = stop.drain.transition();
    assert_eq!((transition.from, transition.to), (ServerState::Connected, ServerState::Draining));
    bell.notify_one();
    assert_eq!(stop.drain.finished().await, DrainOutcome::Idle);
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "id": 7, "result": "done"}));
    assert_eq!(gate.machine().state(), ServerState::Draining);
}

#[tokio::test(start_paused = true)]
async fn asking_again_answers_the_same_and_begins_no_second_drain() {
    let (_connection, mut client, _gate, mut request, _bell) = server();
    for _ in 0..2 {
        let answer = client.ask_next(1, "mgp/lifecycle/shutdown", STOP).await;
        assert_eq!(answer["result"]["accepted"], true);
    }
    assert!(request.wait().await.is_some());
    assert!(tokio::time::timeout(std::time::Duration::from_secs(1), request.wait()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_longest_time_limit_is_an_hour_and_the_default_30_seconds() {
    for (params, estimate) in [
        (r#"{"reason":"idle_timeout"}"#, 30_000),
        (r#"{"reason":"idle_timeout","timeout_ms":18446744073709551615}"#, 3_600_000),
        (r#"{"reason":"idle_timeout","timeout_ms":0}"#, 0),
    ] {
        let (_connection, mut client, ..) = server();
        client.request(7, "tools/call", "{}").await;
        settle().await;
        let answer = client.ask_next(1, "mgp/lifecycle/shutdown", params).await;
        assert_eq!(answer["result"]["estimated_drain_ms"], estimate, "{params}");
    }
}

#[tokio::test]
async fn malformed_params_are_refused_by_name_and_stop_nothing() {
    let (_connection, mut client, gate, ..) = server();
    let answer = client.ask_next(1, "mgp/lifecycle/shutdown", r#"{"timeout_ms":1}"#).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert!(answer["error"]["message"].as_str().unwrap().contains("reason"), "{answer}");
    let answer =
        client.ask_next(1, "mgp/lifecycle/shutdown", r#"{"reason":"idle_timeout","timeout_ms":-1}"#).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(gate.machine().state(), ServerState::Connected);
}
