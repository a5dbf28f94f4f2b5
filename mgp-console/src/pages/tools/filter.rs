//! The search field and the filters.

use super::agents::Agents;
use crate::{
    page::{Context, Nav},
    texts::ToolWords,
};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The risks, the lowest first.
pub(super) const RISKS: [&str; 3] = ["safe", "moderate", "dangerous"];
/// The most servers to choose from.
const MAX_SERVERS: usize = 500;

/// The choices of the reader.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolFilter<'a> {
    pub(super) text: Option<&'a str>,
    pub(super) server: Option<&'a str>,
    /// The highest risk.
    pub(super) risk: Option<&'a str>,
    /// The agent whose tools are shown.
    pub(super) agent: Option<&'a str>,
}

impl<'a> ToolFilter<'a> {
    pub(super) fn of(context: &'a Context) -> Self {
        let field = |name| context.query.one(name).map(str::trim).filter(|value| !value.is_empty());
        Self { text: field("q"), server: field("server"), risk: field("risk"), agent: field("agent") }
    }
}

/// Returns the form. `default` is the agent without a choice, if its name is known.
pub(super) fn filter_form<'a>(
    context: &Context,
    filter: &ToolFilter<'_>,
    (agents, default): (&Agents, Option<&str>),
    servers: impl Iterator<Item = &'a str>,
) -> Markup {
    let words = &context.texts.tools;
    let mut servers: BTreeSet<&str> = servers.take(MAX_SERVERS).collect();
    servers.extend(filter.server);
    html! {
        form .filters method="get" action=(Nav::Tools.path()) role="search" {
            div .wide { label for="q" { (words.task) }
                input #q type="search" name="q" value=(filter.text.unwrap_or_default()) autocomplete="off"; }
            div { label for="server" { (words.server) }
                select #server name="server" {
                    option value="" { (words.any) }
                    @for server in &servers {
                        option value=(server) selected[filter.server == Some(server)] { (shown(server)) }
                    }
                } }
            div { label for="risk" { (words.risk_most) }
                select #risk name="risk" {
                    option value="" { (words.any) }
                    @for risk in RISKS { option value=(risk) selected[filter.risk == Some(risk)] { (risk_name(words, risk)) } }
                } }
            div { (agents.field(context, filter.agent, default)) }
            p .submit { button type="submit" { (words.show) } }
        }
    }
}

/// Returns a foreign name as an option of a list, which cannot be marked.
fn shown(name: &str) -> String {
    mgp_types::printable::on_one_line(&name.chars().take(80).collect::<String>())
}

/// Returns the name of a risk. The gateway judges it, so that other names do not occur.
pub(super) fn risk_name<'a>(words: &'a ToolWords, risk: &str) -> &'a str {
    match risk {
        "safe" => &words.safe,
        "moderate" => &words.moderate,
        "dangerous" => &words.dangerous,
        _ => &words.risk_unknown,
    }
}

/// Returns a risk with its colour.
pub(super) fn risk_mark(context: &Context, risk: &str) -> Markup {
    let known = RISKS.iter().find(|known| **known == risk);
    html! { span .state data-state=[known] { (risk_name(&context.texts.tools, risk)) } }
}
