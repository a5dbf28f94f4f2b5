//! The tools that hosts are shown, in each mode and for each agent.

use crate::{
    raw_server::long,
    support::{Setup, full, idle, json, open, rule, spec, spec_of_sessions, start, within},
};
use mgp_client_sdk::client::Client;
use mgp_kernel::Kernel;
use mgp_toolindex::{exposure::Exposure, meta_tools};
use mgp_transport::seam::{BoxError, Incoming, Reply};
use mgp_types::{
    access::{AccessDecision, DefaultPolicy},
    context::Principal,
    discovery::{ListServers, ListServersParams},
    mcp::ToolListChanged,
    permission::Permission,
    rpc::Notice,
    tool_index::{DiscoverTools, DiscoverToolsParams},
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

async fn names(host: &Client) -> Vec<String> {
    within(host.list_tools()).await.unwrap().into_iter().map(|tool| tool.name).collect()
}

fn query(text: &str) -> DiscoverToolsParams {
    DiscoverToolsParams { query: text.to_owned(), strategy: None, max_results: None, filter: None }
}

#[tokio::test]
async fn each_mode_lists_its_tools_except_those_without_permission() {
    let shown = |exposure| async move {
        let setup = start(move |kernel, signals| {
            kernel.server(spec("test", signals)).server(long("long")).config(|config| {
                config.kernel.exposure = exposure;
                config.kernel.pinned = ["add"].map(String::from).into();
            })
        })
        .await;
        names(&setup.host().await).await
    };
    assert_eq!(shown(Exposure::Full).await, ["add", "run_shell", "count", "hang", "filler"]);
    assert_eq!(shown(Exposure::Hybrid).await, [&meta_tools::NAMES[..], &["add"]].concat());
    assert_eq!(shown(Exposure::Discovery).await, meta_tools::NAMES);
}

#[tokio::test]
async fn no_list_search_or_registry_shows_a_forbidden_tool() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.default_policy = DefaultPolicy::OptIn;
        kernel.server(spec).config(full)
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

/// Starts a kernel with an exposure, and connects a host. Returns both, with the notifications that the list of tools has changed.
async fn listening(
    exposure: Exposure,
    pinned: &'static [&'static str],
) -> (Setup, Client, UnboundedReceiver<()>) {
    let setup = start(move |kernel, signals| {
        let kernel = kernel.server(spec_of_sessions("test", signals)).server(long("long"));
        kernel.config(|config| {
            config.kernel.exposure = exposure;
            config.kernel.pinned = pinned.iter().map(ToString::to_string).collect();
        })
    })
    .await;
    let (told, mut heard) = unbounded_channel();
    let service = tower::service_fn(move |message: Incoming| {
        if message.method == ToolListChanged::METHOD {
            told.send(()).unwrap();
        }
        std::future::ready(Ok::<_, BoxError>(Reply::none()))
    });
    let host = setup.host_with(Client::builder("test host", "1.0.0").service(service)).await;
    // Skips the notifications of the start.
    while !is_quiet(&mut heard).await {}
    (setup, host, heard)
}

async fn is_quiet(heard: &mut UnboundedReceiver<()>) -> bool {
    idle().await;
    heard.try_recv().is_err()
}

#[tokio::test]
async fn hosts_are_notified_when_their_list_may_have_changed() {
    for (exposure, pinned) in [(Exposure::Full, &[][..]), (Exposure::Hybrid, &["add"])] {
        let (setup, _host, mut heard) = listening(exposure, pinned).await;
        setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
        within(heard.recv()).await.unwrap();
        let camera: Permission = "camera".parse().unwrap();
        setup.kernel.permissions().grant("test", &camera, &Principal::operator("ann"), None).await.unwrap();
        within(heard.recv()).await.unwrap();
    }
}

#[tokio::test]
async fn hosts_are_not_notified_of_irrelevant_changes() {
    let (setup, _host, mut heard) = listening(Exposure::Full, &[]).await;
    // The same rule again, and a question that nobody has answered.
    let same = || rule("test", Some("add"), AccessDecision::Allow);
    setup.kernel.access().put(same()).await.unwrap();
    within(heard.recv()).await.unwrap();
    setup.kernel.access().put(same()).await.unwrap();
    let read: Permission = "filesystem.read".parse().unwrap();
    setup.kernel.permissions().open_question("test", &read).await.unwrap();
    assert!(is_quiet(&mut heard).await);

    for (exposure, pinned) in [(Exposure::Hybrid, &[][..]), (Exposure::Discovery, &["add"])] {
        let (setup, _host, mut heard) = listening(exposure, pinned).await;
        setup.kernel.access().put(same()).await.unwrap();
        assert!(is_quiet(&mut heard).await, "{exposure:?}");
    }
}

#[tokio::test]
async fn a_tool_is_found_by_its_purpose_through_the_meta_tool() {
    let setup = open().await;
    let host = setup.plain_host().await;
    let found = within(host.call_tool("mgp_tools_discover", json(r#"{"query":"sum of two numbers"}"#)))
        .await
        .unwrap();
    let text = found.content[0].as_text().unwrap();
    assert!(text.starts_with(r#"{"tools":[{"name":"add","server_id":"test""#), "{text}");
}

#[tokio::test]
async fn a_plain_host_sees_no_mgp_in_the_handshake_and_the_list() {
    let setup = start(|kernel, signals| kernel.server(spec("test", signals)).config(full)).await;
    let host = setup.plain_host().await;
    assert!(host.negotiated().is_none());
    let tools = within(host.peer().request_raw("tools/list", json("{}"))).await.unwrap();
    assert!(!tools.as_str().contains("mgp") && !tools.as_str().contains("security"), "{tools}");
    let mgp = within(setup.host().await.peer().request_raw("tools/list", json("{}"))).await.unwrap();
    assert!(mgp.as_str().contains("effective_risk_level"), "{mgp}");
}

#[tokio::test]
async fn a_kernel_without_servers_answers() {
    let kernel = Kernel::builder().start().await.unwrap();
    let (here, there) = mgp_transport::memory::pair();
    let principal = Principal::agent("a");
    let host = kernel.face().serve(principal, mgp_transport::connection::Config::default(), there.0, there.1);
    let client = Client::builder("x", "1").connect(here.0, here.1).await.unwrap();
    assert_eq!(names(&client).await, meta_tools::NAMES);
    drop(host);
}
