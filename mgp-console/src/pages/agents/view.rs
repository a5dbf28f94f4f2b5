//! The middle of the page.

use crate::{commands::CommandError, page::Context};
use maud::{Markup, html};

/// Writes the page.
pub(crate) async fn agents(context: Context) -> Result<Markup, CommandError> {
    let words = &context.texts.agents;
    Ok(html! { h1 { (words.title) } })
}
