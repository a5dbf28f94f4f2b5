//! A host over HTTP in front of a server that is a child process or in this process: what each reads of the other, and of the kernel.

use crate::support::{agent_test, open, ready, within};
use mgp_kernel::{Endpoint, Kernel, ServerSpec};
use mgp_transport::{
    child::ChildCommand,
    connection::Config,
    http::server::{HttpServerConfig, RunningServer},
};
use mgp_types::{access::DefaultPolicy, context::Principal};
use std::path::Path;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// A server that we did not write with our own code: it logs each line that it reads, and answers by pattern.
const SHELL_SERVER: &str = r#"
while IFS= read -r line; do
    printf '%s\n' "$line" >> "$1"
    id=$(printf '%s' "$line" | sed -n 's/^{"jsonrpc":"2.0","id":\([0-9]*\).*/\1/p')
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"method":"tools/call"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"heard"}]}}\n' "$id" ;;
    *'"method":"ping"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
    esac
done
"#;

async fn kernel(log: &Path) -> (Kernel, RunningServer) {
    let log = log.to_str().unwrap();
    let command = ChildCommand::new("shell", "sh").args(["-c", SHELL_SERVER, "sh", log]);
    let mut spec = ServerSpec::new("shell", Endpoint::Child(command));
    spec.default_policy = DefaultPolicy::OptOut;
    let kernel = Kernel::builder().server(spec).config(agent_test).start().await.unwrap();
    ready(&kernel).await;
    let serving =
        kernel.http().principal(Principal::agent("agent.test")).build().bind("127.0.0.1:0").await.unwrap();
    (kernel, serving)
}

/// Sends one POST with a body as it is, and returns the whole answer.
async fn post(serving: &RunningServer, session: Option<&str>, body: &str) -> String {
    let mut stream = TcpStream::connect(serving.address()).await.unwrap();
    let session = session.map(|id| format!("Mcp-Session-Id: {id}\r\n")).unwrap_or_default();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{session}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        serving.address(),
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    within(stream.read_to_string(&mut answer)).await.unwrap();
    answer
}

/// Opens a session, and returns its id.
async fn open_session(serving: &RunningServer) -> String {
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}"#;
    let greeting = post(serving, None, hello).await;
    greeting.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap().trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_with_line_breaks_reaches_a_child_as_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("lines");
    let (kernel, serving) = kernel(&log).await;
    let session = open_session(&serving).await;
    // The second line would be a call of its own, past the pipeline, if it reached the child as a line.
    let smuggled = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":\n\
                    {\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"evil\"}}\n}}";
    let answer = post(&serving, Some(&session), smuggled).await;
    assert!(answer.contains("heard"), "{answer}");
    serving.shutdown().await;
    kernel.shutdown().await;
    let lines = std::fs::read_to_string(&log).unwrap();
    let calls: Vec<_> = lines.lines().filter(|line| line.contains("tools/call")).collect();
    assert_eq!(calls.len(), 1, "{lines}");
    assert!(calls[0].contains("\"evil\"") && calls[0].starts_with("{\"jsonrpc\""), "{lines}");
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{lines}");
}

#[tokio::test]
async fn a_refusal_of_a_full_session_carries_a_trace() {
    let setup = open().await;
    let session = Config { running: 1, ..Config::default() };
    let config = HttpServerConfig { session, ..HttpServerConfig::default() };
    let server = setup.kernel.http().config(config).principal(Principal::agent("agent.test")).build();
    let serving = server.bind("127.0.0.1:0").await.unwrap();
    let session = open_session(&serving).await;
    let hang = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang","arguments":{}}}"#;
    let list = r#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_mgp":{"trace_id":"t-full"}}}"#;
    let running = post(&serving, Some(&session), hang);
    let refused = async {
        within(setup.signals.started.notified()).await;
        post(&serving, Some(&session), list).await
    };
    let answer = tokio::select! {
        answer = running => panic!("{answer}"),
        answer = refused => answer,
    };
    assert!(answer.contains("too many requests are running"), "{answer}");
    assert!(answer.contains(r#""trace_id":"t-full""#), "{answer}");
}
