//! A sentence on the state after a decision, for the message about it.

use super::{
    decided::{listed, state, take_back, term},
    questions::Questions,
};
use crate::page::{Context, element_id, foreign, time};
use maud::{Markup, html};

/// The most decisions of a message.
const SHOWN: usize = 5;

/// Returns each decision with its end, and the way to take it back; `None` if the command printed none.
pub(crate) fn decision_outcome(context: &Context, is_taken_back: bool, json: &str) -> Option<Markup> {
    let words = &context.texts.approvals;
    let decided: Questions = serde_json::from_str(json).ok()?;
    let mut rows = Vec::new();
    for call in &decided.confirmations {
        let subject = html! { (foreign(&call.agent_id)) " · " (foreign(&call.server_id)) " " (foreign(&call.tool_name)) };
        let limits = html! {
            @if call.pattern.is_none() { "· " (words.these_arguments) " " }
            (term(context, call))
        };
        rows.push((
            call.request_id.as_str(),
            subject,
            call.state.as_str(),
            limits,
            call.expires_at.as_deref(),
        ));
    }
    for row in &decided.permissions {
        let subject = html! { (foreign(&row.server_id)) " " (foreign(&row.permission)) };
        let limits = html! { @if let Some(scope) = &row.scope { "· " (foreign(&listed(scope))) " " } };
        rows.push((row.request_id.as_str(), subject, row.state.as_str(), limits, row.expires_at.as_deref()));
    }
    let left_out = rows.len().saturating_sub(SHOWN);
    (!rows.is_empty()).then(|| {
        html! {
            ul .plain .outcome { @for (id, subject, found, limits, end) in rows.into_iter().take(SHOWN) {
                @let heading = element_id("outcome", id);
                li {
                    span id=(heading) { (subject) } ": "
                    @if is_taken_back { (words.open_again) }
                    @else {
                        (state(context, found)) " " (limits)
                        @if let Some(end) = end { " · " (words.until) " " (time(end)) " " }
                        (take_back(context, "message", id, &heading))
                    }
                }
            } }
            @if !is_taken_back && decided.confirmations.iter().any(|call| call.pattern.is_some()) { p .quiet { (words.answers_others) } }
            @if left_out > 0 { p .quiet { "+ " (left_out) } }
        }
    })
}
