//! Small parts of pages.

use super::{Context, advice::advice_links, foreign::foreign_block};
use crate::{commands::CommandError, form::link};
use maud::{Markup, html};

/// Returns an error with its advice. A trace leads to what happened.
pub(crate) fn error_box(context: &Context, error: &CommandError) -> Markup {
    let common = &context.texts.common;
    html! {
        section .error role="alert" {
            h2 { (common.failed) }
            p { (mgp_types::printable::printable(&error.message)) }
            @if let Some(help) = &error.help { p .help { (mgp_types::printable::printable(help)) } }
            (advice_links(context, &format!("{} {}", error.message, error.help.as_deref().unwrap_or_default())))
            @for problem in &error.problems {
                p { (problem.line) ":" (problem.column) " " (mgp_types::printable::printable(&problem.message)) }
            }
            @if let Some(result) = &error.result { (foreign_block(result)) }
            (trace_link(context, error.trace.as_deref()))
        }
    }
}

/// Returns the way to what happened, if it is known.
pub(crate) fn trace_link(context: &Context, trace: Option<&str>) -> Markup {
    html! { @if let Some(trace) = trace { p { a href=(link("/trail", "trace", trace)) { (context.texts.common.trace) } } } }
}

/// Returns the result of an event in words, instead of its name in the trail.
pub(crate) fn result<'a>(context: &'a Context, name: &'a str) -> &'a str {
    let words = &context.texts.trail;
    match name {
        "SUCCESS" => &words.succeeded,
        "FAILURE" => &words.failed,
        "BLOCKED" => &words.refused,
        other => other,
    }
}

/// Returns a time, which the browser shows in its own zone, with UTC on hover.
pub(crate) fn time(rfc3339: &str) -> Markup {
    html! { time datetime=(rfc3339) title=(rfc3339) { (rfc3339) } }
}
