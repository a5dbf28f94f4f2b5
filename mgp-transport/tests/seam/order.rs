//! Rules 2 and 3: the order of the wire.

use crate::support::{number, pair, pair_with, params, quiet};
use mgp_transport::{
    connection::Config,
    seam::{BoxError, CallEvent, Incoming, Reply},
};
use parking_lot::Mutex;
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tower::service_fn;
use xtask_testing::within;

/// Sends 2,000 numbered progress notifications, then the reply.
async fn progress(message: Incoming) -> Result<Reply, BoxError> {
    let peer = message.peer().unwrap().clone();
    let token = message.params.object().unwrap().get("token").unwrap().clone();
    for i in 0..2000 {
        peer.notify(
            "notifications/progress",
            params(&format!(r#"{{"progressToken":{token},"progress":{i}}}"#)),
        )
        .await?;
    }
    Ok(Reply::ok(number(2000)))
}

#[tokio::test(flavor = "multi_thread")]
async fn many_notifications_are_handled_in_wire_order() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let heard = seen.clone();
    let server = service_fn(move |message: Incoming| {
        let heard = heard.clone();
        async move {
            let n: usize = message.params.object().unwrap().decode("n").unwrap().unwrap();
            // A handler that waits must not let the next one overtake it.
            if n.is_multiple_of(7) {
                tokio::task::yield_now().await;
            }
            heard.lock().push(n);
            Ok::<_, BoxError>(if message.is_notification() { Reply::none() } else { Reply::ok(number(n)) })
        }
    });
    let config = Config { backlog: 4096, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), server, config);
    for n in 0..2000 {
        client.peer().notify("note", params(&format!(r#"{{"n":{n}}}"#))).await.unwrap();
    }
    within(client.peer().request_raw("last", params(r#"{"n":2000}"#))).await.unwrap();
    assert_eq!(*seen.lock(), (0..=2000).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_precedes_the_result_even_for_a_slow_reader() {
    let config = Config { call_queue: 2000, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), service_fn(progress), config);
    let id = client.peer().next_id();
    let mut call = client.peer().start_as(id, "work", params(&format!(r#"{{"token":{id}}}"#))).await.unwrap();
    let mut seen = 0;
    let last = within(async {
        loop {
            match call.next().await {
                CallEvent::Notification(progress) => {
                    let n: usize = progress.params.object().unwrap().decode("progress").unwrap().unwrap();
                    assert_eq!(n, seen);
                    seen += 1;
                    if seen.is_multiple_of(50) {
                        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                    }
                }
                CallEvent::Reply(reply) => break reply.unwrap(),
            }
        }
    })
    .await;
    assert_eq!((seen, last), (2000, number(2000)));
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_start_in_wire_order_and_run_concurrently() {
    let started = Arc::new(Mutex::new(Vec::new()));
    let (order, all) = (started.clone(), Arc::new(tokio::sync::Barrier::new(50)));
    let server = service_fn(move |message: Incoming| {
        order.lock().push(message.method.to_string());
        let all = all.clone();
        async move {
            all.wait().await;
            Ok::<_, BoxError>(Reply::ok(number(0)))
        }
    });
    let (client, _server) = pair(service_fn(quiet), server);
    let mut calls = Vec::new();
    for n in 0..50 {
        calls.push(client.peer().start(format!("m{n}"), params("{}")).await.unwrap());
    }
    for call in calls {
        within(call.reply()).await.unwrap();
    }
    assert_eq!(*started.lock(), (0..50).map(|n| format!("m{n}")).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn an_endless_notification_handler_is_bounded_in_time() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let server = service_fn(move |message: Incoming| {
        counted.fetch_add(1, Ordering::SeqCst);
        async move {
            if message.is_notification() {
                std::future::pending::<()>().await;
            }
            Ok::<_, BoxError>(Reply::ok(number(1)))
        }
    });
    let (client, _server) = pair(service_fn(quiet), server);
    client.peer().notify("hangs", params("{}")).await.unwrap();
    let before = tokio::time::Instant::now();
    client.peer().request_raw("next", params("{}")).await.unwrap();
    assert_eq!((calls.load(Ordering::SeqCst), before.elapsed()), (2, Config::default().notification_timeout));
}

#[tokio::test]
async fn a_callback_of_no_running_call_reaches_the_service() {
    let (hear, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let service = service_fn(move |message: Incoming| {
        hear.send(message.params.object().unwrap().clone()).unwrap();
        async { Ok::<_, BoxError>(Reply::none()) }
    });
    let (client, server) = pair_with(service, service_fn(quiet), Config::default());
    // The call of the first id is over by then.
    let id = client.peer().next_id();
    let call = client.peer().start_as(id, "x", params("{}")).await.unwrap();
    within(call.reply()).await.unwrap();
    for (request, number) in [(id.to_string(), "1"), ("4711".into(), "2"), ("\"seven\"".into(), "3")] {
        let asked = params(&format!("{{\"request_id\":{request},\"number\":{number}}}"));
        server.peer().notify("notifications/mgp.callback.request", asked).await.unwrap();
        let heard = within(heard.recv()).await.unwrap();
        assert_eq!(heard.get("number").unwrap().as_str(), number);
    }
}
