//! §12.7 A call resumes where a cancelled call ended.

use super::Step;
use crate::demo::{
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    within::within,
};
use async_trait::async_trait;
use mgp_client_sdk::client::{CancelOutcome, ToolEvent};
use mgp_types::{audit::AuditResult, mcp::CallToolResult};
use serde_json::json;

pub(super) struct Checkpoint;

/// The paragraphs of the whole report.
const PARAGRAPHS: usize = 6;

#[async_trait(?Send)]
impl Step for Checkpoint {
    fn name(&self) -> &'static str {
        "checkpoint"
    }

    fn title(&self) -> &'static str {
        "a report is cancelled, and the next call goes on where it ended"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""partial_result""#, r#""dev.cloto/checkpoint""#, "Paragraph 6 on flour"]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let wanted = json!({"topic": "flour", "paragraphs": PARAGRAPHS, "pause_ms": 300});
        let mut call = host.stream("write_report", &wanted);
        for _ in 0..2 {
            loop {
                match within("a chunk of a report", call.next()).await? {
                    Some(ToolEvent::Chunk(_)) => break,
                    Some(_) => {}
                    None => return Err(Interruption::new("the report ended before it could be cancelled")),
                }
            }
        }
        let CancelOutcome::Cancelled(Some(partial)) =
            within("the end of a cancelled call", call.cancel()).await??
        else {
            return Err(Interruption::new("the cancellation returned no partial result"));
        };
        let Some(checkpoint) = partial.checkpoint() else {
            return Err(Interruption::new("the partial result holds no checkpoint"));
        };
        let resumed = host.resume("write_report", &wanted, &checkpoint);
        let rest = within("the rest of a report", resumed.raw_result()).await??;
        let before = paragraphs(&partial);
        findings.check((2..PARAGRAPHS).contains(&before.len()), "the first call wrote a part of the report");
        let all: Vec<_> = before.into_iter().chain(paragraphs(&rest)).collect();
        let whole: Vec<_> = (1..=PARAGRAPHS).map(|number| format!("Paragraph {number} on flour.")).collect();
        findings.equal("the paragraphs of both calls", all, whole);
        findings.check(rest.checkpoint().is_none(), "a report that is done has no checkpoint");
        let executed = ExpectedEvent::executed(AGENT, "jobs", "write_report");
        findings.audited(executed.clone().result(AuditResult::Failure).detail("cancelled", "true"));
        findings.audited(executed);
        Ok(())
    }
}

fn paragraphs(result: &CallToolResult) -> Vec<String> {
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.flat_map(str::lines).map(str::to_owned).collect()
}
