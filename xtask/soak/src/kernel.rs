//! The kernel and its HTTP server, wired as `mgp serve --http` does it, with limits that pass within a minute.

use crate::faults::Processes;
use mgp_client_sdk::{
    ChildCommand, Era, EraChoice,
    kernel::{Endpoint, Kernel, ParkedCalls, ServerSpec},
};
use mgp_security::audit::MemorySink;
use mgp_transport::http::server::{HttpServer, HttpServerConfig, RunningServer};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{RestartConfig, RestartPolicy},
};
use std::time::Duration;

/// The principal of all hosts.
const AGENT: &str = "agent.soak";
/// The time limit of a call.
const CALL_TIMEOUT: Duration = Duration::from_secs(5);
/// The idle time after which a session ends.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// The time limit for all children together to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The number of events that are kept: more than a long run has.
const EVENTS: usize = 5_000_000;

/// The running parts.
#[derive(Debug)]
pub(crate) struct RunningKernel {
    pub(crate) kernel: Kernel,
    pub(crate) server: HttpServer,
    pub(crate) serving: RunningServer,
    pub(crate) sink: MemorySink,
}

/// Starts the children, the kernel and its HTTP server.
pub(crate) async fn start(
    children: usize,
    sessions: usize,
    processes: &Processes,
) -> Result<RunningKernel, String> {
    let program = std::env::current_exe().map_err(|error| format!("failed to find this program: {error}"))?;
    let program = program.to_str().ok_or("failed to name this program: its path is no text")?;
    let sink = MemorySink::new(EVENTS);
    let mut parked = ParkedCalls::default();
    // All hosts are one agent here.
    parked.most_of_one = parked.most;
    parked.lifetime = IDLE_TIMEOUT;
    let mut builder = Kernel::builder().audit_sink(sink.clone()).agent(AGENT).parked_calls(parked);
    for number in 0..children {
        builder = builder.server(spec(number, program, processes.mark()));
    }
    let kernel = builder.start().await.map_err(|error| error.to_string())?;
    let down = kernel.ready(START_TIMEOUT).await;
    if !down.is_empty() {
        kernel.shutdown().await;
        return Err(format!("children that did not connect: {}", down.join(", ")));
    }
    let server = kernel.http().config(config(sessions)).principal(Principal::agent(AGENT)).build();
    let serving = server.bind("127.0.0.1:0").await.map_err(|error| error.to_string())?;
    Ok(RunningKernel { kernel, server, serving, sink })
}

/// Returns the configuration of a child: half of the children are reached in the era of `initialize`.
fn spec(number: usize, program: &str, mark: &str) -> ServerSpec {
    let id = format!("soak{number}");
    let command = ChildCommand::new(&id, program).args(["--child", &number.to_string(), mark]);
    let mut spec = ServerSpec::new(id, Endpoint::Child(command));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.call_timeout = CALL_TIMEOUT;
    // A host that has left answers no question.
    spec.question_timeout = CALL_TIMEOUT;
    if !number.is_multiple_of(2) {
        spec.era = EraChoice::Known(Era::Initialize);
    }
    // A killed child is started again soon, however often it is killed.
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::Always,
        max_restarts: u32::MAX,
        backoff_base_ms: 100,
        backoff_max_ms: 1000,
        ..RestartConfig::default()
    };
    spec
}

fn config(sessions: usize) -> HttpServerConfig {
    HttpServerConfig {
        idle_timeout: IDLE_TIMEOUT,
        write_timeout: Duration::from_secs(2),
        keep_alive: Some(Duration::from_secs(2)),
        idle_connection_timeout: Duration::from_secs(10),
        // A session whose host vanished counts until it expires.
        sessions: sessions * 4,
        connections: sessions * 8,
        ..HttpServerConfig::default()
    }
}
