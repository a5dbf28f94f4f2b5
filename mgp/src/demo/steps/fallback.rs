//! §14.6 Another tool answers where a call cannot be made.

use super::Step;
use crate::demo::{
    calls::{call_tool, request},
    findings::{Findings, Interruption},
    stage::{AGENT, OPERATOR, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::{ControlServer, ControlServerParams, ServerAction},
};
use serde_json::json;

pub(super) struct Fallback;

#[async_trait(?Send)]
impl Step for Fallback {
    fn name(&self) -> &'static str {
        "fallback"
    }

    fn title(&self) -> &'static str {
        "the operator stops the notes, and a search of them is answered by the tool that is named for it"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""action":"stop""#, r#""name":"search_notes""#, r#""fallback""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        control(stage, ServerAction::Stop).await?;
        let answer = call_tool(stage.host()?, "search_notes", &json!({"text": "budget"})).await?;
        findings.check(answer.text().contains("40 loaves"), format_args!("the files have it: {answer:?}"));
        control(stage, ServerAction::Start).await?;
        let controlled = AuditEventType::from("dev.cloto.mgp.SERVER_CONTROLLED");
        for action in [r#""stop""#, r#""start""#] {
            let event = ExpectedEvent::new(controlled.clone(), OPERATOR, "notes");
            findings.audited(event.detail("action", action).anytime());
        }
        findings.audited(ExpectedEvent::by_kernel(AuditEventType::ServerDisconnected, "notes"));
        findings.audited(ExpectedEvent::by_kernel(AuditEventType::ServerConnected, "notes"));
        let refused = ExpectedEvent::new(AuditEventType::ToolBlocked, AGENT, "notes").tool("search_notes");
        findings.audited(refused.result(AuditResult::Blocked));
        let done = ExpectedEvent::executed(AGENT, "files", "search_files");
        findings.audited(done.detail("fallback_of", r#""notes.search_notes""#));
        Ok(())
    }
}

/// Stops or starts the notes as the operator.
async fn control(stage: &Stage, action: ServerAction) -> Result<(), Interruption> {
    let params =
        ControlServerParams { server_id: "notes".to_owned(), action, timeout_ms: None, reason: None };
    request::<ControlServer>(stage.operator()?, &params).await.map(drop)
}
