//! §4 A validator of the kernel blocks a harmful command, even though the user confirmed the call.

use super::Step;
use crate::demo::{
    calls::{Answer, call_tool},
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_types::audit::{AuditEventType, AuditResult};
use serde_json::json;

pub(super) struct Validator;

#[async_trait(?Send)]
impl Step for Validator {
    fn name(&self) -> &'static str {
        "validator"
    }

    fn title(&self) -> &'static str {
        "the sandbox blocks rm -rf / although the user confirmed the call; the tool never sees it"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""arguments":{"command":"rm -rf /"}"#, r#"\"status\":\"rejected\""#, r#""commands":["#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let harmless = call_tool(host, "run_command", &json!({"command": "ls -la"})).await?;
        findings.equal("the harmless command", harmless.text(), "would run: ls -la");
        let blocked = call_tool(host, "run_command", &json!({"command": "rm -rf /"})).await?;
        findings.check(
            matches!(&blocked, Answer::Result(result) if result.failed()),
            "the agent receives a failed result",
        );
        let rejection = blocked.json();
        findings.equal("the status of the rejection", rejection["status"].as_str(), Some("rejected"));
        findings.equal("the code of the rejection", rejection["code"].as_i64(), Some(1010));
        // The tool is dangerous, so the user is asked before each call. Here, the user's consent is not enough.
        findings.equal("the number of confirmations", stage.user.take_questions().len(), 2);
        let history = call_tool(host, "command_history", &json!({})).await?.json();
        findings.equal("what reached the tool", history["commands"].clone(), json!(["ls -la"]));
        for _ in 0..2 {
            findings.audited(ExpectedEvent::needed("jobs").tool("run_command"));
        }
        findings.audited(ExpectedEvent::dispatched(AGENT, "jobs", "run_command"));
        findings.audited(
            ExpectedEvent::executed(AGENT, "jobs", "run_command").detail("validator_applied", r#""sandbox""#),
        );
        let failed = ExpectedEvent::new(AuditEventType::ValidationFailed, AGENT, "jobs").tool("run_command");
        findings.audited(failed.result(AuditResult::Blocked).detail("attempts", "0"));
        findings.audited(ExpectedEvent::executed(AGENT, "jobs", "command_history"));
        Ok(())
    }
}
