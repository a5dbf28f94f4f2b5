//! The title of the page, and the ways to its parts.

use crate::page::{Context, Nav, Tab, tabs};
use maud::{Markup, html};

/// The value of the field `view` of the charts.
pub(super) const CHARTS: &str = "charts";

/// Returns the title, and the ways to the parts of the page.
pub(super) fn heading(context: &Context, view: Option<&str>) -> Markup {
    let words = &context.texts.trail;
    let views = [(None, &words.events), (Some(CHARTS), &words.charts)].map(|(name, title)| Tab {
        title,
        address: context.query.with(Nav::Trail.path(), "view", name),
        is_current: name == view,
    });
    html! {
        h1 { (words.title) }
        (tabs(&words.views, views))
    }
}
