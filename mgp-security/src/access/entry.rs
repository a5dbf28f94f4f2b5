//! §5.4 Access rules from the parameters of a request.

use jiff::Timestamp;
use mgp_types::{
    access::{AccessEntry, AccessGrantParams, AccessRevokeParams},
    context::Principal,
    error::ErrorCode,
    json::Nullable,
    rpc::ErrorObject,
};

/// The longest id or name in a rule, in bytes.
const MAX_NAME: usize = 256;
/// The longest justification of a rule, in bytes.
const MAX_JUSTIFICATION: usize = 4096;

/// Returns the rule that a grant requests. The caller is recorded as the grantor, whatever the request states.
pub(super) fn granted(params: AccessGrantParams, caller: &Principal) -> Result<AccessEntry, ErrorObject> {
    let tool_name = Nullable::from(params.tool()?.map(str::to_owned));
    named("agent_id", &params.agent_id)?;
    named("server_id", &params.server_id)?;
    if let Some(tool) = tool_name.get() {
        named("tool_name", tool)?;
    }
    if let Some(text) = params.justification.get().filter(|text| text.len() > MAX_JUSTIFICATION) {
        return Err(invalid("justification", &format!("{} bytes", text.len()), "at most 4096 bytes"));
    }
    if let Some(text) = params.expires_at.get() {
        let end: Timestamp = text.parse().map_err(|_| invalid("expires_at", text, "an RFC 3339 time"))?;
        if end <= Timestamp::now() {
            return Err(invalid("expires_at", text, "a time in the future"));
        }
    }
    Ok(AccessEntry {
        entry_type: params.entry_type,
        agent_id: params.agent_id,
        server_id: params.server_id,
        tool_name,
        permission: Some(params.permission),
        granted_by: Nullable::Value(caller.id().to_owned()),
        granted_at: Nullable::Value(format!("{:.3}", Timestamp::now())),
        expires_at: Nullable::from(params.expires_at.into_option()),
        justification: params.justification,
    })
}

/// Returns the rule that a revocation removes, with only the fields that the request names.
pub(super) fn asked_for(params: AccessRevokeParams) -> Result<AccessEntry, ErrorObject> {
    let tool_name = Nullable::from(params.tool()?.map(str::to_owned));
    Ok(AccessEntry {
        entry_type: params.entry_type,
        agent_id: params.agent_id,
        server_id: params.server_id,
        tool_name,
        permission: None,
        granted_by: Nullable::Absent,
        granted_at: Nullable::Absent,
        expires_at: Nullable::Absent,
        justification: Nullable::Absent,
    })
}

fn named(field: &str, value: &str) -> Result<(), ErrorObject> {
    match value.len() {
        1..=MAX_NAME => Ok(()),
        length => Err(invalid(field, &format!("{length} bytes"), "1 to 256 bytes")),
    }
}

fn invalid(field: &str, found: &str, expected: &str) -> ErrorObject {
    let found: String = found.chars().take(64).collect();
    ErrorCode::InvalidToolArgs.error(format!("invalid {field}: expected {expected}, found {found:?}"))
}
