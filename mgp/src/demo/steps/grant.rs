//! §5.4 The operator grants access while the kernel runs.

use super::Step;
use crate::demo::{
    calls::{call_tool, request},
    findings::{Findings, Interruption},
    stage::{AGENT, OPERATOR, Stage},
    trail::ExpectedEvent,
};
use async_trait::async_trait;
use mgp_transport::seam::CallError;
use mgp_types::{
    access::{AccessChangeStatus, AccessDecision, AccessGrantParams, EntryType, GrantAccess},
    audit::AuditEventType,
    json::Nullable,
};
use serde_json::json;

pub(super) struct Grant;

#[async_trait(?Send)]
impl Step for Grant {
    fn name(&self) -> &'static str {
        "grant"
    }

    fn title(&self) -> &'static str {
        "the operator grants access, and the same call goes through"
    }

    fn shown(&self) -> &'static [&'static str] {
        &[r#""method":"mgp/access/grant""#, r#""status":"granted""#, "Paragraph 1 on bread"]
    }

    async fn play(&self, stage: &mut Stage, findings: &mut Findings) -> Result<(), Interruption> {
        let console = stage.connect_operator().await?;
        for server in ["jobs", "notes"] {
            let change = request::<GrantAccess>(console, &rule(server)).await?;
            findings.equal("what became of the rule", change.status, AccessChangeStatus::Granted);
            // The kernel records the authenticated caller, not the one that the request names.
            findings.equal("who granted", change.entry.granted_by, Nullable::Value(OPERATOR.to_owned()));
            findings.audited(ExpectedEvent::intended(OPERATOR, server));
            let granted = ExpectedEvent::new(AuditEventType::AccessGranted, OPERATOR, server);
            findings.audited(granted.detail("agent_id", r#""agent.demo""#));
        }
        let wanted = json!({"topic": "bread", "paragraphs": 1});
        let answer = call_tool(stage.host()?, "write_report", &wanted).await?;
        findings.equal("the report", answer.text(), "Paragraph 1 on bread.\n");
        findings.audited(ExpectedEvent::executed(AGENT, "jobs", "write_report"));
        // Granting is the operator's right: the agent cannot grant itself access.
        let refused = stage.host()?.request::<GrantAccess>(&rule("notes")).await;
        findings.check(
            matches!(refused, Err(CallError::Peer(error)) if error.code == 1000),
            "a grant by the agent itself is refused (1000)",
        );
        findings.audited(ExpectedEvent::refused(AGENT).detail("method", r#""mgp/access/grant""#));
        Ok(())
    }
}

/// Returns the rule that lets the agent use a server.
fn rule(server: &str) -> AccessGrantParams {
    AccessGrantParams {
        entry_type: EntryType::ServerGrant,
        agent_id: AGENT.to_owned(),
        server_id: server.to_owned(),
        tool_name: Nullable::Absent,
        permission: AccessDecision::Allow,
        granted_by: Nullable::Value("somebody else".to_owned()),
        justification: Nullable::Value("needed for the tour".to_owned()),
        expires_at: Nullable::Null,
    }
}
