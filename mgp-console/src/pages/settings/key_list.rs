//! The keys of the configuration, with a search.

use super::keys::{Key, matching, tables};
use crate::{
    form::link,
    page::{Context, Nav},
};
use maud::{Markup, html};

/// The most keys that are shown at once.
const MOST: usize = 25;

/// Returns the search, and the keys that match.
pub(super) fn key_list(context: &Context) -> Markup {
    let words = &context.texts.settings;
    let query = context.query.one("key").unwrap_or_default();
    html! {
        h2 #keys-title { (words.keys) }
        form .filter method="get" action=(Nav::Settings.path()) role="search" {
            input type="hidden" name="view" value="keys";
            label for="key" { (words.key_search) }
            input #key type="search" name="key" value=(query) autocomplete="off" spellcheck="false"
                hx-get=(link(Nav::Settings.path(), "view", "keys")) hx-trigger="input changed delay:200ms, search"
                hx-target="#keys" hx-select="#keys" hx-swap="outerHTML";
        }
        div #keys { (found(context, query)) }
    }
}

fn found(context: &Context, query: &str) -> Markup {
    let words = &context.texts.settings;
    let keys = if query.is_empty() { tables() } else { matching(query) };
    html! {
        @if query.is_empty() { p .quiet { (words.tables) } }
        @if keys.is_empty() { p .empty role="status" { (words.no_key) } }
        ul .keys { @for key in keys.iter().take(MOST) { li { (shown(context, key)) } } }
        @if keys.len() > MOST { p .quiet role="status" { (words.more_keys.replace("{n}", &(keys.len() - MOST).to_string())) } }
    }
}

fn shown(context: &Context, key: &Key) -> Markup {
    let words = &context.texts.settings;
    html! {
        p { code { (key.path) } " " span .quiet { (key.kind) @if let Some(default) = &key.default { ", " (words.default) " " (default) } } }
        p { (key.description.show()) }
        p .quiet { code { (key.line) } @if !key.table.is_empty() { " " (words.in_table) " " code { (key.table) } } " "
            button type="button" data-insert=(key.line) data-table=(key.table) aria-label=(format!("{} {}", words.insert, key.path)) hidden { (words.insert) }
        }
    }
}
