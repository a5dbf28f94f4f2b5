//! Commands for the configuration, and for faults of the installation.

use super::run::FROM_STDIN;
use crate::{
    command_line::{FieldError, Words},
    form::Form,
    operator::OperatorRole,
    page::Action,
    pages::{checked_answer, doctor_answer, reloaded_answer, saved_answer},
};

/// Checks a text without saving it. The field `text` is the input of the command.
pub(crate) const CHECK_SETTINGS: Action = Action {
    name: "check-settings",
    role: OperatorRole::Admin,
    words: |form| Ok(of_file(&["config", "check", FROM_STDIN], form)?.finish()),
    answer: Some(checked_answer),
    example: "file=configuration&text=",
};

/// Replaces a file, if it still is as it was read and the text is the one that was checked, and reloads the configuration.
pub(crate) const SAVE_SETTINGS: Action = Action {
    name: "save-settings",
    role: OperatorRole::Admin,
    words: |form| {
        let words = of_file(&["config", "write", FROM_STDIN], form)?
            .option("expect", Some(form.needed("sha256")?))
            .option("checked", Some(form.needed("checked")?));
        Ok(words.finish())
    },
    answer: Some(saved_answer),
    example: "file=configuration&text=&sha256=00&checked=11",
};

/// Reads the configuration again.
pub(crate) const RELOAD: Action = Action {
    name: "reload",
    role: OperatorRole::Admin,
    words: |_| Ok(Words::of(&["reload"]).finish()),
    answer: Some(reloaded_answer),
    example: "",
};

/// Mends everything that is safe to mend.
pub(crate) const MEND_ALL: Action = Action {
    name: "mend-all",
    role: OperatorRole::Admin,
    words: |_| Ok(Words::of(&["doctor"]).flag("fix", true).finish()),
    answer: Some(doctor_answer),
    example: "",
};

/// Mends the findings on one server, host or part that are safe to mend.
pub(crate) const MEND: Action = Action {
    name: "mend",
    role: OperatorRole::Admin,
    words: |form| Ok(Words::of(&["doctor"]).flag("fix", true).value(form.needed("subject")?).finish()),
    answer: Some(doctor_answer),
    example: "subject=cursor",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[&CHECK_SETTINGS, &SAVE_SETTINGS, &RELOAD, &MEND_ALL, &MEND];

fn of_file(command: &[&str], form: &Form) -> Result<Words, FieldError> {
    Ok(Words::of(command).option("file", Some(form.needed("file")?)))
}
