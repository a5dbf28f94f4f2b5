//! The report of each running kernel, and of each replica on other machines.

use crate::command::{approve::OpenQuestions, servers::on_demand, transactions};
use crate::{
    control::{running_kernels, statuses},
    error::CliError,
    options::Options,
    output::{Outcome, local_time, note, on_one_line, table, table_of_reasons},
    replica_report::{self, Report, ReportedReplica},
    setup::Setup,
};
use clap::Args;
use mgp_types::{
    json::RawObject,
    lifecycle::{HostReport, KernelStatus, KernelStatusParams, ServerReport, ServerState},
    negotiation::ExtensionSet,
};
use serde::Serialize;

/// Show the running gateways: their servers, hosts and queues, and open questions
///
/// Queries every gateway that `mgp serve` started in this state folder. With a database (`store.url`), also shows the replicas on other
/// machines as they last reported. Exits with code 5 if none is running.
#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Only the gateway with this process id
    #[arg(long)]
    pid: Option<u32>,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct Kernels {
    kernels: Vec<Report>,
    /// The replicas on other machines.
    replicas: Vec<ReportedReplica>,
    questions: OpenQuestions,
    /// The number of transactions that were rolled back in part.
    transactions_rolled_back_in_part: usize,
}

pub(crate) async fn run(options: &Options, args: StatusArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let mut replicas = if args.pid.is_none() { replica_report::read(&setup).await? } else { Vec::new() };
    let running = match running_kernels(&setup, args.pid, ExtensionSet::EMPTY).await {
        Ok(running) => running,
        Err(error) if replicas.is_empty() => return Err(error),
        Err(_) => Vec::new(),
    };
    let params = KernelStatusParams { checks: true, tools: false };
    let kernels = statuses(&running, params).await?;
    let kernels: Vec<_> =
        kernels.into_iter().map(|(pid, status)| Report { pid, status: Box::new(status) }).collect();
    // The gateways of this machine are replicas too.
    replicas.retain(|replica| !kernels.iter().any(|kernel| is_same(kernel, &replica.report)));
    let questions = OpenQuestions::count(&setup).await?;
    for server in kernels.iter().flat_map(|kernel| &kernel.status.servers) {
        if server.stopped || server.state == ServerState::Error {
            note(&format!("`{}` does not run: start it with `mgp servers start {0}`", server.id));
        }
    }
    if let Some(sentence) = questions.sentence() {
        note(&sentence);
    }
    let in_part = setup.state.transactions().await?.count_rolled_back_in_part().await?;
    if let Some(sentence) = transactions::sentence(in_part) {
        note(&sentence);
    }
    let here =
        kernels.iter().map(|kernel| text(&format!("gateway of process {}", kernel.pid), &kernel.status));
    let elsewhere = replicas.iter().map(|replica| {
        let (address, age) = (&replica.address, span(replica.reported_secs_ago));
        text(&format!("replica at {address}, as reported {age} ago"), &replica.report.status)
    });
    let text = here.chain(elsewhere).collect::<Vec<_>>().join("\n\n");
    Outcome::new(text, &Kernels { kernels, replicas, questions, transactions_rolled_back_in_part: in_part })
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
    if status.servers.is_empty() {
        parts.push("it has no servers".to_owned());
    } else {
        let header =
            ["server", "state", "health", "restarts", "calls", "queued", "tools", "checks or reason"];
        parts.push(table_of_reasons(header, 1, status.servers.iter().map(server_row)));
    }
    if status.hosts.is_empty() {
        parts.push("no host is connected".to_owned());
    } else {
        let header = ["host", "for", "mcp", "mgp", "calls"];
        parts.push(table(header, status.hosts.iter().map(host_row)));
    }
    if status.parked_calls > 0 {
        parts.push(format!("calls that wait for answers of stateless hosts: {}", status.parked_calls));
    }
    parts.join("\n")
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

    #[test]
    fn a_span_has_its_two_largest_units() {
        let spans = [59, 61, 3_600, 90_061].map(span);
        assert_eq!(spans, ["59 s", "1 min 1 s", "1 h 0 min", "1 d 1 h"]);
    }

    #[test]
    fn the_checks_of_a_server_are_one_line() {
        let checks = RawObject::parse("{\"disk\\nnote: forged\": {\n\"free\": 1}}").unwrap();
        let text = checks_text(&checks);
        assert!(text.starts_with("disk") && text.contains("note: forged") && !text.contains('\n'), "{text}");
    }
}
