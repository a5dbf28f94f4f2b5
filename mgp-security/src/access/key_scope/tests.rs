//! Tests of the scopes of API keys.

use super::KeyScope;
use crate::{
    access::{AccessControl, SqlAccessStore, SqlStore, ToolProfiles},
    testing::{Inner, TestCall, code, plain_profile},
};
use mgp_transport::seam::{GateLayer, Reply, Visibility};
use mgp_types::{
    access::{AccessEntry, DefaultPolicy},
    context::{KeyScopes, Principal, ToolId, TrustLevel},
    tool_security::ToolProfile,
};
use std::sync::Arc;
use tower::{Layer, ServiceExt};

/// The profiles of the server `s`: either all of its tools change nothing, or all may change something.
#[derive(Debug)]
struct Profiles(bool);

impl ToolProfiles for Profiles {
    fn profile(&self, _: &ToolId) -> Option<Arc<ToolProfile>> {
        Some(profile(self.0))
    }
}

fn profile(reads_only: bool) -> Arc<ToolProfile> {
    let mut profile = plain_profile();
    profile.reads_only = reads_only;
    Arc::new(profile)
}

/// Returns access control with the servers `s` and `closed`, of which the agent `a` may use the first.
async fn control(trust: TrustLevel, reads_only: bool) -> AccessControl {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    control.configure_server("s", DefaultPolicy::OptOut, trust);
    control.configure_server("closed", DefaultPolicy::OptIn, trust);
    control.add_agent("a");
    control.set_profiles(Arc::new(Profiles(reads_only)));
    control
}

fn caller(scopes: &str) -> Principal {
    Principal::agent("a").narrowed_to(KeyScopes::new("ci", scopes))
}

/// Returns the answer to a call of the tool `t` of the server `s`, and whether it reached the server.
async fn called(control: &AccessControl, caller: &Principal, reads_only: bool) -> (Reply, usize) {
    let mut call = TestCall::new("{}").profile(ToolProfile::clone(&profile(reads_only))).identified();
    call.principal = caller.clone();
    let inner = Inner::new();
    let gate = GateLayer::new(KeyScope(control.clone()));
    let reply = gate.layer(inner.clone()).oneshot(call).await.unwrap();
    (reply, inner.reached())
}

#[tokio::test]
async fn the_scopes_of_a_key_narrow_calls_and_lists_alike() {
    for (scopes, reading, writing) in [
        ("s", true, true),
        ("*", true, true),
        ("s__t", true, true),
        ("write:s__*", true, true),
        ("read:s", true, false),
        ("read:*", true, false),
        ("read:x s__t*", true, true),
        ("read:s s__u", true, false),
        ("x", false, false),
        ("s__u read:x", false, false),
        ("closed", false, false),
        // A scope that cannot be read allows nothing, and neither does a list without any.
        ("temp:30min", false, false),
        ("  ", false, false),
    ] {
        for (reads_only, allowed) in [(true, reading), (false, writing)] {
            let control = control(TrustLevel::Standard, reads_only).await;
            let (caller, tool) = (caller(scopes), ToolId::new("s", "t"));
            let (reply, reached) = called(&control, &caller, reads_only).await;
            let expected = if allowed { (None, 1) } else { (Some(1001), 0) };
            assert_eq!((code(&reply), reached), expected, "{scopes:?} {reads_only}");
            let view = control.view(&caller);
            assert_eq!(view.sees(&tool), allowed, "{scopes:?} {reads_only}");
            assert!(view.sees_all_tools("s").is_none_or(|all| all == allowed), "{scopes:?} {reads_only}");
            // On behalf of another, or in a session, a scope still counts.
            let delegated = control.view(&caller.on_behalf_of(["a"]));
            assert_eq!(delegated.sees(&tool), allowed, "{scopes:?} {reads_only}");
        }
    }
}

#[tokio::test]
async fn no_scope_grants_a_right_that_the_agent_lacks() {
    let control = control(TrustLevel::Standard, true).await;
    for scopes in ["*", "closed", "closed__t", "read:closed", "write:*"] {
        let view = control.view(&caller(scopes));
        assert!(!view.sees(&ToolId::new("closed", "t")) && !view.sees_server("closed"), "{scopes}");
        assert_ne!(view.sees_all_tools("closed"), Some(true), "{scopes}");
    }
    assert!(!caller("*").with_admin().is_admin());
}

#[tokio::test]
async fn the_resources_of_a_server_need_a_scope_for_the_whole_server() {
    let store = Arc::new(SqlAccessStore::in_memory());
    let control = AccessControl::open(store).await.unwrap();
    control.set_server("s", DefaultPolicy::OptIn);
    control.put(AccessEntry::allow("a").server("s")).await.unwrap();
    for (scopes, expected) in [("s", true), ("read:s", true), ("*", true), ("s__*", false), ("x", false)] {
        assert_eq!(control.view(&caller(scopes)).sees_server("s"), expected, "{scopes}");
    }
    assert!(control.view(&Principal::agent("a")).sees_server("s"));
}

#[tokio::test]
async fn a_sandboxed_read_only_hint_opens_no_reading_scope() {
    for (trust, allowed) in
        [(TrustLevel::Trusted, true), (TrustLevel::Standard, true), (TrustLevel::Sandboxed, false)]
    {
        let (control, caller) = (control(trust, true).await, caller("read:s"));
        assert_eq!(called(&control, &caller, true).await.1 == 1, allowed, "{trust:?}");
        assert_eq!(control.view(&caller).sees(&ToolId::new("s", "t")), allowed, "{trust:?}");
    }
}

#[tokio::test]
async fn a_refused_key_learns_its_scopes() {
    let control = control(TrustLevel::Standard, false).await;
    let (reply, _) = called(&control, &caller("read:s mail__send"), false).await;
    let error = reply.as_error().unwrap();
    assert_eq!(
        error.message,
        "the API key \"ci\" does not allow tool \"t\": it can read s, use mail__send; it cannot write with s__t"
    );
    let data = error.data.as_ref().unwrap().as_str();
    assert!(data.contains(r#""scopes_held":["read:s","mail__send"]"#), "{data}");
    assert!(data.contains(r#""missing_scopes":["s__t"]"#), "{data}");
    let (reply, _) = called(&control, &caller("mail"), true).await;
    assert!(reply.as_error().unwrap().message.ends_with("it can use mail; it cannot use s__t"));
}
