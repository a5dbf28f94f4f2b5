//! The explanation as a list.

use super::report::{Gates, Judgement};
use crate::{
    page::{Context, foreign, time},
    pages::agents::rule_links,
};
use maud::{Markup, html};
use mgp_types::tool_check::CheckToolResult;

/// Writes an explanation: the decision, the gates behind it, the judgement on the call, and every rule that matches.
pub(crate) fn judgement(context: &Context, judgement: &Judgement) -> Markup {
    let words = &context.texts.judgement;
    let may = judgement.permission == "allow";
    html! {
        div #judgement .judgement {
            p { (foreign(&judgement.agent_id)) " "
                span .state data-state=(if may { "SUCCESS" } else { "FAILURE" }) { @if may { (words.may) } @else { (words.may_not) } }
                " " (foreign(&judgement.server_id))
                @if let Some(tool) = &judgement.tool_name { " " (foreign(tool)) } }
            p .buttons { (rule_links(context, &judgement.agent_id, &judgement.server_id, judgement.tool_name.as_deref())) }
            dl {
                dt { (words.because) } dd { (source(context, judgement)) " " (foreign(&judgement.reason)) }
                @if let Some(by) = &judgement.granted_by { dt { (words.granted_by) } dd { (foreign(by)) } }
                @if let Some(end) = &judgement.expires_at { dt { (words.ends) } dd { (time(end)) } }
                @if let Some(gates) = &judgement.gates { (gate_rows(context, gates)) }
                @if let Some(call) = &judgement.call { (call_rows(context, call)) }
            }
            @if !judgement.rules.is_empty() { (rules(context, judgement)) }
        }
    }
}

/// Names the kind of rule that decides.
fn source(context: &Context, judgement: &Judgement) -> Markup {
    let words = &context.texts.judgement;
    let kind = match (&judgement.policy, judgement.source.as_str()) {
        (Some(_), _) => &words.policy,
        (None, "tool_grant") => &words.tool_rule,
        (None, "server_grant") => &words.server_rule,
        _ => &words.default_policy,
    };
    html! {
        strong { (kind) }
        @if let Some(role) = &judgement.role { " · " (words.role) " " (foreign(role)) }
        @if let Some(policy) = &judgement.policy { " " (foreign(policy)) }
        " ·"
    }
}

fn gate_rows(context: &Context, gates: &Gates) -> Markup {
    let words = &context.texts.judgement;
    html! {
        dt { (words.risk) } dd { span .state data-state=(gates.risk_level) { (gates.risk_level) } " " (foreign(&gates.risk_reason)) }
        dt { (words.asked) } dd { (foreign(&gates.asked)) }
        @if !gates.permissions.is_empty() {
            dt { (words.permissions) }
            dd { ul .plain { @for row in &gates.permissions { li { (foreign(&row.permission)) ": " (foreign(&row.state)) } } } }
        }
        @if !gates.answers.is_empty() {
            dt { (words.validators) }
            dd { ul .plain { @for row in &gates.answers { li {
                (foreign(&row.validator)) " " (foreign(&row.answer))
                @if let Some(reason) = &row.reason { ": " (foreign(reason)) }
            } } } }
        }
        @if let Some(confinement) = &gates.confinement { dt { (words.confinement) } dd { (foreign(confinement)) } }
        @if let Some(limits) = gates.limits.as_ref().filter(|limits| !limits.is_empty()) {
            dt { (words.limits) } dd { ul .plain { @for limit in limits { li { (foreign(limit)) } } } }
        }
        @if !gates.pinned.state.is_empty() {
            dt { (words.definition) } dd { (foreign(&gates.pinned.state))
                @if let Some(reason) = &gates.pinned.reason { ": " (foreign(reason)) } }
        }
    }
}

fn call_rows(context: &Context, call: &CheckToolResult) -> Markup {
    let words = &context.texts.judgement;
    html! {
        dt { (words.call_now) }
        dd {
            @match (&call.error, call.would_ask.is_empty()) {
                (Some(_), _) => span .state data-state="FAILURE" { (words.refused) },
                (None, true) => span .state data-state="SUCCESS" { (words.runs) },
                (None, false) => span .state data-state="BLOCKED" { (words.runs_after) },
            }
            @if let Some(error) = &call.error { " " (foreign(&error.message)) }
            @if !call.would_ask.is_empty() {
                ul .plain { @for question in &call.would_ask { li { (question.kind.as_str()) ": " (foreign(&question.reason)) } } }
            }
        }
        @if let Some(quota) = &call.quota {
            dt { (words.quota) }
            dd { (words.quota_use.replace("{cost}", &quota.cost.to_string()).replace("{left}", &quota.remaining.to_string())
                    .replace("{limit}", &quota.limit.to_string())) " " (time(&quota.resets_at)) }
        }
    }
}

fn rules(context: &Context, judgement: &Judgement) -> Markup {
    let words = &context.texts.judgement;
    let named = |name: &Option<String>| name.as_ref().map(|name| foreign(name));
    html! {
        details { summary { (words.rules) " (" (judgement.rules.len()) ")" }
            div .scroll tabindex="0" role="region" aria-label=(words.rules) { table {
                thead { tr {
                    th scope="col" { (words.of) } th scope="col" { (words.server) } th scope="col" { (words.tool) }
                    th scope="col" { (words.rule) } th scope="col" { (words.ends) } th scope="col" { (words.standing) }
                } }
                tbody { @for rule in judgement.rules.iter().take(100) { tr {
                    td { @if let Some(role) = &rule.role { (words.role) " " (foreign(role)) } @else { (words.agent) } }
                    td { (named(&rule.server_id).unwrap_or_else(|| html! { "?" })) }
                    td { (named(&rule.tool_name).unwrap_or_else(|| html! { (words.whole_server) })) }
                    td { @match rule.permission.as_deref() {
                        Some("allow") => (words.may), Some("deny") => (words.may_not), _ => "?",
                    } }
                    td { @if let Some(end) = &rule.expires_at { (time(end)) } @else { (words.never) } }
                    td { (standing(context, &rule.standing)) }
                } } }
            } }
        }
    }
}

fn standing<'a>(context: &'a Context, standing: &'a str) -> &'a str {
    let words = &context.texts.judgement;
    match standing {
        "decides" => &words.decides,
        "overridden" => &words.overridden,
        "ended" => &words.ended,
        "registered" => &words.registered,
        "unreadable" => &words.unreadable,
        "other_tool" => &words.other_tool,
        "other_server" => &words.other_server,
        other => other,
    }
}
