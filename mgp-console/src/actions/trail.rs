//! The check of the audit trail.

use crate::{command_line::Words, operator::OperatorRole, page::Action, pages::verify_answer};

/// Checks that every event is as it was stored. It reads the whole trail, so that it is not for every viewer.
pub(crate) const VERIFY: Action = Action {
    name: "verify-trail",
    role: OperatorRole::Approver,
    words: |form| Ok(Words::of(&["audit", "verify"]).option("head", form.one("head")).finish()),
    answer: Some(verify_answer),
    example: "head=4%3Ac757be44cbaba487e5665ec9650ef114a52e326d0046da2550cd8a56e8effc9a",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[&VERIFY];
