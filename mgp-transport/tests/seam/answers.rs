//! Rule 1: a request is always answered, and infrastructure errors become wire errors once, at the edge.

use crate::support::{number, pair, pair_with, params, quiet};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, CallError, Incoming, Reply},
};
use mgp_types::rpc::ErrorObject;
use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use tower::{
    ServiceBuilder, ServiceExt, limit::ConcurrencyLimitLayer, load_shed::LoadShedLayer, service_fn,
    timeout::TimeoutLayer,
};
use xtask_testing::{RawPeer, within};

fn code(error: CallError) -> i64 {
    match error {
        CallError::Peer(error) => error.code,
        other => panic!("not an answer of the peer: {other}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_beyond_the_limit_are_answered_though_each_asks() {
    let n = 4;
    let server = ServiceBuilder::new().layer(ConcurrencyLimitLayer::new(n)).service(service_fn(
        |message: Incoming| async move {
            let roots = message.peer().unwrap().request_raw("roots/list", params("{}")).await?;
            Ok::<_, BoxError>(Reply::ok(roots))
        },
    ));
    let (client, _server) = pair(service_fn(quiet), server);
    let mut calls = Vec::new();
    for _ in 0..=n {
        calls.push(client.peer().start("asks back", params("{}")).await.unwrap());
    }
    for call in calls {
        assert_eq!(within(call.reply()).await.unwrap().as_str(), "null");
    }
}

#[tokio::test]
async fn a_panicking_handler_is_an_error_and_the_connection_lives() {
    let server = service_fn(|message: Incoming| async move {
        match &*message.method {
            "late" => tokio::task::yield_now().await,
            "fine" => return Ok::<_, BoxError>(Reply::ok(number(1))),
            _ => {}
        }
        panic!("on purpose in {}", message.method)
    });
    let (client, _server) = pair(service_fn(quiet), server);
    client.peer().notify("notification", params("{}")).await.unwrap();
    for method in ["early", "late"] {
        let error = within(client.peer().request_raw(method, params("{}"))).await.unwrap_err();
        assert_eq!(code(error), -32603, "{method}");
    }
    assert_eq!(within(client.peer().request_raw("fine", params("{}"))).await.unwrap(), number(1));
}

/// Answers, and panics when it is dropped.
struct Spiteful;

impl Future for Spiteful {
    type Output = Result<Reply, BoxError>;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Pending
    }
}

impl Drop for Spiteful {
    fn drop(&mut self) {
        panic!("on purpose in a drop");
    }
}

#[tokio::test]
async fn a_panic_in_a_handler_s_drop_is_answered_too() {
    struct Late(bool);
    impl Future for Late {
        type Output = Result<Reply, BoxError>;
        fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
            if std::mem::replace(&mut self.0, true) {
                return Poll::Ready(Ok(Reply::ok(number(1))));
            }
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    }
    impl Drop for Late {
        fn drop(&mut self) {
            panic!("on purpose in a drop");
        }
    }
    let (client, server) = pair(service_fn(quiet), service_fn(|_: Incoming| Late(false)));
    let error = within(client.peer().request_raw("x", params("{}"))).await.unwrap_err();
    assert_eq!(code(error), -32603);
    assert!(server.peer().running(&1.into()).is_none());
}

#[tokio::test]
async fn a_panic_outside_a_handler_ends_the_connection() {
    let service = service_fn(|_: Incoming| Spiteful);
    let config = Config { notification_timeout: Duration::from_millis(1), ..Config::default() };
    let (client, server) = pair_with(service_fn(quiet), service, config);
    client.peer().notify("x", params("{}")).await.unwrap();
    let ended = within(server.closed()).await;
    assert_eq!(ended.to_string(), "the service panicked");
}

#[tokio::test]
async fn the_write_buffer_always_has_room_for_a_message() {
    let config = Config { write_buffer: 0, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), service_fn(quiet), config);
    within(client.peer().request_raw("x", params("{}"))).await.unwrap();
}

#[tokio::test]
async fn a_service_that_panics_in_call_is_an_internal_error_too() {
    #[allow(unreachable_code, reason = "the panic stands where the future would be made")]
    let server = service_fn(|_: Incoming| {
        panic!("on purpose before the future");
        std::future::ready(Ok::<_, BoxError>(Reply::none()))
    });
    let (client, _server) = pair(service_fn(quiet), server);
    for _ in 0..2 {
        let error = within(client.peer().request_raw("x", params("{}"))).await.unwrap_err();
        assert_eq!(code(error), -32603);
    }
}

#[tokio::test(start_paused = true)]
async fn tower_s_timeout_and_load_shed_compose_unmodified() {
    let server = ServiceBuilder::new()
        .layer(LoadShedLayer::new())
        .layer(ConcurrencyLimitLayer::new(1))
        .layer(TimeoutLayer::new(Duration::from_millis(30)))
        .service(service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>()));
    let (client, _server) = pair(service_fn(quiet), server);
    let slow = client.peer().start("slow", params("{}")).await.unwrap();
    let shed = client.peer().request_raw("shed", params("{}")).await.unwrap_err();
    let slow = slow.reply().await.unwrap_err();
    // Nobody negotiated MGP here, so both come as the nearest code of MCP; the text tells them apart.
    assert!(shed.to_string().contains("too many calls"), "{shed}");
    assert!(slow.to_string().contains("time limit"), "{slow}");
}

#[tokio::test(start_paused = true)]
async fn the_same_timeout_layer_serves_outbound_calls() {
    let server = service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>());
    let (client, _server) = pair(service_fn(quiet), server);
    let outbound = ServiceBuilder::new()
        .layer(TimeoutLayer::new(Duration::from_millis(30)))
        .service(client.peer().clone());
    let error = outbound.oneshot(Incoming::request(1, "slow", params("{}"))).await.unwrap_err();
    assert!(error.is::<tower::timeout::error::Elapsed>());
}

#[tokio::test]
async fn a_request_without_a_reply_is_an_internal_error() {
    let server = service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::none()) });
    let (client, _server) = pair(service_fn(quiet), server);
    assert_eq!(code(within(client.peer().request_raw("x", params("{}"))).await.unwrap_err()), -32603);
}

#[tokio::test]
async fn a_refusal_reaches_the_caller_unchanged() {
    let server =
        service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::error(ErrorObject::new(-32050, "no"))) });
    let (client, _server) = pair(service_fn(quiet), server);
    let error = within(client.peer().request_raw("x", params("{}"))).await.unwrap_err();
    assert_eq!((error.to_string(), code(error)), ("no (-32050)".into(), -32050));
}

#[tokio::test]
async fn calls_fail_when_the_peer_disconnects() {
    let server = service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>());
    let (client, server) = pair(service_fn(quiet), server);
    let call = client.peer().start("x", params("{}")).await.unwrap();
    drop(server);
    let error = within(call.reply()).await.unwrap_err();
    assert!(matches!(error, CallError::Lost(_)), "{error}");
    within(client.peer().closed()).await;
    assert!(matches!(client.peer().request_raw("y", params("{}")).await, Err(CallError::Connection(_))));
}

#[tokio::test]
async fn an_unreadable_answer_ends_its_call_and_is_not_answered() {
    let (here, there) = memory::pair();
    let client = Connection::builder(service_fn(quiet)).over(here.0, here.1);
    let mut server = RawPeer::new(there);
    let call = client.peer().start("x", params("{}")).await.unwrap();
    server.text().await;
    server.send(format_args!(r#"{{"jsonrpc":"2.0","id":{},"result":1,"error":7}}"#, call.id())).await;
    assert!(matches!(within(call.reply()).await, Err(CallError::Unreadable(_))));
    client.peer().notify("next", params("{}")).await.unwrap();
    assert!(server.text().await.contains("\"next\""));
}
