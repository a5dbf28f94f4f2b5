//! Tests of routes: the handler that a method reaches, its callers, and its lane.

use super::*;
use crate::seam::{Incoming, Reply};
use mgp_types::{
    access::{AccessQueryResult, QueryAccess},
    context::Principal,
    json::RawJson,
    lifecycle::HealthPing,
    mcp::{Initialized, Ping},
    rpc::{ErrorObject, Lane},
};
use tower::ServiceExt;

fn routes() -> Routes<&'static str> {
    let refuse = async |_, _, _| -> Result<AccessQueryResult, ErrorObject> {
        Err(ErrorObject::invalid_params("reached"))
    };
    Routes::new()
        .route(Ping, Role::Anyone, async |state: &'static str, _| Ok(Reply::ok(RawJson::string(state))))
        .typed(QueryAccess, Role::Admin, refuse)
        .notice(Initialized, async |_, _| {})
}

async fn ask(method: &'static str, caller: Option<Principal>) -> Reply {
    let params = RawJson::parse(r#"{"agent_id":"a","server_id":"s","tool_name":"t"}"#).unwrap();
    let mut message = Incoming::request(1, method, params);
    if let Some(caller) = caller {
        message.ext.insert(caller);
    }
    routes().with_state("pong").oneshot(message).await.unwrap()
}

fn code(reply: &Reply) -> Option<i64> {
    reply.as_error().map(|error| error.code)
}

#[tokio::test]
async fn a_method_has_one_handler_and_every_other_is_not_found() {
    assert_eq!(ask("ping", None).await.result().unwrap().as_str(), "\"pong\"");
    assert_eq!(code(&ask("tools/list", None).await), Some(-32601));
    // A notification has no answer, and a request cannot reach its handler.
    assert_eq!(code(&ask("notifications/initialized", None).await), Some(-32601));
    for method in ["notifications/initialized", "ping", "other"] {
        let service = routes().with_state("pong");
        let reply = service.oneshot(Incoming::notification(method, RawJson::empty_object())).await;
        assert_eq!(reply.unwrap(), Reply::none(), "{method}");
    }
}

#[tokio::test]
async fn only_the_admin_role_reaches_admin_methods() {
    for (caller, expected) in
        [(None, 1002), (Some(Principal::agent("ann")), 1000), (Some(Principal::operator("root")), -32602)]
    {
        assert_eq!(code(&ask("mgp/access/query", caller.clone()).await), Some(expected), "{caller:?}");
    }
}

#[tokio::test]
async fn a_lane_has_only_its_own_methods() {
    let routes = routes().route(HealthPing, Role::Anyone, async |_, _| Ok(Reply::none()));
    let priority = routes.of_lane(Lane::Priority);
    assert!(priority.answers("ping") && priority.answers("mgp/health/ping"));
    assert!(!priority.answers("mgp/access/query"));
}
