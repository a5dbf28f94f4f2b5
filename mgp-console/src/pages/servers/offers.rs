//! The tools of a server, those that are hidden, and notices on the server.

use crate::{
    form::link,
    page::{Context, Nav, error_box, foreign, foreign_whole, waiting_tools},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::{
    lifecycle::{ClosedToolsReport, ServerNotice},
    permission::WaitingTools,
};
use serde::Deserialize;
use std::collections::BTreeSet;

/// The most tools that are listed.
const MOST: usize = 300;

/// The output of `mgp servers`, as far as the page shows it.
#[derive(Debug, Deserialize)]
struct Servers {
    servers: Vec<ServerTools>,
    #[serde(default)]
    waiting: Vec<WaitingTools>,
    #[serde(default)]
    closed: Vec<ClosedToolsReport>,
    #[serde(default)]
    notices: Vec<ServerNotice>,
}

#[derive(Debug, Deserialize)]
struct ServerTools {
    id: String,
    #[serde(default)]
    tools: BTreeSet<String>,
}

/// Returns the tools of a server.
pub(super) async fn offers(context: &Context, id: &str) -> Markup {
    match context.read::<Servers>(&["servers", "--timeout=1"]).await {
        Ok(servers) => written(context, id, &servers),
        Err(error) => error_box(context, &error),
    }
}

fn written(context: &Context, id: &str, servers: &Servers) -> Markup {
    let words = &context.texts.server;
    let tools = servers.servers.iter().filter(|server| server.id == id).flat_map(|server| &server.tools);
    let tools: BTreeSet<_> = tools.collect();
    html! {
        @for waiting in servers.waiting.iter().filter(|waiting| waiting.server_id == id) {
            p .notice { (waiting_tools(context, waiting)) }
        }
        @for closed in servers.closed.iter().filter(|closed| closed.server_id == id) {
            div .notice { (foreign_whole(&closed.reason)) }
        }
        @for notice in servers.notices.iter().filter(|notice| notice.server_id == id) {
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
