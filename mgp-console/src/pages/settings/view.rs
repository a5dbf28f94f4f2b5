//! The choice of the view by the fields of the address.

use super::{configuration::configuration, doctor::doctor, key_list::key_list};
use crate::{
    commands::CommandError,
    form::link,
    page::{Context, Nav},
};
use maud::{Markup, html};

/// Writes the page.
pub(crate) async fn settings(context: Context) -> Result<Markup, CommandError> {
    let words = &context.texts.settings;
    let view = context.query.one("view").unwrap_or_default();
    let middle = match view {
        // Only a part of the page, which a search of keys reads again.
        "keys" => key_list(&context),
        "doctor" => doctor(&context).await,
        _ => configuration(&context).await,
    };
    let tab = |name: &str, label: &str| {
        let address = if name.is_empty() {
            Nav::Settings.path().to_owned()
        } else {
            link(Nav::Settings.path(), "view", name)
        };
        html! { li { a href=(address) aria-current=[(view == name).then_some("page")] { (label) } } }
    };
    Ok(html! {
        h1 { (words.title) }
        nav .tabs aria-label=(words.views) { ul {
            (tab("", &words.configuration)) (tab("doctor", &words.doctor)) (tab("keys", &words.keys))
        } }
        (middle)
    })
}
