//! The gate of one server.

use super::support::{gate_in, waits};
use mgp_lifecycle::gate::LifecycleLayer;
use mgp_transport::seam::{BoxError, CallRecord, Incoming, RefusalKind, Reply};
use mgp_types::{json::RawJson, lifecycle::ServerState, rpc::RawParams};
use std::{future::pending, task::Poll};
use tower::{Layer, Service, ServiceExt};
use tower_test::mock;

fn call() -> Incoming {
    Incoming::request(1, "tools/call", RawParams::none())
}

#[tokio::test]
async fn every_state_but_connected_refuses_calls_with_its_own_code() {
    for state in ServerState::ALL {
        let code = match state {
            ServerState::Connected => continue,
            ServerState::Draining => 2001,
            ServerState::Restarting => 2002,
            _ => 2000,
        };
        let gate = gate_in(*state);
        let (mut service, mut handle) = mock::spawn_layer(LifecycleLayer::new(gate.clone()));
        handle.allow(1);
        assert!(service.poll_ready().is_ready());
        let (record, mut incoming) = (CallRecord::new(), call());
        incoming.ext.insert(record.clone());
        let reply: Reply = service.call(incoming).await.unwrap();
        let error = reply.as_error().unwrap();
        assert_eq!(error.code, code, "{state}");
        assert!(error.message.starts_with("server \"notes\" "), "{error}");
        let refusal = record.read().refusal.unwrap();
        assert_eq!((refusal.kind, &refusal.reason), (RefusalKind::Lifecycle, &error.message));
        assert_eq!(gate.in_flight(), 0);
        assert!(matches!(handle.poll_request(), Poll::Pending), "{state}: the server was called");
    }
}

#[tokio::test]
async fn a_connected_server_is_called_and_its_answer_is_passed_on() {
    let gate = gate_in(ServerState::Connected);
    let (mut service, mut handle) = mock::spawn_layer(LifecycleLayer::new(gate.clone()));
    handle.allow(1);
    assert!(service.poll_ready().is_ready());
    let call = service.call(call());
    assert_eq!(gate.in_flight(), 1);
    handle.next_request().await.unwrap().1.send_response(Reply::ok(RawJson::string("done")));
    assert_eq!(call.await.unwrap(), Reply::ok(RawJson::string("done")));
    assert_eq!(gate.in_flight(), 0);
}

#[tokio::test]
async fn a_server_that_is_not_ready_is_waited_for() {
    let (mut service, mut handle) =
        mock::spawn_layer::<Incoming, Reply, _>(LifecycleLayer::new(gate_in(ServerState::Connected)));
    handle.allow(0);
    assert!(service.poll_ready().is_pending());
    handle.allow(1);
    assert!(service.poll_ready().is_ready());
}

#[tokio::test]
async fn a_dropped_or_answered_call_is_no_longer_in_flight() {
    let gate = gate_in(ServerState::Connected);
    let endless = tower::service_fn(|_: Incoming| pending::<Result<Reply, BoxError>>());
    let mut service = LifecycleLayer::new(gate.clone()).layer(endless);
    let first = service.call(call());
    let mut second = Box::pin(service.call(call()));
    assert!(waits(second.as_mut()));
    assert_eq!(gate.in_flight(), 2);
    drop(first);
    assert_eq!(gate.in_flight(), 1);
    drop(second);
    assert_eq!(gate.in_flight(), 0);

    let failing = tower::service_fn(|_: Incoming| async { Err::<Reply, BoxError>("lost".into()) });
    let mut failed = Box::pin(LifecycleLayer::new(gate.clone()).layer(failing).oneshot(call()));
    assert!(failed.as_mut().await.is_err());
    assert_eq!(gate.in_flight(), 0, "a future that is kept after its end still counts");
}

#[tokio::test]
async fn a_notification_to_a_disconnected_server_is_dropped() {
    let (mut service, mut handle) = mock::spawn_layer(LifecycleLayer::new(gate_in(ServerState::Error)));
    handle.allow(1);
    assert!(service.poll_ready().is_ready());
    let notification = Incoming::notification("notifications/roots/list_changed", RawParams::none());
    let reply: Reply = service.call(notification).await.unwrap();
    assert_eq!(reply, Reply::none());
    assert!(matches!(handle.poll_request(), Poll::Pending));
}
