//! A dry run judges a call without making it.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    within::within,
};
use async_trait::async_trait;
use mgp_client_sdk::client::Client;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    tool_check::{CheckToolResult, QuestionKind},
};
use serde_json::{Value, json};

pub(super) struct DryRun;

#[async_trait(?Send)]
impl Step for DryRun {
    fn name(&self) -> &'static str {
        "dry_run"
    }

    fn title(&self) -> &'static str {
        "the host asks what two calls would meet: one would go through, one would be refused; no tool runs"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"mgp/tools/check""#, r#""allowed":true"#, r#""allowed":false"#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let before = calls_so_far(host, findings).await?;
        let passes = judge(host, "add_note", &json!({"title": "Yeast", "text": "two cubes"})).await?;
        findings.check(passes.allowed, format_args!("a note may be added: {:?}", passes.reason));
        findings.equal("the questions before it", passes.would_ask.len(), 0);
        let checked = AuditEventType::from("dev.cloto.mgp.TOOL_CHECKED");
        findings.audited(ExpectedEvent::new(checked.clone(), AGENT, "notes").tool("add_note"));

        let refused = judge(host, "run_command", &json!({"command": "rm -rf /"})).await?;
        findings.check(!refused.allowed, "the command would be refused");
        let code = refused.error.as_ref().map(|error| error.code);
        findings.equal("the code that the call would get", code, Some(1010));
        let asked: Vec<_> = refused.would_ask.iter().map(|question| question.kind).collect();
        findings.equal("the questions before it", asked, vec![QuestionKind::Confirmation]);
        let checked = ExpectedEvent::new(checked, AGENT, "jobs").tool("run_command");
        findings.audited(checked.result(AuditResult::Blocked).detail("attempts", "0"));

        findings.equal("the questions to the user", stage.user.take_questions().len(), 0);
        let after = calls_so_far(stage.host()?, findings).await?;
        findings.equal("what the tools count", after, before);
        Ok(())
    }
}

/// Requests the judgement on a call.
async fn judge(host: &Client, tool: &str, arguments: &Value) -> Result<CheckToolResult, Interruption> {
    Ok(within("the judgement on a call", host.check_tool(tool, arguments)).await??)
}

/// Returns the number of notes, and the commands that reached their tool.
async fn calls_so_far(host: &Client, findings: &mut Findings) -> Result<(Value, Value), Interruption> {
    let notes = call_tool(host, "notes_status", &json!({})).await?.json();
    findings.audited(ExpectedEvent::executed(AGENT, "notes", "notes_status"));
    let history = call_tool(host, "command_history", &json!({})).await?.json();
    findings.audited(ExpectedEvent::executed(AGENT, "jobs", "command_history"));
    findings.check(notes["notes"].is_u64() && history["commands"].is_array(), "the tools count");
    Ok((notes["notes"].clone(), history["commands"].clone()))
}
