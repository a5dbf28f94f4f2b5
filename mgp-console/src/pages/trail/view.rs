//! The middle of the page: the events, one trace, or the charts.

use super::{charts::charts, events::events, filter::TrailFilter, trace::trace};
use crate::{
    commands::CommandError,
    page::{Context, Nav, Tab, tabs},
};
use maud::{Markup, html};

/// The value of the field `view` of the charts.
pub(super) const CHARTS: &str = "charts";

/// Writes the page.
pub(crate) async fn trail(context: Context) -> Result<Markup, CommandError> {
    let filter = TrailFilter::of(&context);
    match (filter.trace, context.query.one("view")) {
        (Some(id), _) => trace(&context, id).await,
        (None, Some(CHARTS)) => charts(&context, &filter).await,
        (None, _) => events(&context, &filter).await,
    }
}

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
