//! Tests of rules that belong to a program or its configuration.

use super::*;
use crate::audit::MemorySink;
use AccessDecision::{Allow, Deny};
use mgp_types::{
    access::{AccessDecision, AccessEntry, AccessGrantParams},
    context::Principal,
    json::Nullable,
};
use std::sync::Arc;

fn wanted(permission: AccessDecision, expires_at: Option<&str>) -> AccessGrantParams {
    let mut params = serde_json::json!({
        "entry_type": "server_grant", "agent_id": "a", "server_id": "s", "permission": permission,
    });
    if let Some(end) = expires_at {
        params["expires_at"] = end.into();
    }
    serde_json::from_value(params).unwrap()
}

fn stored(by: &str, permission: AccessDecision, expires_at: Option<&str>) -> AccessEntry {
    let entry = match permission {
        Allow => AccessEntry::allow("a"),
        Deny => AccessEntry::deny("a"),
    };
    AccessEntry {
        granted_by: Nullable::Value(by.into()),
        expires_at: Nullable::from(expires_at.map(str::to_owned)),
        ..entry.server("s")
    }
}

#[tokio::test]
async fn a_rule_is_established_unless_in_force_or_decided() {
    let (later, past) = (Some("2999-01-01T00:00:00Z"), Some("2001-01-01T00:00:00Z"));
    for (before, wanted, is_stored, decision) in [
        (None, wanted(Allow, None), true, Allow),
        (Some(stored("program", Allow, None)), wanted(Allow, None), false, Allow),
        (Some(stored("program", Allow, later)), wanted(Allow, later), false, Allow),
        (Some(stored("program", Deny, None)), wanted(Allow, None), true, Allow),
        (Some(stored("program", Allow, None)), wanted(Allow, later), true, Allow),
        (Some(stored("program", Allow, later)), wanted(Allow, None), true, Allow),
        (Some(stored("root", Deny, None)), wanted(Allow, None), false, Deny),
        (Some(stored("root", Deny, past)), wanted(Allow, None), true, Allow),
        (Some(stored("root", Allow, Some("soon"))), wanted(Allow, None), true, Allow),
    ] {
        let case = format!("{before:?}, then {wanted:?}");
        let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
        if let Some(entry) = before {
            control.put(entry).await.unwrap();
        }
        let sink = MemorySink::new(10);
        let methods = AccessMethods::new(control.clone(), Arc::new(sink.clone()));
        let end = wanted.expires_at.get().cloned();
        methods.establish(&Principal::operator("program"), vec![wanted]).await.unwrap();
        assert_eq!(!sink.events().is_empty(), is_stored, "{case}");
        let [entry] = &control.entries().await.unwrap()[..] else { panic!("one rule: {case}") };
        assert_eq!(entry.permission, Some(decision), "{case}");
        if is_stored {
            assert_eq!(entry.granted_by.get().map(String::as_str), Some("program"), "{case}");
            assert_eq!(entry.expires_at.get(), end.as_ref(), "{case}");
        }
    }
}

#[tokio::test]
async fn a_rule_that_cannot_be_established_is_an_error() {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    let methods = AccessMethods::new(control.clone(), Arc::new(MemorySink::new(10)));
    let ended = wanted(Allow, Some("2001-01-01T00:00:00Z"));
    let error = methods.establish(&Principal::operator("program"), vec![ended]).await.unwrap_err();
    assert_eq!(error.code, 4000, "{error}");
    assert!(control.entries().await.unwrap().is_empty());
}
