//! §12.4, §12.6 Streams through the kernel over rounds of input, and estimates of the remaining time.

use crate::{
    raw_host::ERAS,
    support::{start, within},
};
use mgp_client_sdk::{
    EraChoice,
    client::{Client, ToolEvent},
    kernel::{Endpoint, InProcess, ServerSpec},
    mcp::{ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Progress, ProgressStep, Server, StreamContent, StreamSink, Tool, ToolError, ask::Ask};
use mgp_types::access::DefaultPolicy;
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
async fn chunks_and_progress_count_on_over_rounds_and_none_comes_twice() {
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
