//! The form of a command or URL that is registered in addition to the configuration, for `mgp servers add`.

use super::package_form::preview_button;
use crate::{actions::PREVIEW_REGISTRATION, page::Context};
use maud::{Markup, html};

/// Returns the form.
pub(super) fn command_form(context: &Context) -> Markup {
    let words = &context.texts.add_server;
    html! {
        form .stacked #register method="post" data-clears="registered" autocomplete="off" {
            label for="register-id" { (words.register_id) }
            input #register-id name="id" required spellcheck="false" autocomplete="off";
            label for="program" { (words.program) }
            input #program name="command" spellcheck="false" autocomplete="off";
            label for="register-args" { (words.args) }
            textarea #register-args name="args" rows="2" spellcheck="false" {}
            label for="register-env" { (words.env) }
            textarea #register-env name="env" rows="2" spellcheck="false" {}
            label for="register-url" { (words.register_url) }
            input #register-url name="url" type="url" spellcheck="false" autocomplete="off";
            label for="permissions" { (words.permissions) }
            textarea #permissions name="permission" rows="2" spellcheck="false" {}
            label for="reason" { (words.reason) }
            input #reason name="reason" autocomplete="off";
            (preview_button(context, &PREVIEW_REGISTRATION, "registered"))
        }
        div #registered role="status" {}
    }
}
