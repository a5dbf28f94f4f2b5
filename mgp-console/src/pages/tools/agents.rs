//! The agents that have rules, to choose one whose tools are shown.

use crate::{
    form::link,
    page::{Context, Nav, foreign, plain},
};
use maud::{Markup, html};
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most agents to choose from.
const MAX_AGENTS: usize = 500;
/// The most agents that an empty list leads to.
const MAX_LINKS: usize = 50;

/// The answer of `mgp access list`, as far as the page shows it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Rules {
    entries: Vec<Rule>,
    by_roles: Vec<Rule>,
}

/// A rule of an agent.
#[derive(Debug, Deserialize)]
struct Rule {
    agent_id: String,
    #[serde(default)]
    permission: Option<String>,
}

/// The agents by name, each with whether a rule lets it use something.
#[derive(Debug, Default)]
pub(super) struct Agents(BTreeMap<String, bool>);

impl Agents {
    /// Reads the agents that rules name. Without an answer, none is known.
    pub(super) async fn read(context: &Context) -> Self {
        let rules: Rules = context.read(&["access", "list"]).await.unwrap_or_default();
        let mut agents = BTreeMap::new();
        // A pattern is not an agent.
        for rule in
            rules.entries.into_iter().chain(rules.by_roles).filter(|rule| !rule.agent_id.contains('*'))
        {
            *agents.entry(rule.agent_id).or_default() |= rule.permission.as_deref() == Some("allow");
        }
        Self(agents)
    }

    /// Returns the field that chooses an agent, of which `default` is the one without a choice, if its name is known.
    pub(super) fn field(&self, context: &Context, chosen: Option<&str>, default: Option<&str>) -> Markup {
        let words = &context.texts.tools;
        let others = self.0.keys().map(String::as_str).filter(|name| Some(*name) != chosen).take(MAX_AGENTS);
        let mut names: Vec<_> = others.chain(chosen).collect();
        names.sort_unstable();
        html! {
            label for="agent" { (words.agent) }
            select #agent name="agent" {
                option value="" { @if let Some(name) = default { (plain(name)) " " } (words.default_agent) }
                @for name in names { option value=(name) selected[chosen == Some(name)] { (plain(name)) } }
            }
        }
    }

    /// Returns the ways to the tools of the agents that may use some, other than one that may use none.
    pub(super) fn links(&self, context: &Context, without: &str) -> Markup {
        let able: Vec<_> =
            self.0.iter().filter(|(name, may)| **may && *name != without).map(|(name, _)| name).collect();
        html! {
            @if !able.is_empty() {
                p { (context.texts.tools.other_agents) }
                ul .names { @for name in able.iter().take(MAX_LINKS) { li { a href=(link(Nav::Tools.path(), "agent", name)) { (foreign(name)) } } } }
            }
        }
    }
}
