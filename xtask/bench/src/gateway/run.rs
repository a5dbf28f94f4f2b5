//! Runs the gateways against each other.

use super::{
    kernel, mcp_proxy,
    rows::rows,
    server::{self, Target},
    turns::{self, Ways},
};
use crate::{
    adder::NAME,
    measure::{Settings, run_within},
    report::Row,
    wire::{Era, HttpCaller},
};
use std::path::PathBuf;

/// The number of hosts in each load, each with a session on a connection of its own.
const LOADS: [(usize, &str); 2] = [(1, "1 caller"), (32, "32 callers")];

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    run_within(settings, contests)
}

/// The gateways' programs.
struct Programs {
    mgp: PathBuf,
    mcp_proxy: Option<PathBuf>,
}

async fn contests(settings: Settings) -> Result<Vec<Row>, String> {
    let programs = Programs { mgp: kernel::build().await?, mcp_proxy: mcp_proxy::program().await? };
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (_server, direct) = server::start(folder.path()).await?;
    let url = format!("http://{direct}{}", server::PATH);
    let mut all = Vec::new();
    for (what, target) in
        [("stdio server", Target::Child(server::myself()?)), ("HTTP server", Target::Url(url))]
    {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let (_mgp, ours) = kernel::start(&programs.mgp, &target, folder.path()).await?;
        let peer = match &programs.mcp_proxy {
            Some(program) => Some(mcp_proxy::start(program, &target, folder.path()).await?),
            None => None,
        };
        for (callers, load) in LOADS {
            let connect =
                |address, path, tool| HttpCaller::connect_many(callers, address, path, tool, Era::Session);
            let ways = Ways {
                direct: connect(direct, server::PATH, NAME).await?,
                ours: connect(ours, kernel::PATH, NAME).await?,
                peer: match &peer {
                    Some((_, address)) => connect(*address, mcp_proxy::PATH, mcp_proxy::TOOL).await?,
                    None => Vec::new(),
                },
            };
            let measured = turns::measure(&settings, &ways).await?;
            all.extend(rows(&format!("{what}, {load}"), &measured));
        }
    }
    Ok(all)
}
