//! Runs the gateways against each other.

use super::{
    kernel,
    peers::{PEERS, Peer},
    process::Process,
    rows::rows,
    server::{self, Target},
    turns::{self, Ways},
};
use crate::{
    adder::NAME,
    measure::{Settings, run_prepared},
    report::Row,
    wire::{Era, HttpCaller},
};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};
use xtask_install::is_strict;

/// The number of hosts in each load, each with a session on a separate connection.
const LOADS: [(usize, &str); 2] = [(1, "1 caller"), (32, "32 callers")];

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    let prepare = async { Ok((kernel::program(settings).await?, installed().await?)) };
    run_prepared(settings, prepare, |settings, (mgp, peers)| contests(settings, mgp, peers))
}

async fn contests(settings: Settings, mgp: PathBuf, peers: Vec<&'static Peer>) -> Result<Vec<Row>, String> {
    let folder = temporary()?;
    let (_server, direct) = server::start(folder.path()).await?;
    let url = format!("http://{direct}{}", server::PATH);
    let mut all = Vec::new();
    for (what, target) in
        [("stdio server", Target::Child(server::myself()?)), ("HTTP server", Target::Url(url))]
    {
        let folder = temporary()?;
        let (gateway, ours) = kernel::start(&mgp, &target, "", folder.path()).await?;
        let started = start(&peers, what, &target, folder.path()).await;
        for (callers, load) in LOADS {
            let connect =
                |address, path, tool| HttpCaller::connect_many(callers, address, path, tool, Era::Session);
            let programs = std::iter::once(&gateway).chain(started.iter().map(|(_, process, _)| process));
            let mut ways = Ways {
                programs: programs.collect(),
                direct: connect(direct, server::PATH, NAME).await?,
                ours: connect(ours, kernel::PATH, NAME).await?,
                peers: Vec::new(),
            };
            for (peer, _, address) in &started {
                ways.peers.push((peer, connect(*address, peer.path, peer.tool).await?));
            }
            let measured = turns::measure(&settings, &ways).await?;
            all.extend(rows(&format!("{what}, {load}"), &measured));
        }
    }
    Ok(all)
}

fn temporary() -> Result<tempfile::TempDir, String> {
    tempfile::tempdir().map_err(|error| format!("failed to make a folder: {error}"))
}

/// Installs the gateways of others. A failed installation is a reported skip.
async fn installed() -> Result<Vec<&'static Peer>, String> {
    let mut installed = Vec::new();
    for peer in PEERS {
        match peer.install().await {
            Ok(()) => installed.push(peer),
            Err(error) if is_strict() => return Err(error),
            Err(error) => eprintln!("skipped: {} is missing: {error}", peer.name),
        }
    }
    Ok(installed)
}

/// Starts the gateways in front of a server. A gateway that does not start has no row, but a line with the reason.
async fn start(
    peers: &[&'static Peer],
    what: &str,
    target: &Target,
    folder: &Path,
) -> Vec<(&'static Peer, Process, SocketAddr)> {
    let mut started = Vec::new();
    for peer in peers {
        match peer.start(target, folder).await {
            Ok((process, address)) => started.push((*peer, process, address)),
            Err(error) => eprintln!("no row: {} before a {what}: {error}", peer.name),
        }
    }
    started
}
