//! The start of a server that was registered, until it is connected or fails.

use super::super::{
    failure::with_last_error,
    report::{Gateways, is_on_its_way},
    state::explained_state,
};
use crate::{
    commands::CommandError,
    form::{address, link},
    page::{Context, Nav, foreign},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::{
    context::TrustLevel,
    lifecycle::{ServerReport, ServerState},
};

/// The time to the first reading, and between two.
const FIRST: &str = "load delay:500ms";
const NEXT: &str = "every 2s";

/// Writes the state of a server that was just registered. The answer to its registration reads it until the server is connected or fails.
pub(in super::super) async fn started(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let gateways: Gateways = context.read(&["status", "--no-checks"]).await?;
    let found = gateways.servers().map(|(_, server)| server).find(|server| server.id == id);
    let follows = found.is_none_or(|server| is_on_its_way(server) || is_next(server));
    let shown = match found {
        None => html! { p { (context.texts.add_server.starting) } },
        Some(server) => state(context, &with_last_error(context, server).await),
    };
    Ok(html! {
        p .back { a href=(Nav::Servers.path()) { (context.texts.server.all) } }
        h1 { (foreign(id)) }
        (part(id, follows.then_some(NEXT), &shown))
        p { a href=(link(Nav::Servers.path(), "id", id)) { (context.texts.add_server.open) } }
    })
}

/// Returns the part of an answer that follows the start of a server from now on.
pub(super) fn follow(context: &Context, id: &str) -> Markup {
    part(id, Some(FIRST), &html! { p { (context.texts.add_server.starting) } })
}

/// Returns the part, which is read again at its trigger. While it is busy, a screen reader does not repeat it.
fn part(id: &str, trigger: Option<&str>, shown: &Markup) -> Markup {
    let again = address(Nav::Servers.path(), &[("view", "started"), ("server", id)]);
    html! {
        div #started aria-busy=[trigger.map(|_| "true")] hx-get=[trigger.map(|_| again)] hx-trigger=[trigger] hx-select="#started" hx-swap="outerHTML" {
            (shown)
        }
    }
}

fn state(context: &Context, server: &ServerReport) -> Markup {
    let words = &context.texts.add_server;
    let id = server.id.as_str();
    let change = address(Nav::Servers.path(), &[("view", "add"), ("from", "command"), ("change", id)]);
    let log = address(Nav::Servers.path(), &[("id", id), ("view", "log")]);
    html! {
        @if server.state == ServerState::Connected {
            p { strong { (words.connected) } " "
                @if server.tool_count == 0 { (words.offers_none) }
                @else { (number(server.tool_count, &words.has_one, &words.has_many)) } }
            p { a href=(address(Nav::Agents.path(), &[("view", "rules"), ("server", id)])) { (words.let_use) } }
            @if server.trust_level == TrustLevel::Sandboxed { p .quiet { (words.is_asked) } }
        } @else if server.on_demand {
            p { (explained_state(context, server)) }
        } @else if is_failing(server) {
            div .error {
                p { strong { (words.fails) } }
                (explained_state(context, server))
                p { a href=(change) { (words.change_it) } " · " a href=(log) { (context.texts.server.log) } }
            }
        } @else { p { (words.starting) } }
    }
}

/// Returns whether the gateway knows the server, and has not started it yet.
fn is_next(server: &ServerReport) -> bool {
    server.state == ServerState::Registered && !server.on_demand && !server.stopped
}

/// Returns whether a start has failed, even if another one follows.
fn is_failing(server: &ServerReport) -> bool {
    use ServerState::{Disconnected, Error, Restarting};
    server.restarts > 0 || matches!(server.state, Error | Restarting | Disconnected)
}
