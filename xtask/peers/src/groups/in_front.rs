//! Our kernel in front of other people's servers: connect, index, find by a sentence, call, and the same answer as directly.

use crate::{
    json::{Normal, difference},
    peers::{Instance, Kernel, Probe, SERVERS, Scene, ServerPeer, Steady, Upstream},
    rows::{Context, Row, row},
};
use mgp_client_sdk::client::Client;
use mgp_transport::http::client::HttpClientConfig;
use mgp_types::{
    discovery::{ListServers, ListServersParams},
    json::RawJson,
    lifecycle::ServerState,
    mcp::{CallTool, CallToolParams, ListTools},
    rpc::{Call, RawParams},
    tool_index::{DiscoverTools, DiscoverToolsParams},
};

/// Among how many tools the right one must be.
const TOP: usize = 3;

pub(super) fn rows() -> Vec<Row> {
    let of = |server: &'static ServerPeer| {
        row(format!("kernel/{}", server.id), &[server.package], move |context| run(context, server))
    };
    SERVERS.iter().map(of).collect()
}

async fn run(context: Context, server: &'static ServerPeer) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let upstream = Upstream::of(server, &context, &scene).await?;
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?;
    let through = connect(&context, &Instance::Child(kernel.stdio(&context))).await?;
    let other = server.instance(&context, &scene, "direct").await?;
    let direct = connect(&context, &other).await?;

    is_connected(&through, server).await?;
    same_tools(&through, &direct, server).await?;
    for probe in server.probes {
        finds(&through, probe).await?;
        answers_alike(&through, &direct, probe, &scene).await?;
    }

    drop((through, direct));
    if let Instance::Running(service) = other {
        service.stop().await?;
    }
    kernel.stop_upstreams().await
}

async fn connect(context: &Context, instance: &Instance) -> Result<Client, String> {
    let builder = Client::builder("peers", env!("CARGO_PKG_VERSION"));
    let connected = match instance {
        Instance::Child(command) => {
            builder.connect_child(&command.child("peer", context.folder.path())).await
        }
        Instance::Running(service) => builder.connect_http(&service.url(), HttpClientConfig::default()).await,
    };
    connected.map_err(|error| format!("failed to connect: {error}"))
}

async fn is_connected(through: &Client, server: &ServerPeer) -> Result<(), String> {
    // A list is answered once the servers are up.
    through.list_tools().await.map_err(|error| format!("failed to list: {error}"))?;
    let listed = through.request::<ListServers>(&ListServersParams::default()).await;
    let listed = listed.map_err(|error| format!("failed to list servers: {error}"))?;
    let entry = listed.servers.iter().find(|entry| entry.id == server.id);
    let entry = entry.ok_or_else(|| format!("{} is not in the registry", server.id))?;
    if entry.status != ServerState::Connected {
        return Err(format!("{} is {} in the registry", server.id, entry.status));
    }
    if entry.tools.len() != server.tools {
        return Err(format!("{} has {} tools, expected {}", server.id, entry.tools.len(), server.tools));
    }
    Ok(())
}

/// Every tool is listed as the server lists it, but for what the kernel says of its security.
async fn same_tools(through: &Client, direct: &Client, server: &ServerPeer) -> Result<(), String> {
    let ours = listed(through).await?;
    let theirs = listed(direct).await?;
    if theirs.len() != server.tools {
        return Err(format!("{} lists {} tools itself, expected {}", server.id, theirs.len(), server.tools));
    }
    let ours = Normal::List(ours.into_iter().map(|tool| tool.without("security")).collect());
    match difference(&ours, &Normal::List(theirs)) {
        Some(difference) => Err(format!("the tools are listed differently {difference}")),
        None => Ok(()),
    }
}

async fn listed(client: &Client) -> Result<Vec<Normal>, String> {
    match Normal::of(&raw(client, ListTools::METHOD, RawParams::none()).await?)? {
        Normal::Object(mut members) => match members.remove("tools") {
            Some(Normal::List(tools)) => Ok(tools),
            other => Err(format!("this is no list of tools: {other:?}")),
        },
        other => Err(format!("this is no list of tools: {other:?}")),
    }
}

async fn finds(through: &Client, probe: &Probe) -> Result<(), String> {
    let params = DiscoverToolsParams { query: probe.sentence.to_owned(), ..Default::default() };
    let found = through.request::<DiscoverTools>(&params).await;
    let found = found.map_err(|error| format!("failed to search: {error}"))?;
    let names: Vec<_> = found.tools.iter().map(|tool| tool.name.as_str()).collect();
    if names.iter().take(TOP).any(|name| *name == probe.tool) {
        return Ok(());
    }
    Err(format!("{:?} finds {names:?}, expected {} among the first {TOP}", probe.sentence, probe.tool))
}

async fn answers_alike(
    through: &Client,
    direct: &Client,
    probe: &Probe,
    scene: &Scene,
) -> Result<(), String> {
    let before = call(direct, probe, scene, "direct").await?;
    let ours = call(through, probe, scene, "kernel").await?;
    let Some(difference) = difference(&ours, &before) else { return Ok(()) };
    if probe.steady == Steady::WithinADay && ours == call(direct, probe, scene, "direct").await? {
        return Ok(());
    }
    Err(format!("{} answers otherwise through the kernel {difference}", probe.tool))
}

async fn call(client: &Client, probe: &Probe, scene: &Scene, instance: &str) -> Result<Normal, String> {
    let arguments =
        RawJson::parse(scene.text(probe.arguments, instance)).map_err(|error| error.to_string())?;
    let params = RawJson::from_value(&CallToolParams::new(probe.tool, arguments));
    let params = params.map_err(|error| error.to_string())?;
    Normal::of(&raw(client, CallTool::METHOD, RawParams::from(params)).await?)
}

/// A result as it came, so that nothing is lost in a type.
async fn raw(client: &Client, method: &'static str, params: RawParams) -> Result<RawJson, String> {
    let failed = |error| format!("{method} failed: {error}");
    let call = client.peer().start(method, params).await.map_err(failed)?;
    call.reply().await.map_err(failed)
}
