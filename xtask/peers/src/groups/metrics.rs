//! A real Prometheus, which reads our kernel's metrics.

use crate::{
    peers::{Instance, Kernel, Service, Transport, Upstream, free_port, get},
    rows::{Context, Row, row},
    tap::Command,
};
use mgp_client_sdk::client::Client;
use mgp_types::json::RawJson;
use std::{process::Stdio, time::Duration};
use tokio::{
    io::AsyncWriteExt,
    time::{Instant, sleep},
};

/// The number of calls that are counted.
const CALLS: usize = 3;
/// The time limit for Prometheus to read the count.
const READ: Duration = Duration::from_secs(120);
const PAUSE: Duration = Duration::from_millis(200);
/// The query for the count, and the part of the answer that contains it.
const QUERY: &str = "/api/v1/query?query=mgp_tool_calls_total%7Btool=%22add%22,outcome=%22success%22%7D";
const SCRAPE: &str =
    "global: { scrape_interval: 1s }\nscrape_configs:\n- job_name: mgp\n  static_configs:\n  - targets: ";

pub(super) fn rows() -> Vec<Row> {
    vec![row("metrics/prometheus", &[], run).programs(&["prometheus", "promtool"])]
}

async fn run(context: Context) -> Result<(), String> {
    let server = Command::new(&context.programs.add);
    let upstream = Upstream::new("adder", Instance::Child(server));
    let port = free_port().await?;
    let kernel = Kernel::configure(&context, "full", &[], vec![upstream])?.metrics(&context, port)?;
    let command = kernel.stdio(&context).child("mgp", context.folder.path());
    let builder = Client::builder("peers", env!("CARGO_PKG_VERSION"));
    let client =
        builder.connect_child(&command).await.map_err(|error| format!("failed to connect: {error}"))?;
    let arguments = RawJson::parse(r#"{"a": 1, "b": 2}"#).map_err(|error| error.to_string())?;
    for _ in 0..CALLS {
        let called = client.call_tool("add", arguments.clone()).await;
        called.map_err(|error| format!("failed to call: {error}"))?;
    }
    check(&context, &without_open_metrics(&get(port, "/metrics").await?)).await?;
    let scrape = format!("{SCRAPE}[\"127.0.0.1:{port}\"]\n");
    let configured = context.folder.write("prometheus.yml", &scrape)?;
    let prometheus = |port: u16| {
        Command::new("prometheus").args([
            format!("--config.file={}", configured.display()),
            format!("--storage.tsdb.path={}", context.folder.file("series").display()),
            format!("--web.listen-address=127.0.0.1:{port}"),
        ])
    };
    let prometheus = Service::start(prometheus, Transport::Http, &context.folder, "prometheus").await?;
    let counted = counted(prometheus.port()).await;
    prometheus.stop().await?;
    counted
}

/// Waits until Prometheus has the count of the calls.
async fn counted(port: u16) -> Result<(), String> {
    let expected = format!("\"{CALLS}\"]");
    let end = Instant::now() + READ;
    loop {
        // It listens before it can answer.
        let found = get(port, QUERY).await;
        if found.as_ref().is_ok_and(|found| found.contains(&expected)) {
            return Ok(());
        }
        if Instant::now() > end {
            return Err(format!("Prometheus has {found:?}, expected {CALLS} calls"));
        }
        sleep(PAUSE).await;
    }
}

/// Returns a page of OpenMetrics in the older text format, the only one that `promtool` checks: there the family of a counter has the
/// name of its samples.
fn without_open_metrics(page: &str) -> String {
    let counters: Vec<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter"))
        .map(|name| (format!("{name} "), format!("{name}_total ")))
        .collect();
    let line = |line: &str| {
        let family = line.strip_prefix("# HELP ").or_else(|| line.strip_prefix("# TYPE "));
        let counter = counters.iter().find(|(name, _)| family.is_some_and(|rest| rest.starts_with(name)));
        counter.map_or_else(|| line.to_owned(), |(name, total)| line.replacen(name, total, 1))
    };
    page.lines().map(|text| line(text) + "\n").collect()
}

/// Runs `promtool` to check a page of metrics.
async fn check(context: &Context, page: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("failed to run promtool: {error}");
    let mut command = Command::new("promtool").args(["check", "metrics"]).tokio(context.folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(page.as_bytes()).await.map_err(failed)?;
    }
    let output = child.wait_with_output().await.map_err(failed)?;
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    if output.status.success() { Ok(()) } else { Err(format!("promtool: {said}")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_s_family_is_named_as_its_samples_are() {
        let page =
            "# HELP a Calls.\n# TYPE a counter\na_total 2\n# HELP ab Hosts.\n# TYPE ab gauge\nab 1\n# EOF\n";
        let expected = page.replace("HELP a ", "HELP a_total ").replace("TYPE a ", "TYPE a_total ");
        assert_eq!(without_open_metrics(page), expected);
    }
}
