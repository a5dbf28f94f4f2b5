//! Rule 6: a frame is one line, and an envelope means one thing.

use crate::support::{params, quiet};
use mgp_transport::{
    connection::{Config, Connection},
    memory,
    seam::{BoxError, CallError, CallEvent, Incoming, Reply},
};
use mgp_types::mcp::ProtocolVersion;
use tokio::{io::AsyncWriteExt, sync::mpsc};
use tower::service_fn;
use xtask_testing::{RawPeer, within};

/// Serves a connection with an echo. Returns the other end.
fn echo(config: Config) -> (memory::End, Connection) {
    let (here, there) = memory::pair();
    let echo = service_fn(|message: Incoming| async move {
        Ok::<_, BoxError>(Reply::ok(
            message.params.get().cloned().unwrap_or(mgp_types::json::RawJson::null()),
        ))
    });
    (here, Connection::builder(echo).config(config).over(there.0, there.1))
}

/// A host that speaks to an echo server line by line.
fn raw(config: Config) -> (RawPeer, Connection) {
    let (here, connection) = echo(config);
    (RawPeer::new(here), connection)
}

/// Sends a line, and returns the next one that comes.
async fn answer(host: &mut RawPeer, text: &str) -> String {
    host.send(text).await;
    host.text().await
}

#[tokio::test]
async fn params_with_line_breaks_are_sent_as_one_line() {
    let (here, there) = memory::pair();
    let connection = Connection::builder(service_fn(quiet)).over(there.0, there.1);
    connection.peer().notify("x", params("{\n\"a\": \"b\\nc\",\r\n\"d\": 1\n}")).await.unwrap();
    let line = RawPeer::new(here).text().await;
    assert_eq!(line, r#"{"jsonrpc":"2.0","method":"x","params":{"a": "b\nc","d": 1}}"#);
}

#[tokio::test]
async fn duplicate_keys_in_envelopes_and_parsed_params_are_refused() {
    let (mut host, _connection) = raw(Config::default());
    let line =
        answer(&mut host, r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{},"params":{"a":1}}"#).await;
    assert_eq!(
        line,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid JSON-RPC envelope: duplicate key \"params\""}}"#
    );
    let twice = mgp_types::rpc::RawParams::from(mgp_types::json::RawJson::parse(r#"{"a":1,"a":2}"#).unwrap());
    assert_eq!(twice.object().unwrap_err().message, "invalid params: duplicate key \"a\"");
}

#[tokio::test]
async fn a_stream_may_begin_with_a_byte_order_mark() {
    let (mut host, _connection) = raw(Config::default());
    let line = answer(&mut host, "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}").await;
    assert_eq!(line, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
}

#[tokio::test]
async fn an_answer_with_its_id_in_another_form_ends_its_call() {
    let (here, there) = memory::pair();
    let connection = Connection::builder(service_fn(quiet)).over(there.0, there.1);
    let mut server = RawPeer::new(here);
    for id in [r#""1""#, "2.0"] {
        let call = connection.peer().start("x", params("{}")).await.unwrap();
        server.text().await;
        server.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":7}}"#)).await;
        assert_eq!(within(call.reply()).await.unwrap().as_str(), "7", "{id}");
    }
}

#[tokio::test]
async fn a_notification_with_a_null_id_is_handled_and_not_answered() {
    let (sender, mut heard) = mpsc::unbounded_channel();
    let service = service_fn(move |message: Incoming| {
        let _ = sender.send((message.method.to_string(), message.is_notification()));
        quiet(message)
    });
    let (here, there) = memory::pair();
    let connection = Connection::builder(service).over(there.0, there.1);
    let mut other = RawPeer::new(here);
    let say = |method: &str, params: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":null,"method":"{method}","params":{params}}}"#)
    };
    for method in [
        "notifications/initialized",
        "notifications/roots/list_changed",
        "notifications/mgp.audit",
        "notifications/mgp.lifecycle",
        "notifications/mgp.event",
        "notifications/mgp.callback.request",
    ] {
        other.send(say(method, "{}")).await;
        assert_eq!(within(heard.recv()).await.unwrap(), (method.to_owned(), true));
    }
    let answered = answer(&mut other, r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).await;
    assert_eq!(answered, r#"{"jsonrpc":"2.0","id":1,"result":null}"#, "the first answer of all");
    // What belongs to a call reaches the call.
    let mut call = connection.peer().start("x", params("{}")).await.unwrap();
    for (method, member) in [
        ("notifications/progress", "progressToken"),
        ("notifications/mgp.stream.chunk", "request_id"),
        ("notifications/mgp.stream.progress", "request_id"),
        ("notifications/mgp.callback.request", "request_id"),
    ] {
        other.send(say(method, &format!(r#"{{"{member}":{}}}"#, call.id()))).await;
        let event = within(call.next()).await;
        assert!(matches!(&event, CallEvent::Notification(told) if told.method == method), "{event:?}");
    }
}

#[tokio::test]
async fn an_unreadable_message_is_answered_and_the_next_served() {
    let config = Config { max_frame: 1000, ..Config::default() };
    let (mut host, _connection) = raw(config);
    for (text, part) in [
        ("{\"jsonrpc\"".to_owned(), "-32700"),
        (
            format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{{\"a\":\"{}\"}}}}",
                "x".repeat(2000)
            ),
            "longer than 1000 bytes",
        ),
        (format!("{}{}", "[".repeat(200), "]".repeat(200)), "128 levels"),
        ("[]".to_owned(), "found an array"),
    ] {
        let line = answer(&mut host, &text).await;
        assert!(line.contains(part), "{line}");
    }
    let text = r#"{"jsonrpc":"2.0","id":"after","method":"x","params":{"n":12345678901234567890.5}}"#;
    assert_eq!(
        answer(&mut host, text).await,
        r#"{"jsonrpc":"2.0","id":"after","result":{"n":12345678901234567890.5}}"#
    );
}

#[tokio::test]
async fn an_unreadable_request_is_answered_by_its_id() {
    let ((input, mut output), _connection) = echo(Config::default());
    let mut host = RawPeer::new((input, tokio::io::sink()));
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let request = |params: &[u8]| {
        let head = br#"{"jsonrpc":"2.0","id":"call 7","method":"x","params":{"id":8,"a":"#;
        [head, params, b"}}\n"].concat()
    };
    for (params, part) in
        [(deep.as_bytes(), "128 levels"), (b"\"\xff\"", "-32700"), (b"truth", "-32700"), (b"01", "-32700")]
    {
        output.write_all(&request(params)).await.unwrap();
        let line = host.text().await;
        assert!(line.starts_with(r#"{"jsonrpc":"2.0","id":"call 7","error":{"#), "{line}");
        assert!(line.contains(part), "{line}");
    }
}

#[tokio::test]
async fn an_unreadable_response_ends_its_call() {
    let ((_input, mut output), there) = memory::pair();
    let connection = Connection::builder(service_fn(quiet)).over(there.0, there.1);
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for result in [deep.as_bytes(), b"\"\xff\""] {
        let call = connection.peer().start("x", params("{}")).await.unwrap();
        let head = format!(r#"{{"jsonrpc":"2.0","id":{},"result":"#, call.id());
        output.write_all(&[head.as_bytes(), result, b"}\n"].concat()).await.unwrap();
        let error = within(call.reply()).await.unwrap_err();
        assert!(matches!(error, CallError::Unreadable(_)), "{error}");
    }
}

#[tokio::test]
async fn an_answer_without_a_result_ends_its_call() {
    let ((input, mut output), there) = memory::pair();
    let connection = Connection::builder(service_fn(quiet)).over(there.0, there.1);
    let call = connection.peer().start("x", params("{}")).await.unwrap();
    output.write_all(format!("{{\"jsonrpc\":\"2.0\",\"id\":{}}}\n", call.id()).as_bytes()).await.unwrap();
    let error = within(call.reply()).await.unwrap_err();
    assert!(matches!(error, CallError::Unreadable(_)), "{error}");
    let mut host = RawPeer::new((input, tokio::io::sink()));
    let sent = host.message().await;
    assert_eq!(sent["method"], "x");
    output.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":\"mine\"}\n").await.unwrap();
    let refused = host.text().await;
    assert!(refused.contains("\"id\":\"mine\",\"error\":{\"code\":-32600"), "{refused}");
}

#[tokio::test]
async fn a_running_id_is_not_accepted_twice() {
    let (here, there) = memory::pair();
    let _connection =
        Connection::builder(service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>()))
            .over(there.0, there.1);
    let mut host = RawPeer::new(here);
    host.send(r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).await;
    let line = answer(&mut host, r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).await;
    assert!(line.contains("a request with the id 1 is still running"), "{line}");
}

/// A host that has agreed on a revision with an echo server.
async fn agreed(version: &str, config: Config) -> (RawPeer, Connection) {
    let (mut host, connection) = raw(config);
    let hello = format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}"}}}}"#
    );
    assert!(answer(&mut host, &hello).await.contains(version));
    (host, connection)
}

#[tokio::test]
async fn a_batch_is_accepted_only_in_revisions_with_batches() {
    let batch = r#" [{"jsonrpc":"2.0","id":1,"method":"echo","params":{"n":1}},7,{"jsonrpc":"2.0","id":2,"method":"echo"}] "#;
    let (mut host, _connection) = agreed("2025-03-26", Config::default()).await;
    let mut answers = vec![answer(&mut host, batch).await];
    for _ in 0..2 {
        answers.push(host.text().await);
    }
    for part in [r#""id":1,"result":{"n":1}"#, r#""id":null,"error":{"code":-32600"#, r#""id":2,"result""#] {
        assert_eq!(answers.iter().filter(|answer| answer.contains(part)).count(), 1, "{answers:?}: {part}");
    }
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let (mut host, _connection) = agreed(version, Config::default()).await;
        let refused = answer(&mut host, batch).await;
        assert!(refused.contains("found an array"), "{version}: {refused}");
    }
}

#[tokio::test]
async fn a_batch_is_handled_in_order_bounded_without_initialize() {
    let config = Config { batch: 100, ..Config::default() };
    let (mut host, _connection) = agreed("2025-03-26", config).await;
    let messages = |count: usize| {
        let one = |n: usize| format!(r#"{{"jsonrpc":"2.0","id":{n},"method":"echo"}}"#);
        format!("[{}]", (0..count).map(one).collect::<Vec<_>>().join(","))
    };
    let mut line = answer(&mut host, &messages(100)).await;
    for n in 0..100 {
        assert!(line.contains(&format!(r#""id":{n},"#)), "{line}");
        if n < 99 {
            line = host.text().await;
        }
    }
    let refused = answer(&mut host, &messages(101)).await;
    assert!(refused.contains("at most 100 messages, found 101"), "{refused}");
    let refused = answer(&mut host, r#"[{"jsonrpc":"2.0","id":1,"method":"initialize"}]"#).await;
    assert!(refused.contains("initialize must come alone"), "{refused}");
}

#[tokio::test]
async fn a_client_receives_batches_too() {
    let (here, there) = memory::pair();
    let connection = Connection::builder(service_fn(quiet)).over(there.0, there.1);
    let mut server = RawPeer::new(here);
    let greeting = connection.peer().start("initialize", params("{}")).await.unwrap();
    server.text().await;
    server.send(r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26"}}"#).await;
    within(greeting.reply()).await.unwrap();
    let (one, two) = (
        connection.peer().start("a", params("{}")).await.unwrap(),
        connection.peer().start("b", params("{}")).await.unwrap(),
    );
    server.send(r#"[{"jsonrpc":"2.0","id":3,"result":3},{"jsonrpc":"2.0","id":2,"result":2}]"#).await;
    assert_eq!(within(one.reply()).await.unwrap().as_str(), "2");
    assert_eq!(within(two.reply()).await.unwrap().as_str(), "3");
}

#[tokio::test]
async fn both_sides_keep_the_agreed_revision_only_if_it_is_known() {
    for (version, kept) in [("2025-03-26", Some(ProtocolVersion::V2025_03_26)), ("1999-01-01", None)] {
        let (_host, server) = agreed(version, Config::default()).await;
        assert_eq!(server.peer().session().get(), kept, "{version}");

        let (here, there) = memory::pair();
        let client = Connection::builder(service_fn(quiet)).over(there.0, there.1);
        let mut server = RawPeer::new(here);
        let greeting = client.peer().start("initialize", params("{}")).await.unwrap();
        server.text().await;
        server
            .send(&format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"{version}"}}}}"#))
            .await;
        within(greeting.reply()).await.unwrap();
        assert_eq!(client.peer().session().get(), kept, "{version}");
    }
}
