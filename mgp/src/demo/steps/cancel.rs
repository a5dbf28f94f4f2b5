//! §12.7 A call is cancelled: its partial result is kept, and the call is answered once.

use super::Step;
use crate::demo::{
    calls::{StreamPart, next, request, start_stream},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    wire::answers,
};
use async_trait::async_trait;
use mgp_types::{
    audit::AuditResult,
    json::RawObject,
    mcp::CallToolResult,
    rpc::RequestId,
    stream::{CancelStream, StreamCancelParams, StreamSummary},
};
use serde_json::json;

pub(super) struct Cancel;

#[async_trait(?Send)]
impl Step for Cancel {
    fn name(&self) -> &'static str {
        "cancel"
    }

    fn title(&self) -> &'static str {
        "a long report is cancelled: what there was is kept, and the call is answered once"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"mgp/stream/cancel""#, r#""partial_result""#, r#""_mgp":{"cancelled":true"#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let wanted = json!({"topic": "salt", "paragraphs": 200, "pause_ms": 20});
        let mut call = start_stream(host, "write_report", &wanted).await?;
        let id = RequestId::from(call.id());
        let mut text = String::new();
        for _ in 0..2 {
            let StreamPart::Chunk { text: part, .. } = next(&mut call).await? else {
                return Err(Interruption::new("the report ended before it could be cancelled"));
            };
            text.push_str(&part);
        }
        let params = StreamCancelParams { request_id: id, reason: Some("enough was read".to_owned()) };
        let cancelled = request::<CancelStream>(host, &params).await?;
        findings.check(cancelled.cancelled, "the call was cancelled");
        let partial: CallToolResult = match cancelled.partial_result {
            Some(partial) => partial.decode()?,
            None => return Err(Interruption::new("the cancellation returned no partial result")),
        };
        let answer = loop {
            match next(&mut call).await? {
                StreamPart::Chunk { text: part, .. } => text.push_str(&part),
                StreamPart::Answer(answer) => break answer,
            }
        };
        findings.equal(
            "the partial result",
            partial.content.first().and_then(|block| block.as_text()),
            Some(&*text),
        );
        let summary = StreamSummary::read(&RawObject::from_json(&answer)?.object("_mgp").unwrap_or_default());
        findings.equal("what the answer says of it", summary.cancelled, Some(true));
        findings.check(summary.chunks_sent < Some(200), "the report did not go on to its end");
        findings.equal("the number of answers to the call", answers(&stage.lines(), "tools/call").len(), 1);
        let again = request::<CancelStream>(host, &params).await?;
        findings.equal("why it cannot be cancelled again", again.reason.as_deref(), Some("not_active"));
        let executed = ExpectedEvent::executed(AGENT, "jobs", "write_report").result(AuditResult::Failure);
        findings.audited(executed.detail("cancelled", "true"));
        Ok(())
    }
}
