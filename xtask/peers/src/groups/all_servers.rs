//! Our kernel in front of all real servers at once: tests that a sentence finds the right tool among the tools of all of them.

use super::ask::connect;
use crate::{
    install::Package,
    peers::{Instance, Kernel, Scene, Upstream, server},
    rows::{Context, Row, row},
};
use mgp_client_sdk::client::Client;
use mgp_types::{
    discovery::{ListServers, ListServersParams},
    lifecycle::ServerState,
    tool_index::{DiscoverTools, DiscoverToolsParams, DiscoveredTool},
};
use std::time::Duration;

/// One server of each product. Another copy of a server would only add the same tools again.
const SERVERS: [&str; 14] = [
    "everything",
    "filesystem",
    "memory",
    "sequential-thinking",
    "time",
    "git",
    "fetch",
    "fastmcp",
    "sqlite",
    "playwright",
    "notion",
    "chrome-devtools",
    "mongodb",
    "context7",
];

/// Lines of the form `sentence = server/tool, server/tool`.
const SENTENCES: &str = include_str!("../../../sentences.txt");

/// The number of first tools that must contain a right one.
const TOP: usize = 3;
/// The percentage of sentences for which that must hold.
const PERCENT: usize = 90;

/// The time limit for fourteen servers on a busy machine.
const TIMEOUT: Duration = Duration::from_secs(600);

pub(super) fn rows() -> Vec<Row> {
    let packages: Vec<Package> = SERVERS.iter().filter_map(|id| Some(server(id).ok()?.package)).collect();
    let row = row("search/all-servers", &packages, run);
    vec![Row { timeout: TIMEOUT, ..row }]
}

async fn run(context: Context) -> Result<(), String> {
    let scene = Scene::prepare(&context.folder).await?;
    let mut upstreams = Vec::new();
    for id in SERVERS {
        upstreams.push(Upstream::of(server(id)?, &context, &scene).await?);
    }
    let kernel = Kernel::configure(&context, "hybrid", &[], upstreams)?;
    let host = connect(&context, &Instance::Child(kernel.stdio(&context)), None).await?;
    let tools = all_tools(&host).await?;
    let (mut missed, mut asked) = (Vec::new(), 0);
    for (sentence, right) in sentences() {
        asked += 1;
        let found = found(&host, sentence).await?;
        if !found.iter().any(|tool| right.contains(&tool.as_str())) {
            missed.push(format!("{sentence:?} found {found:?}, expected one of {right:?}"));
        }
    }
    drop(host);
    kernel.stop_upstreams().await?;
    let right = asked - missed.len();
    let said = format!("{right} of {asked} sentences found their tool among the first {TOP} of {tools}");
    if right * 100 < asked * PERCENT {
        return Err(format!("{said}: {}", missed.join("; ")));
    }
    println!("      {said}{}", missed.iter().map(|miss| format!("\n      {miss}")).collect::<String>());
    Ok(())
}

/// Waits until every server lists its own tools, and returns the number of all tools.
async fn all_tools(host: &Client) -> Result<usize, String> {
    // A search is answered once the servers are up, but a list of `hybrid` at once.
    found(host, "add two numbers").await?;
    let listed = host.request::<ListServers>(&ListServersParams::default()).await;
    let listed = listed.map_err(|error| format!("failed to list servers: {error}"))?;
    let mut count = 0;
    for id in SERVERS {
        let entry = listed.servers.iter().find(|entry| entry.id == id);
        let entry = entry.ok_or_else(|| format!("{id} is not in the registry"))?;
        let expected = server(id)?.tools;
        if entry.status != ServerState::Connected || entry.tools.len() != expected {
            return Err(format!(
                "{id} is {} with {} tools, expected {expected}",
                entry.status,
                entry.tools.len()
            ));
        }
        for (sentence, right) in sentences() {
            let unknown = |tool: &&&str| {
                let own = tool.split_once('/').filter(|(server, _)| *server == id);
                own.is_some_and(|(_, name)| !entry.tools.iter().any(|tool| tool == name))
            };
            if let Some(tool) = right.iter().find(unknown) {
                return Err(format!("{sentence:?} wants the unknown tool {tool}"));
            }
        }
        count += expected;
    }
    Ok(count)
}

/// Returns the first tools that a sentence finds, as `server/tool`.
async fn found(host: &Client, sentence: &str) -> Result<Vec<String>, String> {
    let params = DiscoverToolsParams {
        query: sentence.to_owned(),
        max_results: Some(TOP as u32),
        ..Default::default()
    };
    let found = host.request::<DiscoverTools>(&params).await;
    let found = found.map_err(|error| format!("failed to search for {sentence:?}: {error}"))?;
    // A name that several servers have is shown under a longer one with the server's id.
    let own = |tool: &DiscoveredTool| {
        let prefix = format!("{}__", tool.server_id);
        format!("{}/{}", tool.server_id, tool.name.strip_prefix(&prefix).unwrap_or(&tool.name))
    };
    Ok(found.tools.iter().take(TOP).map(own).collect())
}

/// Returns each sentence with the tools that serve it.
fn sentences() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let lines = SENTENCES.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.split_once(" = "));
    pairs.map(|(sentence, tools)| (sentence, tools.split(", ").collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::all;
    use std::collections::HashSet;

    #[test]
    fn each_product_is_there_once() {
        let packages = SERVERS.map(|id| server(id).unwrap().package);
        assert_eq!(packages.iter().collect::<HashSet<_>>().len(), SERVERS.len());
        let ids: HashSet<_> = SERVERS.into_iter().collect();
        for other in all().filter(|server| !ids.contains(server.id)) {
            let copy = |id: &str| other.id.strip_prefix(id).is_some_and(|rest| rest.starts_with('-'));
            assert!(SERVERS.into_iter().any(copy), "{}", other.id);
        }
    }

    #[test]
    fn every_sentence_has_a_tool_of_one_of_the_servers() {
        assert_eq!(sentences().count(), 20);
        for (sentence, tools) in sentences() {
            assert!(!tools.is_empty(), "{sentence}");
            for tool in tools {
                let (server, _) = tool.split_once('/').unwrap();
                assert!(SERVERS.contains(&server), "{sentence}: {tool}");
            }
        }
    }
}
