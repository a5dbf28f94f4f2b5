//! The audit events about a server.

use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, foreign, foreign_whole, result, time},
};
use maud::{Markup, html};
use mgp_types::{
    audit::AuditEvent,
    json::{RawJson, RawObject},
};
use serde::Deserialize;

/// The number of events that are shown.
const LAST: &str = "--last=100";

/// The types by which the events can be chosen, as the command names them.
const TYPES: [&str; 6] = [
    "SERVER_CONNECTED",
    "SERVER_DISCONNECTED",
    "SERVER_CONTROLLED",
    "TOOL_EXECUTED",
    "TOOL_BLOCKED",
    "DEFINITION_ACCEPTED",
];

/// The beginning of the gateway's own types of events.
const NAMESPACE: &str = "dev.cloto.mgp.";

/// The output of `mgp audit`.
#[derive(Debug, Deserialize)]
struct Events {
    events: Vec<AuditEvent>,
}

/// Returns the latest events about a server, the newest first.
pub(super) async fn history(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let named = context.query.one("type");
    let chosen = TYPES.into_iter().find(|name| Some(*name) == named);
    let of_type = chosen.map(|name| format!("--type={name}"));
    let of_server = format!("--server={id}");
    let mut command = vec!["audit", LAST, &of_server];
    command.extend(of_type.as_deref());
    let events: Events = context.read(&command).await?;
    let words = &context.texts.server;
    Ok(html! {
        section {
            h2 #history { (words.history) }
            form .filter method="get" action=(Nav::Servers.path()) {
                input type="hidden" name="id" value=(id);
                input type="hidden" name="view" value="history";
                label for="type" { (words.event) }
                select #type name="type" {
                    option value="" { (words.every_event) }
                    @for name in TYPES { option value=(name) selected[chosen == Some(name)] { (name) } }
                }
                button type="submit" { (context.texts.servers.show) }
                a href=(link(Nav::Trail.path(), "server", id)) { (words.trail) }
            }
            @if events.events.is_empty() { p .empty { (words.no_events) } } @else { (table(context, &events.events)) }
        }
    })
}

fn table(context: &Context, events: &[AuditEvent]) -> Markup {
    let words = &context.texts.server;
    html! {
        div .scroll tabindex="0" role="region" aria-labelledby="history" { table {
            thead { tr {
                th scope="col" { (words.time) } th scope="col" { (words.event) } th scope="col" { (words.result) }
                th scope="col" { (words.by) } th scope="col" { (words.tool) } th scope="col" { (words.reason) }
            } }
            tbody { @for event in events.iter().rev() { (row(context, event)) } }
        } }
    }
}

/// Returns the details of an event that has no reason.
fn on_one_line(details: &RawObject) -> String {
    let detail = |(name, value): (&str, &RawJson)| {
        format!("{name}={}", value.to_text().unwrap_or_else(|| value.to_string()))
    };
    details.iter().map(detail).collect::<Vec<_>>().join(" ")
}

fn row(context: &Context, event: &AuditEvent) -> Markup {
    let event_type = event.event_type.as_str();
    let tool = event.target.get().and_then(|target| target.tool_name.get());
    let details = event.details.as_ref();
    let reason = details.map(|details| details.text("reason").unwrap_or_else(|| on_one_line(details)));
    html! {
        tr {
            td { @match event.trace_id.get() {
                Some(trace) => a href=(link(Nav::Trail.path(), "trace", trace)) title=(context.texts.common.trace) { (time(&event.timestamp)) },
                None => (time(&event.timestamp)),
            } }
            td { (foreign(event_type.strip_prefix(NAMESPACE).unwrap_or(event_type))) }
            td { span .state data-state=(event.result.as_str()) { (result(context, event.result.as_str())) } }
            td { (foreign(&event.actor.id)) }
            td { @if let Some(tool) = tool { (foreign(tool)) } }
            td { @if let Some(reason) = reason { (foreign_whole(&reason)) } }
        }
    }
}
