//! Tests of policies in Cedar.

mod arguments;
mod files;
mod lists;
mod precedence;

use crate::access::{
    AccessControl, AccessPolicy, AccessRequest, CallArguments, CedarPolicies, PolicyDecision, RequestedTool,
    SqlAccessStore, SqlStore, ToolProfiles,
};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessSource, DefaultPolicy, RoleRule, Roles},
    context::{RiskLevel, ToolId, TrustLevel},
    json::RawJson,
    tool_security::ToolProfile,
};
use std::{sync::Arc, time::SystemTime};

fn policies(text: &str) -> CedarPolicies {
    CedarPolicies::parse("/etc/access.cedar", text).unwrap_or_else(|error| panic!("{error}"))
}

fn profile(risk: RiskLevel) -> ToolProfile {
    ToolProfile { risk, permissions: Vec::new(), ..ToolProfile::of_no_tool() }
}

/// A request of the agent `ann`, who has the role `dev`, for the tool `read` of the server `files`, on a Monday at 09:30 in UTC.
fn ask(policies: &CedarPolicies, change: impl FnOnce(&mut AccessRequest<'_>)) -> Option<PolicyDecision> {
    let (roles, profile) = ([Arc::from("dev")], profile(RiskLevel::Moderate));
    let tool = RequestedTool { name: "read", profile: Some(&profile), arguments: CallArguments::Given(None) };
    let time: jiff::Timestamp = "2026-03-02T09:30:00Z".parse().unwrap();
    let mut request = AccessRequest {
        agent_id: "ann",
        roles: &roles,
        server_id: "files",
        trust: TrustLevel::Standard,
        registered: false,
        tool: Some(tool),
        time: time.into(),
    };
    change(&mut request);
    policies.decide(&request)
}

fn decision(text: &str) -> Option<AccessDecision> {
    ask(&policies(text), |_| ()).map(|found| found.decision)
}

/// Decides on a call with arguments.
fn with(policies: &CedarPolicies, arguments: &str) -> Option<PolicyDecision> {
    let json = RawJson::parse(arguments.to_owned()).unwrap();
    let (roles, profile) = ([Arc::from("dev")], profile(RiskLevel::Moderate));
    policies.decide(&AccessRequest {
        agent_id: "ann",
        roles: &roles,
        server_id: "files",
        trust: TrustLevel::Standard,
        registered: false,
        tool: Some(RequestedTool {
            name: "read",
            profile: Some(&profile),
            arguments: CallArguments::Given(Some(&json)),
        }),
        time: SystemTime::now(),
    })
}
