//! The rules of `[limits]`.

use mgp_discovery::config::{CallerLimit, LimitsConfig, TargetLimit};
use mgp_security::limits::{LimitRule, LimitedParty, quota::CostRule};
use std::num::{NonZeroU32, NonZeroU64};

/// Returns the rules of `[limits]`, in the order of its tables.
#[must_use]
pub fn limit_rules(config: &LimitsConfig) -> Vec<LimitRule> {
    let rule =
        |party, per_minute: Option<NonZeroU32>, burst: Option<NonZeroU32>, per_day: Option<NonZeroU64>| {
            let rule = per_minute.into_iter().fold(LimitRule::new(party), LimitRule::per_minute);
            let rule = burst.into_iter().fold(rule, LimitRule::burst);
            per_day.into_iter().fold(rule, LimitRule::per_day)
        };
    let of_caller =
        |party, limit: &CallerLimit| rule(party, limit.requests_per_minute, limit.burst, limit.units_per_day);
    let of_target = |party, limit: &TargetLimit| {
        let rule = rule(party, limit.requests_per_minute, limit.burst, limit.units_per_day);
        if limit.per_agent { rule.per_agent() } else { rule }
    };
    let agents =
        config.agents.iter().map(|(id, limit)| of_caller(LimitedParty::Agent((&**id).into()), limit));
    let keys = config.keys.iter().map(|(name, limit)| of_caller(LimitedParty::Key((&**name).into()), limit));
    let servers =
        config.servers.iter().map(|(id, limit)| of_target(LimitedParty::Server((&**id).into()), limit));
    let tools = config.tools.iter().filter_map(|(name, limit)| {
        let (server, tool) = LimitsConfig::tool(name)?;
        Some(of_target(LimitedParty::Tool { server: server.into(), tool: tool.into() }, limit))
    });
    agents.chain(keys).chain(servers).chain(tools).collect()
}

/// Returns the costs of `[limits.costs]`.
pub(super) fn costs(config: &LimitsConfig) -> Vec<CostRule> {
    let cost = |(name, units): (&String, &u32)| {
        let (server, tool) = LimitsConfig::tool(name)?;
        Some(CostRule { server: server.into(), tool: tool.into(), units: *units })
    };
    config.costs.iter().filter_map(cost).collect()
}
