//! The cells of an event in a table.

use super::{
    event::EventParts,
    event_name::{event_name, is_unfinished},
};
use crate::{
    form::link,
    page::{Context, Nav, foreign, foreign_block, time},
};
use maud::{Markup, html};
use mgp_types::{audit::AuditEvent, printable::on_one_line};

/// The last characters of a trace that a row shows.
const SHOWN_OF_TRACE: usize = 6;

/// The longest short form of the details, in characters.
const MAX_BRIEF: usize = 90;

/// Returns the heads of the cells of [`cells`].
pub(super) fn heads(context: &Context) -> Markup {
    let words = &context.texts.trail;
    html! {
        th scope="col" { (words.time) } th scope="col" { (words.event) } th scope="col" { (words.result) }
        th scope="col" { (words.by) } th scope="col" { (words.target) } th scope="col" .number { (words.took) }
        th scope="col" { (words.details) }
    }
}

/// Returns the cells of an event: its time, type, outcome, actor, target, duration and details.
pub(super) fn cells(context: &Context, event: &AuditEvent) -> Markup {
    html! {
        td .when { (time(&event.timestamp)) }
        th scope="row" { (event_name(context, event.short_type())) }
        td { (result_mark(context, event)) }
        td { a href=(link(Nav::Trail.path(), "agent", &event.actor.id)) { (foreign(&event.actor.id)) } }
        td .target { (target_links(event)) }
        td .number { @if let Some(ms) = event.number("duration_ms").or_else(|| event.number("waited_ms")) { (ms) " ms" } }
        td .brief { (details(context, event)) }
    }
}

/// Returns the outcome as a word, in its colour. A question has none yet, and what is intended has not happened.
pub(super) fn result_mark(context: &Context, event: &AuditEvent) -> Markup {
    let result = event.result.as_str();
    html! {
        @if !is_unfinished(event.short_type()) {
            span .state data-state=(result) title=(result) { (result_name(context, result)) }
        }
    }
}

/// Returns the word for an outcome.
pub(super) fn result_name<'a>(context: &'a Context, result: &'a str) -> &'a str {
    let words = &context.texts.trail;
    match result {
        "SUCCESS" => &words.succeeded,
        "FAILURE" => &words.failed,
        "BLOCKED" => &words.refused,
        other => other,
    }
}

/// Returns the ways to the server and the tool of an event.
pub(super) fn target_links(event: &AuditEvent) -> Markup {
    let (server, tool) = (event.server(), event.tool());
    html! {
        @if let Some(server) = server { a href=(link(Nav::Servers.path(), "id", server)) { (foreign(server)) } " " }
        @if let Some(tool) = tool {
            @match server {
                Some(server) => { a href=(link(Nav::Tools.path(), "name", &format!("{server}__{tool}"))) { (foreign(tool)) } }
                None => { (foreign(tool)) }
            }
        }
    }
}

/// Returns the short form of the details, which unfolds to the whole event.
fn details(context: &Context, event: &AuditEvent) -> Markup {
    let words = &context.texts.trail;
    let mut brief = event.brief();
    if let Some((end, _)) = brief.char_indices().nth(MAX_BRIEF) {
        brief.truncate(end);
        brief.push('…');
    }
    let json = serde_json::to_string_pretty(event).unwrap_or_default();
    html! {
        details {
            summary { @if brief.is_empty() { (words.whole) } @else { (foreign(&brief)) } }
            (foreign_block(&json))
        }
    }
}

/// Returns the way to the trace of an event.
pub(super) fn trace_link(context: &Context, event: &AuditEvent) -> Markup {
    let words = &context.texts.trail;
    let Some(trace) = event.trace_id.get() else { return html! {} };
    let start = trace.char_indices().rev().nth(SHOWN_OF_TRACE - 1).map_or(0, |(start, _)| start);
    let label = format!("{} {}", words.trace, &trace[start..]);
    let shown = on_one_line(&trace[start..]);
    html! { a href=(link(Nav::Trail.path(), "trace", trace)) aria-label=(on_one_line(&label)) { "…" (shown) } }
}
