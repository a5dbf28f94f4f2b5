//! Plain tools: one answers at once, one takes time, one reports progress, one asks, and one publishes events.

use crate::servers;
use mgp_server_sdk::{Progress, Server, Tool, ToolError, ask::Ask, events::Events, extract::Args};
use mgp_types::{
    json::RawJson,
    mcp::{ElicitAction, ElicitParams},
};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

#[derive(Deserialize, JsonSchema)]
struct Slow {
    /// The time to take, in milliseconds.
    ms: u64,
}

async fn slow(Args(Slow { ms }): Args<Slow>) -> &'static str {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    "slept"
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    steps: u32,
    /// The duration of one step, in milliseconds.
    ms: u64,
    /// The length of the final answer, in bytes.
    #[serde(default)]
    bytes: usize,
}

/// The longest answer, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;

async fn progress(
    Args(Steps { steps, ms, bytes }): Args<Steps>,
    mut progress: Progress,
) -> Result<String, ToolError> {
    for step in 1..=steps {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        progress.report(step.into(), Some(steps.into()), None).await?;
    }
    Ok("a".repeat(bytes.clamp(1, MAX_BYTES)))
}

async fn ask(ask: Ask) -> Result<&'static str, ToolError> {
    let form = RawJson::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?;
    let answer = ask.elicit("name", ElicitParams::form("Who are you?", form)).await?;
    Ok(if answer.action == ElicitAction::Accept { "heard" } else { "heard nothing" })
}

/// The channel of the events.
const CHANNEL: &str = "soak.burst";
/// The number of events that one call publishes, and the length of each, in bytes: more than a slow subscriber reads in time.
const BURST: (usize, usize) = (64, 32 * 1024);

async fn burst(events: Events) -> Result<&'static str, ToolError> {
    let (count, length) = BURST;
    let text = "e".repeat(length);
    for _ in 0..count {
        events.publish(CHANNEL, &text)?;
    }
    Ok("published")
}

/// Returns the server with a number.
pub(super) fn server(number: usize) -> Server {
    let name = |tool: &str| format!("{tool}{number}");
    let server = Server::new(servers::id(number), "1.0.0")
        .tool(Tool::new(name("echo"), "Returns its input", echo).read_only(true))
        .tool(Tool::new(name("slow"), "Takes its time", slow).read_only(true))
        .tool(Tool::new(name("progress"), "Reports its progress", progress).read_only(true))
        .tool(Tool::new(name("ask"), "Asks who is there", ask).read_only(true));
    if !servers::publishes(number) {
        return server;
    }
    server.channel(CHANNEL).tool(Tool::new(name("burst"), "Publishes events", burst).read_only(true))
}
