//! The report of each running kernel, and of each replica on other machines.

use super::shared::{SharedState, unreadable};
use crate::{
    command::{approve::OpenQuestions, servers::on_demand, transactions},
    control::{running_kernels, statuses},
    error::CliError,
    options::Options,
    output::{Outcome, local_time, note, on_one_line, table, table_of_reasons},
    replica_report::{Report, ReportedReplica},
    setup::Setup,
};
use clap::Args;
use mgp_types::{
    json::RawObject,
    lifecycle::{HostReport, KernelStatus, KernelStatusParams, ServerReport, ServerState, TrafficReport},
    negotiation::ExtensionSet,
};
use serde::Serialize;

/// Show the running gateways: their servers, hosts and queues, and open questions
///
/// Queries every gateway that `mgp serve` started in this state folder. With a database (`store.url`), also shows the replicas on other
/// machines as they last reported. Exits with code 5 if none is running.
#[derive(Debug, Default, Args)]
pub(crate) struct StatusArgs {
    /// Only the gateway with this process id
    #[arg(long)]
    pid: Option<u32>,
    /// Also list each server's tools, those that wait for a permission, and those that are closed
    #[arg(long)]
    tools: bool,
    /// Also list the tools that are hidden, and notices on servers
    #[arg(long)]
    notices: bool,
    /// Do not ask servers for their own checks: show what they last reported
    #[arg(long)]
    no_checks: bool,
    /// Only this server
    #[arg(long, value_name = "ID")]
    server: Option<String>,
}

/// The JSON form of the answer. Its shared parts are null if the database cannot be read.
#[derive(Serialize)]
struct Kernels {
    kernels: Vec<Report>,
    /// The replicas on other machines.
    replicas: Option<Vec<ReportedReplica>>,
    questions: Option<OpenQuestions>,
    /// The number of transactions that were rolled back in part.
    transactions_rolled_back_in_part: Option<usize>,
    /// The reason why the database cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    database_error: Option<String>,
}

pub(crate) async fn run(options: &Options, args: StatusArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let has_database = setup.state.audit_database().is_some();
    let (mut shared, unread) = match SharedState::read(&setup, args.pid.is_none()).await {
        Ok(shared) => (Some(shared), None),
        // The gateways of this machine are asked without the database.
        Err(error) if has_database => (None, Some(unreadable(&error))),
        Err(error) => return Err(error),
    };
    let running = match running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await {
        Ok(running) => running,
        Err(_) if shared.as_ref().is_some_and(|shared| !shared.replicas.is_empty()) => Vec::new(),
        Err(error) => {
            let Some(unread) = unread.filter(|_| args.pid.is_none()) else { return Err(error) };
            note(error.message());
            return Err(unread);
        }
    };
    let kernels = statuses(&running, &params(&args)).await?;
    let kernels: Vec<_> =
        kernels.into_iter().map(|(pid, status)| Report { pid, status: Box::new(status) }).collect();
    if let Some(shared) = &mut shared {
        // The gateways of this machine are replicas too.
        shared.replicas.retain(|replica| !kernels.iter().any(|kernel| is_same(kernel, &replica.report)));
    }
    for server in kernels.iter().flat_map(|kernel| &kernel.status.servers) {
        if server.stopped || server.state == ServerState::Error {
            note(&format!("`{}` does not run: start it with `mgp servers start {0}`", server.id));
        }
    }
    note_shared(shared.as_ref(), unread.as_ref());
    let here =
        kernels.iter().map(|kernel| text(&format!("gateway of process {}", kernel.pid), &kernel.status));
    let elsewhere = shared.iter().flat_map(|shared| &shared.replicas).map(|replica| {
        let (address, age) = (&replica.address, span(replica.reported_secs_ago));
        text(&format!("replica at {address}, as reported {age} ago"), &replica.report.status)
    });
    let text = here.chain(elsewhere).collect::<Vec<_>>().join("\n\n");
    let database_error = unread.map(|error| error.message().to_owned());
    let transactions_rolled_back_in_part = shared.as_ref().map(|shared| shared.rolled_back_in_part);
    let (replicas, questions) = shared.map(|shared| (shared.replicas, shared.questions)).unzip();
    let json = Kernels { kernels, replicas, questions, transactions_rolled_back_in_part, database_error };
    Outcome::new(text, &json)
}

fn params(args: &StatusArgs) -> KernelStatusParams {
    KernelStatusParams {
        checks: !args.no_checks,
        tools: args.tools,
        notices: args.notices,
        server: args.server.clone(),
    }
}

/// Notes the open questions and transactions, or the reason why they are unknown.
fn note_shared(shared: Option<&SharedState>, unread: Option<&CliError>) {
    if let Some(error) = unread {
        note(&[error.message(), error.advice().unwrap_or_default()].join("; "));
    }
    let questions = shared.and_then(|shared| shared.questions.sentence());
    let in_part = shared.and_then(|shared| transactions::sentence(shared.rolled_back_in_part));
    for sentence in questions.into_iter().chain(in_part) {
        note(&sentence);
    }
}

/// Returns whether two reports are about one process. Processes of two machines may have the same id.
fn is_same(one: &Report, other: &Report) -> bool {
    (one.pid, &one.status.started_at) == (other.pid, &other.status.started_at)
}

fn text(named: &str, status: &KernelStatus) -> String {
    let head = format!(
        "{named}: version {}, up {} since {}, configuration {}",
        status.version,
        span(status.uptime_secs),
        local_time(&status.started_at),
        status.configuration.as_deref().unwrap_or("unknown"),
    );
    let mut parts = vec![on_one_line(&head)];
    if !status.needs_restart.is_empty() {
        let keys = status.needs_restart.join(", ");
        parts.push(on_one_line(&format!(
            "changed since the start, and in force after a restart (`mgp stop`): {keys}"
        )));
    }
    if status.servers.is_empty() {
        parts.push("it has no servers".to_owned());
    } else {
        let header =
            ["server", "state", "health", "restarts", "calls", "queued", "tools", "checks or reason"];
        parts.push(table_of_reasons(header, 1, status.servers.iter().map(server_row)));
    }
    let named = status.servers.iter().filter(|server| !server.tools.is_empty());
    parts.extend(
        named.map(|server| on_one_line(&format!("tools of {}: {}", server.id, server.tools.join(", ")))),
    );
    if status.hosts.is_empty() {
        parts.push("no host is connected".to_owned());
    } else {
        let header = ["host", "for", "mcp", "mgp", "calls"];
        parts.push(table(header, status.hosts.iter().map(host_row)));
    }
    parts.extend(status.traffic.as_ref().map(traffic_line));
    if status.parked_calls > 0 {
        parts.push(format!("calls that wait for answers of stateless hosts: {}", status.parked_calls));
    }
    parts.join("\n")
}

/// Returns the line about the calls of the last minutes.
fn traffic_line(traffic: &TrafficReport) -> String {
    let TrafficReport { minutes, sum, refused, tokens_spared, .. } = traffic;
    let mut line = format!(
        "calls of the last {minutes} min: {} ({} a minute), errors: {}, refused: {refused}",
        sum.calls,
        sum.per_minute(*minutes),
        sum.errors
    );
    if let (Some(half), Some(most)) = (sum.p50_ms, sum.p95_ms) {
        line.push_str(&format!(", half within {half} ms, 95 % within {most} ms"));
    }
    if let Some(tokens) = tokens_spared {
        line.push_str(&format!("; tokens spared since the start: {tokens}"));
    }
    line
}

fn server_row(server: &ServerReport) -> [String; 8] {
    let health = match (&server.health, &server.health_error) {
        (Some(health), _) => health.to_string(),
        (None, Some(_)) => "silent".to_owned(),
        (None, None) => "-".to_owned(),
    };
    let more = match (&server.health_error, &server.checks) {
        _ if server.state != ServerState::Connected => on_one_line(&server.reason),
        (Some(error), _) => on_one_line(error),
        (None, Some(checks)) => checks_text(checks),
        (None, None) => String::new(),
    };
    [
        server.id.clone(),
        match (server.state, server.instances) {
            (state, _) if server.stopped => format!("{state} by the operator"),
            (_, Some(count)) => format!("{count} for sessions"),
            (state, None) if server.on_demand => on_demand(state).to_owned(),
            (state, None) => state.to_string(),
        },
        health,
        server.restarts.to_string(),
        server.in_flight.to_string(),
        server.queued.to_string(),
        server.tool_count.to_string(),
        more,
    ]
}

fn checks_text(checks: &RawObject) -> String {
    let one = |(name, outcome): (&str, &mgp_types::json::RawJson)| format!("{name}={outcome}");
    on_one_line(&checks.iter().map(one).collect::<Vec<_>>().join(" "))
}

fn host_row(host: &HostReport) -> [String; 5] {
    let mgp = if host.mgp { "yes" } else { "no" };
    [
        format!("{} {}", host.name, host.version).trim_end().to_owned(),
        host.principal.clone(),
        host.protocol_version.clone(),
        mgp.to_owned(),
        host.in_flight.to_string(),
    ]
}

/// Returns a duration in its two largest units.
fn span(seconds: u64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, ..) => format!("{hours} h {} min", minutes % 60),
        _ => format!("{days} d {} h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::lifecycle::CallCounts;

    #[test]
    fn a_span_has_its_two_largest_units() {
        let spans = [59, 61, 3_600, 90_061].map(span);
        assert_eq!(spans, ["59 s", "1 min 1 s", "1 h 0 min", "1 d 1 h"]);
    }

    #[test]
    fn servers_are_asked_for_their_checks_by_default() {
        let asked = |no_checks| params(&StatusArgs { no_checks, ..StatusArgs::default() }).checks;
        assert_eq!([false, true].map(asked), [true, false]);
    }

    #[test]
    fn the_line_about_calls_has_only_the_known_parts() {
        let mut traffic = TrafficReport { minutes: 1, refused: 2, ..TrafficReport::default() };
        assert_eq!(
            traffic_line(&traffic),
            "calls of the last 1 min: 0 (0.0 a minute), errors: 0, refused: 2"
        );
        traffic.sum = CallCounts { calls: 7, errors: 1, p50_ms: Some(4), p95_ms: Some(210) };
        traffic.tokens_spared = Some(1840);
        assert_eq!(
            traffic_line(&traffic),
            "calls of the last 1 min: 7 (7.0 a minute), errors: 1, refused: 2, half within 4 ms, 95 % within 210 ms; tokens spared since the start: 1840"
        );
    }

    #[test]
    fn the_checks_of_a_server_are_one_line() {
        let checks = RawObject::parse("{\"disk\\nnote: forged\": {\n\"free\": 1}}").unwrap();
        let text = checks_text(&checks);
        assert!(text.starts_with("disk") && text.contains("note: forged") && !text.contains('\n'), "{text}");
    }
}
