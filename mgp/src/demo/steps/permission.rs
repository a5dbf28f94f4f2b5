//! §3 A tool needs a permission: the host's user is asked once, and says yes.

use super::Step;
use crate::demo::{
    calls::call_tool,
    findings::{Findings, Interruption},
    stage::{AGENT, Stage},
    trail::ExpectedEvent,
    wire::received,
    within::within,
};
use async_trait::async_trait;
use mgp_security::permission::Permissions;
use mgp_types::audit::AuditEventType;
use serde_json::json;
use std::time::Duration;

pub(super) struct Permission;

/// The interval at which the open questions are read.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// The name of the decider in the audit trail.
const DECIDED_BY: &str = "host of agent.demo";

#[async_trait(?Send)]
impl Step for Permission {
    fn name(&self) -> &'static str {
        "permission"
    }

    fn title(&self) -> &'static str {
        "a tool needs memory.write: the user is asked once, approves, and the call goes on"
    }

    fn shown(&self) -> &'static [&'static str] {
        &["needs the permission memory.write", r#""decision":"always""#, r#""structuredContent":{"id":1}"#]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        // The question has been open since the server connected, for anybody who may answer it.
        open_question(stage.kernel.permissions()).await?;
        for (id, title) in [(1, "Bread"), (2, "Salt")] {
            let note = json!({"title": title, "text": "buy some for the weekend"});
            let answer = call_tool(stage.host()?, "add_note", &note).await?;
            findings.equal("the id of the note", answer.json()["id"].as_i64(), Some(id));
        }
        let questions = stage.user.take_questions();
        findings.equal("the number of questions to the user", questions.len(), 1);
        for part in ["[mgp kernel]", "memory.write", "add_note", "notes"] {
            findings.check(
                questions.iter().any(|question| question.contains(part)),
                format_args!("the question names {part}"),
            );
        }
        findings.equal(
            "the number of questions on the wire",
            received(&stage.lines(), "elicitation/create").len(),
            1,
        );
        findings.audited(ExpectedEvent::intended(DECIDED_BY, "notes"));
        let granted = ExpectedEvent::new(AuditEventType::PermissionGranted, DECIDED_BY, "notes");
        findings.audited(granted.detail("permission", r#""memory.write""#));
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "add_note"));
        findings.audited(ExpectedEvent::executed(AGENT, "notes", "add_note"));
        Ok(())
    }
}

/// Waits until the question is open, by polling: no event announces it.
async fn open_question(permissions: &Permissions) -> Result<(), Interruption> {
    within("the question to be open", async {
        while permissions.pending().await?.is_empty() {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Ok(())
    })
    .await?
}
