//! One event of a call, as a line.

use crate::{
    form::link,
    page::{Context, Nav, foreign, result, time},
    pages::trail::event_name,
};
use maud::{Markup, html};
use mgp_types::audit::AuditEvent;

/// Returns the line of an event; `None` for an event that cannot be read.
pub(crate) fn live_line(context: &Context, json: &str) -> Option<Markup> {
    let event: AuditEvent = serde_json::from_str(json).ok()?;
    let target = event.target.get();
    let server = target.and_then(|target| target.server_id.get());
    let tool = target.and_then(|target| target.tool_name.get());
    let event_type = event.event_type.as_str();
    Some(html! {
        li data-result=(event.result.as_str()) {
            (time(&event.timestamp)) " "
            span .state data-state=(event.result.as_str()) { (result(context, event.result.as_str())) } " "
            (event_name(context, event_type.strip_prefix("dev.cloto.mgp.").unwrap_or(event_type))) " "
            (foreign(&event.actor.id)) " "
            @if let Some(server) = server { (foreign(server)) " " }
            @if let Some(tool) = tool { (foreign(tool)) " " }
            @if let Some(trace) = event.trace_id.get() {
                a href=(link(Nav::Trail.path(), "trace", trace)) { "…" (trace.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect::<String>()) }
            }
        }
    })
}
