//! The forms, one below the other.

use super::{
    command_form::command_form,
    entry::entry,
    package_form::package_form,
    registry::{results, search_form},
};
use crate::{
    commands::CommandError,
    page::{Context, Nav, error_box},
};
use maud::{Markup, html};

/// Writes the forms, or the form of the registry's entry that the address names.
pub(in super::super) async fn add(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.add_server;
    if let Some(name) = context.query.one("entry") {
        return entry(context, name).await;
    }
    let results = match context.query.one("q") {
        None => html! {},
        // The other forms work without the registry.
        Some(query) => results(context, query).await.unwrap_or_else(|error| error_box(context, &error)),
    };
    Ok(html! {
        p .back { a href=(Nav::Servers.path()) { (context.texts.server.all) } }
        h1 { (words.title) }
        p .quiet { (words.help) }
        section aria-labelledby="registry" {
            h2 #registry { (words.registry) }
            p .quiet { (words.registry_help) }
            (search_form(context))
            (results)
        }
        section aria-labelledby="package" {
            h2 #package { (words.package) }
            (package_form(context))
        }
        section aria-labelledby="command" {
            h2 #command { (words.command) }
            p .quiet { (words.command_help) }
            (command_form(context))
        }
    })
}
