//! The middle of the page.

use super::{connect, explain, keys, limits, matrix, one, overview, roles, rules};
use crate::{
    commands::CommandError,
    page::{Context, Nav, view_tabs},
};
use maud::{Markup, html};

/// Writes the page, or one of its views.
pub(crate) async fn agents(context: Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    let views = [
        ("", words.overview.as_str()),
        ("matrix", words.matrix.as_str()),
        ("explain", words.explain.as_str()),
        ("rules", words.rules.as_str()),
        ("roles", words.roles.as_str()),
        ("keys", words.keys.as_str()),
        ("limits", words.limits.as_str()),
        ("connect", words.connect.as_str()),
    ];
    let middle = match context.query.one("view") {
        Some("matrix") => matrix::matrix(&context).await?,
        Some("explain") => explain::explain(&context).await?,
        Some("rules") => rules::rules(&context).await?,
        Some("roles") => roles::roles(&context).await?,
        Some("keys") => keys::keys(&context).await?,
        Some("limits") => limits::limits(&context).await?,
        Some("connect") => connect::connect(&context).await?,
        _ => match context.query.one("agent") {
            Some(agent) => one::one(&context, agent).await?,
            None => overview::overview(&context).await?,
        },
    };
    Ok(html! {
        h1 { (words.title) }
        (view_tabs(&context, Nav::Agents.path(), &words.views, &views))
        (middle)
    })
}
