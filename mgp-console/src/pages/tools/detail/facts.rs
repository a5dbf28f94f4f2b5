//! The facts about a tool: its gates, its access, and the claims of its server.

use super::report::{Definition, Expectation, ToolReport};
use crate::{
    form::link,
    page::{Context, Nav, foreign, foreign_whole, time},
    pages::{agents::rule_links, tools::filter::risk_mark},
};
use maud::{Markup, html};

/// The most rows of a table.
const MAX_ROWS: usize = 100;

/// Returns the list of facts.
pub(super) fn facts(context: &Context, tool: &ToolReport) -> Markup {
    let words = &context.texts.tools;
    html! {
        dl .facts {
            dt { (words.server) }
            dd { a href=(link(Nav::Servers.path(), "id", &tool.server_id)) { (foreign(&tool.server_id)) }
                @if let Some(state) = &tool.server_state { " " span .state data-state=(state) { (state) } } }
            @if tool.tool_name != tool.name { dt { (words.own_name) } dd { (foreign(&tool.tool_name)) } }
            dt { (words.risk) } dd { (risk_mark(context, &tool.risk_level)) " " (foreign_whole(&tool.risk_reason)) }
            dt { (words.confirmation) } dd { (foreign_whole(&tool.asked)) }
            dt { (words.permissions) } dd { (permissions(context, tool)) }
            @if !tool.validators.is_empty() {
                dt { (words.validators) } dd { @for name in &tool.validators { (foreign(name)) " " } }
            }
            @if let Some(confinement) = &tool.confinement { dt { (words.confinement) } dd { (foreign_whole(confinement)) } }
            @if !tool.pinned.state.is_empty() {
                dt { (words.pinned) }
                dd { span .state data-state=(tool.pinned.state) { (tool.pinned.state) }
                    @if let Some(reason) = &tool.pinned.reason { " " (foreign_whole(reason)) } }
            }
            @if matches!(tool.secrets.as_str(), "warn" | "mask") { dt { (words.secrets) } dd { (tool.secrets) } }
            (expectation(context, &tool.expectation))
        }
    }
}

fn permissions(context: &Context, tool: &ToolReport) -> Markup {
    let words = &context.texts.tools;
    html! {
        @if tool.permissions.is_empty() && tool.invalid_permissions.is_empty() { span .quiet { (words.no_permissions) } }
        @for row in &tool.permissions {
            (foreign(&row.permission)) " " span .state data-state=(row.state) { (row.state) } " "
            @if row.state != "approved" { a href=(Nav::Approvals.path()) { (words.decide) } " " }
        }
        @for invalid in &tool.invalid_permissions { span .state data-state="error" { (words.never_called) } " " (foreign(invalid)) " " }
    }
}

fn expectation(context: &Context, expectation: &Expectation) -> Markup {
    let (words, now) = (&context.texts.tools, &context.texts.now);
    html! {
        @if let Some(latency) = &expectation.latency { dt { (words.takes) } dd { (foreign(latency)) } }
        @for measured in expectation.measured.iter().filter(|measured| measured.calls > 0) {
            dt { (words.measured) }
            dd { (now.p50) " " (measured.p50_ms) " ms, " (now.p95) " " (measured.p95_ms) " ms, " (measured.calls) " " (words.calls) }
        }
        @if let Some(quota) = &expectation.quota {
            dt { (words.quota) } dd { (quota.remaining) " / " (quota.limit) " · " (words.until) " " (time(&quota.resets_at)) }
        }
    }
}

/// Returns the hints of the server, which are claims.
pub(super) fn annotations(context: &Context, definition: &Definition) -> Markup {
    let words = &context.texts.tools;
    let Some(hints) = &definition.annotations else { return html! {} };
    let rows = [
        (&words.read_only, hints.read_only_hint),
        (&words.destructive, hints.destructive_hint),
        (&words.idempotent, hints.idempotent_hint),
        (&words.open_world, hints.open_world_hint),
    ];
    let known: Vec<_> = rows.iter().filter_map(|(name, hint)| Some((name, (*hint)?))).collect();
    html! {
        @if !known.is_empty() {
            h2 { (words.claims) }
            p .quiet { (words.claims_help) }
            dl .facts { @for (name, holds) in known { dt { (name) } dd { @if holds { (words.yes) } @else { (words.no) } } } }
        }
    }
}

/// Returns the kind of rule that decides, in the words of an explanation.
fn source(context: &Context, source: &str) -> Markup {
    let words = &context.texts.judgement;
    match source {
        "tool_grant" => html! { (words.tool_rule) },
        "server_grant" => html! { (words.server_rule) },
        "default_policy" => html! { (words.default_policy) },
        other => foreign(other),
    }
}

/// Returns the access of agents.
pub(super) fn access(context: &Context, tool: &ToolReport) -> Markup {
    let rows = &tool.access;
    let (words, agents) = (&context.texts.tools, &context.texts.agents);
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    html! {
        @if !rows.is_empty() {
            h2 { (words.access) }
            div .scroll tabindex="0" role="region" aria-label=(words.access) { table {
                thead { tr { th scope="col" { (words.agent) } th scope="col" { (words.rule) } th scope="col" { (words.source) } th scope="col" { (words.change) } } }
                tbody { @for row in rows.iter().take(MAX_ROWS) { tr {
                    th scope="row" { a href=(link(Nav::Agents.path(), "agent", &row.agent)) { (foreign(&row.agent)) } }
                    td { span .state data-state=(row.permission) { @if row.permission == "allow" { (agents.may) } @else { (agents.may_not) } } }
                    td { (source(context, &row.source))
                        @if let Some(role) = &row.role { " · " (foreign(role)) }
                        @if let Some(policy) = &row.policy { " · " (foreign(policy)) } }
                    td { (rule_links(context, &row.agent, &tool.server_id, Some(tool.tool_name.as_str()))) }
                } } }
            } }
            @if left_out > 0 { p .quiet { (crate::texts::number(left_out as u64, &words.more_one, &words.more_many)) } }
        }
    }
}
