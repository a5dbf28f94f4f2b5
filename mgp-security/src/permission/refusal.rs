//! The refusal of a call whose tool needs a permission that is not approved.

use super::Permissions;
use mgp_transport::seam::{Refusal, RefusalKind, ToolCall};
use mgp_types::{
    error::{ErrorCode, Recovery},
    json::{RawJson, RawObject},
    permission::{Permission, PermissionPolicy, PermissionState},
};
use std::borrow::Cow;

impl Permissions {
    /// Returns a sentence that names the configuration's key for the approvals of a server, if the policy takes approvals only from the
    /// configuration (`deny_all`, `config_only`). Under any other policy, returns `None`.
    #[must_use]
    pub fn config_only(&self, server_id: &str) -> Option<String> {
        let policy = self.0.policy();
        matches!(policy, PermissionPolicy::DenyAll | PermissionPolicy::ConfigOnly).then(|| {
            format!(
                "the policy {policy} takes approvals only from permissions.approved.{} in the configuration",
                key(server_id)
            )
        })
    }

    /// Refuses a call. The text names the permission, its state, and the next step.
    pub(super) fn refuse(&self, call: &ToolCall, permission: &Permission, state: PermissionState) -> Refusal {
        let server_id = &*call.target.tool.server_id;
        let row = self.0.row(server_id, permission);
        let request_id = row.as_ref().map(|row| row.request_id.as_str());
        let details: RawObject = [
            ("permission", RawJson::string(permission.as_str())),
            ("server_id", RawJson::string(server_id)),
            ("request_id", request_id.map_or(RawJson::null(), RawJson::string)),
            ("state", RawJson::string(state.as_str())),
        ]
        .into_iter()
        .collect();
        let advice = Recovery::of(ErrorCode::PermissionDenied).with_details(details);
        let message = format!(
            "server {server_id:?} needs the permission {permission}, which is {}: {}",
            in_words(state),
            self.next_step(call, (permission, state), request_id)
        );
        Refusal::new(RefusalKind::Permission, ErrorCode::PermissionDenied.error_with(message, advice))
    }

    /// Returns the step that would let the call continue.
    fn next_step(
        &self,
        call: &ToolCall,
        (permission, state): (&Permission, PermissionState),
        request_id: Option<&str>,
    ) -> String {
        let server_id = &*call.target.tool.server_id;
        if let Some(sentence) = self.config_only(server_id) {
            return sentence;
        }
        let subject = request_id.map_or_else(|| format!("{server_id} {permission}"), ToOwned::to_owned);
        if state == PermissionState::Denied {
            return format!("`mgp approve {subject} --revoke` takes that back");
        }
        format!("agent {:?} waits for `mgp approve {subject}`; call again after that", call.principal.id())
    }
}

/// Returns a name as a part of a TOML key.
fn key(name: &str) -> Cow<'_, str> {
    let is_bare = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    if is_bare && !name.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(format!("{name:?}")) }
}

const fn in_words(state: PermissionState) -> &'static str {
    match state {
        PermissionState::Approved => "approved",
        PermissionState::Denied => "denied",
        PermissionState::Deferred => "not decided yet",
        PermissionState::Expired => "expired",
    }
}
