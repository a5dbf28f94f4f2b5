//! Chunks: sent before the response, in order, and only to callers that asked for them.

use super::support::{mgp, nothing_more, serve, settle, waits};
use mgp_stream::{
    cancel::CancelLayer,
    sink::{SinkTaken, StreamError, StreamSink},
};
use mgp_transport::seam::{BoxError, Incoming, PeerService, Reply};
use mgp_types::{json::RawJson, mcp::ContentBlock, negotiation::ExtensionSet, negotiation::Negotiation};
use serde_json::json;
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};
use tower::Layer;

const CALL: &str =
    r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"a","_mgp":{"stream":true}}}"#;

/// Returns a server that streams texts and answers with all of them.
fn speaker(texts: &'static [&'static str]) -> impl PeerService {
    CancelLayer::new().layer(tower::service_fn(move |incoming: Incoming| async move {
        let mut sink = StreamSink::open(&incoming)?;
        for text in texts {
            sink.send_text(text).await?;
        }
        Ok::<_, BoxError>(Reply::ok(sink.finish().to_result()))
    }))
}

#[tokio::test]
async fn chunks_have_dense_indices_and_precede_the_response() {
    let (_server, mut client) = serve(speaker(&["Quantum ", "computing"]), Some(mgp()));
    client.send(CALL).await;
    for (index, text) in ["Quantum ", "computing"].iter().enumerate() {
        let chunk = json!({"request_id": 20, "index": index, "content": {"type": "text", "text": text}, "done": false});
        let expected = json!({"jsonrpc": "2.0", "method": "notifications/mgp.stream.chunk", "params": chunk});
        assert_eq!(client.message().await, expected);
    }
    let response = client.message().await;
    assert_eq!(response["id"], 20);
    assert_eq!(response["result"]["content"], json!([{"type": "text", "text": "Quantum computing"}]));
    assert_eq!(response["result"]["_mgp"]["streamed"], true);
    assert_eq!(response["result"]["_mgp"]["chunks_sent"], 2);
    assert!(response["result"]["_mgp"]["duration_ms"].is_u64());
    nothing_more(&mut client).await;
}

#[tokio::test]
async fn a_slow_reader_slows_the_handler_and_gets_every_chunk() {
    const CHUNKS: u64 = 2000;
    let sent = Arc::new(AtomicU64::new(0));
    let service = tower::service_fn({
        let sent = sent.clone();
        move |incoming: Incoming| {
            let sent = sent.clone();
            async move {
                let mut sink = StreamSink::open(&incoming)?;
                for _ in 0..CHUNKS {
                    sink.send_text(&"x".repeat(100)).await?;
                    sent.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
            }
        }
    });
    let (_server, mut client) = serve(CancelLayer::new().layer(service), Some(mgp()));
    client.send(CALL).await;
    settle().await;
    let before = sent.load(Ordering::Relaxed);
    assert!(before > 0 && before < CHUNKS / 2, "{before} chunks were sent to a reader that does not read");
    for index in 0..CHUNKS {
        assert_eq!(client.message().await["params"]["index"], index);
    }
    assert_eq!(client.message().await["id"], 20);
}

#[tokio::test]
async fn only_a_caller_that_asked_and_negotiated_gets_chunks() {
    let without_streaming = Negotiation { extensions: ExtensionSet::EMPTY, ..mgp() };
    let not_asked = r#"{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"_mgp":{"stream":"true"}}}"#;
    for (negotiated, call) in [(None, CALL), (Some(without_streaming), CALL), (Some(mgp()), not_asked)] {
        let (_server, mut client) = serve(speaker(&["all ", "of it"]), negotiated);
        client.send(call).await;
        let expected = json!({"jsonrpc": "2.0", "id": 20, "result": {"content": [{"type": "text", "text": "all of it"}]}});
        assert_eq!(client.message().await, expected);
        nothing_more(&mut client).await;
    }
}

#[tokio::test]
async fn ids_are_echoed_as_written_and_meta_may_request_chunks() {
    for id in ["\"20\"", "1.50", "18446744073709551615"] {
        let (_server, mut client) = serve(speaker(&["a"]), Some(mgp()));
        let params = r#"{"_meta":{"mgp":{"stream":true}}}"#;
        client
            .send(format_args!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#))
            .await;
        let chunk = client.text().await;
        assert!(chunk.contains(&format!(r#""request_id":{id},"#)), "{chunk}");
    }
}

#[tokio::test]
async fn sending_after_the_response_is_refused() {
    let (report, mut reported) = tokio::sync::mpsc::channel(1);
    let service = tower::service_fn(move |incoming: Incoming| {
        let report = report.clone();
        async move {
            let mut sink = StreamSink::open(&incoming)?;
            tokio::spawn(async move {
                settle().await;
                let late = sink.send_text("late").await;
                report.send(late).await
            });
            Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
        }
    });
    let (_server, mut client) = serve(CancelLayer::new().layer(service), Some(mgp()));
    client.send(CALL).await;
    assert_eq!(client.message().await["id"], 20);
    assert!(matches!(reported.recv().await, Some(Err(StreamError::Ended))));
    nothing_more(&mut client).await;
}

#[tokio::test]
async fn a_request_has_one_sink() {
    let service = tower::service_fn(|incoming: Incoming| async move {
        let first = StreamSink::open(&incoming).is_ok();
        let second = StreamSink::open(&incoming).err();
        assert_eq!((first, second), (true, Some(SinkTaken)));
        Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
    });
    let (_server, mut client) = serve(CancelLayer::new().layer(service), Some(mgp()));
    client.send(CALL).await;
    assert_eq!(client.message().await["result"], json!({}));
}

#[tokio::test]
async fn an_abandoned_send_uses_no_index() {
    let service = tower::service_fn(|incoming: Incoming| async move {
        let mut sink = StreamSink::open(&incoming)?;
        let large = ContentBlock::text("x".repeat(80_000));
        // The first chunk fills the connection, so the second waits and is given up.
        sink.send(&large).await?;
        assert!(waits(sink.send_text("never sent")), "there was room");
        sink.send_text("after").await?;
        Ok::<_, BoxError>(Reply::ok(sink.finish().to_result()))
    });
    let (_server, mut client) = serve(CancelLayer::new().layer(service), Some(mgp()));
    client.send(CALL).await;
    settle().await;
    assert_eq!(client.message().await["params"]["index"], 0);
    let chunk = client.message().await;
    assert_eq!(
        (&chunk["params"]["index"], &chunk["params"]["content"]["text"]),
        (&json!(1), &json!("after"))
    );
    assert_eq!(client.message().await["result"]["_mgp"]["chunks_sent"], 2);
}
