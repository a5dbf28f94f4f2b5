//! Extensions of MCP pass between hosts and servers, and MCP Apps among them.

use crate::{
    raw_host::{As, ERAS, RawHost, all},
    raw_server::{RawServer, result, text},
    support::{agent_test, full, ready, rule},
};
use mgp_discovery::config::PassedExtensions;
use mgp_kernel::{Configuration, Era, Kernel};
use mgp_types::access::{AccessDecision, DefaultPolicy};
use serde_json::{Value, json};

const APPS: &str = "io.modelcontextprotocol/ui";
const PAGE: &str = "ui://charts/page";

async fn start(server: &RawServer, configure: impl FnOnce(&mut Configuration)) -> Kernel {
    start_with(server, DefaultPolicy::OptOut, configure).await
}

async fn start_with(
    server: &RawServer,
    policy: DefaultPolicy,
    configure: impl FnOnce(&mut Configuration),
) -> Kernel {
    let mut spec = server.spec("charts");
    spec.default_policy = policy;
    let builder = Kernel::builder().config(|config| {
        config.kernel.agent = "agent.test".into();
        configure(config);
    });
    let kernel = builder.server(spec).start().await.unwrap();
    ready(&kernel).await;
    kernel
}

/// Returns a server that declares an extension.
fn extended(era: Era) -> RawServer {
    let extensions = json!({"com.example/x": {"level": 2}, "com.example/odd": true});
    RawServer::new(era, json!({"tools": {}, "extensions": extensions}), |message| {
        (message["method"] == "tools/call").then(|| vec![text(message, "done")])
    })
}

/// Describes a host that offers an extension.
fn offering(era: Era, name: &str, settings: Value) -> As {
    let mut capabilities = all();
    capabilities["extensions"][name] = settings;
    As::plain(era).can(capabilities)
}

/// Returns the capabilities that a host was shown.
async fn shown_to(host: &mut RawHost, era: Era) -> Value {
    match era {
        Era::Initialize => host.greeting["result"]["capabilities"].clone(),
        Era::Stateless => host.get("server/discover", json!({})).await["capabilities"].clone(),
    }
}

#[tokio::test]
async fn the_settings_of_an_unknown_extension_pass_both_ways() {
    for of_server in ERAS {
        for of_host in ERAS {
            let server = extended(of_server);
            let kernel = start(&server, |_| {}).await;
            let this = offering(of_host, "com.example/y", json!({"n": 1}));
            let mut host = RawHost::connect(&kernel, this).await;
            let shown = shown_to(&mut host, of_host).await;
            assert_eq!(shown["extensions"]["com.example/x"], json!({"level": 2}), "{shown}");
            assert_eq!(shown["extensions"].get("com.example/odd"), None, "{shown}");
            host.call("work", json!({})).await;
            let offered = match of_server {
                // A server of this era is greeted before any host is known.
                Era::Initialize => {
                    let hello = &server.read_of("initialize")[0]["params"];
                    let offered = &hello["capabilities"]["extensions"];
                    assert_eq!(offered[APPS], json!({"mimeTypes": ["text/html;profile=mcp-app"]}), "{hello}");
                    continue;
                }
                Era::Stateless => &server.read_of("tools/call")[0]["params"]["_meta"],
            };
            let offered = &offered["io.modelcontextprotocol/clientCapabilities"]["extensions"];
            assert_eq!(offered["com.example/y"], json!({"n": 1}), "{offered}");
        }
    }
}

#[tokio::test]
async fn extensions_that_the_operator_does_not_name_pass_nowhere() {
    let named =
        |names: &[&str]| PassedExtensions::Named(names.iter().map(|name| (*name).to_owned()).collect());
    for passing in [PassedExtensions::Known, named(&[]), named(&["com.example/z"])] {
        let server = extended(Era::Stateless);
        let mut spec = server.spec("charts");
        spec.passed_extensions = passing;
        let kernel = Kernel::builder().config(agent_test).server(spec).start().await.unwrap();
        ready(&kernel).await;
        let this = offering(Era::Stateless, "com.example/y", json!({}));
        let mut host = RawHost::connect(&kernel, this).await;
        let shown = shown_to(&mut host, Era::Stateless).await;
        assert_eq!(shown["extensions"].get("com.example/x"), None, "{shown}");
        host.call("work", json!({})).await;
        let call = &server.read_of("tools/call")[0]["params"]["_meta"];
        let offered = &call["io.modelcontextprotocol/clientCapabilities"]["extensions"];
        assert_eq!(offered.get("com.example/y"), None, "{call}");
    }
}

#[tokio::test]
async fn an_extension_of_a_server_without_access_is_not_shown() {
    for era in ERAS {
        let server = extended(Era::Initialize);
        let kernel = start_with(&server, DefaultPolicy::OptIn, |_| {}).await;
        let mut host = RawHost::connect(&kernel, As::plain(era)).await;
        let shown = shown_to(&mut host, era).await;
        assert_eq!(shown["extensions"].get("com.example/x"), None, "{shown}");
    }
}

/// Returns a server with a tool that has a page, one that only pages call, and one for models.
fn charts() -> RawServer {
    let tool = |name: &str, meta: Value| {
        let description = format!("Use it to {name} the chart of sales.");
        json!({"name": name, "description": description, "inputSchema": {"type": "object"}, "_meta": meta})
    };
    let tools = json!([
        tool("draw", json!({"ui": {"resourceUri": PAGE}, "ui/resourceUri": PAGE, "com.example/n": 1})),
        tool("refresh", json!({"ui": {"visibility": ["app"], "resourceUri": PAGE}})),
        tool("list", json!({"com.example/n": 2})),
    ]);
    RawServer::new(Era::Initialize, json!({"tools": {}, "resources": {}}), move |message| {
        Some(vec![match message["method"].as_str()? {
            "tools/list" => result(message, json!({"tools": tools})),
            "tools/call" => text(message, message["params"]["name"].as_str()?),
            "resources/list" => result(message, json!({"resources": []})),
            "resources/templates/list" => result(message, json!({"resourceTemplates": []})),
            "resources/read" => {
                let content = json!({"uri": message["params"]["uri"], "mimeType": "text/html;profile=mcp-app", "text": "<p>"});
                result(message, json!({"contents": [content]}))
            }
            _ => return None,
        }])
    })
}

fn with_apps(era: Era) -> As {
    offering(era, APPS, json!({"mimeTypes": ["text/html;profile=mcp-app"]}))
}

/// Returns the listed tools with their `_meta`, in alphabetical order.
async fn listed(host: &mut RawHost) -> Vec<(String, Value)> {
    let list = host.get("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap().iter();
    let mut tools: Vec<_> =
        tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["_meta"].clone())).collect();
    tools.sort_by(|a, b| a.0.cmp(&b.0));
    tools
}

#[tokio::test]
async fn a_host_with_apps_gets_pages_and_the_tools_that_pages_call() {
    for era in ERAS {
        let kernel = start(&charts(), full).await;
        let mut host = RawHost::connect(&kernel, with_apps(era)).await;
        let tools = listed(&mut host).await;
        let names: Vec<_> = tools.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["draw", "list", "refresh"]);
        let expected = json!({"ui": {"resourceUri": PAGE}, "ui/resourceUri": PAGE, "com.example/n": 1});
        assert_eq!(tools[0].1, expected);
        assert_eq!(host.text("refresh", json!({})).await, "refresh");
        // The server does not list the page.
        let page = host.get("resources/read", json!({"uri": PAGE})).await;
        assert_eq!(page["contents"][0]["uri"], PAGE, "{page}");
        assert_eq!(page["contents"][0]["mimeType"], "text/html;profile=mcp-app");
    }
}

#[tokio::test]
async fn a_host_without_apps_gets_neither_settings_nor_tools_of_pages() {
    for era in ERAS {
        let kernel = start(&charts(), full).await;
        for this in [As::plain(era), offering(era, APPS, json!({"mimeTypes": ["text/html"]}))] {
            let mut host = RawHost::connect(&kernel, this).await;
            let expected = [("draw", json!({"com.example/n": 1})), ("list", json!({"com.example/n": 2}))];
            assert_eq!(listed(&mut host).await, expected.map(|(name, meta)| (name.to_owned(), meta)));
            let error = host.refused("tools/call", json!({"name": "refresh", "arguments": {}})).await;
            let unknown = host.refused("tools/call", json!({"name": "refrsh", "arguments": {}})).await;
            assert_eq!(error["code"], unknown["code"]);
            assert_eq!(host.text("draw", json!({})).await, "draw");
        }
    }
}

#[tokio::test]
async fn apps_that_the_operator_does_not_pass_are_shown_to_no_host() {
    for era in ERAS {
        let mut spec = charts().spec("charts");
        spec.passed_extensions = PassedExtensions::Named(["com.example/x".to_owned()].into());
        let builder = Kernel::builder().config(agent_test).config(full).server(spec);
        let kernel = builder.start().await.unwrap();
        ready(&kernel).await;
        let mut host = RawHost::connect(&kernel, with_apps(era)).await;
        let expected = [("draw", json!({"com.example/n": 1})), ("list", json!({"com.example/n": 2}))];
        assert_eq!(listed(&mut host).await, expected.map(|(name, meta)| (name.to_owned(), meta)));
        host.refused("tools/call", json!({"name": "refresh", "arguments": {}})).await;
    }
}

#[tokio::test]
async fn a_page_of_two_servers_is_that_of_the_first() {
    let servers = [charts(), charts()];
    let builder = Kernel::builder().config(agent_test).config(full);
    let builder = builder.server(servers[0].spec("one")).server(servers[1].spec("two"));
    let kernel = builder.start().await.unwrap();
    ready(&kernel).await;
    let mut host = RawHost::connect(&kernel, with_apps(Era::Initialize)).await;
    for _ in 0..5 {
        host.get("resources/read", json!({"uri": PAGE})).await;
    }
    assert_eq!(servers.each_ref().map(|server| server.read_of("resources/read").len()), [5, 0]);
}

#[tokio::test]
async fn no_search_finds_a_tool_that_is_only_for_pages() {
    let kernel = start(&charts(), |_| {}).await;
    let mut host = RawHost::connect(&kernel, with_apps(Era::Stateless)).await;
    for query in ["draw the chart of sales", "refresh the chart of sales"] {
        let found = host.get("mgp/tools/discover", json!({"query": query, "max_results": 10})).await;
        let names: Vec<_> =
            found["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
        assert!(names.contains(&json!("draw")) && !names.contains(&json!("refresh")), "{query}: {found}");
    }
}

#[tokio::test]
async fn a_page_is_readable_by_agents_that_may_use_its_tool() {
    let kernel = start_with(&charts(), DefaultPolicy::OptIn, full).await;
    let mut host = RawHost::connect(&kernel, with_apps(Era::Initialize)).await;
    host.refused("resources/read", json!({"uri": PAGE})).await;
    kernel.access().put(rule("charts", Some("list"), AccessDecision::Allow)).await.unwrap();
    host.refused("resources/read", json!({"uri": PAGE})).await;
    kernel.access().put(rule("charts", Some("draw"), AccessDecision::Allow)).await.unwrap();
    host.get("resources/read", json!({"uri": PAGE})).await;
    // Other resources still need a rule for the whole server.
    host.refused("resources/read", json!({"uri": "ui://charts/other"})).await;
}
