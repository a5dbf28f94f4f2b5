//! The list of calls as they happen.

use crate::page::Context;
use maud::{Markup, html};

/// The most calls of the list.
const MOST: &str = "50";

/// Writes the list. A screen reader gets one sentence in half a minute instead of each call, and reads the list when it likes.
pub(super) fn live_list(context: &Context) -> Markup {
    let words = &context.texts.now;
    html! {
        section {
            h2 #live { (words.live) }
            p .quiet { (words.live_help) }
            p {
                button type="button" #pause aria-pressed="false" { (words.pause) } " "
                span #held .quiet data-text=(words.held) {} " "
                span #digest .quiet role="status" data-one=(words.digest_one) data-many=(words.digest_many) {}
            }
            div #calls .scroll tabindex="0" role="region" aria-labelledby="live" hx-preserve="true" sse-connect="/live" {
                ol sse-swap="call" hx-swap="afterbegin" data-most=(MOST) {}
                p .empty { (words.no_calls) }
            }
        }
    }
}
