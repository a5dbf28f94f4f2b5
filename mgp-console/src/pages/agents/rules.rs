//! The tables of rules.

use super::{
    access::{AccessList, Entry, KeyList, RoleEntry},
    known::{KnownNames, status_for_names},
    rule_form::rule_form,
};
use crate::{
    actions::REVOKE,
    commands::CommandError,
    form::link,
    page::{Context, Nav, Part, Submit, element_id, foreign, time},
};
use futures_util::future::join3;
use maud::{Markup, html};

/// Writes every rule, and the form that makes one. The form comes first if the address fills it in.
pub(super) async fn rules(context: &Context) -> Result<Markup, CommandError> {
    let access = context.read::<AccessList>(&["access", "list"]);
    let keys = context.read::<KeyList>(&["keys", "list"]);
    let (access, keys, status) = join3(access, keys, status_for_names(context, true)).await;
    let list = access?;
    let known = KnownNames::of(context, &list, &keys.unwrap_or_default(), &status.unwrap_or_default());
    let words = &context.texts.agents;
    let is_filled = context.query.has("agent");
    Ok(html! {
        (known.lists())
        @if is_filled { (rule_form(context, None)) }
        h2 { (words.rules) }
        (rule_tables(context, &list))
        @if !is_filled { (rule_form(context, None)) }
    })
}

/// Writes the rules of agents, and those that they have by roles.
pub(super) fn rule_tables(context: &Context, list: &AccessList) -> Markup {
    let words = &context.texts.agents;
    html! {
        @if list.entries.is_empty() { p .empty { strong { (words.no_rules) } " " (words.no_rules_help) } }
        @else { (own(context, &list.entries)) }
        @if !list.by_roles.is_empty() { h3 { (words.by_roles) } (by_roles(context, &list.by_roles)) }
    }
}

fn own(context: &Context, entries: &[Entry]) -> Markup {
    let words = &context.texts.agents;
    let part = Part::of(context, entries, "from");
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.rules) { table {
            thead { tr {
                th scope="col" { (words.agent) } th scope="col" { (words.server) } th scope="col" { (words.tool) }
                th scope="col" { (words.rule) } th scope="col" { (words.ends) } th scope="col" { (words.by) }
                th scope="col" { (words.reason) } th scope="col" { (words.change) }
            } }
            tbody { @for (at, entry) in part.rows.iter().enumerate() { (row(context, entry, at)) } }
        } }
        (part.links(context, Nav::Agents.path(), "from"))
    }
}

fn row(context: &Context, entry: &Entry, at: usize) -> Markup {
    let words = &context.texts.agents;
    let [heading, own] = ["rule", "revoke"].map(|name| element_id(name, &at.to_string()));
    html! {
        tr {
            th scope="row" id=(heading) { a href=(link(Nav::Agents.path(), "agent", &entry.agent_id)) { (foreign(&entry.agent_id)) } }
            td { (foreign(&entry.server_id)) }
            td { @if let Some(tool) = &entry.tool_name { (foreign(tool)) } @else { (words.whole_server) } }
            td { (decision(context, entry.permission.as_deref())) }
            td { @if let Some(end) = &entry.expires_at { (time(end)) } @else { (words.never) } }
            td { @if let Some(by) = &entry.granted_by { (foreign(by)) } }
            td { @if let Some(reason) = &entry.justification { (foreign(reason)) } }
            td {
                form .inline {
                    input type="hidden" name="agent" value=(entry.agent_id);
                    input type="hidden" name="server" value=(entry.server_id);
                    @if let Some(tool) = &entry.tool_name { input type="hidden" name="tool" value=(tool); }
                    (Submit::new(&REVOKE, &words.revoke).named_by(&own, &heading).asks(&words.revoke_question).show(context))
                }
            }
        }
    }
}

/// Writes rules of roles, which only the configuration changes.
fn by_roles(context: &Context, entries: &[RoleEntry]) -> Markup {
    let words = &context.texts.agents;
    let part = Part::of(context, entries, "roles_from");
    html! {
        div .scroll tabindex="0" role="region" aria-label=(words.by_roles) { table {
            thead { tr {
                th scope="col" { (words.agent) } th scope="col" { (words.role_name) } th scope="col" { (words.server) }
                th scope="col" { (words.tool) } th scope="col" { (words.rule) }
            } }
            tbody { @for entry in part.rows { tr {
                th scope="row" { (foreign(&entry.agent_id)) } td { (foreign(&entry.role)) } td { (foreign(&entry.server_id)) }
                td { @if let Some(tool) = &entry.tool_name { (foreign(tool)) } @else { (words.whole_server) } }
                td { (decision(context, Some(&entry.permission))) }
            } } }
        } }
        (part.links(context, Nav::Agents.path(), "roles_from"))
    }
}

/// Shows the decision of a rule, as a word and in a colour.
pub(super) fn decision(context: &Context, permission: Option<&str>) -> Markup {
    let words = &context.texts.agents;
    match permission {
        Some("allow") => html! { span .state data-state="SUCCESS" { (words.may) } },
        Some("deny") => html! { span .state data-state="FAILURE" { (words.may_not) } },
        _ => html! { span .state data-state="BLOCKED" { (words.unreadable) } },
    }
}
