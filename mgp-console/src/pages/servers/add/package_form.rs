//! The forms of a package or an image, and of a URL, for `mgp add`.

use crate::{
    actions::PREVIEW_SERVER,
    page::{Action, Context},
};
use maud::{Markup, html};

/// The kinds of packages, as the action reads them.
const KINDS: [&str; 4] = ["npx", "uvx", "dnx", "docker"];

/// Returns the form of a package or an image.
pub(super) fn package_form(context: &Context) -> Markup {
    let words = &context.texts.add_server;
    let label = |kind| match kind {
        "npx" => &words.npx,
        "uvx" => &words.uvx,
        "dnx" => &words.dnx,
        _ => &words.docker,
    };
    html! {
        form .stacked #add-package method="post" data-clears="preview-package" autocomplete="off" {
            label for="kind" { (words.kind) }
            select #kind name="kind" { @for kind in KINDS { option value=(kind) { (label(kind)) } } }
            label for="name" { (words.package_name) }
            input #name name="name" required spellcheck="false" autocomplete="off";
            label for="args" { (words.args) (optional(context)) }
            textarea #args name="args" rows="2" spellcheck="false" {}
            label for="env" { (words.env) (optional(context)) }
            textarea #env name="env" rows="2" spellcheck="false" {}
            (choices(context, "add-package"))
            (preview_button(context, &PREVIEW_SERVER, "preview-package"))
        }
        div #preview-package role="status" {}
    }
}

/// Returns the form of a URL.
pub(super) fn url_form(context: &Context) -> Markup {
    let words = &context.texts.add_server;
    html! {
        form .stacked #add-url method="post" data-clears="preview-url" autocomplete="off" {
            input type="hidden" name="kind" value="url";
            label for="name" { (words.url_name) }
            input #name type="url" name="name" required spellcheck="false" autocomplete="off";
            label for="headers" { (words.headers) (optional(context)) }
            textarea #headers name="set" rows="2" spellcheck="false" {}
            label .check { input type="checkbox" name="oauth" value="1"; (words.oauth) }
            (choices(context, "add-url"))
            (preview_button(context, &PREVIEW_SERVER, "preview-url"))
        }
        div #preview-url role="status" {}
    }
}

/// Returns the end of the label of a field that may be empty.
pub(super) fn optional(context: &Context) -> Markup {
    html! { " " span .quiet { (context.texts.add_server.optional) } }
}

/// Returns the fields that all ways to add a server have.
pub(super) fn choices(context: &Context, form: &str) -> Markup {
    let words = &context.texts.add_server;
    let id = format!("{form}-id");
    html! {
        details {
            summary { (words.choices) }
            div .stacked {
                label for=(id) { (words.id) }
                input id=(id) name="id" spellcheck="false" autocomplete="off";
                label .check { input type="checkbox" name="move" value="1" checked; (words.move_keys) }
                label .check { input type="checkbox" name="unconfined" value="1"; (words.unconfined) }
                label .check { input type="checkbox" name="no-trial" value="1"; (words.no_trial) }
            }
        }
    }
}

/// Returns the button that shows the server without running it.
pub(super) fn preview_button(context: &Context, action: &Action, preview: &str) -> Markup {
    let words = &context.texts.add_server;
    let refusal = context.refusal(action.role);
    html! {
        div .buttons {
            button type="submit" hx-post=(action.path()) hx-target=(format!("#{preview}")) hx-swap="innerHTML show:bottom" hx-disabled-elt="this"
                hx-validate="true" disabled[refusal.is_some()] title=[refusal] { (words.preview) }
            span .quiet { (words.help) }
        }
    }
}
