//! The form of a registered server, filled in, with the removal of the old one.

use super::{command_form::command_form, filled::FilledForm};
use crate::{
    actions::REMOVE_SERVER,
    commands::CommandError,
    form::link,
    page::{Context, NamedButton, Nav, foreign, named_button, plain},
};
use maud::{Markup, html};

/// Writes the form. A server is changed by a new registration, which its id must be free for.
pub(super) async fn change(context: &Context, id: &str) -> Result<Markup, CommandError> {
    let filled = FilledForm::of(context, id).await?;
    let words = &context.texts.add_server;
    let question = context.texts.servers.remove_confirm.replace("{name}", &plain(id));
    let button =
        NamedButton { label: &words.remove_old, of: id, confirm: Some(&question), target: Some("#removed") };
    Ok(html! {
        p .back { a href=(link(Nav::Servers.path(), "id", id)) { (words.open) } }
        h1 { (words.change_title) " " (foreign(id)) }
        p .quiet { (words.change_help) }
        div #removed role="status" { (named_button(context, &REMOVE_SERVER, button, &[("server", id), ("change", "1")])) }
        @if !filled.variables.is_empty() { p .notice { (words.values_again) } }
        (command_form(context, &filled))
    })
}
