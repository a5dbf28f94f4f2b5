//! The gate for unknown tools. It is inside audit and identity, so that a refusal is recorded with its caller.

use crate::{
    catalog::{apps::shows_apps, tools::ToolEntry},
    rights::rights::Rights,
    upstream::servers::Servers,
};
use mgp_transport::seam::{Decision, Judge, Refusal, RefusalKind, Reply, ToolCall};
use mgp_types::{error::ErrorCode, printable::quoted};
use std::sync::Arc;

/// The gate that refuses calls of unknown tools, which [`Resolve`](super::Resolve) did not find. Calls of tools that are
/// [concealed](Rights::conceals_from) from their caller get the same answer, and so do calls of tools that are only for the pages of MCP Apps, by
/// hosts that are shown no apps. It also refuses calls of disabled tools.
#[derive(Debug, Clone)]
pub(crate) struct Existence {
    pub(crate) rights: Arc<Rights>,
    pub(crate) servers: Arc<Servers>,
}

impl Judge for Existence {
    fn judge(&self, call: &ToolCall) -> Decision {
        let Some(entry) = ToolEntry::of(call) else {
            return absent(call, RefusalKind::NotFound, None).into();
        };
        let is_shown_apps = entry.passes_apps() && call.session().is_some_and(shows_apps);
        if entry.is_for_pages_only() && !is_shown_apps {
            return absent(call, RefusalKind::NotFound, None).into();
        }
        let is_disabled = entry.is_disabled();
        // A dry run does not reveal tools of others.
        let conceals =
            call.dry_run || call.session().is_some_and(|session| self.rights.conceals_from(session));
        if !is_disabled && !conceals {
            return Decision::Allow;
        }
        let denial = match self.rights.access.authorize(&call.principal, &call.target.tool) {
            Ok(_) if is_disabled => return disabled(call).into(),
            Err(denial) if conceals => denial,
            // The gate of access refuses a denied call, without revealing whether the tool is disabled.
            _ => return Decision::Allow,
        };
        // The reason is only for the audit trail.
        let refusal = absent(call, RefusalKind::Access, Some(denial.of_call(&call.target.called_as)));
        if !self.servers.is_starting() {
            return refusal.into();
        }
        // The answer to an unknown tool waits for servers that start, so the answer to a concealed tool waits, too.
        call.record.refuse(refusal.kind, refusal.reason.as_str());
        let servers = self.servers.clone();
        Decision::read(async move {
            servers.first_starts().await;
            Err(refusal)
        })
    }
}

/// Refuses a call of a disabled tool.
fn disabled(call: &ToolCall) -> Refusal {
    let name = quoted(&call.target.called_as);
    let error = ErrorCode::ToolDisabled
        .error(format!("tool {name} is switched off: the operator's configuration lists it in `disabled`"));
    Refusal { kind: RefusalKind::Policy, reason: error.message.clone(), answer: Reply::error(error) }
}

/// Refuses a call like one of an unknown tool.
fn absent(call: &ToolCall, kind: RefusalKind, reason: Option<String>) -> Refusal {
    let error = ErrorCode::ToolNotFound.error(format!("unknown tool: {}", quoted(&call.target.called_as)));
    Refusal { kind, reason: reason.unwrap_or_else(|| error.message.clone()), answer: Reply::error(error) }
}
