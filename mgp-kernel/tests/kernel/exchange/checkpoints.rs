//! Checkpoints through the kernel, between hosts and servers of both eras.

use crate::{
    raw_host::{As, ERAS},
    support::{code, pause_clock, start, within},
};
use mgp_client_sdk::client::{CancelOutcome, Client, ToolCallError};
use mgp_kernel::{Endpoint, Era, EraChoice, InProcess, ServerSpec};
use mgp_server_sdk::{Server, StreamSink, Tool, ToolError, checkpoint::Checkpoint};
use mgp_types::{access::DefaultPolicy, checkpoint::CheckpointToken};
use serde_json::json;
use std::{future::pending, time::Duration};

/// Fails at the first row, and says at which it began the second time.
async fn fail(checkpoint: Checkpoint) -> Result<String, ToolError> {
    match checkpoint.state::<u32>()? {
        Some(row) => Ok(format!("from row {row}")),
        None => {
            checkpoint.save(&7)?;
            Err(ToolError::new("the disk is full"))
        }
    }
}

/// Never ends the first time.
async fn hang(checkpoint: Checkpoint, mut sink: StreamSink) -> Result<String, ToolError> {
    match checkpoint.state::<u32>()? {
        Some(row) => Ok(format!("from row {row}")),
        None => {
            checkpoint.save(&8)?;
            sink.send_text("rows 1 to 8").await?;
            pending().await
        }
    }
}

fn spec(era: Era) -> ServerSpec {
    let server = Server::new("s", "1").tool(Tool::new("fail", "", fail)).tool(Tool::new("hang", "", hang));
    let stack = server.build().unwrap();
    let mut spec = ServerSpec::new("srv", Endpoint::InProcess(InProcess::new(move || stack.in_process())));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.era = EraChoice::Known(era);
    spec
}

#[tokio::test]
async fn a_host_of_each_kind_resumes_a_call_that_failed() {
    for (era, upstream) in ERAS.into_iter().flat_map(|era| ERAS.map(|upstream| (era, upstream))) {
        let setup = start(|kernel, _| kernel.server(spec(upstream))).await;
        for speaks_mgp in [true, false] {
            let mut builder = Client::builder("host", "1").era(EraChoice::Known(era));
            if !speaks_mgp {
                builder = builder.without_mgp();
            }
            let host = setup.host_with(builder).await;
            let Err(ToolCallError::Failed { result, .. }) = within(host.call::<String>("fail", ())).await
            else {
                panic!("expected a failure");
            };
            let checkpoint = result.checkpoint().expect("the tool saved its state");
            let resumed = within(host.resume("fail", (), &checkpoint).result::<String>()).await.unwrap();
            assert_eq!(resumed, "from row 7", "{era:?} {upstream:?} {speaks_mgp}");
            let forged = CheckpointToken(format!("{}A", checkpoint.0));
            let Err(ToolCallError::Call(error)) =
                within(host.resume("fail", (), &forged).result::<String>()).await
            else {
                panic!("expected a refusal");
            };
            assert_eq!(code(&error), -32602, "{error}");
        }
    }
}

#[tokio::test]
async fn a_host_resumes_a_call_that_it_cancelled() {
    for upstream in ERAS {
        let setup = start(|kernel, _| kernel.server(spec(upstream))).await;
        let host = setup.host().await;
        let paused = pause_clock();
        let mut call = host.stream("hang", ());
        within(call.next()).await.expect("a chunk");
        let CancelOutcome::Cancelled(Some(partial)) = within(call.cancel()).await.unwrap() else {
            panic!("expected a partial result");
        };
        assert_eq!(partial.content[0].as_text(), Some("rows 1 to 8"), "{upstream:?}");
        let resumed = host.resume("hang", (), &partial.checkpoint().unwrap()).result::<String>();
        assert_eq!(within(resumed).await.unwrap(), "from row 8", "{upstream:?}");
        drop(paused);
    }
}

#[tokio::test]
async fn a_host_resumes_a_call_that_timed_out() {
    for upstream in ERAS {
        let setup = start(|kernel, _| {
            let mut spec = spec(upstream);
            spec.call_timeout = Duration::from_secs(1);
            kernel.server(spec)
        })
        .await;
        let mut host = setup.raw_host(As::mgp(Era::Initialize)).await;
        let paused = pause_clock();
        let late = host.once("tools/call", json!({"name": "hang", "arguments": {}})).await;
        let meta = &late["error"]["data"]["_mgp"]["details"]["partial_result"]["_meta"];
        let resumed = host.once("tools/call", json!({"name": "hang", "arguments": {}, "_meta": meta})).await;
        assert_eq!(resumed["result"]["content"][0]["text"], "from row 8", "{upstream:?} {late} {resumed}");
        drop(paused);
    }
}
