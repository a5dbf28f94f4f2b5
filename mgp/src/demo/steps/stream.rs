//! §12 An answer arrives in parts, in order, before it is complete.

use super::Step;
use crate::demo::{
    calls::{StreamPart, next, start_stream},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    wire::{Direction, Line, received},
};
use async_trait::async_trait;
use mgp_types::mcp::CallToolResult;
use serde_json::{Value, json};

pub(super) struct Stream;

const PARAGRAPHS: u64 = 6;

#[async_trait(?Send)]
impl Step for Stream {
    fn name(&self) -> &'static str {
        "stream"
    }

    fn title(&self) -> &'static str {
        "a report arrives paragraph by paragraph, with progress, before the answer that ends it"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""stream":true"#, r#""method":"notifications/mgp.stream.chunk""#, r#""chunks_sent""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let wanted = json!({"topic": "bread", "paragraphs": PARAGRAPHS, "pause_ms": 10});
        let mut call = start_stream(stage.host()?, "write_report", &wanted).await?;
        let id = call.id();
        let (mut indices, mut text) = (Vec::new(), String::new());
        let answer: CallToolResult = loop {
            match next(&mut call).await? {
                StreamPart::Chunk { index, text: part } => {
                    indices.push(index);
                    text.push_str(&part);
                }
                StreamPart::Answer(answer) => break answer.decode()?,
            }
        };
        findings.equal("the indices of the chunks", indices, (0..PARAGRAPHS).collect());
        findings.equal("the answer", answer.content.first().and_then(|block| block.as_text()), Some(&*text));
        let summary = answer.mgp.unwrap_or_default();
        findings.equal(
            "the number of chunks in the answer",
            summary.decode::<u64>("chunks_sent")?,
            Some(PARAGRAPHS),
        );
        let lines = stage.lines();
        let (chunks, end) = places(&lines, &json!(id));
        findings.equal("the number of chunks on the wire", chunks.len() as u64, PARAGRAPHS);
        findings.check(chunks.iter().max() < end.as_ref(), "every chunk came before the answer");
        let steps: Vec<_> = received(&lines, "notifications/progress")
            .iter()
            .map(|step| step["params"]["progress"].as_f64())
            .collect();
        findings.equal("the number of steps of progress", steps.len() as u64, PARAGRAPHS);
        findings.check(steps.is_sorted(), "progress grows");
        findings.audited(ExpectedEvent::executed(AGENT, "jobs", "write_report"));
        Ok(())
    }
}

/// Returns the indices of a request's chunks among the received lines, and the index of its answer.
fn places(lines: &[Line], id: &Value) -> (Vec<usize>, Option<usize>) {
    let came = |line: &&Line| line.direction == Direction::Received;
    let messages: Vec<_> = lines.iter().filter(came).map(Line::message).collect();
    let chunks = messages.iter().enumerate().filter(|(_, message)| message["params"]["request_id"] == *id);
    let answer = messages.iter().position(|message| message["id"] == *id && message.get("result").is_some());
    (chunks.map(|(place, _)| place).collect(), answer)
}
