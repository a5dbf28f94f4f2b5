//! Decisions.

use super::action::{Action, FieldError, Words};
use crate::{form::Form, operator::OperatorRole};

/// Approves a question: once, for a time, without end, or for calls like it.
pub(crate) const APPROVE: Action = Action {
    name: "approve",
    role: OperatorRole::Approver,
    words: |form| approve(form).map(Words::finish),
    answer: None,
    example: "id=conf-1&for=8h&like=git+log+*",
};

/// Denies a question.
pub(crate) const DENY: Action = Action {
    name: "deny",
    role: OperatorRole::Approver,
    words: |form| Ok(targets(Words::of(&["approve"]).flag("deny", true), form)?.finish()),
    answer: None,
    example: "id=conf-1&id=conf-2",
};

/// Takes a decision back.
pub(crate) const TAKE_BACK: Action = Action {
    name: "take-back",
    role: OperatorRole::Approver,
    words: |form| Ok(targets(Words::of(&["approve"]).flag("revoke", true), form)?.finish()),
    answer: None,
    example: "id=conf-1",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[&APPROVE, &DENY, &TAKE_BACK];

fn approve(form: &Form) -> Result<Words, FieldError> {
    let words = Words::of(&["approve"])
        .option("for", form.one("for"))
        .flag("always", form.has("always"))
        .flag("session", form.has("session"))
        .flag("unlimited", form.has("unlimited"))
        .options("like", form.all("like"));
    targets(words, form)
}

/// Adds the ids of the questions, of which there is at least one.
fn targets(words: Words, form: &Form) -> Result<Words, FieldError> {
    form.needed("id")?;
    Ok(form.all("id").fold(words, Words::value))
}
