//! Tests of the gate of scopes.

use super::*;
use crate::{
    identity::oauth::{Issuer, KeySet, ResourceServer},
    testing::{Inner, TestCall, code},
};
use mgp_transport::seam::{Authentication, GateLayer, RefusalKind, Reply, Scopes, TokenGrant};
use mgp_types::context::{Principal, Target, ToolId};
use std::sync::Arc;
use tower::{Layer, ServiceExt};

/// Returns the rights of a token with these scopes. The tools of these names need the scope `write`.
fn granted(scopes: &str, tools: &[&str]) -> TokenGrant {
    let mut server = ResourceServer::builder().issuer(Issuer::new("https://a").keys(KeySet::default()));
    for tool in tools {
        server = server.tool_scopes(tool, ["write"]);
    }
    let scopes = Scopes::parse(scopes);
    let who = Authentication { scopes, ..Authentication::new(Principal::agent("a")) };
    TokenGrant::new(who, Arc::new(server.build().unwrap()))
}

async fn answer(call: TestCall) -> (Reply, usize) {
    let inner = Inner::new();
    let reply = GateLayer::new(Scope).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    (reply, inner.reached())
}

#[tokio::test]
async fn a_tool_is_refused_under_each_of_its_names() {
    for named in ["t", "s__t", "shown_as"] {
        let mut call = TestCall::new("{}");
        call.call.target = Target { tool: ToolId::new("s", "t"), called_as: "shown_as".into() };
        call.call.ext.insert(granted("read", &[named]));
        let record = call.record.clone();
        let (reply, reached) = answer(call).await;
        assert_eq!((code(&reply), reached), (Some(1001), 0), "{named}");
        assert!(reply.as_error().unwrap().message.contains("expected the scopes write"));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Access);
    }
}

#[tokio::test]
async fn what_the_token_allows_passes_and_so_does_who_came_without_one() {
    let mut allowed = TestCall::new("{}");
    allowed.call.ext.insert(granted("write", &["t", "s__t"]));
    let mut of_others = TestCall::new("{}");
    of_others.call.ext.insert(granted("", &["other", "x__t"]));
    for call in [allowed, of_others, TestCall::new("{}")] {
        let (reply, reached) = answer(call).await;
        assert_eq!((code(&reply), reached), (None, 1));
    }
}

/// Returns the answer to a call of the tool `t` of the server `s` with an API key of these scopes.
async fn with_key(scopes: &str, reads_only: bool) -> (Reply, usize) {
    let mut profile = crate::testing::plain_profile();
    profile.reads_only = reads_only;
    let mut call = TestCall::new("{}").profile(profile);
    let server = ResourceServer::builder().issuer(Issuer::new("https://a").keys(KeySet::default()));
    let who = Authentication {
        scopes: Scopes::parse(scopes),
        key: Some("ci".into()),
        ..Authentication::new(Principal::agent("a"))
    };
    call.call.ext.insert(TokenGrant::new(who, Arc::new(server.build().unwrap())));
    let inner = Inner::new();
    let reply = GateLayer::new(KeyScope).layer(inner.clone()).oneshot(call.identified()).await.unwrap();
    (reply, inner.reached())
}

#[tokio::test]
async fn the_scopes_of_a_key_narrow_what_it_may_call_and_one_without_scopes_may_all() {
    for (scopes, reading, writing) in [
        ("", true, true),
        ("s", true, true),
        ("s__t", true, true),
        ("write:s__*", true, true),
        ("read:s", true, false),
        ("read:*", true, false),
        ("read:x s__t*", true, true),
        ("x", false, false),
        ("s__u read:x", false, false),
        // What cannot be read allows nothing, and does not make the key one without scopes.
        ("temp:30min", false, false),
    ] {
        for (reads_only, allowed) in [(true, reading), (false, writing)] {
            let (reply, reached) = with_key(scopes, reads_only).await;
            let expected = if allowed { (None, 1) } else { (Some(1001), 0) };
            assert_eq!((code(&reply), reached), expected, "{scopes:?} {reads_only}");
        }
    }
}

#[tokio::test]
async fn a_refused_key_is_told_what_it_can_do_what_it_cannot_and_who_makes_one_that_can() {
    let (reply, _) = with_key("read:s mail__send", false).await;
    assert_eq!(
        reply.as_error().unwrap().message,
        "the API key \"ci\" does not allow tool \"t\": it can use mail__send, read s; it cannot write with s__t; \
         the operator makes a key that can with `mgp keys add NAME --agent a --scope s__t`"
    );
    let (reply, _) = with_key("mail", true).await;
    assert!(reply.as_error().unwrap().message.contains("it can use mail; it cannot use s__t;"));
}
