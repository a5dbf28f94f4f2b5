//! Asks the host's user, by elicitation.

use async_trait::async_trait;
use mgp_security::permission::{
    Approver, ConfirmationQuestion, Pending, PermissionQuestion, PermissionVerdict,
};
use mgp_transport::seam::Peer;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Elicit, ElicitAction, ElicitParams},
    rpc::Call,
};

/// Asks the user of the host that called, where the host can ask (MCP's elicitation); otherwise the question stays open for
/// `mgp approve`, or for another approver.
///
/// What the kernel asks begins with its mark, so that no server's question passes for it.
#[derive(Debug, Clone)]
pub struct AskHost<A = Pending> {
    otherwise: A,
}

/// What every question of the kernel begins with.
const MARK: &str = "[mgp kernel]";

impl AskHost {
    /// Asks the host, and leaves the question open where that cannot be.
    #[must_use]
    pub const fn new() -> Self {
        Self { otherwise: Pending }
    }
}

impl Default for AskHost {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> AskHost<A> {
    /// Asks the host, and another approver where that cannot be.
    pub const fn or(otherwise: A) -> Self {
        Self { otherwise }
    }
}

#[async_trait]
impl<A: Approver> Approver for AskHost<A> {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        let Some(peer) = question.peer.as_ref().filter(|peer| can_ask(peer)) else {
            return self.otherwise.permission(question).await;
        };
        let text = format!(
            "{MARK} Tool {:?} of server {:?} needs the permission {} (risk: {}). Allow it for this server?",
            question.target.called_as, question.target.tool.server_id, question.permission, question.risk
        );
        let by =
            format!("host of {}", question.principal.as_ref().map_or("an unknown agent", |agent| agent.id()));
        match ask(peer, &text, "Allow").await {
            Answer::Yes => PermissionVerdict::Approved { by, expires_at: None },
            Answer::No => PermissionVerdict::Denied { by },
            // A host that closed the question has not decided it: it stays open.
            Answer::None => self.otherwise.permission(question).await,
        }
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> bool {
        let Some(peer) = question.peer.as_ref().filter(|peer| can_ask(peer)) else {
            return self.otherwise.confirm(question).await;
        };
        let arguments: String =
            question.arguments.as_ref().map_or("{}", RawJson::as_str).chars().take(MAX_SHOWN).collect();
        let text = format!(
            "{MARK} Call tool {:?} of server {:?} (risk: {}) with {arguments}?",
            question.target.called_as, question.target.tool.server_id, question.risk
        );
        ask(peer, &text, "Call it").await == Answer::Yes
    }
}

/// How much of a call's arguments is shown, in characters.
const MAX_SHOWN: usize = 2000;

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Yes,
    No,
    None,
}

fn can_ask(peer: &Peer) -> bool {
    peer.session().get::<ClientCapabilities>().is_some_and(|capabilities| capabilities.elicits_forms())
}

async fn ask(peer: &Peer, text: &str, label: &str) -> Answer {
    let schema = format!(
        r#"{{"type":"object","properties":{{"allow":{{"type":"boolean","title":"{label}"}}}},"required":["allow"]}}"#
    );
    let Ok(schema) = RawJson::parse(schema) else { return Answer::None };
    let params = ElicitParams::form(text, schema);
    match peer.request::<Elicit>(&params).await {
        Ok(result) if result.action == ElicitAction::Accept => {
            let allow = result.content.as_ref().and_then(|content: &RawObject| content.get("allow").cloned());
            if allow.is_some_and(|allow| allow.as_str() == "true") { Answer::Yes } else { Answer::No }
        }
        Ok(result) if result.action == ElicitAction::Decline => Answer::No,
        Ok(_) => Answer::None,
        Err(error) => {
            tracing::debug!(%error, method = Elicit::METHOD, "the host could not be asked");
            Answer::None
        }
    }
}
