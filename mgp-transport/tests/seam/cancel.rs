//! Rule 4: cancelling is a token, in both directions.

use crate::support::{number, pair, params, quiet};
use mgp_transport::{
    connection::Connection,
    memory,
    seam::{BoxError, CancelCause, Incoming, PeerService, Reply},
};
use parking_lot::Mutex;
use std::sync::Arc;
use tokio::sync::mpsc;
use tower::service_fn;
use xtask_testing::{RawPeer, until, within};

/// Waits for its token, reports the cause, and answers with its partial result.
fn obeys(causes: mpsc::UnboundedSender<Option<CancelCause>>) -> impl PeerService {
    service_fn(move |message: Incoming| {
        let causes = causes.clone();
        async move {
            if message.method == "quick" {
                return Ok::<_, BoxError>(Reply::ok(number(1)));
            }
            let token = message.cancel_token().unwrap().clone();
            token.cancelled().await;
            causes.send(token.cause())?;
            Ok(Reply::cancelled(number(7)))
        }
    })
}

#[tokio::test]
async fn a_caller_that_drops_its_call_cancels_it() {
    let (causes, mut seen) = mpsc::unbounded_channel();
    let (client, _server) = pair(service_fn(quiet), obeys(causes));
    let call = client.peer().start("slow", params("{}")).await.unwrap();
    within(client.peer().request_raw("quick", params("{}"))).await.unwrap();
    drop(call);
    assert_eq!(within(seen.recv()).await.unwrap(), Some(CancelCause::Notification));
    within(client.peer().request_raw("quick", params("{}"))).await.unwrap();
}

#[tokio::test]
async fn a_cancelled_request_is_not_answered_on_the_wire() {
    // Some hosts name the request by its id as a text, and some write the id null into notifications.
    for (id, named) in [("", "1"), (r#""id":null,"#, "1"), ("", r#""1""#), (r#""id":null,"#, r#""1""#)] {
        let (causes, mut seen) = mpsc::unbounded_channel();
        let (here, there) = memory::pair();
        let _server = Connection::builder(obeys(causes)).over(there.0, there.1);
        let mut host = RawPeer::new(here);
        host.send(r#"{"jsonrpc":"2.0","id":1,"method":"slow"}"#).await;
        let params = format!(r#"{{"requestId":{named}}}"#);
        host.send(format!(r#"{{"jsonrpc":"2.0",{id}"method":"notifications/cancelled","params":{params}}}"#))
            .await;
        within(seen.recv()).await.unwrap();
        host.send(r#"{"jsonrpc":"2.0","id":2,"method":"quick"}"#).await;
        assert_eq!(host.text().await, r#"{"jsonrpc":"2.0","id":2,"result":1}"#);
    }
}

#[tokio::test]
async fn a_request_cancelled_by_method_gets_its_partial_result() {
    let (causes, _seen) = mpsc::unbounded_channel();
    let (client, server) = pair(service_fn(quiet), obeys(causes));
    let call = client.peer().start("slow", params("{}")).await.unwrap();
    within(client.peer().request_raw("quick", params("{}"))).await.unwrap();
    server.peer().running(&call.id().into()).unwrap().cancel(CancelCause::Method);
    assert_eq!(within(call.reply()).await.unwrap(), number(7));
}

#[tokio::test]
async fn a_lost_connection_cancels_calls_but_outer_layers_finish() {
    let (causes, mut seen) = mpsc::unbounded_channel();
    let ended = Arc::new(Mutex::new(Vec::new()));
    let log = ended.clone();
    let inner = obeys(causes);
    let outer = service_fn(move |message: Incoming| {
        let (log, inner) = (log.clone(), inner.clone());
        async move {
            let reply = tower::ServiceExt::oneshot(inner, message).await.map_err(Into::into)?;
            log.lock().push(reply.is_cancelled());
            Ok::<_, BoxError>(reply)
        }
    });
    let (client, server) = pair(service_fn(quiet), outer);
    let _call = client.peer().start("slow", params("{}")).await.unwrap();
    within(client.peer().request_raw("quick", params("{}"))).await.unwrap();
    drop(client);
    assert_eq!(within(seen.recv()).await.unwrap(), Some(CancelCause::Disconnected));
    within(server.closed()).await;
    until(|| ended.lock().len() >= 2).await;
    assert_eq!(*ended.lock(), [false, true]);
}

#[tokio::test]
async fn a_queued_request_is_cancelled_too() {
    let (causes, _seen) = mpsc::unbounded_channel();
    let limited = tower::ServiceBuilder::new()
        .layer(tower::limit::ConcurrencyLimitLayer::new(1))
        .service(obeys(causes));
    let (client, server) = pair(service_fn(quiet), limited);
    let first = client.peer().start("slow", params("{}")).await.unwrap();
    let second = client.peer().start("slow", params("{}")).await.unwrap();
    within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
    let (first_id, second_id) = (first.id().into(), second.id().into());
    server.peer().running(&second_id).unwrap().cancel(CancelCause::Method);
    server.peer().running(&first_id).unwrap().cancel(CancelCause::Method);
    assert_eq!(within(second.reply()).await.unwrap(), number(7));
    assert_eq!(within(first.reply()).await.unwrap(), number(7));
}
