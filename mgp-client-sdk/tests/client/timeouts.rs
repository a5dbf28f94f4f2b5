//! A request is given up when its server is silent for too long, and then cancelled. The clock is tokio's, and no second passes.

use crate::{
    scripted::{self, Script},
    support::{builder, hear_progress},
};
use mgp_client_sdk::{
    CallError, Era, EraChoice, RawJson,
    client::ClientBuilder,
    mcp::{ElicitParams, ElicitResult},
};
use mgp_server_sdk::{Progress, Server, Tool, ToolError, ask::Ask};
use serde_json::json;
use std::{sync::Arc, time::Duration};
use tokio::time::{Instant, sleep};

fn timeout(error: &CallError) -> Duration {
    match error {
        CallError::Timeout { method: "tools/call", timeout } => *timeout,
        other => panic!("expected a timeout of tools/call, found {other}"),
    }
}

async fn connect(tool: Tool, builder: ClientBuilder) -> mgp_client_sdk::client::Client {
    let (input, output) = Server::new("s", "1").tool(tool).build().unwrap().in_process();
    builder.connect(input, output).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_not_answered_within_a_minute_is_cancelled() {
    let script: Script = Arc::new(|line| scripted::plain(line, &json!({"tools": {}})).unwrap_or_default());
    let (client, lines) = scripted::connect(script, builder(), EraChoice::Known(Era::Initialize)).await;
    let client = client.unwrap();
    let began = Instant::now();
    let error = client.call_tool("slow", RawJson::empty_object()).await.unwrap_err();
    assert_eq!((timeout(&error).as_secs(), began.elapsed().as_secs()), (60, 60));
    assert_eq!(error.to_string(), "tools/call was not answered within 60s, and was cancelled");
    let cancelled = lines.wait_for("notifications/cancelled", 1).await;
    assert_eq!(cancelled[0]["params"]["requestId"], lines.of("tools/call")[0]["id"]);
}

/// Works for so many steps of 40 seconds.
async fn work(mut progress: Progress, steps: u32) -> String {
    for step in 0..steps {
        sleep(Duration::from_secs(40)).await;
        let _ = progress.report(step.into(), None, None).await;
    }
    "done".to_owned()
}

#[tokio::test(start_paused = true)]
async fn progress_restarts_the_timeout_up_to_a_maximum() {
    let tool = |steps| Tool::new("work", "", move |progress: Progress| work(progress, steps));
    let client = connect(tool(3), builder().without_mgp()).await;
    let mut steps = 0;
    let done = hear_progress(&client, "work", |_| steps += 1).await.unwrap();
    assert_eq!((done.content[0].as_text(), steps), (Some("done"), 3));
    // A plain client that asks for no progress gets none.
    assert_eq!(timeout(&client.call_tool("work", RawJson::empty_object()).await.unwrap_err()).as_secs(), 60);

    let client = connect(tool(1000), builder()).await;
    let began = Instant::now();
    let endless = hear_progress(&client, "work", |_| ()).await;
    assert_eq!((timeout(&endless.unwrap_err()).as_secs(), began.elapsed().as_secs()), (600, 600));
}

#[tokio::test(start_paused = true)]
async fn timeouts_can_be_configured() {
    let tool = || Tool::new("work", "", |progress: Progress| work(progress, 1000));
    let hour = Duration::from_secs(3600);
    let client = connect(tool(), builder().request_timeout(Duration::from_secs(30))).await;
    let error = hear_progress(&client, "work", |_| ()).await.unwrap_err();
    assert_eq!(timeout(&error).as_secs(), 30);
    let client = connect(tool(), builder().max_request_timeout(hour)).await;
    let error = hear_progress(&client, "work", |_| ()).await.unwrap_err();
    assert_eq!(timeout(&error), hour);
    let client =
        connect(tool(), builder().request_timeout(Duration::MAX).max_request_timeout(Duration::MAX)).await;
    let done = client.call_tool("work", RawJson::empty_object()).await.unwrap();
    assert_eq!(done.content[0].as_text(), Some("done"));
}

#[tokio::test(start_paused = true)]
async fn the_client_s_own_answers_do_not_count_as_waiting() {
    async fn greet(ask: Ask) -> Result<String, ToolError> {
        let form = RawJson::parse(r#"{"type":"object","properties":{}}"#)?;
        let answer = ask.elicit("sure", ElicitParams::form("Sure?", form)).await?;
        sleep(Duration::from_secs(50)).await;
        Ok(answer.action.to_string())
    }
    let slow_user = async |_: ElicitParams| {
        sleep(Duration::from_secs(3600)).await;
        ElicitResult::accept()
    };
    let client = connect(Tool::new("greet", "", greet), builder().on_elicit(slow_user)).await;
    let greeted = client.call_tool("greet", RawJson::empty_object()).await.unwrap();
    assert_eq!(greeted.content[0].as_text(), Some("accept"));
}
