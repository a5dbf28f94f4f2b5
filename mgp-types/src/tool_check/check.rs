//! `mgp/tools/check`: the judgement on a call that is not made.

use super::{CallQuestion, ToolQuota};
use crate::{
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Judges a tool call as the gates judge a real one, without making it.
    call CheckTool = "mgp/tools/check": CheckToolParams => CheckToolResult;
    /// An alias of [`CheckTool`].
    call ValidateTool = "tools/validate": CheckToolParams => CheckToolResult;
    /// An alias of [`CheckTool`], with an answer in terms of permissions.
    call CanExecute = "can_execute": CheckPermissionsParams => CheckPermissionsResult;
    /// An alias of [`CheckTool`], with an answer in terms of permissions.
    call CheckPermissions = "check_permissions": CheckPermissionsParams => CheckPermissionsResult;
}

/// A call that is judged and not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckToolParams {
    /// The tool's name.
    pub name: String,
    /// The tool's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RawJson>,
    /// The metadata of the call, such as an idempotency key or a transaction's id: the call is judged with them.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// The judgement on a call that is not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckToolResult {
    /// True if no gate refuses the call. If `would_ask` has questions, a real call proceeds only after each was answered with yes.
    pub allowed: bool,
    /// The questions that would be asked first, in order. For a refused call, those before the refusal.
    pub would_ask: Vec<CallQuestion>,
    /// The reason for a refusal, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The error that a real call would be refused with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorObject>,
    /// The rest of the quota that leaves the caller the least; absent if no quota applies to the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota: Option<ToolQuota>,
}

/// A call that is judged and not made, with the member names of the aliases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckPermissionsParams {
    /// The tool's name.
    pub tool: String,
    /// The tool's arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<RawJson>,
    /// The scopes that the caller claims to hold. Not read: the caller's rights are those of its session.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes_held: Vec<String>,
}

/// The judgement on a call that is not made, in terms of permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckPermissionsResult {
    /// True if no gate refuses the call and no permission is missing.
    pub allowed: bool,
    /// The permissions that are not approved, and the scopes that the caller's API key lacks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_scopes: Vec<String>,
    /// The reason for a refusal, in one sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The other questions that would be asked first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub would_ask: Vec<CallQuestion>,
}
