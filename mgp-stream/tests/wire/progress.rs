//! Progress: on MCP's path with the caller's own token, otherwise on MGP's path.

use super::support::{mgp, nothing_more, serve, settle};
use mgp_stream::{
    cancel::CancelLayer,
    progress::{Progress, ProgressStep},
};
use mgp_transport::seam::{BoxError, Incoming, PeerService, Reply};
use mgp_types::json::RawJson;
use serde_json::json;
use std::time::Duration;
use tower::Layer;

/// Returns a server that reports some numbers, among them ones that do not grow, and answers.
fn worker() -> impl PeerService {
    CancelLayer::new().layer(tower::service_fn(|incoming: Incoming| async move {
        let mut progress = Progress::of(&incoming);
        progress.report(5.0, Some(20.0), None).await?;
        progress.report(5.0, Some(20.0), Some("again")).await?;
        progress.report(4.0, Some(20.0), Some("back")).await?;
        progress.report(f64::NAN, Some(20.0), Some("nowhere")).await?;
        progress.report(13.0, Some(20.0), Some("batch 13/20")).await?;
        Ok::<_, BoxError>(Reply::ok(RawJson::from(progress.is_wanted())))
    }))
}

fn call(params: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":21,"method":"tools/call","params":{params}}}"#)
}

#[tokio::test]
async fn a_token_is_echoed_exactly_and_progress_only_grows() {
    for token in ["\"7\"", "7", "1.50", "18446744073709551615", "\"\""] {
        for negotiated in [None, Some(mgp())] {
            let (_server, mut client) = serve(worker(), negotiated);
            client.send(call(&format!(r#"{{"_meta":{{"progressToken":{token}}}}}"#))).await;
            let method = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":"#;
            let first = format!(r#"{method}{{"progressToken":{token},"progress":5,"total":20}}}}"#);
            assert_eq!(client.text().await, first);
            let params =
                format!(r#"{{"progressToken":{token},"progress":13,"total":20,"message":"batch 13/20"}}"#);
            assert_eq!(client.text().await, format!("{method}{params}}}"));
            assert_eq!(client.message().await["result"], true);
        }
    }
}

#[tokio::test]
async fn an_mgp_caller_without_a_token_gets_mgp_s_notification() {
    let (_server, mut client) = serve(worker(), Some(mgp()));
    client.send(call("{}")).await;
    let method = "notifications/mgp.stream.progress";
    let first = json!({"request_id": 21, "progress": 0.25});
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "method": method, "params": first}));
    let second = json!({"request_id": 21, "progress": 0.65, "message": "batch 13/20"});
    assert_eq!(client.message().await, json!({"jsonrpc": "2.0", "method": method, "params": second}));
    assert_eq!(client.message().await["result"], true);
}

#[tokio::test]
async fn a_plain_caller_without_a_usable_token_gets_no_progress() {
    for params in ["{}", r#"{"_meta":{}}"#, r#"{"_meta":{"progressToken":null}}"#, r#"{"_meta":7}"#] {
        let (_server, mut client) = serve(worker(), None);
        client.send(call(params)).await;
        assert_eq!(client.message().await["result"], false, "{params}");
        nothing_more(&mut client).await;
    }
}

#[tokio::test]
async fn progress_after_the_response_is_dropped() {
    let (done, mut is_done) = tokio::sync::mpsc::channel(1);
    let service = tower::service_fn(move |incoming: Incoming| {
        let (done, mut progress) = (done.clone(), Progress::of(&incoming));
        tokio::spawn(async move {
            settle().await;
            let reported = progress.report(1.0, None, None).await;
            done.send(reported.is_ok()).await
        });
        async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) }
    });
    let (_server, mut client) = serve(CancelLayer::new().layer(service), None);
    client.send(call(r#"{"_meta":{"progressToken":1}}"#)).await;
    assert_eq!(client.message().await["id"], 21);
    assert_eq!(is_done.recv().await, Some(true));
    nothing_more(&mut client).await;
}

#[tokio::test]
async fn an_estimate_reaches_callers_that_negotiated_streaming() {
    let worker = || {
        CancelLayer::new().layer(tower::service_fn(|incoming: Incoming| async move {
            let mut progress = Progress::of(&incoming);
            let step = ProgressStep::new(13.0).total(20.0).message("batch 13/20");
            progress.report_step(step.remaining(Duration::from_micros(4_500_900))).await?;
            Ok::<_, BoxError>(Reply::ok(RawJson::empty_object()))
        }))
    };
    let token = r#"{"_meta":{"progressToken":1}}"#;
    let with_token = json!({"progressToken": 1, "progress": 13, "total": 20, "message": "batch 13/20"});
    let (_server, mut client) = serve(worker(), None);
    client.send(call(token)).await;
    assert_eq!(client.message().await["params"], with_token);

    let (_server, mut client) = serve(worker(), Some(mgp()));
    client.send(call(token)).await;
    let mut expected = with_token;
    expected["_mgp"] = json!({"estimated_remaining_ms": 4500});
    assert_eq!(client.message().await["params"], expected);

    let (_server, mut client) = serve(worker(), Some(mgp()));
    client.send(call("{}")).await;
    let own =
        json!({"request_id": 21, "progress": 0.65, "message": "batch 13/20", "estimated_remaining_ms": 4500});
    assert_eq!(client.message().await["params"], own);
}
