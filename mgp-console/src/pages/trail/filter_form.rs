//! The form of the filters.

use super::{filter::TrailFilter, heading::CHARTS};
use crate::page::{Context, Nav};
use maud::{Markup, html};
use mgp_types::audit::AuditEventType;

/// The outcomes of events.
const RESULTS: [&str; 3] = ["SUCCESS", "FAILURE", "BLOCKED"];
/// Spans of time to choose from.
const SPANS: [&str; 5] = ["30m", "8h", "24h", "7d", "30d"];
/// Types of the gateway's own events that are often looked for.
const OWN_TYPES: [&str; 8] = [
    "APPROVAL_NEEDED",
    "AUTHENTICATION_FAILED",
    "CALL_APPROVED",
    "CALL_DENIED",
    "CONFIGURATION_RELOADED",
    "SECRET_FOUND",
    "TOOL_CHANGED",
    "TOOL_RETRIED",
];

/// Returns the form. For the charts, it keeps their grouping.
pub(super) fn filter_form(context: &Context, filter: &TrailFilter<'_>, view: Option<&str>) -> Markup {
    let words = &context.texts.trail;
    html! {
        form .filters method="get" action=(Nav::Trail.path()) role="search" {
            @if let Some(view) = view {
                input type="hidden" name="view" value=(view);
                @if let Some(by) = context.query.one("by") { input type="hidden" name="by" value=(by); }
            }
            (text("agent", &words.by, filter.agent, None))
            (text("server", &words.server, filter.server, None))
            (text("tool", &words.tool, filter.tool, None))
            (text("type", &words.event, filter.event_type, Some("types")))
            div { label for="f-result" { (words.result) }
                select #f-result name="result" {
                    option value="" { (words.any) }
                    @for result in RESULTS { option value=(result) selected[filter.result == Some(result)] { (result) } }
                } }
            @if view != Some(CHARTS) { (text("trace", &words.trace, filter.trace, None)) }
            (time_field(context, "since", &words.since, filter.since))
            (time_field(context, "until", &words.until, filter.until))
            p .submit { button type="submit" { (words.show) }
                @if filter.is_set() { " " a href=(reset(view)) { (words.reset) } } }
            datalist #types {
                @for name in AuditEventType::STANDARD.iter().map(AuditEventType::as_str).chain(OWN_TYPES) { option value=(name) {} }
            }
            datalist #spans { @for span in SPANS { option value=(span) {} } }
        }
    }
}

fn reset(view: Option<&str>) -> String {
    crate::form::address(Nav::Trail.path(), &[("view", view.unwrap_or_default())])
}

fn text(name: &str, label: &str, value: Option<&str>, list: Option<&str>) -> Markup {
    let id = format!("f-{name}");
    html! {
        div { label for=(id) { (label) }
            input id=(id) type="text" name=(name) value=(value.unwrap_or_default()) list=[list] autocomplete="off" spellcheck="false"; }
    }
}

/// Returns a field of a time or a span, and one that fills it in from the calendar in the zone of the browser.
fn time_field(context: &Context, name: &str, label: &str, value: Option<&str>) -> Markup {
    let words = &context.texts.trail;
    let (id, pick) = (format!("f-{name}"), format!("{}: {label}", words.pick));
    html! {
        div .time { label for=(id) { (label) }
            input id=(id) type="text" name=(name) value=(value.unwrap_or_default()) list="spans" autocomplete="off" spellcheck="false" aria-describedby="time-help";
            input type="datetime-local" aria-label=(pick) data-fills=(id);
            @if name == "since" { span #time-help .quiet { (words.time_help) } }
        }
    }
}
