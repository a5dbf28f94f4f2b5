//! The views of a page.

use maud::{Markup, html};

/// The link to a view.
#[derive(Debug, Clone)]
pub(crate) struct Tab<'a> {
    pub(crate) title: &'a str,
    pub(crate) address: String,
    /// Whether the page shows this view.
    pub(crate) is_current: bool,
}

/// Returns the links to the views of a page.
pub(crate) fn tabs<'a>(label: &str, views: impl IntoIterator<Item = Tab<'a>>) -> Markup {
    html! {
        nav .tabs aria-label=(label) { ul {
            @for Tab { title, address, is_current } in views {
                li { a href=(address) aria-current=[is_current.then_some("page")] { (title) } }
            }
        } }
    }
}
