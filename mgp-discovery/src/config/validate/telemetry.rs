//! `[telemetry]`.

use super::{checks::Checks, server};
use crate::config::{TelemetryConfig, path::KeyPath};

pub(super) fn telemetry(config: &TelemetryConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("telemetry");
    if let Some(url) = &config.traces {
        server::address(url, &path.key("traces"), "use telemetry.traces_authorization instead", checks);
    }
    if let Some(value) = &config.traces_authorization {
        server::header_value(value, &path.key("traces_authorization"), checks);
    }
    if config.traces.is_none() && config.traces_authorization.is_some() {
        checks.say(
            path.key("traces_authorization"),
            "no collector to use it: expected telemetry.traces as well",
        );
    }
    checks.range(path.key("metrics_tools"), config.metrics_tools, 1..=10_000);
    if let Some(address) =
        config.metrics.filter(|metrics| !metrics.ip().is_loopback() && !config.metrics_open)
    {
        let message = format!("{address} can be reached from other machines, and metrics have no keys");
        checks.advise(
            path.key("metrics"),
            message,
            "use 127.0.0.1, or set telemetry.metrics_open = true if something else keeps strangers out",
        );
    }
}
