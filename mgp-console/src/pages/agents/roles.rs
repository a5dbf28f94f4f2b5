//! Roles, their rules and their agents.

use super::rules::decision;
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav, Part, foreign},
};
use maud::{Markup, html};
use serde::Deserialize;

/// The most agents of a role that are named.
const AGENTS: usize = 50;

/// The answer of `mgp access roles`.
#[derive(Debug, Deserialize)]
struct RoleList {
    roles: Vec<Role>,
}

/// A role.
#[derive(Debug, Deserialize)]
struct Role {
    role: String,
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    rules: Vec<RoleRule>,
}

/// A rule of a role.
#[derive(Debug, Deserialize)]
struct RoleRule {
    server_id: String,
    #[serde(default)]
    tool_name: Option<String>,
    permission: String,
}

/// Writes the roles.
pub(super) async fn roles(context: &Context) -> Result<Markup, CommandError> {
    let list: RoleList = context.read(&["access", "roles"]).await?;
    let words = &context.texts.agents;
    let part = Part::of(context, &list.roles, "from");
    Ok(html! {
        h2 { (words.roles) }
        p .quiet { (words.roles_help) " " a href=(Nav::Settings.path()) { (context.texts.nav.settings) } }
        @if list.roles.is_empty() { p .empty { strong { (words.no_roles) } " " (words.no_roles_help) } }
        @for role in part.rows { (one(context, role)) }
        (part.links(context, Nav::Agents.path(), "from"))
    })
}

fn one(context: &Context, role: &Role) -> Markup {
    let words = &context.texts.agents;
    html! {
        section .question {
            h3 { (words.role) " " (foreign(&role.role)) }
            p {
                @if role.agents.is_empty() { (words.of_nobody) } @else { (words.of_agents) ": " }
                @for agent in role.agents.iter().take(AGENTS) { a href=(link(Nav::Agents.path(), "agent", agent)) { (foreign(agent)) } " " }
                @if role.agents.len() > AGENTS { "…" }
            }
            ul .plain { @for rule in role.rules.iter().take(AGENTS) { li {
                (decision(context, Some(&rule.permission))) " " (foreign(&rule.server_id)) " "
                @if let Some(tool) = &rule.tool_name { (foreign(tool)) } @else { (words.whole_server) }
            } } }
        }
    }
}
