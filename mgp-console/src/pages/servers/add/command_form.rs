//! The form of a command that is registered in addition to the configuration, for `mgp servers add`.

use super::{
    filled::FilledForm,
    package_form::{optional, preview_button},
};
use crate::{actions::PREVIEW_REGISTRATION, page::Context};
use maud::{Markup, html};

/// Returns the form. A registered server keeps its id, and one at a URL has that instead of a program.
pub(super) fn command_form(context: &Context, filled: &FilledForm) -> Markup {
    let words = &context.texts.add_server;
    let label = |id: &str, text: &str, may_be_empty: bool| {
        html! { label for=(id) { (text) @if may_be_empty { (optional(context)) } } }
    };
    html! {
        form .stacked #register method="post" data-clears="registered" autocomplete="off" {
            (label("register-id", &words.register_id, false))
            input #register-id name="id" value=(filled.id) readonly[!filled.id.is_empty()] required spellcheck="false" autocomplete="off";
            @if let Some(url) = &filled.url {
                (label("register-url", &words.url_name, false))
                input #register-url name="url" type="url" value=(url) required spellcheck="false" autocomplete="off";
            } @else {
                (label("program", &words.program, false))
                input #program name="command" value=(filled.program) required spellcheck="false" autocomplete="off" aria-describedby="program-help";
                p #program-help .quiet { (words.program_help) }
                (label("register-args", &words.args, true))
                textarea #register-args name="args" rows="2" spellcheck="false" { "\n" (filled.arguments) }
                (label("register-env", &words.env, true))
                textarea #register-env name="env" rows="2" spellcheck="false" { "\n" (filled.variables) }
            }
            (label("permissions", &words.permissions, true))
            textarea #permissions name="permission" rows="2" spellcheck="false" { "\n" (filled.permissions) }
            (label("reason", &words.reason, true))
            input #reason name="reason" autocomplete="off";
            (preview_button(context, &PREVIEW_REGISTRATION, "registered"))
        }
        div #registered role="status" {}
    }
}
