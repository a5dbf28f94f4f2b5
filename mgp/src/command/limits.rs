//! `mgp limits`: the limits and quotas of the configuration, with their use.

use crate::{
    error::CliError,
    options::Options,
    output::{Outcome, note, on_one_line, table},
    setup::Setup,
};
use clap::Args;
use jiff::Timestamp;
use mgp_discovery::config::{CallerLimit, LimitsConfig, TargetLimit};
use mgp_kernel::limit_rules;
use mgp_security::limits::quota::{QuotaDay, RuleUsage, UsedQuota, rule_usage};
use serde::Serialize;

/// Show the limits and quotas of the configuration, with the units that were used today
///
/// Reads the used units from the state, also while no gateway runs. Calls a minute are counted in the gateways, and are not shown. Days begin
/// at midnight in UTC.
#[derive(Debug, Args)]
pub(crate) struct LimitsArgs {
    /// Show at most N callers of each quota, the largest first
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    most: u32,
}

/// The JSON form of the answer.
#[derive(Serialize)]
struct LimitList {
    limits: Vec<LimitReport>,
    costs: Vec<ToolCost>,
}

/// A limit of the configuration.
#[derive(Serialize)]
struct LimitReport {
    /// The table: `agents`, `keys`, `servers` or `tools`.
    of: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    requests_per_minute: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units_per_day: Option<u64>,
    per_agent: bool,
    uses: Vec<QuotaUse>,
    /// The number of further callers that have used units today.
    #[serde(skip_serializing_if = "Option::is_none")]
    more: Option<usize>,
}

/// The use of a quota.
#[derive(Serialize)]
struct QuotaUse {
    /// The agent or the key; none if all agents are counted together.
    #[serde(skip_serializing_if = "Option::is_none")]
    caller: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    units_today: u64,
    resets_at: String,
}

/// The units that a call of a tool spends.
#[derive(Serialize)]
struct ToolCost {
    tool: String,
    units: u32,
}

pub(crate) async fn run(options: &Options, args: LimitsArgs) -> Result<Outcome, CliError> {
    let setup = Setup::load_for_state(options).await?;
    let config = setup.loaded.as_ref().map(|loaded| loaded.config.limits.clone()).unwrap_or_default();
    let mut limits = configured(&config);
    if limits.iter().any(|limit| limit.units_per_day.is_some()) {
        let day = QuotaDay::of(Timestamp::now());
        let used = setup.state.quotas()?.used_on(day.date).await?;
        let most = usize::try_from(args.most).unwrap_or(usize::MAX);
        for usage in rule_usage(&limit_rules(&config), used, most) {
            let counted = limits.iter_mut().find(|limit| limit.of == usage.table && limit.name == usage.name);
            if let Some(limit) = counted {
                limit.add(usage, &day);
            }
        }
    }
    if limits.is_empty() {
        note("there are no limits: [limits] in the configuration makes some");
    }
    let costs: Vec<_> =
        config.costs.iter().map(|(tool, units)| ToolCost { tool: tool.clone(), units: *units }).collect();
    Outcome::new(text(&limits, &costs), &LimitList { limits, costs })
}

/// Returns the limits of the configuration, without their use.
fn configured(config: &LimitsConfig) -> Vec<LimitReport> {
    let of_callers = [("agents", &config.agents), ("keys", &config.keys)];
    let of_targets = [("servers", &config.servers), ("tools", &config.tools)];
    let callers = of_callers.into_iter().flat_map(|(of, limits)| limits.iter().map(move |one| (of, one)));
    let callers = callers.map(|(of, (name, limit))| {
        let CallerLimit { requests_per_minute, burst, units_per_day } = limit.clone();
        (of, name, TargetLimit { requests_per_minute, burst, units_per_day, per_agent: false })
    });
    let targets = of_targets.into_iter().flat_map(|(of, limits)| limits.iter().map(move |one| (of, one)));
    let targets = targets.map(|(of, (name, limit))| (of, name, limit.clone()));
    callers.chain(targets).map(|(of, name, limit)| LimitReport::new(of, name, &limit)).collect()
}

impl LimitReport {
    fn new(of: &'static str, name: &str, limit: &TargetLimit) -> Self {
        Self {
            of,
            name: name.to_owned(),
            requests_per_minute: limit.requests_per_minute.map(Into::into),
            burst: limit.burst.map(Into::into),
            units_per_day: limit.units_per_day.map(Into::into),
            per_agent: limit.per_agent,
            uses: Vec::new(),
            more: None,
        }
    }

    /// Adds the used units of a day.
    fn add(&mut self, usage: RuleUsage, day: &QuotaDay) {
        let given = |name: String| (!name.is_empty()).then_some(name);
        let one = |UsedQuota { key, units }: UsedQuota| QuotaUse {
            caller: given(key.caller),
            server_id: given(key.server),
            tool_name: given(key.tool),
            units_today: units,
            resets_at: day.resets_at.to_string(),
        };
        self.uses = usage.largest.into_iter().map(one).collect();
        self.more = Some(usage.more);
    }

    /// Returns the callers that are counted separately.
    fn counted(&self) -> &'static str {
        match self.of {
            "agents" => "each agent",
            "keys" => "each key",
            _ if self.per_agent => "each agent",
            _ => "together",
        }
    }
}

impl QuotaUse {
    /// Returns the subject in words: the caller, the tool or server, or both.
    fn subject(&self) -> String {
        let target = match (&self.server_id, &self.tool_name) {
            (Some(server), Some(tool)) => Some(format!("{server}__{tool}")),
            (server, _) => server.clone(),
        };
        let parts: Vec<_> = self.caller.clone().into_iter().chain(target).collect();
        on_one_line(&parts.join(" at "))
    }
}

fn text(limits: &[LimitReport], costs: &[ToolCost]) -> String {
    let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let limit = |limit: &LimitReport| {
        [
            limit.of.to_owned(),
            on_one_line(&limit.name),
            number(limit.requests_per_minute.map(u64::from)),
            number(limit.burst.map(u64::from)),
            number(limit.units_per_day),
            limit.counted().to_owned(),
        ]
    };
    let mut parts = Vec::new();
    if !limits.is_empty() {
        let header = ["of", "name", "calls a minute", "at once", "units a day", "counted"];
        parts.push(table(header, limits.iter().map(limit)));
    }
    let uses = limits.iter().flat_map(|limit| limit.uses.iter().map(move |one| (limit, one)));
    let rows: Vec<_> = uses
        .map(|(limit, one)| {
            let quota = format!("{} {}", limit.of, on_one_line(&limit.name));
            let units = [one.units_today.to_string(), number(limit.units_per_day)];
            [quota, one.subject(), units.join(" of "), one.resets_at.clone()]
        })
        .collect();
    if !rows.is_empty() {
        parts.push(table(["quota", "used by", "units today", "until"], rows));
    }
    let left_out = limits.iter().filter_map(|limit| Some((limit, limit.more.filter(|more| *more > 0)?)));
    let left_out: Vec<_> = left_out
        .map(|(limit, more)| {
            format!("and {more} more of {} {}: --most shows more", limit.of, on_one_line(&limit.name))
        })
        .collect();
    if !left_out.is_empty() {
        parts.push(left_out.join("\n"));
    }
    if !costs.is_empty() {
        let rows = costs.iter().map(|cost| [on_one_line(&cost.tool), cost.units.to_string()]);
        parts.push(table(["tool", "units of a call"], rows));
    }
    parts.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn limits_are_one_table_and_their_use_another() {
        let config = r#"{"agents": {"*": {"requests_per_minute": 120, "burst": 20, "units_per_day": 500}},
            "tools": {"issues__*": {"units_per_day": 12, "per_agent": true}}, "costs": {"issues__export*": 5}}"#;
        let mut limits = configured(&serde_json::from_str(config).unwrap());
        let day = QuotaDay::of("2026-03-15T10:00:00Z".parse().unwrap());
        let used = |party, [caller, server, tool]: [&str; 3], units| UsedQuota {
            key: mgp_security::limits::quota::QuotaKey {
                party,
                caller: caller.to_owned(),
                server: server.to_owned(),
                tool: tool.to_owned(),
            },
            units,
        };
        let usage = |largest, more| RuleUsage { table: "", name: String::new(), largest, more };
        limits[0].add(usage(vec![used("agent", ["ann\nx", "", ""], 400)], 3), &day);
        limits[1].add(usage(vec![used("tool", ["bob", "issues", "export"], 10)], 0), &day);
        let costs = [ToolCost { tool: "issues__export*".to_owned(), units: 5 }];
        expect![[r"
            OF      NAME       CALLS A MINUTE  AT ONCE  UNITS A DAY  COUNTED
            agents  *          120             20       500          each agent
            tools   issues__*  -               -        12           each agent

            QUOTA            USED BY                UNITS TODAY  UNTIL
            agents *         ann x                  400 of 500   2026-03-16T00:00:00Z
            tools issues__*  bob at issues__export  10 of 12     2026-03-16T00:00:00Z

            and 3 more of agents *: --most shows more

            TOOL             UNITS OF A CALL
            issues__export*  5"]]
        .assert_eq(&text(&limits, &costs));
    }
}
