//! Asks the host's user, by elicitation or a callback.

use super::{
    batch_text::{batch_text, listed},
    callbacks::answers_callbacks,
    shown::arguments_on_screen,
};
use crate::ground::local::is_local;
use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use mgp_security::permission::{
    ApprovalTerm, Approver, ConfirmationBatch, ConfirmationQuestion, ConfirmationVerdict, PendingApprover,
    PermissionQuestion, PermissionVerdict,
};
use mgp_stream::callbacks::{CallbackForm, OpenCallbacks};
use mgp_transport::seam::{Peer, Session};
use mgp_types::{
    context::Principal,
    intent::Intent,
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Elicit, ElicitAction, ElicitParams, ElicitResult},
    rpc::Call,
};
use serde_json::json;
use std::time::Duration;

/// An approver that asks the user of the calling host, by MCP's elicitation or by a callback of MGP (§13.4). If the host can do
/// neither, the question stays open for `mgp approve`, or goes to another approver.
///
/// Only a local host is asked, or a host whose principal has the admin role: approvals are the operator's, and an agent must not
/// approve its own calls. The kernel's questions begin with its mark, so that a server's question cannot pass for one. A call
/// whose arguments cannot be shown in full cannot be approved this way.
#[derive(Debug, Clone)]
pub struct AskHost<A = PendingApprover> {
    otherwise: A,
}

/// The mark at the beginning of every question of the kernel.
pub(super) const MARK: &str = "[mgp kernel]";

impl AskHost {
    /// The mark at the beginning of every question of the kernel. Hosts use it to distinguish these questions from those of
    /// servers.
    pub const MARK: &'static str = MARK;

    /// Creates an approver that leaves a question open if the host cannot be asked, or if its user does not decide.
    #[must_use]
    pub const fn new() -> Self {
        Self { otherwise: PendingApprover }
    }
}

impl Default for AskHost {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> AskHost<A> {
    /// Creates an approver that passes a question to another approver if the host cannot be asked, or if its user does not decide.
    pub const fn or(otherwise: A) -> Self {
        Self { otherwise }
    }
}

/// An answer that a host's user can choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Once,
    /// Approves several calls, each once.
    OnceEach,
    Session,
    EightHours,
    Always,
    /// Leaves the decision to the operator.
    Later,
    /// Declines a callback, which has no other way to decline.
    No,
}

impl Choice {
    const fn value(self) -> &'static str {
        match self {
            Self::Once | Self::OnceEach => "once",
            Self::Session => "session",
            Self::EightHours => "8h",
            Self::Always => "always",
            Self::Later => "later",
            Self::No => "no",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Once => "Once: only this call",
            Self::OnceEach => "Once each: only the calls that are shown",
            Self::Session => "For this session",
            Self::EightHours => "For 8 hours",
            Self::Always => "Always",
            Self::Later => "Decide with mgp approve",
            Self::No => "No: decline",
        }
    }
}

/// Returns the end of an approval for eight hours from now.
fn in_eight_hours() -> Timestamp {
    Timestamp::now().saturating_add(SignedDuration::from_hours(8)).unwrap_or(Timestamp::MAX)
}

#[async_trait]
impl<A: Approver> Approver for AskHost<A> {
    async fn permission(&self, question: &PermissionQuestion) -> PermissionVerdict {
        let Some(peer) = asked(question) else { return self.otherwise.permission(question).await };
        let by =
            format!("host of {}", question.principal.as_ref().map_or("an unknown agent", |agent| agent.id()));
        match ask(peer, permission_text(question), &[Choice::Once, Choice::EightHours, Choice::Always]).await
        {
            Answer::Chosen(Choice::Once) => PermissionVerdict::Once { by },
            Answer::Chosen(Choice::EightHours) => {
                PermissionVerdict::Approved { by, expires_at: Some(in_eight_hours()) }
            }
            Answer::Chosen(Choice::Always) => PermissionVerdict::Approved { by, expires_at: None },
            Answer::Chosen(Choice::No) | Answer::No => PermissionVerdict::Denied { by },
            // A host that closed the question has not decided, so the question stays open.
            Answer::Chosen(Choice::OnceEach | Choice::Session | Choice::Later) | Answer::None => {
                self.otherwise.permission(question).await
            }
        }
    }

    fn asks_person(&self, question: &PermissionQuestion) -> bool {
        asked(question).is_some() || self.otherwise.asks_person(question)
    }

    async fn confirm(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        if !self.asks_together(question) {
            return self.otherwise.confirm(question).await;
        }
        match self.confirm_together(ConfirmationBatch::of_one(question)).await {
            Some(verdict) => verdict,
            None => self.confirm_apart(question).await,
        }
    }

    fn is_attended(&self, question: &ConfirmationQuestion) -> bool {
        self.asks_together(question) || self.otherwise.is_attended(question)
    }

    fn asks_together(&self, question: &ConfirmationQuestion) -> bool {
        question.peer.as_ref().is_some_and(may_decide)
    }

    fn listed_together(&self, calls: &[ConfirmationQuestion]) -> Vec<usize> {
        listed(calls)
    }

    async fn confirm_together(&self, batch: ConfirmationBatch<'_>) -> Option<ConfirmationVerdict> {
        let question = batch.calls.first()?;
        let by = format!("host of {}", question.principal.id());
        let (text, choices) = match batch.calls {
            [question] => confirmation_text(question),
            _ => (batch_text(batch)?, &[Choice::OnceEach, Choice::Later] as &[_]),
        };
        let term = match ask(question.peer.as_ref()?, text, choices).await {
            Answer::Chosen(Choice::Once | Choice::OnceEach) => ApprovalTerm::Once,
            Answer::Chosen(Choice::Session) => ApprovalTerm::Session,
            Answer::Chosen(Choice::EightHours) => ApprovalTerm::Until(in_eight_hours()),
            Answer::Chosen(Choice::Always) => ApprovalTerm::Always,
            Answer::Chosen(Choice::No) | Answer::No => return Some(ConfirmationVerdict::Denied { by }),
            Answer::Chosen(Choice::Later) | Answer::None => return None,
        };
        Some(ConfirmationVerdict::Approved { by, term })
    }

    async fn confirm_apart(&self, question: &ConfirmationQuestion) -> ConfirmationVerdict {
        // A question that is not kept cannot be answered anywhere else.
        if question.request_id.is_none() && !self.otherwise.is_attended(question) {
            return ConfirmationVerdict::Deferred;
        }
        self.otherwise.confirm(question).await
    }
}

fn permission_text(question: &PermissionQuestion) -> String {
    let PermissionQuestion { target, permission, risk, request_id, .. } = question;
    let server = &target.tool.server_id;
    let always = match question.grant_lifetime {
        Some(lifetime) => format!("for {} s, as permissions.grant_lifetime_secs says", lifetime.as_secs()),
        None => format!("until `mgp approve {request_id} --revoke`"),
    };
    format!(
        "{MARK} Tool {:?} of server {server:?} needs the permission {permission} (risk: {risk}). Allow it?\n\
         once: only for this call.\n\
         8h: for 8 hours, to all tools of this server that need it.\n\
         always: the same {always}.\n\
         decline: denied until `mgp approve {request_id} --revoke`.",
        target.called_as
    )
}

/// Returns the text that describes a call to the user, and the answers to choose from.
fn confirmation_text(question: &ConfirmationQuestion) -> (String, &'static [Choice]) {
    let ConfirmationQuestion { target, risk, request_id, reason, .. } = question;
    let shown = arguments_on_screen(question.arguments.as_ref().unwrap_or(&RawJson::empty_object()));
    let (choices, meaning): (&[_], _) = match request_id {
        Some(id) if !shown.whole => {
            let meaning = format!(
                "Not all of it can be shown here, so it cannot be approved here: `mgp approve {id} --show` shows it all, and \
                 `mgp approve {id}` lets it go.\n"
            );
            (&[Choice::Later], meaning)
        }
        None if !shown.whole => {
            let meaning = "Not all of it can be shown here, so it cannot be approved here, and so many calls wait already that this one \
                           cannot: `mgp approve` shows them.\n";
            (&[Choice::Later], meaning.to_owned())
        }
        Some(id) if !question.every_time => {
            let (choices, session): (&[_], _) = match question.session {
                Some(_) => (
                    &[Choice::Once, Choice::Session, Choice::EightHours, Choice::Always],
                    "session: in this session, each time with exactly these arguments.\n",
                ),
                None => (&[Choice::Once, Choice::EightHours, Choice::Always], ""),
            };
            let meaning = format!(
                "once: only this call.\n\
                 {session}8h: for 8 hours, each time with exactly these arguments.\n\
                 always: the same until `mgp approve {id} --revoke`.\n\
                 For calls with other arguments too: `mgp approve {id} --like PATTERN`.\n"
            );
            (choices, meaning)
        }
        _ => (&[Choice::Once], "once: only this call.\n".to_owned()),
    };
    let intent = said_by_agent(question.intent.as_ref().map(Intent::as_str));
    let uses = question.estimate.sentences("It");
    let text = format!(
        "{MARK} Call tool {:?} of server {:?} (risk: {risk}) for agent {:?} with {}?\n\
         Why you are asked: {reason}.\n\
         {intent}{uses}{meaning}decline: refuses this call.",
        target.called_as,
        target.tool.server_id,
        question.principal.id(),
        shown.text
    );
    (text, choices)
}

/// Returns the line with the agent's stated intent, or an empty text if there is none. The intent is quoted, so that it cannot look like a line
/// of the question.
pub(super) fn said_by_agent(intent: Option<&str>) -> String {
    intent.map(|intent| format!("The agent says what it is for: {intent:?}\n")).unwrap_or_default()
}

#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Chosen(Choice),
    No,
    None,
}

/// Returns the host whose user is asked about a permission.
fn asked(question: &PermissionQuestion) -> Option<&Peer> {
    question.peer.as_ref().filter(|peer| may_decide(peer))
}

/// Returns whether the host's user may decide and can be asked.
fn may_decide(peer: &Peer) -> bool {
    let session = peer.session();
    let capabilities = session.get::<ClientCapabilities>();
    shows_questions(session, capabilities.as_ref(), answers_callbacks(session))
}

/// Returns whether a session's host can be asked and its user may decide, given the host's capabilities and whether it answers
/// callbacks.
pub(super) fn shows_questions(
    session: &Session,
    capabilities: Option<&ClientCapabilities>,
    answers_callbacks: bool,
) -> bool {
    let operator =
        is_local(session) || session.get::<Principal>().is_some_and(|principal| principal.is_admin());
    operator && (answers_callbacks || capabilities.is_some_and(ClientCapabilities::elicits_forms))
}

fn shows_forms(session: &Session) -> bool {
    session.get::<ClientCapabilities>().is_some_and(|capabilities| capabilities.elicits_forms())
}

/// The member of the form with the choice.
const DECISION: &str = "decision";

fn form(choices: &[Choice]) -> Option<RawJson> {
    let values: Vec<_> = choices.iter().map(|choice| choice.value()).collect();
    let titles: Vec<_> = choices.iter().map(|choice| choice.title()).collect();
    let schema = json!({
        "type": "object",
        "properties": {DECISION: {"type": "string", "title": "Decision", "enum": values, "enumNames": titles}},
        "required": [DECISION],
    });
    RawJson::from_value(&schema).ok()
}

async fn ask(peer: &Peer, text: String, choices: &[Choice]) -> Answer {
    let by_callback = !shows_forms(peer.session());
    let choices: Vec<_> = choices.iter().copied().chain(by_callback.then_some(Choice::No)).collect();
    let Some(form) = form(&choices) else { return Answer::None };
    let params = ElicitParams::form(text, form);
    let answer = match by_callback {
        true => ask_by_callback(peer, &params).await,
        false => peer.request::<Elicit>(&params).await.map_err(|error| error.to_string()),
    };
    match answer {
        Ok(result) if result.action == ElicitAction::Accept => {
            let chosen = result.content.as_ref().and_then(|content: &RawObject| content.text(DECISION));
            // A choice that was not offered is ignored.
            let choice = choices.iter().find(|choice| chosen.as_deref() == Some(choice.value()));
            choice.map_or(Answer::None, |choice| Answer::Chosen(*choice))
        }
        Ok(result) if result.action == ElicitAction::Decline => Answer::No,
        Ok(_) => Answer::None,
        Err(error) => {
            tracing::debug!(%error, method = Elicit::METHOD, by_callback, "the host could not be asked");
            Answer::None
        }
    }
}

/// Asks a form by a callback, for as long as the call waits.
///
/// # Errors
/// The reason why there is no answer.
async fn ask_by_callback(peer: &Peer, params: &ElicitParams) -> Result<ElicitResult, String> {
    let form = match params {
        ElicitParams::Form(form) => CallbackForm::of(form),
        ElicitParams::Url(_) => None,
    };
    let form = form.ok_or("a callback cannot carry the question")?;
    let open = OpenCallbacks::of(peer.session());
    open.ask_form(peer, None, form, Duration::MAX).await.map_err(|error| error.to_string())
}
