//! A slow job that streams its partial result and can be resumed (§12), and a job that asks before it acts (§13.4).

use mgp_server_sdk::{
    ErrorType, Failure, IntoToolResult, Outcome, Progress, StreamSink, ToolError, ask::Ask,
    checkpoint::Checkpoint, extract::Args,
};
use mgp_types::mcp::CallToolResult;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;

/// The most paragraphs of a report.
const MAX_PARAGRAPHS: u32 = 200;
/// The maximum time per paragraph, in milliseconds.
const MAX_PAUSE: u64 = 1000;
/// The longest topic, in bytes.
const MAX_TOPIC: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Report {
    /// The subject of the report.
    topic: String,
    /// The number of paragraphs to write, from 1 to 200.
    paragraphs: u32,
    /// The time that each of them takes, in milliseconds, at most 1000.
    #[serde(default)]
    pause_ms: u64,
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct Dispatch {
    /// The subject of the report.
    topic: String,
}

impl Report {
    fn check(&self) -> Result<(), Failure> {
        let problem = if !(1..=MAX_PARAGRAPHS).contains(&self.paragraphs) {
            format!("paragraphs: expected 1 to {MAX_PARAGRAPHS}, found {}", self.paragraphs)
        } else if self.pause_ms > MAX_PAUSE {
            format!("pause_ms: expected at most {MAX_PAUSE}, found {}", self.pause_ms)
        } else {
            return check_topic(&self.topic);
        };
        Err(invalid(&problem))
    }
}

fn check_topic(topic: &str) -> Result<(), Failure> {
    if topic.len() <= MAX_TOPIC {
        return Ok(());
    }
    let problem = format!("topic: expected at most {MAX_TOPIC} bytes, found {}", topic.len());
    Err(invalid(&problem))
}

fn invalid(problem: &str) -> Failure {
    Failure::new(ErrorType::ValidationError, format!("invalid arguments: {problem}"))
}

/// Writes one paragraph after another. A cancelled call ends at its next wait, and the next call can resume there.
pub(super) async fn write_report(
    Args(report): Args<Report>,
    mut sink: StreamSink,
    mut progress: Progress,
    checkpoint: Checkpoint,
) -> Result<CallToolResult, ToolError> {
    report.check()?;
    // The state is the number of written paragraphs.
    let written = checkpoint.state()?.unwrap_or(0_u32);
    let Report { topic, paragraphs, pause_ms } = report;
    for number in written + 1..=paragraphs {
        // Simulates the work, which takes as long as the caller requests.
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
        sink.send_text(&format!("Paragraph {number} on {topic}.\n")).await?;
        checkpoint.save(&number)?;
        progress.report(number.into(), Some(paragraphs.into()), Some("writing")).await?;
    }
    Ok(sink.finish().into_tool_result()?.with_success())
}

/// Announces that a report would be sent, if the caller's user agrees. Nothing is sent.
pub(super) async fn send_report(
    Args(Dispatch { topic }): Args<Dispatch>,
    ask: Ask,
) -> Result<Outcome<String>, ToolError> {
    check_topic(&topic)?;
    let is_agreed = ask.confirm("send", format!("Send the report on {topic}?")).await?;
    Ok(Outcome::success(match is_agreed {
        true => format!("the report on {topic} would be sent"),
        false => "nothing is sent".to_owned(),
    }))
}
