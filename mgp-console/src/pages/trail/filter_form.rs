//! The form of the filters.

use super::{filter::TrailFilter, heading::CHARTS, row::result_name};
use crate::{
    form::Form,
    page::{Context, Nav},
};
use maud::{Markup, html};
use mgp_types::audit::AuditEventType;

/// The outcomes of events.
const RESULTS: [&str; 3] = ["SUCCESS", "FAILURE", "BLOCKED"];
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
                    @for result in RESULTS { option value=(result) selected[filter.result == Some(result)] { (result_name(context, result)) } }
                } }
            @if view != Some(CHARTS) { (text("trace", &words.trace, filter.trace, None)) }
            (time_field("since", &words.since, filter.since))
            (time_field("until", &words.until, filter.until))
            p .submit { button type="submit" { (words.show) }
                @if filter.is_set() { " " a href=(reset(view)) { (words.reset) } } }
            (spans(context))
            datalist #types {
                @for name in AuditEventType::STANDARD.iter().map(AuditEventType::as_str).chain(OWN_TYPES) {
                    option value=(name) label=[context.texts.event_names.get(name)] {}
                }
            }
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

/// Returns a field of the calendar, in the zone of the browser, which fills in the filter: a time in UTC, or a span such as `8h`.
fn time_field(name: &str, label: &str, value: Option<&str>) -> Markup {
    let (id, filter) = (format!("f-{name}"), format!("f-{name}-filter"));
    html! {
        div .time { label for=(id) { (label) }
            input id=(id) type="datetime-local" data-fills=(filter);
            input id=(filter) type="hidden" name=(name) value=(value.unwrap_or_default()); }
    }
}

/// Returns the ways to the events of some spans of time. The browser puts the days of its zone into the last two.
fn spans(context: &Context) -> Markup {
    let words = &context.texts.trail;
    let since = |span: &str| {
        let shown = Form::parse(context.query.with("", "until", None).trim_start_matches('?').as_bytes());
        let shown = Form::parse(shown.with("", "before", None).trim_start_matches('?').as_bytes());
        shown.with(Nav::Trail.path(), "since", Some(span))
    };
    html! {
        p .choices .spans {
            a href=(since("1h")) { (words.last_hour) }
            a href=(since("24h")) data-day="0" { (words.today) }
            a href=(since("48h")) data-day="-1" { (words.yesterday) }
            a href=(since("7d")) { (words.last_week) }
        }
    }
}
