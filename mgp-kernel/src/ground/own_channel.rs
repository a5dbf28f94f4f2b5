//! The kernel's own channels.

use mgp_types::{
    audit::{AuditEvent, AuditEventType, AuditResult},
    context::Principal,
    mcp::LoggingLevel,
};

/// A channel of the kernel's own. Servers cannot publish in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnChannel {
    /// A call reached a server and succeeded.
    ToolCalled,
    /// A call reached a server and failed.
    ToolFailed,
    /// A tool's definition differs from the accepted one.
    ToolChanged,
    /// A request was refused.
    Refused,
    /// A permission, a call, a definition or a server waits for an approval.
    ApprovalNeeded,
    /// A permission or a call was approved or denied, or its decision was taken back.
    ApprovalDecided,
    /// A server changed its state.
    ServerState,
    /// All stored events of the audit trail, for principals with the admin role.
    Audit,
}

/// The types of events about decisions, without the prefix of the kernel's own.
const DECIDED: [&str; 7] = [
    "CALL_APPROVED",
    "CALL_DENIED",
    "CALL_APPROVAL_REVOKED",
    "CALL_DENIAL_REVOKED",
    "PERMISSION_DENIAL_REVOKED",
    "DEFINITION_ACCEPTED",
    "SERVER_DENIAL_REVOKED",
];
/// The prefix of the kernel's own types of events.
const PREFIX: &str = "dev.cloto.mgp.";

/// Returns the agent that requested the server in an event of the trail.
pub(crate) fn requested_by(event: &AuditEvent) -> Option<String> {
    event.details.as_ref()?.text("requested_by")
}

impl OwnChannel {
    pub(crate) const ALL: [Self; 8] = [
        Self::ToolCalled,
        Self::ToolFailed,
        Self::ToolChanged,
        Self::Refused,
        Self::ApprovalNeeded,
        Self::ApprovalDecided,
        Self::ServerState,
        Self::Audit,
    ];

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::ToolCalled => "tool.called",
            Self::ToolFailed => "tool.failed",
            Self::ToolChanged => "tool.changed",
            Self::Refused => "security.refused",
            Self::ApprovalNeeded => "security.approval_needed",
            Self::ApprovalDecided => "security.approval_decided",
            Self::ServerState => "system.server_state",
            Self::Audit => "system.audit",
        }
    }

    pub(crate) fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|channel| channel.as_str() == name)
    }

    /// Returns whether a principal can receive any event of the channel.
    pub(crate) fn is_for(self, principal: &Principal) -> bool {
        self != Self::Audit || principal.is_admin()
    }

    /// Returns whether the channel is about calls and other requests, each of which has one caller.
    pub(crate) const fn is_of_calls(self) -> bool {
        matches!(self, Self::ToolCalled | Self::ToolFailed | Self::Refused)
    }

    /// Returns the channels for an event of the audit trail, except [`Audit`](Self::Audit).
    pub(crate) fn of_event(event: &AuditEvent) -> impl Iterator<Item = Self> + use<> {
        let channel = Self::of_type(event);
        // A changed definition is blocked if an operator has to accept it.
        let is_held = channel == Some(Self::ToolChanged) && event.result == AuditResult::Blocked;
        channel.into_iter().chain(is_held.then_some(Self::ApprovalNeeded))
    }

    fn of_type(event: &AuditEvent) -> Option<Self> {
        match &event.event_type {
            AuditEventType::ToolExecuted if event.result == AuditResult::Success => Some(Self::ToolCalled),
            AuditEventType::ToolExecuted => Some(Self::ToolFailed),
            AuditEventType::ToolBlocked | AuditEventType::ValidationFailed | AuditEventType::CodeRejected => {
                Some(Self::Refused)
            }
            AuditEventType::PermissionGranted
            | AuditEventType::PermissionDenied
            | AuditEventType::PermissionRevoked => Some(Self::ApprovalDecided),
            AuditEventType::Custom(name) => match name.strip_prefix(PREFIX)? {
                "REQUEST_BLOCKED" => Some(Self::Refused),
                "APPROVAL_NEEDED" => Some(Self::ApprovalNeeded),
                "TOOL_CHANGED" => Some(Self::ToolChanged),
                // Only requested servers are decided on; an operator's own servers are registered, too.
                "SERVER_REGISTERED" => requested_by(event).map(|_| Self::ApprovalDecided),
                name if DECIDED.contains(&name) => Some(Self::ApprovalDecided),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the severity of the channel's events.
    pub(crate) const fn severity(self) -> LoggingLevel {
        match self {
            Self::ToolCalled | Self::ServerState | Self::Audit => LoggingLevel::Info,
            Self::ApprovalNeeded | Self::ApprovalDecided => LoggingLevel::Notice,
            Self::ToolChanged | Self::Refused => LoggingLevel::Warning,
            Self::ToolFailed => LoggingLevel::Error,
        }
    }
}
