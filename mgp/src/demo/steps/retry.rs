//! §14.6 A call to a server that is restarting waits for it.

use super::{
    Step,
    restart::{kill, process_id},
};
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    within::within,
};
use async_trait::async_trait;
use mgp_types::{
    audit::{AuditEventType, AuditResult},
    lifecycle::ServerState,
};
use serde_json::json;

pub(super) struct Retry;

#[async_trait(?Send)]
impl Step for Retry {
    fn name(&self) -> &'static str {
        "retry"
    }

    fn title(&self) -> &'static str {
        "a call to a server that is down is made again by the gateway, once the server is back"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""name":"list_notes""#, r#""title":"Salt""#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host()?;
        let mut state = stage.server("notes")?.watch_status();
        let status = call_tool(host, "notes_status", &json!({})).await?;
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "notes_status"));
        kill(process_id(&status)?).await?;
        let noticed = state.wait_for(|status| status.state != ServerState::Connected);
        drop(within("the kernel to notice", noticed).await??);
        let notes = call_tool(host, "list_notes", &json!({})).await?;
        findings.equal("the first note", &notes.json()["notes"][0]["title"], &json!("Salt"));
        let retried = AuditEventType::from("dev.cloto.mgp.TOOL_RETRIED");
        let retried = ExpectedEvent::new(retried, AGENT, "notes").tool("list_notes");
        findings.audited(retried.result(AuditResult::Failure));
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "list_notes"));
        let lost = ExpectedEvent::by_kernel(AuditEventType::ServerDisconnected, "notes");
        findings.audited(lost.result(AuditResult::Failure));
        findings.audited(ExpectedEvent::by_kernel(AuditEventType::ServerConnected, "notes"));
        Ok(())
    }
}
