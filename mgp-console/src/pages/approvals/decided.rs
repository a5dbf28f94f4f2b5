//! Decisions that are in force, which can be taken back.

use super::{
    arguments::beginning,
    pattern::pattern,
    questions::{CallQuestion, PermissionQuestion, Questions, ServerQuestion},
};
use crate::{
    actions::TAKE_BACK,
    commands::CommandError,
    page::{Context, Nav, Part, Submit, element_id, foreign, time},
};
use maud::{Markup, html};
use serde_json::Value;

/// Writes the decisions.
pub(super) async fn decided(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.approvals;
    let mut all: Questions = context.read(&["approve", "--all"]).await?;
    all.confirmations.retain(|call| call.state != "open");
    all.permissions.retain(|permission| permission.decided_by.is_some());
    all.servers.retain(|server| server.denied_by.is_some());
    // The latest decision comes first. The times have one form, so their texts are in the order of time.
    all.confirmations.sort_by(|one, other| other.decided_at.cmp(&one.decided_at));
    let nothing = all.confirmations.is_empty() && all.permissions.is_empty() && all.servers.is_empty();
    Ok(html! {
        @if nothing { p .empty { strong { (words.nothing_decided) } " " (words.nothing_decided_help) } }
        @else { p .quiet { (words.decided_help) } }
        @if !all.confirmations.is_empty() { (calls(context, &all.confirmations)) }
        @if !all.permissions.is_empty() { (permissions(context, &all.permissions)) }
        @if !all.servers.is_empty() { (servers(context, &all.servers)) }
    })
}

fn calls(context: &Context, all: &[CallQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, all, "calls");
    html! {
        section {
            h2 { (words.calls) }
            div .scroll tabindex="0" role="region" aria-label=(words.calls) { table {
                thead { tr {
                    th scope="col" { (words.call) } th scope="col" { (words.asked_by) } th scope="col" { (words.decision) }
                    th scope="col" { (words.by) } th scope="col" { (words.at) } th scope="col" { (words.ends) } th scope="col" { (words.change) }
                } }
                tbody { @for call in part.rows { (call_row(context, call)) } }
            } }
            (part.links(context, Nav::Approvals.path(), "calls"))
        }
    }
}

fn call_row(context: &Context, call: &CallQuestion) -> Markup {
    let id = call.request_id.as_str();
    let heading = element_id("row", id);
    html! {
        tr {
            th scope="row" {
                div id=(heading) { (foreign(&call.server_id)) " " (foreign(&call.tool_name)) }
                details { summary { (foreign(call.arguments.get())) } (beginning(context, id, call.arguments.get())) }
                @if !call.every_time && call.state != "unreadable" { (pattern(context, call, true)) }
            }
            td { (foreign(&call.agent_id)) }
            td { (state(context, &call.state)) " " (term(context, call)) }
            td { @if let Some(by) = &call.decided_by { (foreign(by)) } }
            td { @if let Some(at) = &call.decided_at { (time(at)) } }
            td { (end(context, call.expires_at.as_deref())) }
            td { (take_back(context, "row", id, &heading)) }
        }
    }
}

/// Returns limits or patterns on one line, such as `programs: git, make`.
pub(super) fn listed(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(listed).collect::<Vec<_>>().join(", "),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| format!("{name}: {}", listed(value));
            members.iter().map(member).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

/// Names the calls that an answer holds for.
pub(super) fn term(context: &Context, call: &CallQuestion) -> Markup {
    let words = &context.texts.approvals;
    html! {
        @if call.session_only { "· " (words.for_session) " " }
        @if let Some(pattern) = &call.pattern { "· " (words.like_short) " " (foreign(&listed(pattern))) }
    }
}

fn permissions(context: &Context, all: &[PermissionQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, all, "permissions");
    html! {
        section {
            h2 { (words.permissions) }
            div .scroll tabindex="0" role="region" aria-label=(words.permissions) { table {
                thead { tr {
                    th scope="col" { (words.permission) } th scope="col" { (words.decision) } th scope="col" { (words.limits) }
                    th scope="col" { (words.by) } th scope="col" { (words.ends) } th scope="col" { (words.change) }
                } }
                tbody { @for row in part.rows {
                    @let heading = element_id("row", &row.request_id);
                    tr {
                        th scope="row" id=(heading) { (foreign(&row.server_id)) " " (foreign(&row.permission)) }
                        td { (state(context, &row.state)) }
                        td { @if let Some(scope) = &row.scope { (foreign(&listed(scope))) } @else { (words.no_limits) } }
                        td { @if let Some(by) = &row.decided_by { (foreign(by)) } }
                        td { (end(context, row.expires_at.as_deref())) }
                        td { (take_back(context, "row", &row.request_id, &heading)) }
                    }
                } }
            } }
            (part.links(context, Nav::Approvals.path(), "permissions"))
        }
    }
}

fn servers(context: &Context, all: &[ServerQuestion]) -> Markup {
    let words = &context.texts.approvals;
    let part = Part::of(context, all, "servers");
    html! {
        section {
            h2 { (words.servers) }
            div .scroll tabindex="0" role="region" aria-label=(words.servers) { table {
                thead { tr {
                    th scope="col" { (words.server) } th scope="col" { (words.asked_by) } th scope="col" { (words.decision) }
                    th scope="col" { (words.by) } th scope="col" { (words.asked_at) } th scope="col" { (words.change) }
                } }
                tbody { @for row in part.rows {
                    @let heading = element_id("row", &row.request_id);
                    tr {
                        th scope="row" id=(heading) { (foreign(&row.server_id)) }
                        td { (foreign(&row.agent_id)) }
                        td { (state(context, &row.state)) }
                        td { @if let Some(by) = &row.denied_by { (foreign(by)) } }
                        td { (time(&row.asked_at)) }
                        td { (take_back(context, "row", &row.request_id, &heading)) }
                    }
                } }
            } }
            (part.links(context, Nav::Approvals.path(), "servers"))
        }
    }
}

/// Returns the name of a state, in its colour.
pub(super) fn state(context: &Context, state: &str) -> Markup {
    let words = &context.texts.approvals;
    let (mark, text) = match state {
        "approved_once" => ("SUCCESS", &words.is_approved_once),
        "approved" => ("SUCCESS", &words.is_approved),
        "denied" => ("FAILURE", &words.is_denied),
        "expired" => ("BLOCKED", &words.is_expired),
        _ => ("BLOCKED", &words.is_unreadable),
    };
    html! { span .state data-state=(mark) { (text) } }
}

fn end(context: &Context, end: Option<&str>) -> Markup {
    html! { @if let Some(end) = end { (time(end)) } @else { (context.texts.approvals.never) } }
}

/// Returns the button that takes a decision back. `place` distinguishes it from others for the same decision.
pub(super) fn take_back(context: &Context, place: &str, id: &str, heading: &str) -> Markup {
    let words = &context.texts.approvals;
    let own = element_id(&format!("take-back-{place}"), id);
    html! {
        form .inline {
            input type="hidden" name="id" value=(id);
            (Submit::new(&TAKE_BACK, &words.take_back).named_by(&own, heading).show(context))
        }
    }
}
