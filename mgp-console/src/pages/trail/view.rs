//! The middle of the page: the events, one trace, or the charts.

use super::{charts::charts, events::events, filter::TrailFilter, heading::CHARTS, trace::trace};
use crate::{commands::CommandError, page::Context};
use maud::Markup;

/// Writes the page.
pub(crate) async fn trail(context: Context) -> Result<Markup, CommandError> {
    let filter = TrailFilter::of(&context);
    match (filter.trace, context.query.one("view")) {
        (Some(id), _) => trace(&context, id).await,
        (None, Some(CHARTS)) => charts(&context, &filter).await,
        (None, _) => events(&context, &filter).await,
    }
}
