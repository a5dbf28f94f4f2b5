//! The client of one server, over byte streams.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mgp_client_sdk::client::Client;
use mgp_transport::memory;
use serde_json::Value;
use xtask_testing::{RawPeer, within};

/// A server that answers by hand, with these capabilities. Returns the call that it got, as text.
async fn call_with_stream(capabilities: &'static str) -> String {
    let (here, there) = memory::pair();
    let server = async move {
        let mut peer = RawPeer::new(there);
        loop {
            let line = peer.text().await;
            let message: Value = serde_json::from_str(&line).unwrap();
            let Some(id) = message.get("id") else { continue };
            let is_call = message["method"] == "tools/call";
            let result = if is_call {
                r#"{"content":[]}"#.to_owned()
            } else {
                format!(
                    r#"{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"serverInfo":{{"name":"s","version":"1"}}}}"#
                )
            };
            peer.send(format_args!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
            if is_call {
                return line;
            }
        }
    };
    let client = async {
        let client = Client::builder("test", "1.0.0").connect(here.0, here.1).await.unwrap();
        client.start_tool("t", ()).await.unwrap().reply().await.unwrap();
    };
    within(async { tokio::join!(server, client).0 }).await
}

#[tokio::test]
async fn chunks_are_requested_only_from_a_streaming_server() {
    let streaming = r#"{"mgp":{"version":"0.3.0","extensions":["streaming"]}}"#;
    assert!(call_with_stream(streaming).await.contains(r#""_mgp":{"stream":true}"#));
    for without in ["{}", r#"{"mgp":{"version":"0.3.0","extensions":["lifecycle"]}}"#] {
        let call = call_with_stream(without).await;
        assert!(call.contains("progressToken") && !call.contains("_mgp"), "{call}");
    }
}

#[cfg(all(unix, feature = "child"))]
#[tokio::test(start_paused = true)]
async fn a_process_without_handshake_is_reported_with_its_last_output() {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };
    use tracing_subscriber::{Layer, layer::SubscriberExt};

    /// True once a line of a server's stderr was read.
    #[derive(Clone, Default)]
    struct HasSpoken(Arc<AtomicBool>);

    impl<S: tracing::Subscriber> Layer<S> for HasSpoken {
        fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
            if event.metadata().target() == "mgp::server_stderr" {
                self.0.store(true, Ordering::SeqCst);
            }
        }
    }

    let command = mgp_client_sdk::ChildCommand::new("broken", "sh");
    for (script, ends, part) in [
        (
            "echo 'no such file: x.db' >&2; exit 3",
            true,
            r#""broken" ended (exit status: 3); it last wrote to stderr: no such file: x.db"#,
        ),
        (
            "echo 'waiting' >&2; exec sleep 1000",
            false,
            r#""broken" still runs; it last wrote to stderr: waiting"#,
        ),
    ] {
        let has_spoken = HasSpoken::default();
        let subscriber = tracing_subscriber::registry().with(has_spoken.clone());
        let _guard = tracing::subscriber::set_default(subscriber);
        let command = command.clone().args(["-c", script]);
        let connecting =
            tokio::spawn(async move { Client::builder("test", "1.0.0").connect_child(&command).await });
        // The clock stands still while a task is ready: no time limit passes before the process has ended, or its line was read.
        while !connecting.is_finished() && (ends || !has_spoken.0.load(Ordering::SeqCst)) {
            tokio::task::yield_now().await;
        }
        let error = connecting.await.unwrap().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}
