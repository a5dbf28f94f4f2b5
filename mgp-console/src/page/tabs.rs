//! The views of a page.

use super::Context;
use crate::form::address;
use maud::{Markup, html};

/// The link to a view.
#[derive(Debug, Clone)]
pub(crate) struct Tab<'a> {
    pub(crate) title: &'a str,
    pub(crate) address: String,
    /// True if the page shows this view.
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

/// Returns the links to views that the field `view` of the address names, which is empty for the first one. `views` are their names and titles.
pub(crate) fn view_tabs(context: &Context, path: &str, label: &str, views: &[(&str, &str)]) -> Markup {
    let shown = context.query.one("view").unwrap_or_default();
    let tab =
        |&(name, title)| Tab { title, address: address(path, &[("view", name)]), is_current: name == shown };
    tabs(label, views.iter().map(tab))
}
