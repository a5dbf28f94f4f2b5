//! §12.4, §12.6 Streams through the kernel over rounds of input, and estimates of the remaining time.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, result, says},
    support::{start, within},
};
use mgp_client_sdk::client::{Client, ToolEvent};
use mgp_kernel::{
    Endpoint, Era, EraChoice, InProcess, ServerSpec,
    mcp::{ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Progress, ProgressStep, Server, StreamContent, StreamSink, Tool, ToolError, ask::Ask};
use mgp_types::access::DefaultPolicy;
use serde_json::json;
use std::time::Duration;

async fn work(ask: Ask, mut progress: Progress, mut sink: StreamSink) -> Result<StreamContent, ToolError> {
    progress.report_step(ProgressStep::new(1.0).remaining(Duration::from_millis(4500))).await?;
    sink.send_text("before").await?;
    let is_confirmed = ask.confirm("sure", "Sure?").await?;
    progress.report(2.0, None, None).await?;
    sink.send_text(&format!(" after {is_confirmed}")).await?;
    Ok(sink.finish())
}

#[tokio::test]
async fn chunks_and_progress_count_on_over_rounds_without_repetition() {
    for (era, upstream) in ERAS.into_iter().flat_map(|era| ERAS.map(|upstream| (era, upstream))) {
        let setup = start(|kernel, _| {
            let stack = Server::new("s", "1").tool(Tool::new("work", "Works", work)).build().unwrap();
            let endpoint = Endpoint::InProcess(InProcess::new(move || stack.in_process()));
            let mut spec = ServerSpec::new("srv", endpoint);
            spec.default_policy = DefaultPolicy::OptOut;
            spec.era = EraChoice::Known(upstream);
            kernel.server(spec)
        })
        .await;
        let says_yes = async |_: ElicitParams| ElicitResult::accept();
        let builder = Client::builder("host", "1").era(EraChoice::Known(era)).on_elicit(says_yes);
        let host = setup.host_with(builder).await;
        let mut call = host.stream("work", ());
        let (mut chunks, mut steps) = (Vec::new(), Vec::new());
        while let Some(event) = within(call.next()).await {
            match event {
                ToolEvent::Chunk(chunk) => {
                    chunks.push((chunk.index, chunk.content.as_text().unwrap().to_owned()));
                }
                ToolEvent::Progress(step) => {
                    steps.push((step.progress.as_f64().unwrap(), step.estimated_remaining()));
                }
                other => panic!("{era:?} {upstream:?}: {other:?}"),
            }
        }
        let expected = [(0, "before".to_owned()), (1, " after true".to_owned())];
        assert_eq!(chunks, expected, "{era:?} {upstream:?}");
        let expected = [(1.0, Some(Duration::from_millis(4500))), (2.0, None)];
        assert_eq!(steps, expected, "{era:?} {upstream:?}");
        let result: String = within(call.result()).await.unwrap();
        assert_eq!(result, "before after true");
    }
}

#[tokio::test]
async fn a_host_without_chunks_gets_no_count_of_chunks() {
    let mgp = json!({"version": "0.3.0", "extensions": ["streaming"]});
    let server = RawServer::new(Era::Initialize, json!({"tools": {}, "mgp": mgp}), |message| {
        let content = json!({"type": "text", "text": "a"});
        let chunk = json!({"request_id": message["id"], "index": 0, "content": content, "done": false});
        let summary = json!({"streamed": true, "chunks_sent": 1, "duration_ms": 7});
        (message["method"] == "tools/call").then(|| {
            vec![
                says(None, "notifications/mgp.stream.chunk", chunk),
                result(message, json!({"content": [content], "_mgp": summary})),
            ]
        })
    });
    let setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
    let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
    for (asks, chunks) in [(true, 1), (false, 0)] {
        let params = json!({"name": "work", "arguments": {}, "_mgp": {"stream": asks}});
        let result = host.get("tools/call", params).await;
        let summary = &result["_mgp"];
        assert_eq!(
            (&summary["streamed"], &summary["chunks_sent"]),
            (&json!(asks), &json!(chunks)),
            "{result}"
        );
        assert_eq!(summary["duration_ms"], 7, "{result}");
    }
    assert_eq!(host.count("notifications/mgp.stream.chunk"), 1);
}
