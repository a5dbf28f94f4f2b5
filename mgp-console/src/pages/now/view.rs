//! The middle of the page.

use super::report::{Gateway, Status};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, foreign},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::lifecycle::{HostReport, ServerReport};

/// Writes the page.
pub(crate) async fn now(context: Context) -> Result<Markup, CommandError> {
    let status: Status = context.read(&["status"]).await?;
    let words = &context.texts.now;
    let waiting = status.questions.as_ref().map_or(0, super::report::Questions::sum);
    let servers: Vec<_> = status.kernels.iter().flat_map(|gateway| &gateway.status.servers).collect();
    let hosts: Vec<_> = status.kernels.iter().flat_map(|gateway| &gateway.status.hosts).collect();
    Ok(html! {
        h1 { (words.title) }
        @if waiting > 0 {
            p .waiting { a href=(Nav::Approvals.path()) {
                strong { (number(waiting, &words.waits_one, &words.waits_many)) } " · " (words.decide)
            } }
        }
        @for gateway in &status.kernels { (gateway_line(&context, gateway)) }
        section aria-labelledby="servers" {
            h2 #servers { (words.servers) }
            @if servers.is_empty() {
                p .empty { strong { (words.none) } " " (words.none_help) }
            } @else { (server_table(&context, &servers)) }
        }
        @if !hosts.is_empty() {
            section aria-labelledby="hosts" {
                h2 #hosts { (words.hosts) }
                (host_table(&context, &hosts))
            }
        }
        (live_list(&context))
    })
}

fn gateway_line(context: &Context, gateway: &Gateway) -> Markup {
    let (words, status) = (&context.texts.now, &gateway.status);
    html! {
        p .quiet { (words.version) " " (status.version) ", " (words.uptime.replace("{n}", &status.uptime_secs.to_string())) }
        @if !status.notices.is_empty() {
            details { summary { (words.notices) " (" (status.notices.len()) ")" }
                ul { @for notice in &status.notices { li { (foreign(&notice.text)) } } }
            }
        }
    }
}

fn server_table(context: &Context, servers: &[&ServerReport]) -> Markup {
    let words = &context.texts.now;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.servers) { table {
            thead { tr {
                th scope="col" { (words.server) } th scope="col" { (words.state) }
                th scope="col" .number { (words.in_flight) } th scope="col" .number { (words.queued) }
                th scope="col" .number { (words.restarts) } th scope="col" .number { (words.tools) }
            } }
            tbody { @for server in servers { tr {
                th scope="row" { a href=(link(Nav::Servers.path(), "id", &server.id)) { (foreign(&server.id)) } }
                td { span .state data-state=(server.state.as_str()) { (server.state.as_str()) }
                    @if server.state.as_str() != "connected" { " " (foreign(&server.reason)) } }
                td .number { (server.in_flight) } td .number { (server.queued) }
                td .number { (server.restarts) } td .number { (server.tool_count) }
            } } }
        } }
    }
}

fn host_table(context: &Context, hosts: &[&HostReport]) -> Markup {
    let words = &context.texts.now;
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.hosts) { table {
            thead { tr {
                th scope="col" { (words.host) } th scope="col" { (words.agent) } th scope="col" { (words.protocol) }
                th scope="col" .number { (words.in_flight) }
            } }
            tbody { @for host in hosts { tr {
                th scope="row" { (foreign(&host.name)) " " (foreign(&host.version)) }
                td { (foreign(&host.principal)) } td { (foreign(&host.protocol_version)) }
                td .number { (host.in_flight) }
            } } }
        } }
    }
}

/// Returns the list that grows while calls happen.
fn live_list(context: &Context) -> Markup {
    let words = &context.texts.now;
    html! {
        section aria-labelledby="live" {
            h2 #live { (words.live) }
            p .quiet { (words.live_help) }
            div #calls .scroll tabindex="0" role="log" aria-labelledby="live" hx-preserve="true" sse-connect="/live"
                data-paused=(context.texts.common.live_paused) {
                ol sse-swap="call" hx-swap="afterbegin" data-most="50" {}
                p .empty { (words.no_calls) }
            }
        }
    }
}
