//! One agent: its rules, its keys, its hosts, and what it may.

use super::{
    access::{AccessList, KeyList},
    explain::explain_form,
    keys::key_table,
    known::{KnownNames, status_for_names},
    rule_form::rule_form,
    rules::rule_tables,
};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, foreign},
};
use futures_util::future::join3;
use maud::{Markup, html};

/// Writes an agent.
pub(super) async fn one(context: &Context, agent: &str) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let of_agent = format!("--agent={agent}");
    let (access, keys, status) = join3(
        context.read::<AccessList>(&["access", "list", &of_agent]),
        context.read::<KeyList>(&["keys", "list"]),
        status_for_names(context, true),
    )
    .await;
    let (access, mut keys, status) = (access?, keys?, status.unwrap_or_default());
    let known = KnownNames::of(context, &access, &keys, &status);
    keys.keys.retain(|key| key.agent == agent);
    let hosts: Vec<_> = status.hosts().filter(|host| host.principal == agent).collect();
    Ok(html! {
        p { a href=(Nav::Agents.path()) { (words.all_agents) } }
        h2 { (words.agent) " " (foreign(agent)) }
        p { a href=(link(Nav::Trail.path(), "agent", agent)) { (words.its_events) } }
        @if !hosts.is_empty() {
            p { (words.hosts) ":" @for host in hosts.iter().take(20) { " " (foreign(&host.name)) " " (foreign(&host.version)) } }
        }
        h3 { (words.rules) }
        (rule_tables(context, &access))
        (rule_form(context, Some(agent)))
        (known.lists())
        h2 { (words.explain) }
        (explain_form(context, Some(agent)))
        @if !keys.keys.is_empty() { h2 { (words.keys) } (key_table(context, &keys.keys)) }
    })
}
