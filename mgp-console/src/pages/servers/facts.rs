//! The state of a server in each gateway that has it.

use super::{
    list::confined,
    report::{Gateway, is_on_its_way},
    state::{explained_state, health},
};
use crate::page::{Context, Nav, foreign, foreign_block};
use maud::{Markup, html};
use mgp_types::lifecycle::{ServerReport, ServerState};

/// Returns the facts about a server. While it starts or stops, they are read again.
pub(super) fn facts(context: &Context, found: &[(&Gateway, &ServerReport)]) -> Markup {
    let words = &context.texts.server;
    let follows = found.iter().any(|(_, server)| is_on_its_way(server));
    html! {
        div #facts hx-get=[follows.then_some("")] hx-trigger=[follows.then_some("every 2s")] hx-select="#page" hx-target="#page" hx-swap="outerHTML" {
            @for (gateway, server) in found {
                section .card {
                    @if found.len() > 1 { h2 { (words.in_gateway) " " (foreign(&gateway.name())) } }
                    (card(context, server))
                }
            }
        }
    }
}

fn card(context: &Context, server: &ServerReport) -> Markup {
    let (words, list) = (&context.texts.server, &context.texts.servers);
    html! {
        dl {
            dt { (list.state) } dd { (explained_state(context, server)) }
            @if wants_login(server) { dt { (words.login) } dd { (words.login_help) " " code { "mgp servers --fresh" } } }
            dt { (list.health) } dd { (health(context, server)) }
            dt { (words.speaks) } dd { (speaks(server)) }
            dt { (list.trust) } dd { (server.trust_level.as_str()) }
            dt { (list.confined) } dd { (confined(context, server)) }
            dt { (list.in_flight) } dd { (server.in_flight) ", " (words.queued.replace("{n}", &server.queued.to_string())) }
            dt { (list.restarts) } dd { (server.restarts) }
            @if let Some(count) = server.instances { dt { (words.instances) } dd { (count) } }
            dt { (words.source) } dd {
                @if server.registered { (words.of_registration) }
                @else { a href=(Nav::Settings.path()) { (words.of_configuration) } }
            }
        }
        @if let Some(checks) = &server.checks {
            details { summary { (words.checks) } (foreign_block(checks.to_json().as_str())) }
        }
    }
}

/// Returns the protocol and its extensions.
fn speaks(server: &ServerReport) -> Markup {
    html! {
        @match &server.mgp_version {
            Some(version) => { "MGP " (foreign(version)) },
            None if server.state == ServerState::Connected => "MCP",
            None => "–",
        }
        @for extension in &server.extensions { " " (foreign(extension)) }
    }
}

/// Returns whether the reason for the state is that nobody has logged in to the server.
fn wants_login(server: &ServerReport) -> bool {
    let reason = server.reason.to_lowercase();
    server.state != ServerState::Connected
        && ["oauth", "http 401", "log in", "login"].iter().any(|part| reason.contains(part))
}
