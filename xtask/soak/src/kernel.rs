//! The kernel and its HTTP server, wired as in `mgp serve --http`, with limits that pass within a minute.

use crate::{
    configuration::{AGENT, ConfigurationFile},
    ledger::Trail,
    servers::{self, Servers},
};
use mgp_kernel::{Kernel, ParkedCalls};
use mgp_transport::http::server::{HttpServer, HttpServerConfig, ResumeConfig, RunningServer};
use mgp_types::{access::AccessEntry, context::Principal};
use std::time::Duration;

/// The idle time after which a session ends.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for the start of all children.
const START_TIMEOUT: Duration = Duration::from_secs(180);

/// The running parts.
#[derive(Debug)]
pub(crate) struct RunningKernel {
    pub(crate) kernel: Kernel,
    pub(crate) server: HttpServer,
    pub(crate) serving: RunningServer,
    pub(crate) trail: Trail,
}

/// Starts the children, the kernel and its HTTP server.
pub(crate) async fn start(
    servers: Servers,
    sessions: usize,
    file: &ConfigurationFile,
) -> Result<RunningKernel, String> {
    let trail = Trail::default();
    let mut parked = ParkedCalls::default();
    // All hosts are one agent here.
    parked.most_of_one = parked.most;
    let mut configuration = file.write_and_read("")?;
    configuration.kernel.question_timeout_ms = u64::try_from(IDLE_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
    let builder = Kernel::builder().configure(&configuration).map_err(|error| error.to_string())?;
    let kernel =
        builder.audit_sink(trail.clone()).program(|program| program.parked_calls = parked).start().await;
    let kernel = kernel.map_err(|error| error.to_string())?;
    let down = kernel.ready(START_TIMEOUT).await;
    if !down.is_empty() {
        kernel.shutdown().await;
        return Err(format!("children that did not connect: {}", down.join(", ")));
    }
    for number in servers.publishers() {
        // The events of a server are for agents that may use all of it.
        let rule = AccessEntry::allow(AGENT).server(servers::id(number));
        kernel.access().put(rule).await.map_err(|error| error.to_string())?;
    }
    let server = kernel.http().config(config(sessions)).principal(Principal::agent(AGENT)).build();
    let serving = server.bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    Ok(RunningKernel { kernel, server, serving, trail })
}

fn config(sessions: usize) -> HttpServerConfig {
    HttpServerConfig {
        idle_timeout: IDLE_TIMEOUT,
        write_timeout: Duration::from_secs(5),
        keep_alive: Some(Duration::from_secs(2)),
        idle_connection_timeout: Duration::from_secs(10),
        // A session whose host vanished counts until it expires.
        sessions: sessions * 4,
        connections: sessions * 8,
        // A long answer that its host did not read is not kept for minutes.
        resume: ResumeConfig { timeout: IDLE_TIMEOUT, ..ResumeConfig::default() },
        ..HttpServerConfig::default()
    }
}
