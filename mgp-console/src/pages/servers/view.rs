//! The choice of the view by the fields of the address.

use super::{add, detail, list, log};
use crate::{commands::CommandError, page::Context};
use maud::Markup;

/// Writes the page.
pub(crate) async fn servers(context: Context) -> Result<Markup, CommandError> {
    match (context.query.one("id"), context.query.one("view")) {
        (Some(id), _) => detail::detail(&context, id).await,
        (None, Some("add")) => add::add(&context).await,
        (None, Some("started")) => {
            add::started(&context, context.query.one("server").unwrap_or_default()).await
        }
        (None, Some("log")) => log::gateway_log(&context).await,
        (None, _) => list::list(&context).await,
    }
}
