//! Agents, connected hosts and replicas.

use super::{
    access::{AccessList, KeyList},
    people::{EVENTS, Events, Person, people},
    status::{Gateway, Status},
};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, Part, error_box, foreign, time},
};
use futures_util::future::join4;
use maud::{Markup, html};
use mgp_types::lifecycle::HostReport;

/// Writes the overview. Without a gateway that runs, the agents are shown all the same.
pub(super) async fn overview(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let (access, keys, events, status) = join4(
        context.read::<AccessList>(&["access", "list"]),
        context.read::<KeyList>(&["keys", "list"]),
        context.read::<Events>(&["audit", EVENTS]),
        Status::read(context),
    )
    .await;
    let (access, keys, events) = (access?, keys?, events.unwrap_or_default());
    let (status, problem) = match status {
        Ok(status) => (status, None),
        Err(error) => (Status::default(), Some(error)),
    };
    let people: Vec<_> = people(&access, &keys, &status, &events).into_iter().collect();
    let hosts: Vec<_> = status.hosts().collect();
    Ok(html! {
        @if let Some(problem) = &problem { (error_box(context, problem)) }
        section {
            h2 { (words.agents) }
            @if people.is_empty() { p .empty { strong { (words.no_agents) } " " (words.no_agents_help) } }
            @else { (agent_table(context, &people)) }
        }
        section {
            h2 { (words.hosts) }
            @if hosts.is_empty() {
                p .empty { strong { (words.no_hosts) } " " a href=(link(Nav::Agents.path(), "view", "connect")) { (words.no_hosts_help) } }
            } @else { (host_table(context, &hosts)) }
        }
        @if let Some(replicas) = status.replicas.as_ref().filter(|replicas| !replicas.is_empty()) {
            section {
                h2 { (words.replicas) }
                (replica_table(context, &status.kernels, replicas))
            }
        }
    })
}

fn agent_table(context: &Context, people: &[(String, Person)]) -> Markup {
    let words = &context.texts.agents;
    let part = Part::of(context, people, "agents");
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.agents) { table {
            thead { tr {
                th scope="col" { (words.agent) } th scope="col" .number { (words.connected) } th scope="col" .number { (words.own_rules) }
                th scope="col" { (words.roles) } th scope="col" .number { (words.keys) } th scope="col" { (words.seen) }
            } }
            tbody { @for (name, person) in part.rows { tr {
                th scope="row" { a href=(link(Nav::Agents.path(), "agent", name)) { (foreign(name)) } }
                td .number { (person.hosts) }
                td .number { (person.rules) }
                td { @for role in &person.roles { (foreign(role)) " " } }
                td .number { (person.keys) }
                td { @if let Some(seen) = &person.seen { (time(seen)) } @else { span .quiet { (words.not_lately) } } }
            } } }
        } }
        (part.links(context, Nav::Agents.path(), "agents"))
    }
}

fn host_table(context: &Context, hosts: &[&HostReport]) -> Markup {
    let words = &context.texts.agents;
    let part = Part::of(context, hosts, "hosts");
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.hosts) { table {
            thead { tr {
                th scope="col" { (words.host) } th scope="col" { (words.agent) } th scope="col" { (words.protocol) }
                th scope="col" { (words.mgp) } th scope="col" .number { (words.in_flight) }
            } }
            tbody { @for host in part.rows { tr {
                th scope="row" { (foreign(&host.name)) " " (foreign(&host.version)) }
                td { a href=(link(Nav::Agents.path(), "agent", &host.principal)) { (foreign(&host.principal)) } }
                td { (foreign(&host.protocol_version)) }
                td { @if host.mgp { (words.yes) } @else { (words.no) } }
                td .number { (host.in_flight) }
            } } }
        } }
        (part.links(context, Nav::Agents.path(), "hosts"))
    }
}

fn replica_table(context: &Context, here: &[Gateway], replicas: &[Gateway]) -> Markup {
    let words = &context.texts.agents;
    let row = |place: Markup, age: Markup, gateway: &Gateway| {
        html! { tr {
            th scope="row" { (place) } td .number { (gateway.pid) } td { (foreign(&gateway.version)) }
            td { (time(&gateway.started_at)) } td .number { (gateway.servers.len()) }
            td .number { (gateway.hosts.len()) } td { (age) }
        } }
    };
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.replicas) { table {
            thead { tr {
                th scope="col" { (words.place) } th scope="col" .number { (words.process) } th scope="col" { (words.version) }
                th scope="col" { (words.started) } th scope="col" .number { (words.servers) } th scope="col" .number { (words.hosts) }
                th scope="col" { (words.reported) }
            } }
            tbody {
                @for gateway in here { (row(html! { (words.this_machine) }, html! { (words.now) }, gateway)) }
                @for replica in replicas.iter().take(100) {
                    (row(foreign(&replica.address), html! { (words.seconds_ago.replace("{n}", &replica.reported_secs_ago.to_string())) }, replica))
                }
            }
        } }
    }
}
