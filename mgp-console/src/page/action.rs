//! An action: who may do it, and which command it is.

use super::Context;
use crate::{command_line::FieldError, form::Form, operator::OperatorRole};
use maud::Markup;

/// A button of a page, and the command that it runs.
pub(crate) struct Action {
    /// The last part of the address.
    pub(crate) name: &'static str,
    /// The role that the operator needs.
    pub(crate) role: OperatorRole,
    /// Returns the words of the command for the fields of a form.
    pub(crate) words: fn(&Form) -> Result<Vec<String>, FieldError>,
    /// Shows what the command prints with `--json`, in the place that the form names. Without it, the answer is a message, and the page is read
    /// again.
    pub(crate) answer: Option<fn(&Context, &str) -> Markup>,
    /// Fields of a form, for the test that every action is a command.
    pub(crate) example: &'static str,
}

impl Action {
    pub(crate) fn path(&self) -> String {
        format!("/do/{}", self.name)
    }
}
