//! Rules, and the form that makes one.

use super::access::{AccessList, Entry, RoleEntry};
use crate::{
    actions::{GRANT, REVOKE},
    commands::CommandError,
    form::link,
    page::{Context, Nav, Part, Submit, action_form, element_id, foreign, sentence, time},
};
use maud::{Markup, html};

/// Writes every rule.
pub(super) async fn rules(context: &Context) -> Result<Markup, CommandError> {
    let list: AccessList = context.read(&["access", "list"]).await?;
    let words = &context.texts.agents;
    Ok(html! {
        h2 { (words.rules) }
        (rule_tables(context, &list))
        (grant_form(context, None))
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

/// Writes the form that makes a rule.
pub(super) fn grant_form(context: &Context, agent: Option<&str>) -> Markup {
    let words = &context.texts.agents;
    let fields = html! {
        @if let Some(agent) = agent { input type="hidden" name="agent" value=(agent); }
        @else { p { label for="grant-agent" { (words.agent) } input #grant-agent name="agent" required autocomplete="off" maxlength="256"; } }
        p { label for="grant-server" { (words.server) } input #grant-server name="server" required autocomplete="off" list="known-servers" aria-describedby="grant-help"; }
        p { label for="grant-tool" { (words.tool) } input #grant-tool name="tool" autocomplete="off" aria-describedby="grant-help"; }
        p #grant-help .quiet { (sentence(&words.grant_help)) }
        p { label for="grant-rule" { (words.rule) } select #grant-rule name="deny" {
            option value="" { (words.may) } option value="1" { (words.may_not) }
        } }
        p { label for="grant-for" { (words.for_how_long) } input #grant-for name="for" size="8" placeholder="8h" autocomplete="off"; }
        p { label for="grant-reason" { (words.reason) } input #grant-reason name="reason" autocomplete="off"; }
    };
    html! {
        section aria-labelledby="grant" {
            h2 #grant { (words.new_rule) }
            (action_form(context, (&GRANT, &words.make_rule), None, &fields, &html! {}))
        }
    }
}
