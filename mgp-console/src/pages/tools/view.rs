//! The middle of the page: one tool, the tools that fit a search, or all of them.

use super::{detail::detail, filter::ToolFilter, list::list, search::search};
use crate::{commands::CommandError, page::Context};
use maud::Markup;

/// Writes the page.
pub(crate) async fn tools(context: Context) -> Result<Markup, CommandError> {
    if let Some(name) = context.query.one("name") {
        return detail(&context, name).await;
    }
    let filter = ToolFilter::of(&context);
    match filter.text {
        Some(text) => search(&context, &filter, text).await,
        None => list(&context, &filter).await,
    }
}
