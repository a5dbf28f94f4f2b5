//! The connected hosts. Several sessions of the same program are one row.

use crate::{
    form::link,
    page::{Context, Nav, Part, foreign},
};
use maud::{Markup, html};
use mgp_types::lifecycle::HostReport;
use std::collections::BTreeMap;

/// The number of sessions of a program, and of their calls.
#[derive(Debug, Clone, Copy, Default)]
struct Sessions {
    count: u64,
    in_flight: u64,
}

/// Returns the hosts by their program, its version, the agent and the protocol.
pub(super) fn host_table(context: &Context, hosts: &[&HostReport]) -> Markup {
    let words = &context.texts.now;
    let mut groups: BTreeMap<_, Sessions> = BTreeMap::new();
    for host in hosts {
        let group = groups.entry([&host.name, &host.version, &host.principal, &host.protocol_version]);
        let sessions = group.or_default();
        sessions.count += 1;
        sessions.in_flight += host.in_flight;
    }
    let groups: Vec<_> = groups.into_iter().collect();
    let part = Part::of(context, &groups, "hosts");
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.hosts) { table {
            thead { tr {
                th scope="col" { (words.host) } th scope="col" { (words.agent) } th scope="col" { (words.protocol) }
                th scope="col" .number { (words.sessions) } th scope="col" .number { (words.in_flight) }
            } }
            tbody { @for ([name, version, agent, protocol], sessions) in part.rows { tr {
                th scope="row" { (foreign(name)) " " (foreign(version)) }
                td { a href=(link(Nav::Agents.path(), "agent", agent)) { (foreign(agent)) } }
                td { (foreign(protocol)) }
                td .number { (sessions.count) } td .number { (sessions.in_flight) }
            } } }
        } }
        (part.links(context, Nav::Now.path(), "hosts"))
    }
}
