//! The middle of the page.

use crate::{commands::CommandError, page::Context};
use maud::{Markup, html};

/// Writes the page.
pub(crate) async fn settings(context: Context) -> Result<Markup, CommandError> {
    let words = &context.texts.settings;
    Ok(html! { h1 { (words.title) } })
}
