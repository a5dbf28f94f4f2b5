//! Limits and quotas, with their use.

use crate::{
    commands::CommandError,
    page::{Context, Nav, Part, foreign, time},
    texts::number,
};
use maud::{Markup, html};
use serde::Deserialize;

/// The answer of `mgp limits`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Limits {
    limits: Vec<Limit>,
    costs: Vec<Cost>,
}

/// A limit of the configuration.
#[derive(Debug, Deserialize)]
struct Limit {
    /// `agents`, `keys`, `servers` or `tools`.
    of: String,
    /// The name, which may be a pattern.
    name: String,
    #[serde(default)]
    requests_per_minute: Option<u64>,
    #[serde(default)]
    burst: Option<u64>,
    #[serde(default)]
    units_per_day: Option<u64>,
    #[serde(default)]
    per_agent: bool,
    /// The callers that used most of it.
    #[serde(default)]
    uses: Vec<Use>,
    /// The number of further callers.
    #[serde(default)]
    more: u64,
}

/// The use of a limit.
#[derive(Debug, Deserialize)]
struct Use {
    /// The agent or the key; none if all agents are counted together.
    #[serde(default)]
    caller: Option<String>,
    #[serde(default)]
    server_id: Option<String>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    units_today: Option<u64>,
    #[serde(default)]
    resets_at: Option<String>,
}

impl Use {
    /// Returns the tool or the server whose units are counted.
    fn target(&self) -> Option<String> {
        match (&self.server_id, &self.tool_name) {
            (Some(server), Some(tool)) => Some(format!("{server}__{tool}")),
            (server, _) => server.clone(),
        }
    }
}

/// The cost of a tool.
#[derive(Debug, Deserialize)]
struct Cost {
    tool: String,
    units: u64,
}

/// The most callers of a limit that are shown.
const USES: usize = 10;

/// Writes the limits.
pub(super) async fn limits(context: &Context) -> Result<Markup, CommandError> {
    let list: Limits = context.read(&["limits"]).await?;
    let words = &context.texts.agents;
    let part = Part::of(context, &list.limits, "from");
    Ok(html! {
        h2 { (words.limits) }
        p .quiet { (words.limits_help) " " a href=(Nav::Settings.path()) { (context.texts.nav.settings) } }
        @if list.limits.is_empty() { p .empty { strong { (words.no_limits) } " " (words.no_limits_help) } }
        @else { div .scroll tabindex="0" role="region" aria-label=(words.limits) { table {
            thead { tr {
                th scope="col" { (words.limit_of) } th scope="col" .number { (words.per_minute) } th scope="col" .number { (words.burst) }
                th scope="col" .number { (words.per_day) } th scope="col" { (words.counted) } th scope="col" { (words.used_today) }
            } }
            tbody { @for limit in part.rows { (row(context, limit)) } }
        } } }
        (part.links(context, Nav::Agents.path(), "from"))
        @if !list.costs.is_empty() {
            h3 { (words.costs) }
            ul .plain { @for cost in list.costs.iter().take(100) { li { (foreign(&cost.tool)) ": " (cost.units) } } }
        }
    })
}

fn row(context: &Context, limit: &Limit) -> Markup {
    let words = &context.texts.agents;
    let more = limit.more + limit.uses.len().saturating_sub(USES) as u64;
    let or_none = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), |number| number.to_string());
    html! {
        tr {
            th scope="row" { (kind(context, &limit.of)) " " (foreign(&limit.name)) }
            td .number { (or_none(limit.requests_per_minute)) }
            td .number { (or_none(limit.burst)) }
            td .number { (or_none(limit.units_per_day)) }
            td { @if limit.per_agent || limit.of == "agents" || limit.of == "keys" { (words.each) } @else { (words.together) } }
            td {
                @for one in limit.uses.iter().take(USES) { (use_of(context, one, limit.units_per_day)) }
                @if more > 0 { p .quiet { (number(more, &words.uses_more_one, &words.uses_more_many)) } }
                @if limit.units_per_day.is_none() { "–" }
                @else if limit.uses.is_empty() { span .quiet { (words.unused) } }
            }
        }
    }
}

/// Shows the use of a quota as a number, and as a bar for those who see it.
fn use_of(context: &Context, one: &Use, limit: Option<u64>) -> Markup {
    let words = &context.texts.agents;
    let used = one.units_today.unwrap_or_default();
    html! {
        div .use {
            @if let Some(caller) = &one.caller { (foreign(caller)) " " }
            @if let Some(target) = one.target() { (foreign(&target)) " " }
            (used) @if let Some(limit) = limit { " / " (limit) " "
                meter min="0" max=(limit) value=(used.min(limit)) aria-label=(words.used_today) { (used) } }
            @if let Some(end) = &one.resets_at { " " span .quiet { (words.resets) " " (time(end)) } }
        }
    }
}

fn kind<'a>(context: &'a Context, of: &'a str) -> &'a str {
    let words = &context.texts.agents;
    match of {
        "agents" => &words.agent,
        "keys" => &words.key,
        "servers" => &words.server,
        "tools" => &words.tool,
        other => other,
    }
}
