//! `[limits]`.

use super::checks::Checks;
use crate::config::{LimitsConfig, path::KeyPath};
use std::num::{NonZeroU32, NonZeroU64};

/// The most calls per minute that a limit can allow. A higher number is not a limit.
const MAX_PER_MINUTE: u32 = 1_000_000;

/// The most units per day that a limit can allow.
const MAX_PER_DAY: u64 = 1_000_000_000;

/// The most units that a call can cost.
const MAX_COST: u32 = 1_000_000;

/// Checks the table. Server names without a pattern are looked up later.
pub(super) fn limits(config: &LimitsConfig, checks: &mut Checks<'_>) {
    let path = KeyPath::root().key("limits");
    for (table, entries) in [("agents", &config.agents), ("keys", &config.keys)] {
        let path = path.key(table);
        checks.count(path.clone(), entries.len());
        for (name, limit) in entries {
            checks.name(path.key(name), name);
            numbers(&path.key(name), (limit.requests_per_minute, limit.burst, limit.units_per_day), checks);
        }
    }
    for (table, entries) in [("servers", &config.servers), ("tools", &config.tools)] {
        let path = path.key(table);
        checks.count(path.clone(), entries.len());
        for (name, limit) in entries {
            checks.name(path.key(name), name);
            numbers(&path.key(name), (limit.requests_per_minute, limit.burst, limit.units_per_day), checks);
        }
    }
    checks.count(path.key("costs"), config.costs.len());
    for (name, units) in &config.costs {
        checks.name(path.key("costs").key(name), name);
        checks.range(path.key("costs").key(name), *units, 0..=MAX_COST);
    }
    for (table, name) in config.tool_names().filter(|(_, name)| LimitsConfig::tool(name).is_none()) {
        let message = format!("{name:?} names no tool: expected server__tool, such as \"files__*\"");
        checks.say(path.key(table).key(name), message);
    }
}

fn numbers(
    path: &KeyPath,
    (per_minute, burst, per_day): (Option<NonZeroU32>, Option<NonZeroU32>, Option<NonZeroU64>),
    checks: &mut Checks<'_>,
) {
    for (key, value) in [("requests_per_minute", per_minute), ("burst", burst)] {
        if let Some(value) = value {
            checks.range(path.key(key), value.get(), 1..=MAX_PER_MINUTE);
        }
    }
    if let Some(per_day) = per_day {
        checks.range(path.key("units_per_day"), per_day.get(), 1..=MAX_PER_DAY);
    }
    if per_minute.is_none() && burst.is_some() {
        checks.say(path.key("burst"), "a burst without a rate: expected requests_per_minute as well");
    } else if per_minute.is_none() && per_day.is_none() {
        checks.say(path.clone(), "limits nothing: expected requests_per_minute or units_per_day");
    }
}
