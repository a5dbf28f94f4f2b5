//! Buttons of forms that run actions.

use super::Context;
use crate::page::Action;
use maud::{Markup, html};

/// A button that runs an action with the fields around it.
#[derive(Clone, Copy)]
pub(crate) struct Submit<'a> {
    action: &'a Action,
    label: &'a str,
    field: Option<(&'a str, &'a str)>,
    named_by: Option<(&'a str, &'a str)>,
    question: Option<&'a str>,
    include: Option<&'a str>,
    target: Option<&'a str>,
}

impl<'a> Submit<'a> {
    /// Creates a button whose answer is a message.
    pub(crate) const fn new(action: &'a Action, label: &'a str) -> Self {
        Self { action, label, field: None, named_by: None, question: None, include: None, target: None }
    }

    /// Adds a field that only this button sends.
    pub(crate) const fn field(mut self, name: &'a str, value: &'a str) -> Self {
        self.field = Some((name, value));
        self
    }

    /// Makes the name of the button for screen readers unique: its label, and the text of another element. Both are given by their ids.
    pub(crate) const fn named_by(mut self, own: &'a str, other: &'a str) -> Self {
        self.named_by = Some((own, other));
        self
    }

    /// Asks before the action.
    pub(crate) const fn asks(mut self, question: &'a str) -> Self {
        self.question = Some(question);
        self
    }

    /// Sends the fields that a selector matches, too.
    pub(crate) const fn includes(mut self, selector: &'a str) -> Self {
        self.include = Some(selector);
        self
    }

    /// Shows the answer in the element with an id, instead of as a message.
    pub(crate) const fn answers_in(mut self, id: &'a str) -> Self {
        self.target = Some(id);
        self
    }

    /// Returns the button. Without the rights, it cannot be pressed and says which role may.
    pub(crate) fn show(self, context: &Context) -> Markup {
        let refusal = context.refusal(self.action.role);
        let target = self.target.map_or_else(|| "#messages".to_owned(), |id| format!("#{id}"));
        let swap = if self.target.is_some() { "innerHTML" } else { "afterbegin" };
        html! {
            button type="button" id=[self.named_by.map(|(own, _)| own)]
                aria-labelledby=[self.named_by.map(|(own, other)| format!("{own} {other}"))]
                name=[self.field.map(|(name, _)| name)] value=[self.field.map(|(_, value)| value)]
                hx-post=(self.action.path()) hx-target=(target) hx-swap=(swap) hx-validate="true"
                hx-include=[self.include] hx-confirm=[self.question]
                disabled[refusal.is_some()] title=[refusal] { (self.label) }
        }
    }
}

/// Returns a form with several fields. Its own button, or the key Enter, runs the action; `buttons` are others.
pub(crate) fn action_form(
    context: &Context,
    (action, label): (&Action, &str),
    answers_in: Option<&str>,
    fields: &Markup,
    buttons: &Markup,
) -> Markup {
    let refusal = context.refusal(action.role);
    let target = answers_in.map_or_else(|| "#messages".to_owned(), |id| format!("#{id}"));
    let swap = if answers_in.is_some() { "innerHTML" } else { "afterbegin" };
    html! {
        form .fields hx-post=(action.path()) hx-target=(target) hx-swap=(swap) {
            (fields)
            div .buttons {
                button type="submit" disabled[refusal.is_some()] title=[refusal] { (label) }
                (buttons)
            }
        }
    }
}

/// Returns an id for an element from an id of the gateway, of which only letters, digits and hyphens stay.
pub(crate) fn element_id(start: &str, id: &str) -> String {
    let kept = id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(80);
    format!("{start}-{}", kept.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_id_has_only_plain_characters() {
        assert_eq!(element_id("call", "conf-1a"), "call-conf-1a");
        assert_eq!(element_id("call", "x\" onclick=\"alert(1) #.b"), "call-xonclickalert1b");
    }
}
