//! The choice of the view by the fields of the address.

use super::{configuration::configuration, doctor::doctor, key_list::key_list};
use crate::{
    commands::CommandError,
    form::address,
    page::{Context, Nav, Tab, tabs},
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
    let views = [("", &words.configuration), ("doctor", &words.doctor), ("keys", &words.keys)];
    let views = views.map(|(name, title)| Tab {
        title,
        address: address(Nav::Settings.path(), &[("view", name)]),
        is_current: view == name,
    });
    Ok(html! {
        h1 { (words.title) }
        (tabs(&words.views, views))
        (middle)
    })
}
