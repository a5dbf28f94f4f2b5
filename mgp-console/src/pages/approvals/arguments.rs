//! The arguments of a call: their beginning in a list, and all of them in parts.

use super::{indent::indented, questions::Questions};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, foreign, foreign_block, links, start},
    texts::number,
};
use maud::{Markup, html};

/// The longest beginning in a list, in characters of the call.
const BEGINNING: usize = 4000;
/// The size of a part, in characters.
const PART: usize = 15_000;

/// Returns the beginning of a JSON text, and a link to all of it if that is longer.
pub(super) fn beginning(context: &Context, id: &str, json: &str) -> Markup {
    let words = &context.texts.approvals;
    let end = json.char_indices().nth(BEGINNING).map(|(end, _)| end);
    html! {
        (foreign_block(&indented(&json[..end.unwrap_or(json.len())])))
        @if let Some(end) = end {
            p .cut { strong { (number(json[end..].chars().count() as u64, &words.cut_one, &words.cut_many)) } " "
                a href=(link(Nav::Approvals.path(), "call", id)) { (words.whole_call) } }
        }
    }
}

/// Writes all arguments of a call, or all that an agent asked for.
pub(super) async fn whole(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let words = &context.texts.approvals;
    let shown: Questions = context.read(&["approve", "--show", "--", id]).await?;
    let json = shown.confirmations.first().map(|call| &call.arguments);
    let json = json.or_else(|| shown.servers.first().map(|server| &server.asked_for));
    let text = indented(json.map_or("null", |json| json.get()));
    let total = text.chars().count();
    let from = start(context, "from").min(total);
    let part: String = text.chars().skip(from).take(PART).collect();
    let count = part.chars().count();
    Ok(html! {
        h1 { (words.whole_call) }
        p { a href=(Nav::Approvals.path()) { (words.back) } }
        @if let Some(call) = shown.confirmations.first() {
            p { (foreign(&call.server_id)) " " (foreign(&call.tool_name)) " · " (words.asked_by) " " (foreign(&call.agent_id)) }
        }
        (foreign_block(&part))
        (links(context, (Nav::Approvals.path(), "from"), (from, count, total), PART))
    })
}
