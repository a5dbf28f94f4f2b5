//! What hosts are shown, in each mode and to each agent.

use crate::support::{json, open, rule, spec, start, within};
use mgp_client_sdk::{client::Client, kernel::Kernel};
use mgp_toolindex::exposure::Exposure;
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    discovery::{ListServers, ListServersParams},
    tool_index::{DiscoverTools, DiscoverToolsParams},
};

async fn names(host: &Client) -> Vec<String> {
    within(host.list_tools()).await.unwrap().into_iter().map(|tool| tool.name).collect()
}

fn query(text: &str) -> DiscoverToolsParams {
    DiscoverToolsParams { query: text.to_owned(), strategy: None, max_results: None, filter: None }
}

#[tokio::test]
async fn each_mode_shows_what_it_says_and_what_waits_for_a_permission_is_not_offered() {
    let shown = |exposure| async move {
        let setup = start(move |kernel, signals| {
            kernel.server(spec("test", signals)).exposure(exposure).pinned(["add"])
        })
        .await;
        names(&setup.host().await).await
    };
    assert_eq!(shown(Exposure::Full).await, ["add", "run_shell", "count", "hang"]);
    assert_eq!(shown(Exposure::Hybrid).await, ["mgp_tools_discover", "mgp_tools_call", "add"]);
    assert_eq!(shown(Exposure::Discovery).await, ["mgp_tools_discover", "mgp_tools_call"]);
}

#[tokio::test]
async fn neither_list_nor_search_nor_registry_shows_what_an_agent_may_not_use() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec).exposure(Exposure::Full)
    })
    .await;
    let host = setup.host().await;
    assert!(names(&host).await.is_empty());
    let found = within(host.request::<DiscoverTools>(&query("add two numbers"))).await.unwrap();
    assert_eq!((found.tools.len(), found.total_available), (0, 0));
    let servers = within(host.request::<ListServers>(&ListServersParams { filter: None })).await.unwrap();
    assert!(servers.servers.is_empty());
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Allow)).await.unwrap();
    assert_eq!(names(&host).await, ["add"]);
    let found = within(host.request::<DiscoverTools>(&query("add two numbers"))).await.unwrap();
    assert_eq!((found.tools[0].name.as_str(), found.total_available), ("add", 1));
    let servers = within(host.request::<ListServers>(&ListServersParams { filter: None })).await.unwrap();
    assert_eq!(servers.servers[0].tools, ["add"]);
}

#[tokio::test]
async fn a_tool_is_found_by_what_it_is_for_through_the_meta_tool() {
    let setup = open().await;
    let host = setup.plain_host().await;
    let found = within(host.call_tool("mgp_tools_discover", json(r#"{"query":"sum of two numbers"}"#)))
        .await
        .unwrap();
    let text = found.content[0].as_text().unwrap();
    assert!(text.starts_with(r#"{"tools":[{"name":"add","server_id":"test""#), "{text}");
}

#[tokio::test]
async fn a_plain_host_sees_no_trace_of_mgp_in_the_handshake_and_the_list() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).exposure(Exposure::Full)).await;
    let host = setup.plain_host().await;
    assert!(host.negotiated().is_none());
    let tools = within(host.peer().request_raw("tools/list", json("{}"))).await.unwrap();
    assert!(!tools.as_str().contains("mgp") && !tools.as_str().contains("security"), "{tools}");
    let mgp = within(setup.host().await.peer().request_raw("tools/list", json("{}"))).await.unwrap();
    assert!(mgp.as_str().contains("effective_risk_level"), "{mgp}");
}

#[tokio::test]
async fn a_kernel_without_servers_answers_all_the_same() {
    let kernel = Kernel::builder().start().await.unwrap();
    let (here, there) = mgp_transport::memory::pair();
    let principal = mgp_types::context::Principal::agent("a");
    let host = kernel.face().serve(principal, mgp_transport::connection::Config::default(), there.0, there.1);
    let client = Client::builder("x", "1").connect(here.0, here.1).await.unwrap();
    assert_eq!(names(&client).await, ["mgp_tools_discover", "mgp_tools_call"]);
    drop(host);
}
