//! The numbers of the last minutes, which lead to their events in the trail.

use crate::{
    form::address,
    page::{Context, Nav},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::lifecycle::TrafficReport;

/// Returns the numbers of a gateway, with the time in which they were counted.
pub(super) fn traffic(context: &Context, traffic: &TrafficReport) -> Markup {
    let words = &context.texts.now;
    let TrafficReport { minutes, sum, refused, tokens_spared, .. } = traffic;
    html! {
        p .quiet { (number(*minutes, &words.in_minute, &words.in_minutes)) }
        dl .counts {
            div { dt { (words.per_minute) } dd { (sum.per_minute(*minutes)) } }
            div { dt { (words.p50) } dd { (milliseconds(sum.p50_ms)) } }
            div { dt { (words.p95) } dd { (milliseconds(sum.p95_ms)) } }
            div { dt { (words.errors) } dd { (events(context, (&words.errors, sum.errors), "FAILURE", (*minutes, ""))) } }
            div { dt { (words.refused) } dd { (events(context, (&words.refused, *refused), "BLOCKED", (*minutes, ""))) } }
            @if let Some(tokens) = tokens_spared { div { dt { (words.tokens_spared) } dd { (tokens) } } }
        }
    }
}

/// Returns a number as the way to its events: those with a result, of the last minutes, at one server or at all.
pub(super) fn events(
    context: &Context,
    (name, count): (&str, u64),
    result: &str,
    (minutes, server): (u64, &str),
) -> Markup {
    let since = format!("{minutes}m");
    let to = address(Nav::Trail.path(), &[("server", server), ("result", result), ("since", &since)]);
    html! {
        @if count == 0 { (count) }
        @else { a href=(to) aria-label=(format!("{name}: {count}, {}", context.texts.nav.trail)) { (count) } }
    }
}

pub(super) fn milliseconds(time: Option<u64>) -> String {
    time.map_or_else(|| "–".to_owned(), |time| format!("{time} ms"))
}
