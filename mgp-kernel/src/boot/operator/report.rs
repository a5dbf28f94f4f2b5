//! The kernel's report on its servers, its hosts and its queues.

use super::{methods::OperatorHandles, notices::notices};
use crate::{
    catalog::unavailable::{closed_tools, open_waiting, waiting_groups},
    upstream::{Endpoint, Link, Server},
};
use futures_util::future::join_all;
use jiff::Timestamp;
use mgp_discovery::{
    config::InstanceScope,
    registry::{RegisteredServer, ServerSource},
};
use mgp_lifecycle::state::Outlook;
use mgp_transport::seam::{Peer, Session};
use mgp_types::{
    context::{Principal, TrustLevel},
    lifecycle::{
        CheckHealth, ClosedToolsReport, HealthStatusResult, HostReport, KernelStatus, KernelStatusParams,
        RegistrationReport, ServerReport, ToolLatencyReport, TrafficReport,
    },
    mcp::{Implementation, ProtocolVersion},
    negotiation::{Extension, Negotiation},
    rpc::Empty,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// The time limit of a server's answer about its health.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
/// The maximum size of the result of a server's own checks, in bytes of JSON.
const MAX_CHECKS: usize = 8 * 1024;
/// The maximum size of the command of a registered server, in bytes.
#[cfg(feature = "child")]
const MAX_COMMAND: usize = 8 * 1024;
/// The maximum length of a server's or host's text in a report, in characters.
const MAX_TEXT: usize = 1000;
/// The maximum number of hosts in a report.
const MAX_HOSTS: usize = 1000;

/// Returns the report, without the host `asking` for it.
pub(super) async fn of(
    handles: &OperatorHandles,
    params: &KernelStatusParams,
    asking: Option<&Peer>,
) -> KernelStatus {
    let is_asked = |id: &str| params.server.as_deref().is_none_or(|asked| asked == id);
    let all = handles.servers.all();
    let servers: Vec<_> = all.iter().filter(|server| is_asked(server.id())).cloned().collect();
    let registry = handles.servers.registry.servers();
    let is_stopped = |server: &Server| handles.rights.stopped.has(server.id());
    let reports = servers.iter().map(|server| {
        let known = registry.iter().find(|known| *known.id == *server.id());
        let instances =
            (server.spec.instances == InstanceScope::Session).then(|| handles.instances.count(server) as u64);
        server_report(server, known, (is_stopped(server), instances), params)
    });
    let reports = join_all(reports).await;
    let started_at = handles.facts.started_at;
    let since = Timestamp::now().duration_since(started_at).as_secs();
    let (mut waiting, mut closed, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    if params.tools || params.notices {
        let tools = handles.tools.table.load_full();
        for group in waiting_groups(&handles.rights, &tools, None) {
            if is_asked(&group.server_id) {
                waiting.push(open_waiting(&handles.rights.permissions, group).await);
            }
        }
        closed = closed_tools(&handles.rights, &tools, None);
        closed.retain(|closed| is_asked(&closed.server_id));
        listed = notices(&handles.servers, &tools);
        listed.retain(|notice| is_asked(&notice.server_id));
    }
    let latencies = if params.tools { latencies(&servers) } else { Vec::new() };
    KernelStatus {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        started_at: format!("{started_at:.3}"),
        uptime_secs: u64::try_from(since).unwrap_or_default(),
        configuration: handles.facts.configuration.clone(),
        needs_restart: handles.needs_restart.lock().clone(),
        servers: reports,
        hosts: hosts(handles, asking),
        parked_calls: handles.parking.count() as u64,
        traffic: Some(TrafficReport {
            tokens_spared: handles.tools.spared.get(),
            ..handles.traffic.report(Instant::now())
        }),
        waiting,
        closed: closed.into_iter().map(ClosedToolsReport::from).collect(),
        notices: listed,
        latencies,
    }
}

fn latencies(servers: &[Arc<Server>]) -> Vec<ToolLatencyReport> {
    let of_server = |server: &Arc<Server>| {
        let report = |(tool_name, measured_latency): (Arc<str>, _)| ToolLatencyReport {
            server_id: server.id().to_owned(),
            tool_name: tool_name.to_string(),
            measured_latency,
        };
        server.latencies().into_iter().map(report).collect::<Vec<_>>()
    };
    servers.iter().flat_map(of_server).collect()
}

async fn server_report(
    server: &Server,
    known: Option<&RegisteredServer>,
    (stopped, instances): (bool, Option<u64>),
    params: &KernelStatusParams,
) -> ServerReport {
    let (status, link) = (server.status(), server.link());
    let health = match link {
        Some(link) if params.checks && has_health(&link) => Some(health(&link).await),
        _ => None,
    };
    let (health, health_error) = match health {
        Some(Ok(health)) => (Some(health), None),
        Some(Err(problem)) => (None, Some(problem)),
        None => (None, None),
    };
    let checks = health.as_ref().and_then(|health| health.checks.clone());
    let fits = checks.as_ref().is_none_or(|checks| checks.to_json().as_str().len() <= MAX_CHECKS);
    let tools = known.map(|known| known.tools.clone()).unwrap_or_default();
    let registered = known.is_some_and(|known| known.source == ServerSource::Registration);
    ServerReport {
        id: server.id().to_owned(),
        state: status.state,
        reason: shortened(&status.reason),
        stopped,
        on_demand: status.outlook == Outlook::OnDemand,
        health: health.map(|health| health.status).or_else(|| known.and_then(|known| known.health)),
        checks: checks.filter(|_| fits),
        health_error: health_error
            .map(|problem| shortened(&problem))
            .or_else(|| (!fits).then(|| format!("its checks have more than {MAX_CHECKS} bytes"))),
        restarts: server.restarts(),
        in_flight: server.in_flight() as u64,
        queued: server.queued() as u64,
        instances,
        mgp_version: known.and_then(|known| known.version).map(|version| version.to_string()),
        extensions: known.map_or_else(Vec::new, |known| {
            known.extensions.iter().map(|extension| extension.to_string()).collect()
        }),
        trust_level: known.map_or(TrustLevel::Sandboxed, |known| known.trust),
        #[cfg(feature = "child")]
        confined: server.confinement().map(|profile| profile.mode),
        #[cfg(not(feature = "child"))]
        confined: None,
        registered,
        registration: registered.then(|| registration(server)),
        tool_count: tools.len() as u64,
        tools: if params.tools { tools.iter().map(ToString::to_string).collect() } else { Vec::new() },
    }
}

/// Returns what the registration of a server asked for. A command that is too long for a report is left out as a whole.
fn registration(server: &Server) -> RegistrationReport {
    let permissions = server.spec.permissions.iter().map(ToString::to_string).collect();
    let report = RegistrationReport { permissions, ..RegistrationReport::default() };
    match &server.spec.endpoint {
        #[cfg(feature = "child")]
        Endpoint::Child(command) => {
            let line = std::iter::once(command.program().to_owned());
            let line: Vec<_> = line.chain(command.arguments().iter().cloned()).collect();
            let fits = line.iter().map(String::len).sum::<usize>() <= MAX_COMMAND;
            let variables = command.variable_names().map(str::to_owned).collect();
            RegistrationReport { command: if fits { line } else { Vec::new() }, variables, ..report }
        }
        #[cfg(feature = "http")]
        Endpoint::Http { url, .. } => {
            let url = url.split_inclusive(['?', '#']).next().unwrap_or_default();
            RegistrationReport { url: Some(shortened(url)), ..report }
        }
        // Servers of these kinds are configured, and never registered.
        #[cfg(feature = "openapi")]
        Endpoint::Api(_) => report,
        #[cfg(feature = "child")]
        Endpoint::Commands(_) => report,
        Endpoint::InProcess(_) | Endpoint::Unusable(_) => report,
    }
}

fn has_health(link: &Link) -> bool {
    link.negotiated.as_ref().is_some_and(|negotiated| negotiated.has(Extension::Lifecycle))
}

/// Asks a server for its health.
async fn health(link: &Link) -> Result<HealthStatusResult, String> {
    let control = link.control();
    let params = Empty::default();
    let asked = control.request::<CheckHealth>(&params);
    match tokio::time::timeout(HEALTH_TIMEOUT, asked).await {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(_) => Err(format!("it did not answer within {HEALTH_TIMEOUT:?}")),
    }
}

/// Returns the hosts that have a session, and those without one that have running calls.
fn hosts(handles: &OperatorHandles, asking: Option<&Peer>) -> Vec<HostReport> {
    let mut hosts = handles.hosts.sessions();
    for server in handles.servers.load().iter() {
        for caller in server.exchange.hosts() {
            if !hosts.iter().any(|known| known.is_same_connection(&caller)) {
                hosts.push(caller);
            }
        }
    }
    hosts.retain(|host| !asking.is_some_and(|asking| asking.is_same_connection(host)));
    hosts.iter().take(MAX_HOSTS).map(host_report).collect()
}

fn host_report(host: &Peer) -> HostReport {
    let session: &Session = host.session();
    let program = session.get::<Implementation>().unwrap_or_else(|| Implementation::new("unknown", ""));
    HostReport {
        name: shortened(&program.name),
        version: shortened(&program.version),
        principal: session.get::<Principal>().map(|principal| principal.id().to_owned()).unwrap_or_default(),
        protocol_version: session
            .get::<ProtocolVersion>()
            .map(|version| version.to_string())
            .unwrap_or_default(),
        mgp: session.has::<Negotiation>(),
        in_flight: host.running_count() as u64,
    }
}

/// Returns the beginning of a server's or host's text, so that the report cannot become too long to be sent.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
