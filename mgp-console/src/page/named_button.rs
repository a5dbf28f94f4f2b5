//! The button of an action in a list, where several rows have one of the same label.

use super::{Context, foreign::plain};
use crate::page::Action;
use maud::{Markup, html};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A button in a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedButton<'a> {
    pub(crate) label: &'a str,
    /// The thing that the action is about, which a screen reader adds to the label.
    pub(crate) of: &'a str,
    /// The question that is answered before the action.
    pub(crate) confirm: Option<&'a str>,
    /// The element that shows the answer; otherwise, it is a message.
    pub(crate) target: Option<&'a str>,
}

/// Returns a button with its fields. It cannot be pressed again while its command runs. Without the rights, it says which role may press it.
pub(crate) fn named_button(
    context: &Context,
    action: &Action,
    button: NamedButton<'_>,
    fields: &[(&str, &str)],
) -> Markup {
    let NamedButton { label, of, confirm, target } = button;
    let refusal = context.refusal(action.role);
    let (name, swap) =
        (format!("{label} {}", plain(of)), if target.is_some() { "innerHTML" } else { "afterbegin" });
    html! {
        form .inline hx-post=(action.path()) hx-target=(target.unwrap_or("#messages")) hx-swap=(swap) hx-confirm=[confirm]
            hx-disabled-elt="find button" {
            @for (name, value) in fields { input type="hidden" name=(name) value=(value); }
            button type="submit" id=(id(action, fields)) aria-label=(name.trim_end()) disabled[refusal.is_some()] title=[refusal] { (label) }
        }
    }
}

/// Returns the id of a button, by which it keeps the focus when its part of the page is read again.
fn id(action: &Action, fields: &[(&str, &str)]) -> String {
    let mut hasher = DefaultHasher::new();
    fields.hash(&mut hasher);
    format!("{}-{:x}", action.name, hasher.finish())
}
