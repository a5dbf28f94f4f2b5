//! Our client with other people's servers, and our kernel in front of them: the detected era, lists, a search by a sentence, calls,
//! and the same answers in both cases. Servers that the kernel starts have a second row, in which they are confined.

use super::{
    ask::{connect, items, raw},
    offers,
};
use crate::{
    json::{Normal, difference},
    peers::{Instance, Kernel, Probe, Scene, ServerPeer, Stability, Upstream, all},
    rows::{Context, Row, row},
    tap::Record,
};
use mgp_client_sdk::{Era, client::Client};
use mgp_types::{
    discovery::{ListServers, ListServersParams},
    lifecycle::ServerState,
    mcp::{CallTool, ListTools},
    rpc::Call,
    tool_index::{DiscoverTools, DiscoverToolsParams},
};
use serde_json::{Value, json};
use std::fs;

/// The number of first tools that must contain the right one.
const TOP: usize = 3;

/// The way in which the kernel starts a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    /// Through a tap, which records its messages.
    Tapped,
    /// Confined, so that no tap can write.
    Confined,
}

/// Returns the rows. The client detects the first era by itself; in the others it connects to the server without a probe.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for server in all() {
        for (at, era) in server.eras.found_first().iter().enumerate() {
            let unasked = (at > 0).then_some(*era);
            let suffix = if unasked.is_some() { "-initialize" } else { "" };
            rows.push(row(format!("kernel/{}{suffix}", server.id), &[server.package], move |context| {
                run(context, server, *era, unasked, Start::Tapped)
            }));
        }
        if let (true, [era, ..]) = (cfg!(target_os = "linux") && server.is_child(), server.eras.found_first())
        {
            rows.push(row(format!("confined/{}", server.id), &[server.package], move |context| {
                run(context, server, *era, None, Start::Confined)
            }));
        }
    }
    rows
}

async fn run(
    context: Context,
    server: &'static ServerPeer,
    era: Era,
    unasked: Option<Era>,
    start: Start,
) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let upstream = match start {
        Start::Tapped => Upstream::of(server, &context, &scene).await?.in_era(unasked),
        Start::Confined => Upstream::confined(server, &scene)?,
    };
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?;
    let other = server.instance(&context, &scene, "direct").await?;
    let host = Instance::Child(kernel.stdio(&context));
    let (through, direct) =
        tokio::try_join!(connect(&context, &host, unasked), connect(&context, &other, unasked))?;
    if direct.greeting().era() != era {
        return Err(format!("the client finds {:?}, expected {era:?}", direct.greeting().version));
    }

    is_connected(&through, server).await?;
    same_tools(&through, &direct, server).await?;
    for probe in server.probes {
        finds(&through, probe).await?;
        answers_alike(&through, &direct, probe, &scene).await?;
    }
    offers::alike(&through, &direct, server).await?;

    drop((through, direct));
    if matches!(other, Instance::Child(_)) && start == Start::Tapped {
        let record = Record::read(&context.folder.record(&format!("kernel-{}", server.id)))?;
        let is_right = record.is_initialized() == (era == Era::Initialize);
        if !(is_right || record.is_initialized() && probe_timed_out(&context)?) {
            return Err(format!("the kernel connects to it in another era than {era:?}"));
        }
    }
    other.stop().await?;
    kernel.stop_upstreams().await
}

/// Returns whether the kernel logged that the server did not report its revisions in time, as happens on a busy machine.
fn probe_timed_out(context: &Context) -> Result<bool, String> {
    let log = Kernel::log(context);
    let text = fs::read_to_string(&log).map_err(|error| format!("{}: {error}", log.display()))?;
    Ok(text.contains("did not answer `server/discover` in time"))
}

async fn is_connected(through: &Client, server: &ServerPeer) -> Result<(), String> {
    // The list is answered once the servers are up.
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

/// Checks that every tool is listed as the server lists it, except for the security metadata that the kernel adds.
async fn same_tools(through: &Client, direct: &Client, server: &ServerPeer) -> Result<(), String> {
    let ours = items(through, ListTools::METHOD, "tools").await?;
    let theirs = items(direct, ListTools::METHOD, "tools").await?;
    if theirs.len() != server.tools {
        return Err(format!("{} lists {} tools itself, expected {}", server.id, theirs.len(), server.tools));
    }
    let ours = Normal::List(ours.into_iter().map(|tool| tool.without("security")).collect());
    match difference(&ours, &Normal::List(theirs)) {
        Some(difference) => Err(format!("the tools are listed differently {difference}")),
        None => Ok(()),
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
    let ours = call(through, probe, scene, "kernel").await?.without_trace();
    let Some(difference) = difference(&ours, &before) else { return Ok(()) };
    if probe.steady == Stability::WithinADay && ours == call(direct, probe, scene, "direct").await? {
        return Ok(());
    }
    Err(format!("{} answers differently through the kernel {difference}", probe.tool))
}

async fn call(client: &Client, probe: &Probe, scene: &Scene, instance: &str) -> Result<Normal, String> {
    let arguments: Value = serde_json::from_str(&scene.text(probe.arguments, instance))
        .map_err(|error| format!("invalid arguments of {}: {error}", probe.tool))?;
    raw(client, CallTool::METHOD, &json!({ "name": probe.tool, "arguments": arguments })).await
}
