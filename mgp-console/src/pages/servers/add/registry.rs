//! The search of the public registry.

use super::report::{EntryRow, SearchReport};
use crate::{
    commands::CommandError,
    form::address,
    page::{Context, Nav, foreign},
};
use maud::{Markup, html};

/// Returns the form of the search.
pub(super) fn search_form(context: &Context) -> Markup {
    let words = &context.texts.add_server;
    let query = context.query.one("q").unwrap_or_default();
    html! {
        form .filter method="get" action=(Nav::Servers.path()) role="search" {
            input type="hidden" name="view" value="add";
            label for="registry-query" { (words.words) }
            input #registry-query type="search" name="q" value=(query) required;
            button type="submit" { (words.search) }
        }
    }
}

/// Returns the entries that match all words.
pub(super) async fn results(context: &Context, query: &str) -> Result<Markup, CommandError> {
    let mut command = vec!["registry", "search", "--"];
    command.extend(query.split_whitespace());
    let found: SearchReport = context.read(&command).await?;
    let words = &context.texts.add_server;
    Ok(html! {
        @if found.servers.is_empty() { p .empty { (words.no_entry) } }
        @else {
            div .scroll tabindex="0" role="region" aria-label=(words.found) { table {
                thead { tr {
                    th scope="col" { (words.name) } th scope="col" { (words.version) }
                    th scope="col" { (words.comes_as) } th scope="col" { (words.description) }
                } }
                tbody { @for entry in &found.servers { (row(context, entry)) } }
            } }
            @if found.more { p .quiet { (words.more) } }
        }
    })
}

fn row(context: &Context, entry: &EntryRow) -> Markup {
    let chosen = address(Nav::Servers.path(), &[("view", "add"), ("entry", &entry.name)]);
    let description = entry.description.as_ref().or(entry.title.as_ref());
    html! {
        tr {
            th scope="row" { a href=(chosen) { (foreign(&entry.name)) } }
            td { @if let Some(version) = &entry.version { (foreign(version)) } }
            td { (foreign(&entry.comes_as.join(", "))) }
            td .wide {
                @if entry.status == "deprecated" { span .state data-state="restarting" { (context.texts.add_server.deprecated) } " " }
                @if let Some(description) = description { (foreign(description)) }
            }
        }
    }
}
