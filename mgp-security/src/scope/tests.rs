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

/// Returns the rights of a token with these scopes. The tools of these names require the scope `write`.
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
        call.call.target = Target { tool: ToolId::new("s", "t"), called_as: "shown_as".into() }.into();
        call.call.ext.insert(granted("read", &[named]));
        let record = call.record.clone();
        let (reply, reached) = answer(call).await;
        assert_eq!((code(&reply), reached), (Some(1001), 0), "{named}");
        assert!(reply.as_error().unwrap().message.contains("expected the scopes write"));
        assert_eq!(record.read().refusal.unwrap().kind, RefusalKind::Access);
    }
}

#[tokio::test]
async fn a_call_within_the_token_s_scope_or_without_token_passes() {
    let mut allowed = TestCall::new("{}");
    allowed.call.ext.insert(granted("write", &["t", "s__t"]));
    let mut of_others = TestCall::new("{}");
    of_others.call.ext.insert(granted("", &["other", "x__t"]));
    for call in [allowed, of_others, TestCall::new("{}")] {
        let (reply, reached) = answer(call).await;
        assert_eq!((code(&reply), reached), (None, 1));
    }
}
