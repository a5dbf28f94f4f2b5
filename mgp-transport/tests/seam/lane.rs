//! Rule 2: methods that others wait for have a lane of their own.

use crate::support::{number, params, quiet};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, CancelCause, Incoming, Reply},
};
use std::sync::Arc;
use tokio::sync::Notify;
use tower::{ServiceBuilder, limit::ConcurrencyLimitLayer, service_fn};
use xtask_testing::within;

#[tokio::test(flavor = "multi_thread")]
async fn under_a_limit_of_one_ping_and_cancel_are_still_answered() {
    let answered = Arc::new(Notify::new());
    let callback = answered.clone();
    let service = ServiceBuilder::new().layer(ConcurrencyLimitLayer::new(1)).service(service_fn(
        move |message: Incoming| {
            let answered = answered.clone();
            async move {
                let cancel = message.cancel_token().unwrap().clone();
                tokio::select! {
                    () = answered.notified(), if message.method == "waits for a callback" => Ok::<_, BoxError>(Reply::ok(number(1))),
                    () = cancel.cancelled() => Ok(Reply::cancelled(number(2))),
                }
            }
        },
    ));
    let lane = service_fn(move |message: Incoming| {
        let callback = callback.clone();
        async move {
            match &*message.method {
                "mgp/callback/respond" => callback.notify_one(),
                "mgp/stream/cancel" => {
                    let id = message.params.object().unwrap().decode("request_id").unwrap().unwrap();
                    message.peer().unwrap().running(&id).unwrap().cancel(CancelCause::Method);
                }
                _ => {}
            }
            Ok::<_, BoxError>(Reply::ok(number(0)))
        }
    });
    let (here, there) = memory::pair();
    let client = Connection::builder(service_fn(quiet)).over(here.0, here.1);
    let _server = Connection::builder(service).lane(lane).over(there.0, there.1);
    let peer = client.peer();
    let first = peer.start("waits for a callback", params("{}")).await.unwrap();
    let second = peer.start("waits for its turn", params("{}")).await.unwrap();
    within(peer.request_raw("ping", params("{}"))).await.unwrap();
    within(peer.request_raw("mgp/health/ping", params("{}"))).await.unwrap();
    within(peer.request_raw("mgp/stream/cancel", params(&format!(r#"{{"request_id":{}}}"#, second.id()))))
        .await
        .unwrap();
    within(peer.request_raw("mgp/callback/respond", params("{}"))).await.unwrap();
    assert_eq!(within(first.reply()).await.unwrap(), number(1));
    assert_eq!(within(second.reply()).await.unwrap(), number(2));
}

#[tokio::test]
async fn ping_is_answered_without_a_lane_too() {
    let busy = service_fn(|_: Incoming| async {
        std::future::pending::<()>().await;
        Ok::<_, BoxError>(Reply::none())
    });
    let limited = ServiceBuilder::new().layer(ConcurrencyLimitLayer::new(1)).service(busy);
    let (client, _server) = crate::support::pair(service_fn(quiet), limited);
    let _busy = client.peer().start("busy", params("{}")).await.unwrap();
    let _waiting = client.peer().start("waiting", params("{}")).await.unwrap();
    assert_eq!(within(client.peer().request_raw("ping", params("{}"))).await.unwrap().as_str(), "{}");
}

#[tokio::test]
async fn the_lane_is_bounded_and_returns_its_slots() {
    let config = Config { lane: 2, ..Config::default() };
    let (client, _server) = crate::support::pair_with(service_fn(quiet), service_fn(quiet), config.clone());
    for _ in 0..8 {
        within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
    }
    let (here, there) = memory::pair();
    let client = Connection::builder(service_fn(quiet)).over(here.0, here.1);
    let stuck = service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>());
    let _server = Connection::builder(service_fn(quiet)).lane(stuck).config(config).over(there.0, there.1);
    let ping = || client.peer().start("ping", params("{}"));
    let (_first, _second) = (ping().await.unwrap(), ping().await.unwrap());
    let error = within(ping().await.unwrap().reply()).await.unwrap_err();
    assert!(error.to_string().contains("overloaded"), "{error}");
}
