//! Rule 5: nothing is unbounded and nothing is silently lost.

use crate::support::{number, pair_with, params, quiet};
use futures_util::{
    FutureExt,
    stream::{FuturesUnordered, StreamExt},
};
use mgp_transport::{
    connection::{Config, Connection, ConnectionError, EndOfInput},
    seam::{BoxError, CallError, CallEvent, Incoming, Reply},
};
use mgp_types::{json::RawJson, rpc::RawParams};
use std::{sync::Arc, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    sync::Semaphore,
};
use tower::{ServiceBuilder, limit::ConcurrencyLimitLayer, service_fn};
use xtask_testing::{until, within};

async fn never(_: Incoming) -> Result<Reply, BoxError> {
    std::future::pending().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_backlog_answers_and_the_reader_goes_on() {
    let limited = ServiceBuilder::new().layer(ConcurrencyLimitLayer::new(1)).service(service_fn(never));
    let config = Config { backlog: 2, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), limited, config);
    let mut replies = FuturesUnordered::new();
    for _ in 0..8 {
        replies.push(client.peer().start("x", params("{}")).await.unwrap().reply());
    }
    // One runs, one is in the dispatcher's hand, two wait: the others, whichever they are, are answered.
    for _ in 0..4 {
        let error = within(replies.next()).await.unwrap().unwrap_err();
        assert!(error.to_string().contains("overloaded"), "{error}");
    }
    within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
}

/// Params of a little more than so many bytes.
fn long(bytes: usize) -> RawParams {
    params(&format!("{{\"text\":\"{}\"}}", "x".repeat(bytes)))
}

#[tokio::test]
async fn the_bytes_of_requests_are_bounded_except_on_the_lane() {
    let config = Config { held_bytes: 1000, ..Config::default() };
    let until_cancelled = service_fn(|message: Incoming| async move {
        message.cancel_token().unwrap().cancelled().await;
        Ok::<_, BoxError>(Reply::none())
    });
    let (client, server) = pair_with(service_fn(quiet), until_cancelled, config);
    let start = |bytes| client.peer().start("x", long(bytes));
    // One is always taken, however long.
    let first = start(2000).await.unwrap();
    let error = within(start(10).await.unwrap().reply()).await.unwrap_err();
    assert!(error.to_string().contains("overloaded"), "{error}");
    within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
    let id = first.id().into();
    drop(first);
    until(|| server.peer().running(&id).is_none()).await;
    // What ended is given back: two of these fit, the third does not.
    let mut replies = FuturesUnordered::new();
    for _ in 0..3 {
        replies.push(start(400).await.unwrap().reply());
    }
    assert!(within(replies.next()).await.unwrap().is_err());
    within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
    assert!(replies.next().now_or_never().is_none());
}

#[tokio::test]
async fn waiting_notifications_are_bounded_in_bytes() {
    let (seen, mut told) = tokio::sync::mpsc::unbounded_channel();
    let go = Arc::new(Semaphore::new(0));
    let wait = go.clone();
    let service = service_fn(move |message: Incoming| {
        let (seen, wait) = (seen.clone(), wait.clone());
        async move {
            wait.acquire().await?.forget();
            seen.send(message.params.len())?;
            Ok::<_, BoxError>(Reply::none())
        }
    });
    let config = Config { held_bytes: 1000, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), service, config);
    // The first is in the hand of its handler; of those that wait, the third finds no room.
    for round in 0..2 {
        for bytes in [100, 600, 601, 100] {
            client.peer().notify("n", long(bytes)).await.unwrap();
            within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
        }
        go.add_permits(3);
        let overhead = long(0).len();
        for bytes in [100, 600, 100] {
            assert_eq!(within(told.recv()).await, Some(bytes + overhead), "round {round}");
        }
    }
}

#[tokio::test]
async fn a_call_s_unread_notifications_are_bounded_in_bytes() {
    let chatty = service_fn(|message: Incoming| async move {
        let token = message.params.object()?.get("token").cloned().unwrap();
        let callback = format!("{{\"request_id\":{token},\"text\":\"{}\"}}", "x".repeat(400));
        for _ in 0..4 {
            message.peer().unwrap().notify("notifications/mgp.callback.request", params(&callback)).await?;
        }
        Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
    });
    let config = Config { held_bytes: 1000, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), chatty, config);
    let id = client.peer().next_id();
    let call = client.peer().start_as(id, "x", params(&format!("{{\"token\":{id}}}"))).await.unwrap();
    let error = within(call.reply()).await.unwrap_err();
    assert!(matches!(error, CallError::SlowCaller { .. }), "{error}");
}

#[tokio::test]
async fn the_number_of_calls_to_a_peer_is_bounded() {
    let config = Config { pending: 2, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), service_fn(never), config);
    let first = client.peer().start("x", params("{}")).await.unwrap();
    let _second = client.peer().start("x", params("{}")).await.unwrap();
    assert!(matches!(
        client.peer().start("x", params("{}")).await,
        Err(CallError::TooManyCalls { limit: 2 })
    ));
    drop(first);
    client.peer().start("x", params("{}")).await.unwrap();
}

#[tokio::test]
async fn the_number_of_running_requests_is_bounded() {
    let config = Config { running: 2, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), service_fn(never), config);
    let _first = client.peer().start("x", params("{}")).await.unwrap();
    let _second = client.peer().start("x", params("{}")).await.unwrap();
    let error = within(client.peer().request_raw("x", params("{}"))).await.unwrap_err();
    assert!(error.to_string().contains("too many requests are running"), "{error}");
    // What others wait for has room all the same.
    within(client.peer().request_raw("ping", params("{}"))).await.unwrap();
}

#[tokio::test]
async fn a_caller_that_does_not_read_fails_by_itself() {
    let server = service_fn(|message: Incoming| async move {
        let peer = message.peer().unwrap().clone();
        let token = message.params.object().unwrap().get("token").cloned();
        let Some(token) = token else { return Ok::<_, BoxError>(Reply::ok(number(1))) };
        for i in 0..10 {
            let (method, text) = match &*message.method {
                "chunks" => {
                    ("notifications/mgp.stream.chunk", format!(r#"{{"request_id":{token},"index":{i}}}"#))
                }
                _ => ("notifications/progress", format!(r#"{{"progressToken":{token},"progress":{i}}}"#)),
            };
            peer.notify(method, params(&text)).await?;
        }
        Ok(Reply::ok(number(2)))
    });
    let config = Config { call_queue: 4, ..Config::default() };
    let (client, _server) = pair_with(service_fn(quiet), server, config);
    let peer = client.peer();
    let mut calls = Vec::new();
    for method in ["chunks", "progress"] {
        let id = peer.next_id();
        calls.push(peer.start_as(id, method, params(&format!(r#"{{"token":{id}}}"#))).await.unwrap());
    }
    within(peer.request_raw("other", params("{}"))).await.unwrap();
    let (mut chunks, mut progress) = (calls.remove(0), calls.remove(0));
    let mut read = 0;
    let end = loop {
        match within(chunks.next()).await {
            CallEvent::Notification(_) => read += 1,
            CallEvent::Reply(reply) => break reply,
        }
    };
    assert!(matches!((read, end), (4, Err(CallError::SlowCaller { limit: 4 }))));
    let mut last = 0;
    let end = loop {
        match within(progress.next()).await {
            CallEvent::Notification(n) => {
                last = n.params.object().unwrap().decode::<u32>("progress").unwrap().unwrap();
            }
            CallEvent::Reply(reply) => break reply,
        }
    };
    assert_eq!((last, end.unwrap()), (9, number(2)));
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_accepts_no_bytes_in_time_is_disconnected() {
    let (_host, there) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(there);
    let connection = Connection::builder(service_fn(quiet)).over(input, output);
    let peer = connection.peer().clone();
    // A long quiet time before the stall must not count.
    tokio::time::sleep(Duration::from_secs(100)).await;
    let before = tokio::time::Instant::now();
    let text = format!(r#"{{"text":"{}"}}"#, "x".repeat(1000));
    let error = peer.request_raw("x", params(&text)).await.unwrap_err();
    let limit = Config::default().write_timeout;
    assert!(matches!(error, CallError::Lost(ConnectionError::WriteTimeout(l)) if l == limit), "{error}");
    assert!(before.elapsed() >= limit && before.elapsed() < limit * 2);
}

#[tokio::test]
async fn senders_wait_for_a_slow_peer_and_nothing_is_lost() {
    let (host, there) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(there);
    let config = Config { write_buffer: 256, ..Config::default() };
    let connection = Connection::builder(service_fn(quiet)).config(config).over(input, output);
    let peer = connection.peer().clone();
    let sender = tokio::spawn(async move {
        for n in 0..200 {
            peer.notify("note", params(&format!(r#"{{"n":{n}}}"#))).await.unwrap();
        }
        connection.closed().await
    });
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(host));
    for n in 0..200 {
        let line = within(lines.next_line()).await.unwrap().unwrap();
        assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","method":"note","params":{{"n":{n}}}}}"#));
    }
    drop(lines);
    within(sender).await.unwrap();
}

#[tokio::test]
async fn a_peer_that_floods_and_never_reads_loses_the_connection() {
    let (mut host, there) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(there);
    let config = Config { running: 1, write_buffer: 4096, ..Config::default() };
    let connection = Connection::builder(service_fn(never)).config(config).over(input, output);
    let flood = tokio::spawn(async move {
        for n in 0..100_000 {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"x\"}}\n");
            if host.write_all(line.as_bytes()).await.is_err() {
                return true;
            }
        }
        false
    });
    let reason = within(connection.closed()).await;
    assert!(matches!(reason, ConnectionError::Unread(_)), "{reason}");
    assert!(within(flood).await.unwrap(), "the flood ends with the connection");
}

#[tokio::test]
async fn a_draining_connection_answers_running_requests_first() {
    let (mut host, there) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(there);
    let config = Config { end_of_input: EndOfInput::Drain(Duration::from_secs(120)), ..Config::default() };
    let server = service_fn(|_: Incoming| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        Ok::<_, BoxError>(Reply::ok(number(1)))
    });
    let connection = Connection::builder(server).config(config).over(input, output);
    host.write_all(
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"x\"}",
    )
    .await
    .unwrap();
    host.shutdown().await.unwrap();
    let mut text = String::new();
    within(host.read_to_string(&mut text)).await.unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, [r#"{"jsonrpc":"2.0","id":1,"result":1}"#, r#"{"jsonrpc":"2.0","id":2,"result":1}"#]);
    assert!(matches!(within(connection.closed()).await, ConnectionError::Closed));
}

#[tokio::test]
async fn answers_wait_for_a_slow_peer_and_none_is_lost() {
    let (mut host, there) = tokio::io::duplex(64);
    let (input, output) = tokio::io::split(there);
    let config = Config { write_buffer: 64, ..Config::default() };
    let server = service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(number(1))) });
    let _connection = Connection::builder(server).config(config).over(input, output);
    let (read, mut write) = tokio::io::split(&mut host);
    let asked = async {
        for n in 0..100 {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{n},\"method\":\"x\"}}\n");
            write.write_all(line.as_bytes()).await.unwrap();
        }
    };
    let answered = async {
        let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(read));
        let mut ids = Vec::new();
        while ids.len() < 100 {
            // Slower than the requests come, so that answers find no room.
            tokio::task::yield_now().await;
            tokio::task::yield_now().await;
            let line = lines.next_line().await.unwrap().unwrap();
            ids.push(
                mgp_types::json::RawObject::parse(line).unwrap().decode::<usize>("id").unwrap().unwrap(),
            );
        }
        ids.sort_unstable();
        ids
    };
    let ((), ids) = within(async { tokio::join!(asked, answered) }).await;
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_buffer_that_is_never_empty_frees_written_bytes() {
    let (host, there) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(there);
    let config = Config { write_buffer: 64 * 1024, ..Config::default() };
    let connection = Connection::builder(service_fn(quiet)).config(config).over(input, output);
    let peer = connection.peer().clone();
    let line = format!(r#"{{"text":"{}"}}"#, "x".repeat(1000));
    // More urgent bytes than the buffer may hold at once: each cancellation is one, and none must count for ever.
    let sender = tokio::spawn(async move {
        for _ in 0..5000 {
            peer.notify("note", params(&line)).await.unwrap();
            drop(peer.start("x", params("{}")).await.unwrap());
        }
        peer.is_closed()
    });
    let mut lines = tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(host));
    let mut read = 0;
    while read < 15_000 {
        within(lines.next_line()).await.unwrap().unwrap();
        read += 1;
    }
    assert!(!within(sender).await.unwrap(), "a peer that reads keeps its connection");
    drop(connection);
}
