//! The counts of agents, servers or tools as a table with bars.

use super::{
    frame::{at, plain},
    report::{CountReport, Counts, Group},
};
use crate::{
    page::{Context, Nav, foreign},
    pages::trail::{event::NAMESPACE, event_name::event_name, row::result_name},
    texts::number,
};
use maud::{Markup, html};

/// The most rows.
const MAX_ROWS: usize = 50;
/// The width of the longest bar, in units of the drawing.
const BAR: f64 = 120.0;

/// Returns the table. Each name leads to the events of its group.
pub(super) fn groups(context: &Context, report: &CountReport, by: &str) -> Markup {
    let words = &context.texts.trail;
    let most = report.groups.iter().map(|group| group.counts.all_calls().max(1)).max().unwrap_or(1) as f64;
    let has_tokens = report.groups.iter().any(|group| group.counts.tokens.is_some());
    let left_out = report.left_out + report.groups.len().saturating_sub(MAX_ROWS) as u64;
    html! {
        div .scroll tabindex="0" role="region" aria-labelledby="groups" { table .groups {
            thead { tr {
                th scope="col" { (words.name) } th scope="col" { (words.share) }
                th scope="col" .number { (words.calls) } th scope="col" .number { (words.failed) } th scope="col" .number { (words.refused) }
                th scope="col" .number { (words.half_within) " (ms)" } th scope="col" .number { (words.most_within) " (ms)" }
                @if has_tokens { th scope="col" .number { (words.tokens) } }
                th scope="col" .number { (words.events) }
            } }
            tbody { @for group in report.groups.iter().take(MAX_ROWS) { tr {
                th scope="row" { a href=(events_of(context, by, group)) {
                    @if let Some(server) = &group.server_id { (foreign(server)) " " } (name(context, by, &group.name)) } }
                td { (bar(&group.counts, most)) }
                td .number { (group.counts.calls) } td .number { (group.counts.failed) } td .number { (group.counts.refused) }
                td .number { (optional(group.counts.p50_ms)) } td .number { (optional(group.counts.p95_ms)) }
                @if has_tokens { td .number { (optional(group.counts.tokens.map(|tokens| tokens as f64))) } }
                td .number { (group.counts.events) }
            } } }
        } }
        @if left_out > 0 { p .quiet { (number(left_out, &words.group_one, &words.group_many)) } }
    }
}

/// Returns the name of a group. Types and outcomes have words of their own.
fn name(context: &Context, by: &str, name: &str) -> Markup {
    match by {
        "type" => event_name(context, name.strip_prefix(NAMESPACE).unwrap_or(name)),
        "result" if ["SUCCESS", "FAILURE", "BLOCKED"].contains(&name) => {
            html! { span title=(name) { (result_name(context, name)) } }
        }
        _ => foreign(name),
    }
}

/// Returns the address of the events of a group.
fn events_of(context: &Context, by: &str, group: &Group) -> String {
    let given = |name| context.query.one(name).unwrap_or_default();
    let server = group.server_id.as_deref().unwrap_or_else(|| given("server"));
    let mut fields = vec![
        ("agent", given("agent")),
        ("server", server),
        ("since", given("since")),
        ("until", given("until")),
    ];
    fields.retain(|(name, _)| *name != by);
    fields.push((BY.iter().find(|known| **known == by).copied().unwrap_or("agent"), group.name.as_str()));
    crate::form::address(Nav::Trail.path(), &fields)
}

/// The kinds of groups.
pub(super) const BY: [&str; 5] = ["agent", "server", "tool", "type", "result"];

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), plain)
}

/// Returns the calls of a group as a bar, whose numbers are in the row.
fn bar(counts: &Counts, most: f64) -> Markup {
    let parts = [("calls", counts.succeeded()), ("failed", counts.failed), ("refused", counts.refused)];
    let width = |count: u64| count as f64 / most * BAR;
    let mut x = 0.0;
    html! {
        svg .share viewBox=(format!("0 0 {BAR} 12")) aria-hidden="true" {
            @for (mark, count) in parts { @if count > 0 {
                rect data-series=(mark) x=(at(x)) y="1" width=(at(width(count).max(1.0))) height="10" {}
                ({ x += width(count); html! {} })
            } }
        }
    }
}
