//! Calls of tools.

use crate::{
    command_line::{FieldError, Words},
    form::Form,
    operator::OperatorRole,
    page::Action,
    pages::{arguments, call_answer, check_answer},
};

/// Calls a tool, through the same gates as a call of any host.
pub(crate) const CALL: Action = Action {
    name: "call-tool",
    role: OperatorRole::Admin,
    words: |form| {
        let words = call(form)?.flag("yes", form.has("yes")).flag("provenance", form.has("provenance"));
        Ok(finish(words.option("timeout", form.one("timeout")), form)?.finish())
    },
    answer: Some(call_answer),
    example: "tool=add_note&agent=ann&yes=1&provenance=1&timeout=60&text%21%2Ftext=hello&integer%2Flimit=7",
};

/// Has a call judged, which is not made.
pub(crate) const CHECK: Action = Action {
    name: "check-tool",
    role: OperatorRole::Approver,
    words: |form| Ok(finish(call(form)?.flag("dry-run", true), form)?.finish()),
    answer: Some(check_answer),
    example: "tool=add_note&agent=ann&text%21%2Ftext=hello",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[&CALL, &CHECK];

fn call(form: &Form) -> Result<Words, FieldError> {
    form.needed("tool")?;
    Ok(Words::of(&["call"]).option("agent", form.one("agent")))
}

/// Adds the tool and its arguments.
fn finish(words: Words, form: &Form) -> Result<Words, FieldError> {
    Ok(words.value(form.needed("tool")?).value(arguments(form)?.as_str()))
}
