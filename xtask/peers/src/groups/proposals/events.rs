//! The proposals' server of events: played by their own client, and behind our kernel, whose host receives the events that its filter
//! passes.

use crate::{
    groups::ask::connect,
    peers::{Instance, Kernel, Upstream},
    rows::{Context, Row},
    tap::Command,
    workspace,
};
use mgp_client_sdk::{
    Era,
    client::{EventItem, EventStream},
};
use mgp_types::events::SubscribeParams;
use serde_json::{Value, json};
use std::{path::PathBuf, process::Stdio, time::Duration};
use tokio::time::timeout;

/// The time limit for an event.
const EVENT: Duration = Duration::from_secs(60);

fn demo() -> PathBuf {
    workspace::proposals("python/sse_subscription_demo.py")
}

pub(super) fn row() -> Row {
    crate::rows::row("proposals/events", &[], run).programs(&["python3"]).beside(demo())
}

async fn run(context: Context) -> Result<(), String> {
    play(&context).await?;
    let script = workspace::scripts().join("proposals_events.py");
    let paths = [script, demo()].map(|path| path.to_string_lossy().into_owned());
    let git = Upstream::new("git", Instance::Child(Command::new("python3").args(paths)));
    let kernel = Kernel::configure(&context, "full", &[], vec![git])?;
    let host = Instance::Child(kernel.stdio(&context));
    let client = connect(&context, &host, Some(Era::Initialize)).await?;
    // Answered once the server is up.
    client.list_tools().await.map_err(|error| format!("failed to list: {error}"))?;
    // Of the demo's three events, the second has another channel, and the first another author.
    let params = json!({ "channels": ["commit_to_main", "no_such_event"], "filter": { "author": "carol" }, "ttl_seconds": 600 });
    let params: SubscribeParams = serde_json::from_value(params).map_err(|error| error.to_string())?;
    let mut events =
        client.subscribe_events(params).await.map_err(|error| format!("failed to subscribe: {error}"))?;
    if events.channels() != ["commit_to_main"] {
        return Err(format!("the channels are {:?}", events.channels()));
    }
    let event = next(&mut events).await?;
    let expected = json!({ "commit_sha": "def456", "author": "carol", "message": "feat: add retry logic" });
    if event == ("git".to_owned(), "commit_to_main".to_owned(), expected) {
        Ok(())
    } else {
        Err(format!("the event is {event:?}"))
    }
}

/// Waits for an event, and returns its server, its channel and its data.
async fn next(events: &mut EventStream) -> Result<(String, String, Value), String> {
    let item = timeout(EVENT, events.next()).await.map_err(|_| "no event came".to_owned())?;
    match item.map_err(|error| format!("the subscription ended: {error}"))? {
        EventItem::Event(event) => {
            let data = event.data.as_ref().map_or("null", |data| data.as_str());
            let data = serde_json::from_str(data).map_err(|error| error.to_string())?;
            Ok((event.server_id.unwrap_or_default(), event.channel, data))
        }
        other => Err(format!("expected an event, got {other:?}")),
    }
}

/// Runs the demo as intended.
async fn play(context: &Context) -> Result<(), String> {
    let mut command = tokio::process::Command::new("python3");
    command.arg(demo()).current_dir(context.folder.path()).stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run the demo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && text.contains("Event 3: commit_to_main") {
        Ok(())
    } else {
        Err(format!("the demo ended with {}: {text}", output.status))
    }
}
