//! The fields that say how long something holds.

use super::Context;
use maud::{Markup, html};

/// A choice of a list: its value and its label.
pub(crate) type Choice<'a> = (&'a str, &'a str);

/// Returns a list of terms, a field for another duration, and one for a time of the calendar. `own` returns the id of a field.
///
/// The browser sends a time of the calendar, and the next midnight of its zone, in UTC as the field `end`.
pub(crate) fn term_fields(
    context: &Context,
    own: impl Fn(&str) -> String,
    choices: &[Choice<'_>],
    selected: &str,
) -> Markup {
    let words = &context.texts.approvals;
    let [term, time, end] = ["term", "time", "end"].map(own);
    html! {
        p { label for=(term) { (words.term) }
            select id=(term) name="term" {
                @for (value, label) in choices { option value=(value) selected[*value == selected] { (label) } }
            } }
        p { label for=(time) { (words.other_time) } input id=(time) name="for" size="12" placeholder="90m, 3h, 30d" autocomplete="off"; }
        p { label for=(end) { (words.other_end) } input id=(end) name="end" type="datetime-local"; }
    }
}
