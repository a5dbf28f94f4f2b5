//! The content of a notification.

use crate::{
    command::short_id,
    output::{on_one_line, shortened},
};
use mgp_kernel::command_word;
use mgp_security::{definition::TOOL_CHANGED, permission::APPROVAL_NEEDED};
use mgp_types::{
    audit::{AuditEvent, AuditResult},
    context::ActorType,
};
use serde::Serialize;

/// The most characters of a name in a notification.
const MAX_NAME: usize = 120;

/// The kind of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum NoticeKind {
    /// A server needs a permission.
    Permission,
    /// A call needs a confirmation.
    Call,
    /// An agent requests a server.
    Server,
    /// The definition of a tool has changed.
    Definition,
}

/// A question that waits for a decision. It holds neither arguments nor reasons, which may contain secrets, and its names hold no
/// control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Notice {
    pub(super) kind: NoticeKind,
    /// The id of the question. A changed definition has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    short_id: Option<String>,
    server_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<String>,
    /// The command that decides, or shows what to decide.
    pub(super) command: String,
}

/// A notification as JSON, for a program.
#[derive(Serialize)]
struct NoticeReport<'a> {
    #[serde(flatten)]
    notice: &'a Notice,
    #[serde(skip_serializing_if = "Option::is_none")]
    console: Option<&'a str>,
    text: &'a str,
}

impl Notice {
    /// Returns the notification about an event; `None` if nothing waits because of it. Events that servers report are ignored.
    pub(super) fn of_event(event: &AuditEvent) -> Option<Self> {
        let is_question = event.event_type.as_str() == APPROVAL_NEEDED;
        let is_withheld = event.event_type.as_str() == TOOL_CHANGED && event.result == AuditResult::Blocked;
        if event.actor.kind == ActorType::Server || !(is_question || is_withheld) {
            return None;
        }
        let detail = |key: &str| Some(name(&event.details.as_ref()?.text(key)?));
        let target = event.target.get();
        let server = target.and_then(|target| target.server_id.get()).map(String::as_str).unwrap_or_default();
        let tool = target.and_then(|target| target.tool_name.get());
        let id = detail("request_id").filter(|_| is_question);
        let kind = match id.as_deref().and_then(|id| id.split_once('-')) {
            None if is_withheld => NoticeKind::Definition,
            Some(("perm", _)) => NoticeKind::Permission,
            Some(("conf", _)) => NoticeKind::Call,
            Some(("reg", _)) => NoticeKind::Server,
            _ => return None,
        };
        let agent = match kind {
            NoticeKind::Server => Some(name(&event.actor.id)),
            _ => detail("agent_id"),
        };
        let short = id.as_deref().map(|id| short_id(id).to_owned());
        let command = match (&short, tool) {
            (Some(id), _) => format!("mgp approve {id}"),
            (None, Some(tool)) => {
                on_one_line(&format!("mgp tools diff {} {}", command_word(server), command_word(tool)))
            }
            (None, None) => "mgp tools diff".to_owned(),
        };
        Some(Self {
            kind,
            short_id: short,
            id,
            server_id: name(server),
            tool_name: tool.map(|tool| name(tool)),
            agent_id: agent,
            permission: detail("permission"),
            risk: detail("risk_level"),
            command,
        })
    }

    /// Returns the text for people. Each line is one of the program.
    pub(super) fn text(&self, console: Option<&str>) -> String {
        let Self { server_id, command, .. } = self;
        let tool = self.tool_name.as_deref();
        let agent = self.agent_id.as_deref().map(|agent| format!(" by agent {agent}")).unwrap_or_default();
        let risk = self.risk.as_deref().map(|risk| format!(" ({risk})")).unwrap_or_default();
        let subject = match self.kind {
            NoticeKind::Permission => {
                let tool = tool.map(|tool| format!(" for its tool {tool}")).unwrap_or_default();
                let permission = self.permission.as_deref().unwrap_or_default();
                format!("permission {permission} of server {server_id}{tool}")
            }
            NoticeKind::Call => {
                format!("call of {} of server {server_id}{risk}{agent}", tool.unwrap_or_default())
            }
            NoticeKind::Server => format!("new server {server_id}, requested{agent}"),
            NoticeKind::Definition => {
                format!("changed definition of tool {} of server {server_id}", tool.unwrap_or_default())
            }
        };
        let mut text = format!("mgp: a decision is needed: {subject}\ndecide: {command}");
        if let Some(console) = console {
            text.push_str(&format!("\nconsole: {console}/approvals"));
        }
        text
    }

    /// Returns the JSON for a program.
    pub(super) fn json(&self, console: Option<&str>) -> String {
        let text = self.text(console);
        // It holds only texts, so serializing cannot fail.
        serde_json::to_string(&NoticeReport { notice: self, console, text: &text }).unwrap_or_default()
    }
}

/// Returns a foreign name without control characters, and not longer than [`MAX_NAME`].
fn name(text: &str) -> String {
    shortened(text, MAX_NAME)
}
