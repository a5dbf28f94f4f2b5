//! The list of servers.

use super::{
    report::{Gateway, Gateways, is_in_trouble, is_on_its_way},
    state::{health, row_button, state},
};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, foreign},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::{context::ConfinementMode, lifecycle::ServerReport};

/// The most servers that the list shows.
const MOST: usize = 200;

/// Writes the list.
pub(super) async fn list(context: &Context) -> Result<Markup, CommandError> {
    let gateways: Gateways = context.read(&["status"]).await?;
    let words = &context.texts.servers;
    let all: Vec<_> = gateways.servers().collect();
    let query = context.query.one("q").unwrap_or_default().to_lowercase();
    let in_trouble = context.query.has("trouble");
    let is_meant = |(_, server): &(&Gateway, &ServerReport)| {
        server.id.to_lowercase().contains(&query) && (!in_trouble || is_in_trouble(server))
    };
    let meant: Vec<_> = all.iter().copied().filter(is_meant).collect();
    let trouble = all.iter().filter(|(_, server)| is_in_trouble(server)).count() as u64;
    // While a server starts or stops, the list follows it.
    let follows = meant.iter().take(MOST).any(|(_, server)| is_on_its_way(server));
    Ok(html! {
        div .title {
            h1 { (words.title) }
            a .button href=(link(Nav::Servers.path(), "view", "add")) { (words.add) }
            a href=(link(Nav::Servers.path(), "view", "log")) { (words.gateway_log) }
        }
        @if all.is_empty() {
            p .empty { strong { (words.none) } " " (words.none_help) }
        } @else {
            (filter(context, &query, in_trouble))
            div #server-list hx-get=[follows.then_some("")] hx-trigger=[follows.then_some("every 2s")] hx-select="#server-list" hx-swap="outerHTML"
                hx-disinherit="hx-select hx-swap" {
                p .quiet {
                    (number(all.len() as u64, &words.one, &words.many)) ", "
                    @if trouble == 0 { (words.no_trouble) } @else { (number(trouble, &words.trouble_one, &words.trouble_many)) }
                }
                @if meant.is_empty() { p .empty { (words.no_match) } }
                @else { (table(context, &meant, gateways.all().count() > 1)) }
                @if meant.len() > MOST { p .quiet { (words.cut.replace("{n}", &(meant.len() - MOST).to_string())) } }
            }
        }
    })
}

fn filter(context: &Context, query: &str, in_trouble: bool) -> Markup {
    let words = &context.texts.servers;
    html! {
        form .filter method="get" action=(Nav::Servers.path()) role="search" {
            label for="q" { (words.filter) }
            input #q type="search" name="q" value=(query);
            label .check { input type="checkbox" name="trouble" value="1" checked[in_trouble]; (words.only_trouble) }
            button type="submit" { (words.show) }
        }
    }
}

fn table(context: &Context, servers: &[(&Gateway, &ServerReport)], with_gateway: bool) -> Markup {
    let words = &context.texts.servers;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.title) { table {
            thead { tr {
                th scope="col" { (words.server) }
                @if with_gateway { th scope="col" { (words.gateway) } }
                th scope="col" { (words.state) } th scope="col" { (words.health) }
                th scope="col" { (words.confined) } th scope="col" { (words.trust) }
                th scope="col" .number { (words.tools) } th scope="col" .number { (words.in_flight) }
                th scope="col" .number { (words.queued) } th scope="col" .number { (words.restarts) }
                th scope="col" { (words.change) }
            } }
            tbody { @for (gateway, server) in servers.iter().take(MOST) { tr {
                th scope="row" { a href=(link(Nav::Servers.path(), "id", &server.id)) { (foreign(&server.id)) } }
                @if with_gateway { td { (foreign(&gateway.name())) } }
                td .wide { (state(context, server)) } td { (health(context, server)) }
                td { (confined(context, server)) } td { (server.trust_level.as_str()) }
                td .number { (server.tool_count) } td .number { (server.in_flight) }
                td .number { (server.queued) } td .number { (server.restarts) }
                td { (row_button(context, server)) }
            } } }
        } }
    }
}

/// Returns whether the process of a server is confined.
pub(super) fn confined<'a>(context: &'a Context, server: &ServerReport) -> &'a str {
    let words = &context.texts.servers;
    match server.confined {
        Some(ConfinementMode::Off) => &words.confined_off,
        Some(ConfinementMode::BestEffort) => &words.confined_best_effort,
        Some(ConfinementMode::Require) => &words.confined_yes,
        None => "–",
    }
}
