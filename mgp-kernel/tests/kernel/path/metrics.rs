//! The metrics of a kernel.

use crate::support::{json, open, spec, start, until, within};
use mgp_kernel::Kernel;
use mgp_types::access::DefaultPolicy;

/// Returns the value of a series; 0 if there is none.
fn value(kernel: &Kernel, series: &str) -> f64 {
    let text = kernel.metrics().unwrap();
    let value = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' ')).unwrap_or("0");
    value.parse().unwrap()
}

fn calls(kernel: &Kernel, tool: &str, outcome: &str) -> f64 {
    value(kernel, &format!(r#"mgp_tool_calls_total{{server="test",tool="{tool}",outcome="{outcome}"}}"#))
}

#[tokio::test]
async fn a_kernel_counts_nothing_by_default() {
    assert_eq!(open().await.kernel.metrics(), None);
}

#[tokio::test]
async fn calls_refusals_and_searches_are_counted() {
    let setup = start(|kernel, signals| {
        let mut rest = spec("closed", signals);
        rest.default_policy = DefaultPolicy::OptIn;
        kernel
            .server(spec("test", signals))
            .server(rest)
            .program(|program| program.metrics = true)
            .without_approver()
    })
    .await;
    let (kernel, host) = (&setup.kernel, setup.host().await);
    for _ in 0..3 {
        within(host.call_tool("add", json(r#"{"a":1,"b":1}"#))).await.unwrap();
    }
    within(host.call_tool("secret", json("{}"))).await.unwrap_err();
    within(host.call_tool("closed__add", json("{}"))).await.unwrap_err();
    within(host.call_tool("no_such_tool", json("{}"))).await.unwrap_err();
    within(host.call_tool("mgp_tools_discover", json(r#"{"query":"add two numbers"}"#))).await.unwrap();

    assert_eq!((calls(kernel, "add", "success"), calls(kernel, "secret", "refused")), (3.0, 1.0));
    let unknown = r#"mgp_tool_calls_total{server="unknown",tool="unknown",outcome="refused"}"#;
    let refused = |gate: &str| value(kernel, &format!(r#"mgp_refusals_total{{gate="{gate}"}}"#));
    assert_eq!((value(kernel, unknown), refused("not_found")), (1.0, 1.0));
    assert_eq!((refused("permission"), refused("access")), (1.0, 1.0));
    let timed = r#"mgp_tool_call_duration_seconds_count{server="test",tool="add"}"#;
    assert_eq!((value(kernel, timed), value(kernel, "mgp_tool_search_duration_seconds_count")), (3.0, 1.0));
    let executed = r#"mgp_audit_events_total{type="TOOL_EXECUTED",result="success"}"#;
    assert_eq!((value(kernel, executed), value(kernel, "mgp_audit_unstored_events")), (3.0, 0.0));
    assert_eq!((value(kernel, r#"mgp_server_up{server="closed"}"#), value(kernel, "mgp_hosts")), (1.0, 1.0));
    assert_eq!(value(kernel, r#"mgp_server_tools{server="test"}"#), 5.0);
    assert!(value(kernel, "mgp_start_time_seconds") > 1.7e9);
}

#[tokio::test]
async fn every_metric_of_a_replica_has_its_name() {
    let setup = start(|kernel, signals| {
        kernel.server(spec("test", signals)).program(|program| program.metrics = true)
    })
    .await;
    setup.kernel.name_replica("10.0.0.1:7434");
    let text = setup.kernel.metrics().unwrap();
    let samples: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert!(samples.iter().any(|line| line.starts_with("mgp_server_up{")), "{text}");
    for line in samples {
        assert!(line.contains(r#"{replica="10.0.0.1:7434""#), "{line}");
    }
}

#[tokio::test]
async fn queues_and_running_calls_are_visible_while_they_last() {
    let setup = start(|kernel, signals| {
        let mut spec = spec("test", signals);
        spec.max_concurrent = 1;
        kernel.server(spec).program(|program| program.metrics = true)
    })
    .await;
    let (kernel, host) = (&setup.kernel, setup.host().await);
    let hanging = host.start_tool("hang", json("{}")).await.unwrap();
    within(setup.signals.started.notified()).await;
    let waiting = host.start_tool("add", json(r#"{"a":1,"b":1}"#)).await.unwrap();
    let is = async |series: &str, expected: f64| until(|| value(kernel, series) == expected).await;
    is(r#"mgp_server_calls_queued{server="test"}"#, 1.0).await;
    assert_eq!(value(kernel, r#"mgp_server_calls_in_flight{server="test"}"#), 1.0);
    drop((hanging, waiting));
    is(r#"mgp_server_calls_in_flight{server="test"}"#, 0.0).await;
    is(r#"mgp_tool_calls_total{server="test",tool="hang",outcome="cancelled"}"#, 1.0).await;
}

#[tokio::test]
async fn tools_past_the_bound_are_counted_together() {
    let setup = start(|kernel, signals| {
        kernel
            .server(spec("test", signals))
            .program(|program| program.metrics = true)
            .config(|config| config.telemetry.metrics_tools = 1)
    })
    .await;
    let host = setup.host().await;
    for tool in ["add", "count"] {
        within(host.call_tool(tool, json(r#"{"a":1,"b":1,"steps":1}"#))).await.unwrap();
    }
    let other = r#"mgp_tool_call_duration_seconds_count{server="other",tool="other"}"#;
    assert_eq!((calls(&setup.kernel, "add", "success"), value(&setup.kernel, other)), (1.0, 1.0));
}
