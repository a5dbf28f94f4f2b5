//! The middle of the page.

use super::{
    hosts::host_table,
    live::live_list,
    report::{Gateway, Questions, Status},
    span::span,
    traffic::{events, milliseconds, traffic},
};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, Part, foreign, foreign_whole, sentence, time, waiting_tools},
    texts::number,
};
use maud::{Markup, html};
use mgp_types::lifecycle::{ServerReport, ServerTraffic};

/// The command whose answer is the page. The servers are not asked for their checks, because the page is read every few seconds.
const STATUS: &[&str] = &["status", "--notices", "--no-checks"];

/// Writes the page. Its first part is read again while somebody sees it.
pub(crate) async fn now(context: Context) -> Result<Markup, CommandError> {
    let status: Status = context.read(STATUS).await?;
    let words = &context.texts.now;
    let servers: Vec<_> = status.gateways().flat_map(servers_of).collect();
    let hosts: Vec<_> = status.gateways().flat_map(|gateway| &gateway.hosts).collect();
    Ok(html! {
        h1 { (words.title) }
        div #present data-every="5" hx-get=[Some("")] hx-trigger="renew" hx-select="#present" hx-swap="outerHTML" {
            @if let Some(questions) = &status.questions { (waiting(&context, questions)) }
            @if let Some(problem) = &status.database_error { p .cut { (foreign(problem)) } }
            @if let Some(count) = status.transactions_rolled_back_in_part.filter(|count| *count > 0) {
                p .cut { (sentence(&number(count, &words.in_part_one, &words.in_part_many))) }
            }
            @for gateway in status.gateways() { (gateway_line(&context, gateway)) }
            section {
                h2 { (words.servers) }
                @if servers.is_empty() {
                    p .empty { strong { (words.none) } " " (sentence(&words.none_help)) }
                } @else { (server_table(&context, &servers)) }
            }
            section {
                h2 { (words.hosts) }
                @if hosts.is_empty() {
                    p .empty { strong { (words.no_hosts) } " " a href=(link(Nav::Agents.path(), "view", "connect")) { (words.no_hosts_help) } }
                } @else { (host_table(&context, &hosts)) }
            }
        }
        (live_list(&context))
    })
}

/// A server, with its calls and the minutes in which they were counted.
type ServerRow<'a> = (&'a ServerReport, Option<(&'a ServerTraffic, u64)>);

fn servers_of(gateway: &Gateway) -> impl Iterator<Item = ServerRow<'_>> {
    let traffic = |server: &ServerReport| {
        let traffic = gateway.traffic.as_ref()?;
        let own = traffic.servers.iter().find(|own| own.server_id == server.id)?;
        Some((own, traffic.minutes))
    };
    gateway.servers.iter().map(move |server| (server, traffic(server)))
}

fn waiting(context: &Context, questions: &Questions) -> Markup {
    let words = &context.texts.now;
    let kinds = [
        (questions.calls, &words.call_one, &words.call_many),
        (questions.permissions, &words.permission_one, &words.permission_many),
        (questions.servers, &words.server_one, &words.server_many),
        (questions.definitions, &words.definition_one, &words.definition_many),
    ];
    let kinds =
        kinds.iter().filter(|(count, ..)| *count > 0).map(|(count, one, many)| number(*count, one, many));
    html! {
        @if questions.sum() > 0 {
            p .waiting { a href=(Nav::Approvals.path()) {
                strong { (number(questions.sum(), &words.waits_one, &words.waits_many)) }
                ": " (kinds.collect::<Vec<_>>().join(", ")) " · " span .decide { (context.texts.common.decide) }
            } }
        }
    }
}

fn gateway_line(context: &Context, gateway: &Gateway) -> Markup {
    let words = &context.texts.now;
    html! {
        @if let Some(counted) = &gateway.traffic { (traffic(context, counted)) }
        p .quiet {
            @if let Some(address) = &gateway.address { (words.replica) " " (foreign(address)) ": " }
            (words.version) " " (foreign(&gateway.version)) ", " (words.up) " " (span(context, gateway.uptime_secs))
            " (" (words.since) " " (time(&gateway.started_at)) ")"
            @if let Some(configuration) = &gateway.configuration { " · " (foreign(configuration)) }
            @if gateway.parked_calls > 0 { " · " (number(gateway.parked_calls, &words.parked_one, &words.parked_many)) }
        }
        @if !gateway.needs_restart.is_empty() {
            p .notice {
                (words.needs_restart) " " (foreign(&gateway.needs_restart.join(", "))) ". " (sentence(&context.texts.settings.restart_how))
            }
        }
        @for waiting in gateway.waiting.iter().take(20) { p .notice { (waiting_tools(context, waiting)) } }
        @for closed in gateway.closed.iter().take(20) { div .notice { (foreign(&closed.server_id)) ": " (foreign_whole(&closed.reason)) } }
        @if !gateway.notices.is_empty() {
            details { summary { (words.notices) " (" (gateway.notices.len()) ")" }
                ul { @for notice in gateway.notices.iter().take(100) { li { (foreign_whole(&notice.text)) } } }
            }
        }
    }
}

fn server_table(context: &Context, servers: &[ServerRow<'_>]) -> Markup {
    let words = &context.texts.now;
    let part = Part::of(context, servers, "servers");
    let has_traffic = servers.iter().any(|(_, traffic)| traffic.is_some());
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.servers) { table {
            thead { tr {
                th scope="col" { (words.server) } th scope="col" { (words.state) }
                th scope="col" .number { (words.in_flight) } th scope="col" .number { (words.queued) }
                @if has_traffic {
                    th scope="col" .number { (words.per_minute) } th scope="col" .number { (words.p50) }
                    th scope="col" .number { (words.p95) } th scope="col" .number { (words.errors) }
                }
                th scope="col" .number { (words.restarts) } th scope="col" .number { (words.tools) }
            } }
            tbody { @for (server, traffic) in part.rows { (server_row(context, server, *traffic, has_traffic)) } }
        } }
        (part.links(context, Nav::Now.path(), "servers"))
    }
}

fn server_row(
    context: &Context,
    server: &ServerReport,
    traffic: Option<(&ServerTraffic, u64)>,
    has_traffic: bool,
) -> Markup {
    let words = &context.texts.now;
    html! { tr {
        th scope="row" { a href=(link(Nav::Servers.path(), "id", &server.id)) { (foreign(&server.id)) } }
        td {
            span .state data-state=(server.state.as_str()) { (server.state.as_str()) }
            @if server.stopped { " " (words.stopped) } @else if server.on_demand { " " (words.on_demand) }
            @if server.state.as_str() != "connected" { " " (foreign_whole(&server.reason)) }
            @if let Some(error) = &server.health_error { " " (foreign_whole(error)) }
        }
        td .number { (server.in_flight) } td .number { (server.queued) }
        @if has_traffic {
            @if let Some((own, minutes)) = traffic {
                td .number { (own.sum.per_minute(minutes)) } td .number { (milliseconds(own.sum.p50_ms)) }
                td .number { (milliseconds(own.sum.p95_ms)) } td .number { (events(context, (&words.errors, own.sum.errors), "FAILURE", (minutes, &server.id))) }
            } @else { td .number { "–" } td .number { "–" } td .number { "–" } td .number { "–" } }
        }
        td .number { (server.restarts) } td .number { (server.tool_count) }
    } }
}
