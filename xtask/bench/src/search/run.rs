//! Runs each size: ours, then the peer's.

use super::{
    bm25s,
    child::QUERIES,
    measured::{Ours, Peer},
    rows::rows,
};
use crate::{
    measure::{Settings, Side, run_prepared},
    report::Row,
    tools::{self, Generator, TOOLS_A_SERVER},
};
use std::path::{Path, PathBuf};
use tokio::process::Command;

/// The numbers of tools.
const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 300_000];

/// Runs the bench.
pub(crate) fn run(settings: &Settings) -> Result<Vec<Row>, String> {
    let Some(shared) = tools::shared()? else { return Ok(Vec::new()) };
    let packages = async { if settings.runs(Side::Peer) { bm25s::packages().await } else { Ok(None) } };
    run_prepared(settings, packages, |settings, packages| sizes(settings, shared, packages))
}

async fn sizes(settings: Settings, shared: PathBuf, packages: Option<PathBuf>) -> Result<Vec<Row>, String> {
    let mut all = Vec::new();
    for size in SIZES {
        let ours = if settings.runs(Side::Ours) { Some(ours(size, settings.workers).await?) } else { None };
        let peer = match &packages {
            Some(packages) => Some(peer(packages, &shared, size).await?),
            None => None,
        };
        all.extend(rows(size, ours.as_ref(), peer.as_ref()));
    }
    Ok(all)
}

async fn ours(size: usize, workers: usize) -> Result<Ours, String> {
    let myself = std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    let mut command = Command::new(myself);
    command
        .args(["--index", &size.to_string(), "--workers", &workers.to_string()])
        .stderr(std::process::Stdio::inherit())
        .kill_on_drop(true);
    let output = command.output().await.map_err(|error| format!("failed to run this program: {error}"))?;
    if !output.status.success() {
        return Err(format!("measuring {size} tools failed"));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{size} tools: no measures: {error}"))
}

async fn peer(packages: &Path, shared: &Path, size: usize) -> Result<Peer, String> {
    let generator = Generator::new(shared)?;
    let servers = (0..size.div_ceil(TOOLS_A_SERVER)).map(|number| generator.server(number, 0));
    let servers = servers.collect::<Result<Vec<_>, String>>()?;
    bm25s::measure(packages, &servers, &tools::queries(shared, QUERIES)?).await
}
