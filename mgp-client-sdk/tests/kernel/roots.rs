//! Folders of a host that changed, and which servers hear of it.

use crate::{
    raw_host::As,
    raw_server::RawServer,
    support::{server_rule, start},
};
use mgp_client_sdk::Era;
use mgp_discovery::config::HostFeature;
use serde_json::json;

const CHANGED: &str = "notifications/roots/list_changed";

#[tokio::test]
async fn of_changed_roots_those_servers_are_told_that_the_agent_may_use_and_that_may_ask_for_them() {
    let server = || RawServer::new(Era::Initialize, json!({"tools": {}}), |_| None);
    let (told, closed, mute) = (server(), server(), server());
    let stateless = RawServer::new(Era::Stateless, json!({"tools": {}}), |_| None);
    let mut may_not_ask = mute.spec("mute");
    may_not_ask.host_features = vec![HostFeature::Elicitation];
    let setup = start(|kernel, _| {
        kernel
            .server(closed.spec("closed"))
            .server(may_not_ask)
            .server(stateless.spec("stateless"))
            .server(told.spec("told"))
    })
    .await;
    for server in ["mute", "stateless", "told"] {
        setup.kernel.access().put(server_rule("agent.test", server)).await.unwrap();
    }
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.say(json!({"jsonrpc": "2.0", "method": CHANGED})).await;
    told.has_read(CHANGED, 1).await;
    // What was said to a server before this call, it has read by then.
    for (id, server) in [("mute", &mute), ("stateless", &stateless), ("closed", &closed)] {
        host.ask("tools/call", json!({"name": format!("{id}__work"), "arguments": {}})).await;
        assert_eq!((server.read_of("tools/call").len(), server.read_of(CHANGED).len()), (1, 0), "{id}");
    }
    host.say(json!({"jsonrpc": "2.0", "method": CHANGED})).await;
    told.has_read(CHANGED, 2).await;
}
