//! The ways to add a server, one at a time.

use super::{
    change::change,
    command_form::command_form,
    entry::entry,
    filled::FilledForm,
    package_form::{package_form, url_form},
    registry::{results, search_form},
};
use crate::{
    commands::CommandError,
    form::address,
    page::{Context, Nav, Tab, error_box, tabs},
};
use maud::{Markup, html};

/// A way to add a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Registry,
    Package,
    Url,
    Command,
}

impl Source {
    const ALL: [Self; 4] = [Self::Registry, Self::Package, Self::Url, Self::Command];

    /// Returns the value of the field `from`.
    const fn name(self) -> &'static str {
        match self {
            Self::Registry => "registry",
            Self::Package => "package",
            Self::Url => "url",
            Self::Command => "command",
        }
    }

    fn label(self, context: &Context) -> &str {
        let words = &context.texts.add_server;
        match self {
            Self::Registry => &words.registry,
            Self::Package => &words.package,
            Self::Url => &words.url,
            Self::Command => &words.command,
        }
    }
}

/// Writes the forms, or the form of the registry's entry that the address names.
pub(in super::super) async fn add(context: &Context) -> Result<Markup, CommandError> {
    let words = &context.texts.add_server;
    if let Some(name) = context.query.one("entry") {
        return entry(context, name).await;
    }
    if let Some(id) = context.query.one("change") {
        return change(context, id).await;
    }
    let named = context.query.one("from");
    let source =
        Source::ALL.into_iter().find(|source| Some(source.name()) == named).unwrap_or(Source::Registry);
    let form = match source {
        Source::Registry => {
            html! { p .quiet { (words.registry_help) } (search_form(context)) (found(context).await) }
        }
        Source::Package => package_form(context),
        Source::Url => url_form(context),
        Source::Command => {
            html! { p .quiet { (words.command_help) } (command_form(context, &FilledForm::default())) }
        }
    };
    Ok(html! {
        p .back { a href=(Nav::Servers.path()) { (context.texts.server.all) } }
        h1 { (words.title) }
        (tabs(&words.title, Source::ALL.map(|item| Tab {
            title: item.label(context),
            address: address(Nav::Servers.path(), &[("view", "add"), ("from", item.name())]),
            is_current: item == source,
        })))
        (form)
    })
}

/// Returns the results of the search, if there is one. The form stays if the registry does not answer.
async fn found(context: &Context) -> Markup {
    match context.query.one("q") {
        None => html! {},
        Some(query) => results(context, query).await.unwrap_or_else(|error| error_box(context, &error)),
    }
}
