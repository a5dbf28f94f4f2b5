//! Commands that add a server.

use crate::{
    command_line::{FieldError, Words},
    form::Form,
    operator::OperatorRole,
    page::Action,
    pages::{added_answer, planned_answer, preview_answer, registered_answer},
};

/// Shows a server, without running it or writing anything.
pub(crate) const PREVIEW_SERVER: Action = Action {
    name: "preview-server",
    role: OperatorRole::Admin,
    words: |form| added(form, "dry-run"),
    answer: Some(preview_answer),
    example: "kind=npx&name=%40example%2Fnotes&id=notes&env=A%3D1&set=B%3D2&set.C=3&args=--root%0A%2Ftmp",
};

/// Tries a server, and writes it into the configuration if it starts.
pub(crate) const ADD_SERVER: Action = Action {
    name: "add-server",
    role: OperatorRole::Admin,
    words: |form| added(form, "yes"),
    answer: Some(added_answer),
    example: "kind=registry&name=com.example%2Fnotes&way=1&move=1&unconfined=1&no-trial=1",
};

/// Shows a server that would be registered, without running it or writing anything.
pub(crate) const PREVIEW_REGISTRATION: Action = Action {
    name: "preview-registration",
    role: OperatorRole::Admin,
    words: |form| registered(form, true),
    answer: Some(planned_answer),
    example: "id=notes&command=notes-server&args=--root%0A%2Ftmp",
};

/// Registers a server in addition to the configuration.
pub(crate) const REGISTER_SERVER: Action = Action {
    name: "register-server",
    role: OperatorRole::Admin,
    words: |form| registered(form, false),
    answer: Some(registered_answer),
    example: "id=notes&command=notes-server&args=--root%0A%2Ftmp&env=A%3D1&permission=memory.write&reason=a+try",
};

/// Returns the words of `mgp add`. `consent` is the option that says whether the server is written.
fn added(form: &Form, consent: &str) -> Result<Vec<String>, FieldError> {
    let name = form.needed("name")?;
    let name = match form.one("kind") {
        Some(kind @ ("npx" | "uvx" | "dnx" | "docker")) => format!("{kind}:{name}"),
        _ => name.to_owned(),
    };
    let mut words = Words::of(&["add"])
        .name("name", &name)?
        .flag(consent, true)
        .option("id", form.one("id"))
        .option("way", form.one("way"))
        .options("env", form.lines("env"))
        .options("set", form.lines("set"));
    for (name, value) in form.under("set.") {
        words = words.option("set", Some(&format!("{name}={value}")));
    }
    words = words
        .flag("oauth", form.has("oauth"))
        .flag("unconfined", form.has("unconfined"))
        .flag("no-trial", form.has("no-trial"))
        .option("secrets", form.one("move").map(|_| "move"));
    Ok(form.lines("args").fold(words, Words::value).finish())
}

/// Returns the words of `mgp servers add`.
fn registered(form: &Form, is_preview: bool) -> Result<Vec<String>, FieldError> {
    let words = Words::of(&["servers", "add"])
        .name("id", form.needed("id")?)?
        .flag("dry-run", is_preview)
        .option("url", form.one("url"))
        .options("env", form.lines("env"))
        .options("permission", form.lines("permission"))
        .option("reason", form.one("reason"));
    let words = match form.one("command") {
        Some(command) => form.lines("args").fold(words.value(command), Words::value),
        None => words,
    };
    Ok(words.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(action: &Action, form: &str) -> Result<String, FieldError> {
        (action.words)(&Form::parse(form.as_bytes())).map(|words| words.join(" "))
    }

    #[test]
    fn a_form_is_exactly_one_command() {
        let preview = words(&PREVIEW_SERVER, PREVIEW_SERVER.example).unwrap();
        assert_eq!(
            preview,
            "add npx:@example/notes --dry-run --id=notes --env=A=1 --set=B=2 --set=C=3 -- --root /tmp"
        );
        let added = words(&ADD_SERVER, ADD_SERVER.example).unwrap();
        assert_eq!(added, "add com.example/notes --yes --way=1 --unconfined --no-trial --secrets=move");
        let planned = words(&PREVIEW_REGISTRATION, PREVIEW_REGISTRATION.example).unwrap();
        assert_eq!(planned, "servers add notes --dry-run -- notes-server --root /tmp");
        let registered = words(&REGISTER_SERVER, REGISTER_SERVER.example).unwrap();
        assert_eq!(
            registered,
            "servers add notes --env=A=1 --permission=memory.write --reason=a try -- notes-server --root /tmp"
        );
    }

    #[test]
    fn the_name_of_a_server_is_never_an_option() {
        for form in ["kind=url&name=--unconfined", "kind=registry&name=-y"] {
            assert_eq!(words(&ADD_SERVER, form), Err(FieldError::Option("name")), "{form}");
        }
        assert_eq!(words(&ADD_SERVER, "name="), Err(FieldError::Missing("name")));
        assert_eq!(words(&ADD_SERVER, "kind=npx&name=--yes").unwrap(), "add npx:--yes --yes");
        assert_eq!(words(&REGISTER_SERVER, "id=--url&command=x"), Err(FieldError::Option("id")));
    }
}
