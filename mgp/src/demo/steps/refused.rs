//! §5 A call is refused, because nobody granted the agent access.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    wire::answers,
};
use async_trait::async_trait;
use mgp_types::audit::{AuditEventType, AuditResult};
use serde_json::json;

pub(super) struct Refusal;

#[async_trait(?Send)]
impl Step for Refusal {
    fn name(&self) -> &'static str {
        "refused"
    }

    fn title(&self) -> &'static str {
        "a call is refused (1001): the agent was not granted access"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"tools/call""#, r#""code":1001"#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let wanted = json!({"topic": "bread", "paragraphs": 1});
        let answer = call_tool(stage.host()?, "write_report", &wanted).await?;
        findings.equal("the code of the refusal", answer.code(), Some(1001));
        let answers = answers(&stage.lines(), "tools/call");
        findings.equal("the number of answers", answers.len(), 1);
        let advice =
            answers.first().map(|answer| answer["error"]["data"]["_mgp"].clone()).unwrap_or_default();
        findings.equal("whether a retry may help", advice["retryable"].as_bool(), Some(false));
        let blocked = ExpectedEvent::new(AuditEventType::ToolBlocked, AGENT, "jobs").tool("write_report");
        findings.audited(blocked.result(AuditResult::Blocked).detail("attempts", "0"));
        Ok(())
    }
}
