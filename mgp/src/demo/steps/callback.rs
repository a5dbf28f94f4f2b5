//! §13.4 A server asks the host while its tool runs.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_types::audit::AuditEventType;
use serde_json::json;

pub(super) struct Callback;

#[async_trait(?Send)]
impl Step for Callback {
    fn name(&self) -> &'static str {
        "callback"
    }

    fn title(&self) -> &'static str {
        "a tool asks before it goes on, and a host that shows no forms answers by a callback"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[
            r#""method":"notifications/mgp.callback.request""#,
            r#""method":"mgp/callback/respond""#,
            "would be sent",
        ]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let host = stage.host_without_forms().await?;
        let answer = call_tool(&host, "send_report", &json!({"topic": "bread"})).await?;
        findings.equal("the answer", answer.text(), "the report on bread would be sent");
        let questions = stage.user.take_questions();
        findings.equal("the questions", questions, vec!["[jobs] Send the report on bread?".to_owned()]);
        let asked = ExpectedEvent::new(AuditEventType::from("dev.cloto.mgp.HOST_ASKED"), "jobs", "jobs");
        // The server asks for a form, and the kernel carries it as a callback.
        findings.audited(asked.detail("method", r#""elicitation/create""#));
        findings.audited(ExpectedEvent::executed(AGENT, "jobs", "send_report"));
        Ok(())
    }
}
