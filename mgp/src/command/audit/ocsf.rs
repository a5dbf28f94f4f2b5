//! Audit events in the form of the Open Cybersecurity Schema Framework.

use jiff::Timestamp;
use mgp_types::{
    audit::{AuditEvent, AuditResult},
    context::ActorType,
};
use serde_json::{Value, json};

/// The version of the schema.
const VERSION: &str = "1.3.0";
/// The class API Activity, in the category Application Activity.
const API_ACTIVITY: u64 = 6003;
/// The activity id for activities other than create, read, update and delete. The activity's name identifies the
/// activity.
const OTHER: u64 = 99;

/// Converts an event to the class API Activity. Members without a counterpart in the class go into `unmapped`.
pub(super) fn api_activity(event: &AuditEvent) -> Value {
    let kind = event.event_type.to_string();
    let target = event.target.get();
    let tool = target.and_then(|target| target.tool_name.get());
    let detail = |key: &str| event.details.as_ref().and_then(|details| details.text(key));
    // The severities Informational, Low and Medium; an action that was allowed or denied.
    let (status, severity, action) = match event.result {
        AuditResult::Success => ((1, "Success"), 1, (1, "Allowed")),
        AuditResult::Failure => ((2, "Failure"), 2, (1, "Allowed")),
        AuditResult::Blocked => ((2, "Failure"), 3, (2, "Denied")),
    };
    let disposition = if action.0 == 1 { "Allowed" } else { "Blocked" };
    let mut activity = json!({
        "class_uid": API_ACTIVITY,
        "class_name": "API Activity",
        "category_uid": API_ACTIVITY / 1000,
        "category_name": "Application Activity",
        "activity_id": OTHER,
        "activity_name": kind,
        "type_uid": API_ACTIVITY * 100 + OTHER,
        "time": event.timestamp.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond),
        "severity_id": severity,
        "status_id": status.0,
        "status": status.1,
        "action_id": action.0,
        "action": action.1,
        "disposition_id": action.0,
        "disposition": disposition,
        "actor": { "user": user(event) },
        "src_endpoint": { "name": event.actor.id },
        "api": { "operation": tool.cloned().or_else(|| detail("method")).unwrap_or_else(|| kind.clone()) },
        "metadata": {
            "version": VERSION,
            "profiles": ["security_control"],
            "product": { "name": "mgp", "vendor_name": "MGP for Rust", "version": env!("CARGO_PKG_VERSION") },
            "event_code": kind,
        },
    });
    if let Some(server) = target.and_then(|target| target.server_id.get()) {
        activity["api"]["service"] = json!({ "name": server });
    }
    if let Some(trace) = event.trace_id.get() {
        activity["metadata"]["correlation_uid"] = json!(trace);
    }
    if let Some(seq) = event.seq() {
        // Each of several trails has its own numbers.
        let trail = event.mgp.as_ref().and_then(|mgp| mgp.text("trail"));
        let uid = trail.map_or_else(|| seq.to_string(), |trail| format!("{trail}:{seq}"));
        activity["metadata"]["uid"] = json!(uid);
    }
    if let Some(reason) = detail("reason") {
        activity["status_detail"] = json!(reason);
    }
    if let Some(details) = &event.details {
        activity["unmapped"] = serde_json::to_value(details).unwrap_or_default();
    }
    activity
}

/// Returns the actor as a user: an operator is an administrator, the kernel is the system.
fn user(event: &AuditEvent) -> Value {
    let (type_id, kind) = match event.actor.kind {
        ActorType::Operator => (2, json!("Admin")),
        ActorType::Kernel => (3, json!("System")),
        other => (OTHER, json!(other)),
    };
    json!({ "uid": event.actor.id, "name": event.actor.id, "type_id": type_id, "type": kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_call_is_a_denied_activity_of_its_agent() {
        let event: AuditEvent = serde_json::from_value(json!({
            "timestamp": "2026-11-20T10:04:22.362Z", "trace_id": "t-1", "event_type": "TOOL_BLOCKED",
            "actor": {"type": "agent", "id": "local"}, "target": {"server_id": "notes", "tool_name": "add_note"},
            "result": "BLOCKED", "details": {"reason": "no", "attempts": 0}, "_mgp": {"seq": 7}
        }))
        .unwrap();
        let expected = json!({
            "class_uid": 6003, "class_name": "API Activity", "category_uid": 6,
            "category_name": "Application Activity", "activity_id": 99, "activity_name": "TOOL_BLOCKED",
            "type_uid": 600399, "time": 1_795_169_062_362_i64, "severity_id": 3, "status_id": 2,
            "status": "Failure", "status_detail": "no", "action_id": 2, "action": "Denied",
            "disposition_id": 2, "disposition": "Blocked",
            "actor": {"user": {"uid": "local", "name": "local", "type_id": 99, "type": "agent"}},
            "src_endpoint": {"name": "local"}, "api": {"operation": "add_note", "service": {"name": "notes"}},
            "metadata": {
                "version": "1.3.0", "profiles": ["security_control"], "event_code": "TOOL_BLOCKED",
                "product": {"name": "mgp", "vendor_name": "MGP for Rust", "version": env!("CARGO_PKG_VERSION")},
                "correlation_uid": "t-1", "uid": "7"
            },
            "unmapped": {"reason": "no", "attempts": 0}
        });
        assert_eq!(api_activity(&event), expected);
    }

    #[test]
    fn an_event_without_a_tool_is_named_by_its_method_or_its_type() {
        let event = |details: Value| -> AuditEvent {
            serde_json::from_value(json!({
                "timestamp": "yesterday", "event_type": "SERVER_CONNECTED", "result": "SUCCESS",
                "actor": {"type": "kernel", "id": "kernel"}, "details": details
            }))
            .unwrap()
        };
        let named = api_activity(&event(json!({"method": "resources/read"})));
        assert_eq!(named["api"], json!({"operation": "resources/read"}));
        let bare = api_activity(&event(json!({})));
        assert_eq!((&bare["api"]["operation"], &bare["time"]), (&json!("SERVER_CONNECTED"), &json!(0)));
        assert_eq!(bare["actor"]["user"]["type"], "System");
    }
}
