//! Types of events in plain words.

use super::event::EventParts;
use crate::page::{Context, foreign};
use maud::{Markup, html};
use mgp_types::audit::AuditEvent;

/// The announcement of a change, which has an event of its own afterwards.
pub(super) const ANNOUNCED: &str = "CHANGE_INTENDED";
/// Types of events after which something is still open.
const UNFINISHED: [&str; 3] = [ANNOUNCED, "APPROVAL_NEEDED", "TOOL_DISPATCHED"];

/// Returns a type in plain words, with its name on hover. A type that the console does not know is shown by its name.
pub(in crate::pages) fn event_name(context: &Context, short_type: &str) -> Markup {
    html! {
        @match context.texts.event_names.get(short_type) {
            Some(words) => { span title=(short_type) { (words) } }
            None => { (foreign(short_type)) }
        }
    }
}

/// Returns the type of an event in plain words, or its name, which is foreign, if the console does not know it.
pub(super) fn plain_name<'a>(context: &'a Context, event: &'a AuditEvent) -> &'a str {
    let name = event.short_type();
    context.texts.event_names.get(name).map_or(name, String::as_str)
}

/// Returns whether the outcome of an event says nothing yet: it only was recorded.
pub(super) fn is_unfinished(short_type: &str) -> bool {
    UNFINISHED.contains(&short_type)
}
