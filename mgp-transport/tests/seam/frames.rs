//! Rule 6: a frame is one line, and an envelope means one thing.

use crate::support::{params, quiet, within};
use mgp_transport::{
    connection::{Config, Connection},
    seam::{BoxError, Incoming, Reply},
};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tower::service_fn;

type Host = (
    tokio::io::WriteHalf<tokio::io::DuplexStream>,
    Lines<BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
);

/// A host that speaks raw bytes to an echo server.
fn raw(config: Config) -> (Host, Connection) {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(there);
    let echo = service_fn(|message: Incoming| async move {
        Ok::<_, BoxError>(Reply::ok(
            message.params.get().cloned().unwrap_or(mgp_types::json::RawJson::null()),
        ))
    });
    let connection = Connection::builder(echo).config(config).over(input, output);
    let (read, write) = tokio::io::split(here);
    ((write, BufReader::new(read).lines()), connection)
}

async fn answer(host: &mut Host, text: &str) -> String {
    host.0.write_all(text.as_bytes()).await.unwrap();
    host.0.write_all(b"\n").await.unwrap();
    within(host.1.next_line()).await.unwrap().unwrap()
}

#[tokio::test]
async fn params_with_line_breaks_leave_as_one_line() {
    let (here, there) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(there);
    let connection = Connection::builder(service_fn(quiet)).over(input, output);
    connection.peer().notify("x", params("{\n\"a\": \"b\\nc\",\r\n\"d\": 1\n}")).await.unwrap();
    let mut lines = BufReader::new(here).lines();
    let line = within(lines.next_line()).await.unwrap().unwrap();
    assert_eq!(line, r#"{"jsonrpc":"2.0","method":"x","params":{"a": "b\nc","d": 1}}"#);
}

#[tokio::test]
async fn duplicate_keys_in_an_envelope_and_in_params_that_are_read_are_refused() {
    let (mut host, _connection) = raw(Config::default());
    let line =
        answer(&mut host, r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{},"params":{"a":1}}"#).await;
    assert_eq!(
        line,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid JSON-RPC envelope: duplicate key \"params\""}}"#
    );
    let twice = mgp_types::rpc::RawParams::from(mgp_types::json::RawJson::parse(r#"{"a":1,"a":2}"#).unwrap());
    assert_eq!(twice.object().unwrap_err().message, "invalid params: duplicate key \"a\"");
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_next_message_is_served() {
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
async fn an_id_that_still_runs_is_not_taken_twice() {
    let (here, there) = tokio::io::duplex(4096);
    let (input, output) = tokio::io::split(there);
    let _connection =
        Connection::builder(service_fn(|_: Incoming| std::future::pending::<Result<Reply, BoxError>>()))
            .over(input, output);
    let (read, write) = tokio::io::split(here);
    let mut host: Host = (write, BufReader::new(read).lines());
    host.0.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}\n").await.unwrap();
    let line = answer(&mut host, r#"{"jsonrpc":"2.0","id":1,"method":"x"}"#).await;
    assert!(line.contains("a request with the id 1 is still running"), "{line}");
}
