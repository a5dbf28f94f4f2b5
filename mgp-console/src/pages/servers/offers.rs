//! The tools of a server, those that are hidden, and notices on the server.

use super::report::Gateways;
use crate::{
    form::link,
    page::{Context, Nav, foreign, foreign_whole, waiting_tools},
    texts::number,
};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The most tools that are listed.
const MOST: usize = 300;

/// Returns the tools of a server, and the notices on it.
pub(super) fn offers(context: &Context, id: &str, gateways: &Gateways) -> Markup {
    let words = &context.texts.server;
    let of_server = gateways.servers().filter(|(_, server)| server.id == id);
    let tools: BTreeSet<_> = of_server.flat_map(|(_, server)| &server.tools).collect();
    // Gateways of one state folder report the same.
    let Some(gateway) = gateways.all().next() else { return html! {} };
    html! {
        @for waiting in gateway.waiting.iter().filter(|waiting| waiting.server_id == id) {
            p .notice { (waiting_tools(context, waiting)) }
        }
        @for closed in gateway.closed.iter().filter(|closed| closed.server_id == id) {
            div .notice { (foreign_whole(&closed.reason)) }
        }
        @for notice in gateway.notices.iter().filter(|notice| notice.server_id == id) {
            div .notice { (foreign_whole(&notice.text)) }
        }
        section aria-labelledby="tools" {
            h2 #tools { (words.tools) }
            @if tools.is_empty() { p .empty { (words.no_tools) } }
            @else {
                p .quiet { (number(tools.len() as u64, &words.tool_one, &words.tool_many)) }
                ul .names { @for tool in tools.iter().take(MOST) {
                    li { a href=(link(Nav::Tools.path(), "name", tool)) { (foreign(tool)) } }
                } }
                @if tools.len() > MOST {
                    p .quiet { (words.more_tools.replace("{n}", &(tools.len() - MOST).to_string())) " "
                        a href=(link(Nav::Tools.path(), "server", id)) { (words.tools_page) } }
                }
            }
        }
    }
}
