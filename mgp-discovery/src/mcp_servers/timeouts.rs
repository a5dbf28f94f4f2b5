//! The time limits of other hosts, in milliseconds.

use super::{Host, variables::Variables};
use mgp_types::json::RawObject;
use std::time::Duration;

/// The longest time limit, in seconds, of hosts that count in seconds. A greater number counts milliseconds.
const MOST_SECONDS: f64 = 3_600.0;

/// The longest time limit, in milliseconds: a day.
const MAX_MS: u64 = 86_400_000;

/// Takes the time limit of a server's calls out of its entry.
pub(super) fn call(entry: &mut RawObject, variables: &mut Variables<'_>) -> Option<u64> {
    let exact =
        first(entry, &[("request_timeout_ms", 0.001), ("tool_timeout_ms", 0.001), ("tool_timeout_sec", 1.0)]);
    let Some(limit) = entry.take_readable::<f64>("timeout") else { return millis(exact?) };
    let seconds = match variables.context.host {
        // The host ignores a limit of less than a second.
        Some(Host::ClaudeCode) if limit < 1_000.0 => return millis(exact?),
        // The limit is that of listing the tools.
        Some(Host::OpenCode) => return millis(exact?),
        Some(Host::ClaudeCode | Host::GeminiCli) => limit / 1_000.0,
        _ if limit <= MOST_SECONDS => limit,
        _ => limit / 1_000.0,
    };
    let ms = millis(exact.unwrap_or(seconds));
    match ms {
        Some(ms) => variables.remark(format!("its timeout of {limit} is call_timeout_ms = {ms}")),
        None => variables.remark(format!("its timeout of {limit} is left out: expected at most a day")),
    }
    ms
}

/// Takes the time limit of a server's start out of its entry.
pub(super) fn startup(entry: &mut RawObject) -> Option<u64> {
    let keys = [("startup_timeout_ms", 0.001), ("startup_timeout_sec", 1.0), ("initTimeout", 0.001)];
    millis(first(entry, &keys)?)
}

/// Returns the first time limit under one of the keys, each with its unit in seconds, in seconds.
fn first(entry: &mut RawObject, keys: &[(&str, f64)]) -> Option<f64> {
    keys.iter().find_map(|(key, unit)| Some(entry.take_readable::<f64>(key)? * unit))
}

/// Returns a time in milliseconds, if it is within the bounds of a time limit.
fn millis(seconds: f64) -> Option<u64> {
    let time = Duration::try_from_secs_f64(seconds).ok()?;
    u64::try_from(time.as_millis()).ok().filter(|ms| (1..=MAX_MS).contains(ms))
}
