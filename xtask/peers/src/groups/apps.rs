//! Servers of MCP Apps: a host with apps gets through the kernel what the server gives directly, and another host no trace of apps.

use super::{
    ask::{capabilities, connect_with, items, raw},
    request::{call, request},
};
use crate::{
    install::{NpmHome, Package},
    json::{Normal, difference},
    peers::{Instance, Kernel, Scene, Upstream},
    rows::{Context, Row, row},
    tap::Command,
};
use mgp_types::{
    json::RawObject,
    mcp::{APPS_EXTENSION, ClientCapabilities, add_extensions, apps_offer},
};
use serde_json::json;

/// A server of MCP Apps.
#[derive(Debug, Clone, Copy)]
struct AppServer {
    id: &'static str,
    package: Package,
    /// The tool with a page, and the page.
    tool: &'static str,
    page: &'static str,
    /// The tool that only the page calls.
    of_page: Option<&'static str>,
}

const SERVERS: [AppServer; 2] = [
    AppServer {
        id: "basic",
        package: Package::AppBasic,
        tool: "get-time",
        page: "ui://get-time/mcp-app.html",
        of_page: None,
    },
    AppServer {
        id: "monitor",
        package: Package::AppMonitor,
        tool: "get-system-info",
        page: "ui://system-monitor/mcp-app.html",
        of_page: Some("poll-system-stats"),
    },
];

/// Returns the rows.
pub(super) fn rows() -> Vec<Row> {
    let of_server = |server: AppServer| {
        row(format!("apps/{}", server.id), &[server.package], move |context| run(context, server))
    };
    SERVERS.map(of_server).into()
}

async fn run(context: Context, server: AppServer) -> Result<(), String> {
    // The kernel's hosts use the folder of the scene.
    Scene::prepare(&context.folder).await?;
    let program = NpmHome::Node20.file(server.package, "dist/index.js").to_string_lossy().into_owned();
    let command = Command::new("node").args([program, "--stdio".to_owned()]);
    let upstream = Upstream::new(server.id, Instance::Child(command.clone()));
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?;
    let host = Instance::Child(kernel.stdio(&context));
    let other = Instance::Child(command);
    let (through, direct) = tokio::try_join!(
        connect_with(&context, &host, None, with_apps()?),
        connect_with(&context, &other, None, with_apps()?)
    )?;

    let ours = items(&through, "tools/list", "tools").await?;
    let ours = ours.into_iter().map(|tool| tool.without("security")).collect();
    let theirs = items(&direct, "tools/list", "tools").await?;
    if let Some(difference) = difference(&Normal::List(ours), &Normal::List(theirs)) {
        return Err(format!("a host with apps is shown other tools {difference}"));
    }
    let page = json!({ "uri": server.page });
    let (ours, theirs) =
        tokio::try_join!(raw(&through, "resources/read", &page), raw(&direct, "resources/read", &page))?;
    if let Some(difference) = difference(&ours, &theirs) {
        return Err(format!("a host with apps reads another page {difference}"));
    }
    for tool in [Some(server.tool), server.of_page].into_iter().flatten() {
        let result = call(&through, tool, &json!({}), &json!({})).await?;
        if result["isError"] == true || result["content"][0]["text"].as_str().is_none_or(str::is_empty) {
            return Err(format!("{tool} gives {result}"));
        }
    }

    let plain = connect_with(&context, &host, None, capabilities()?).await?;
    let listed = request(&plain, "tools/list", &json!({})).await?;
    let text = listed.to_string();
    if !text.contains(server.tool)
        || text.contains("ui://")
        || server.of_page.is_some_and(|tool| text.contains(tool))
    {
        return Err(format!("a host without apps is shown {text}"));
    }
    if let Some(tool) = server.of_page
        && let Ok(result) = call(&plain, tool, &json!({}), &json!({})).await
    {
        return Err(format!("a host without apps calls a tool of a page: {result}"));
    }
    drop((through, direct, plain));
    kernel.stop_upstreams().await
}

/// Returns the capabilities of a host with apps.
fn with_apps() -> Result<ClientCapabilities, String> {
    let mut capabilities = capabilities()?;
    add_extensions(&mut capabilities.0, &RawObject::from_iter([(APPS_EXTENSION, apps_offer())]));
    Ok(capabilities)
}
