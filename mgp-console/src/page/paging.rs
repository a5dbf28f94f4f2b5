//! Long lists, in pages.

use super::Context;
use maud::{Markup, html};

/// The most rows of a list on one page.
pub(crate) const ROWS: usize = 50;

/// A part of a list.
pub(crate) struct Part<'a, T> {
    pub(crate) rows: &'a [T],
    from: usize,
    total: usize,
}

impl<'a, T> Part<'a, T> {
    /// Returns the part that begins at the row which a field of the address names.
    pub(crate) fn of(context: &Context, all: &'a [T], field: &str) -> Self {
        let from = start(context, field).min(all.len());
        Self { rows: &all[from..all.len().min(from + ROWS)], from, total: all.len() }
    }

    /// Returns the links to the parts before and after, which is empty for a short list.
    pub(crate) fn links(&self, context: &Context, path: &str, field: &str) -> Markup {
        links(context, (path, field), (self.from, self.rows.len(), self.total), ROWS)
    }
}

/// Returns the number of the first row, from 0, that a field of the address names.
pub(crate) fn start(context: &Context, field: &str) -> usize {
    context.query.one(field).and_then(|from| from.parse().ok()).unwrap_or_default()
}

/// Returns the links to the rows before and after some of all rows.
pub(crate) fn links(
    context: &Context,
    (path, field): (&str, &str),
    (from, count, total): (usize, usize, usize),
    size: usize,
) -> Markup {
    let common = &context.texts.common;
    let to = from + count;
    let range = common.rows_of.replace("{from}", &(from + 1).to_string()).replace("{to}", &to.to_string());
    let before = (from > 0).then(|| from.saturating_sub(size).to_string());
    let after = (to < total).then(|| to.to_string());
    html! {
        @if before.is_some() || after.is_some() {
            nav .pages aria-label=(common.pages_of_list) {
                @if let Some(before) = before {
                    a href=(context.query.with(path, field, (before != "0").then_some(&before))) { (common.rows_before) }
                }
                span { (range.replace("{n}", &total.to_string())) }
                @if let Some(after) = after { a href=(context.query.with(path, field, Some(&after))) { (common.rows_after) } }
            }
        }
    }
}
