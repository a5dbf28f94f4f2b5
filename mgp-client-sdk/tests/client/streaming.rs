//! The client of one server, over byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mgp_client_sdk::client::Client;
use mgp_transport::memory;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// A server that answers by hand, with these capabilities. Returns the call that it got, as text.
async fn call_with_stream(capabilities: &'static str) -> String {
    let (here, (input, mut output)) = memory::pair();
    let server = async move {
        let mut lines = BufReader::new(input).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            let id = line.split(r#""id":"#).nth(1).and_then(|rest| rest.split([',', '}']).next());
            let Some(id) = id else { continue };
            let is_call = line.contains("tools/call");
            let result = if is_call {
                r#"{"content":[]}"#.to_owned()
            } else {
                format!(
                    r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"s","version":"1"}}}}"#
                )
            };
            let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n");
            output.write_all(answer.as_bytes()).await.unwrap();
            if is_call {
                return line;
            }
        }
        panic!("there was no call");
    };
    let client = async {
        let client = Client::builder("test", "1.0.0").connect(here.0, here.1).await.unwrap();
        client.start_tool("t", ()).await.unwrap().reply().await.unwrap();
    };
    let both = async { tokio::join!(server, client).0 };
    tokio::time::timeout(Duration::from_secs(10), both).await.expect("nothing hangs")
}

#[tokio::test]
async fn a_server_is_asked_for_parts_only_where_it_has_streaming() {
    let streaming = r#"{"mgp":{"version":"0.3.0","extensions":["streaming"]}}"#;
    assert!(call_with_stream(streaming).await.contains(r#""_mgp":{"stream":true}"#));
    for without in ["{}", r#"{"mgp":{"version":"0.3.0","extensions":["lifecycle"]}}"#] {
        let call = call_with_stream(without).await;
        assert!(call.contains("progressToken") && !call.contains("_mgp"), "{call}");
    }
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test]
async fn a_process_that_does_not_greet_is_reported_by_its_name_with_what_it_said_last() {
    let command = mgp_client_sdk::ChildCommand::new("broken", "sh");
    for (script, part) in [
        (
            "echo 'no such file: x.db' >&2; exit 3",
            r#""broken" ended (exit status: 3); it last wrote to stderr: no such file: x.db"#,
        ),
        ("echo 'waiting' >&2; exec sleep 1000", r#""broken" still runs; it last wrote to stderr: waiting"#),
    ] {
        let command = command.clone().args(["-c", script]);
        let builder = Client::builder("test", "1.0.0").timeout(Duration::from_secs(3));
        let error = builder.connect_child(&command).await.unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
