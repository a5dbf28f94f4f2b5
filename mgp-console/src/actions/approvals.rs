//! Decisions.

use super::lifetime::lifetime;
use crate::{
    command_line::{FieldError, Words},
    form::Form,
    operator::OperatorRole,
    page::Action,
    pages::pattern_preview,
};

/// Approves questions: once, for a time, without end, for a session, for calls like one, or within limits.
pub(crate) const APPROVE: Action = Action {
    name: "approve",
    role: OperatorRole::Approver,
    words: |form| approve(form).map(Words::finish),
    answer: None,
    example: "id=conf-1&for=8h&like=git+log+*",
};

/// Denies questions.
pub(crate) const DENY: Action = Action {
    name: "deny",
    role: OperatorRole::Approver,
    words: |form| Ok(targets(open().flag("deny", true), form)?.finish()),
    answer: None,
    example: "id=conf-1&id=conf-2",
};

/// Takes decisions back.
pub(crate) const TAKE_BACK: Action = Action {
    name: "take-back",
    role: OperatorRole::Approver,
    words: |form| Ok(targets(Words::of(&["approve"]).flag("revoke", true), form)?.finish()),
    answer: None,
    example: "id=conf-1",
};

/// Shows which of the latest calls a pattern covers.
pub(crate) const PREVIEW: Action = Action {
    name: "preview-pattern",
    role: OperatorRole::Viewer,
    words: |form| {
        form.needed("like")?;
        let words = Words::of(&["approve"]).flag("preview", true).options("like", form.lines("like"));
        Ok(words.value(form.needed("id")?).finish())
    },
    answer: Some(pattern_preview),
    example: "id=conf-1&like=git+log+*",
};

/// Accepts the definition of a tool that the operator has seen.
pub(crate) const ACCEPT: Action = Action {
    name: "accept-definition",
    role: OperatorRole::Approver,
    words: |form| {
        let words = Words::of(&["tools", "accept"]).option("hash", Some(form.needed("hash")?));
        Ok(words.value(form.needed("server")?).value(form.needed("tool")?).finish())
    },
    answer: None,
    example: "server=notes&tool=read&hash=0123456789abcdef",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] = &[&APPROVE, &DENY, &TAKE_BACK, &PREVIEW, &ACCEPT];

/// Returns the beginning of a decision on open questions. If another operator was first, it fails and names that decision.
fn open() -> Words {
    Words::of(&["approve"]).flag("open", true)
}

fn approve(form: &Form) -> Result<Words, FieldError> {
    // A decision that was taken already is replaced.
    let open = || if form.has("again") { Words::of(&["approve"]) } else { open() };
    let words = match (lifetime(form)?, form.one("term")) {
        (Some(time), _) => open().option("for", Some(&time)),
        (None, Some(term @ ("always" | "session"))) => open().flag(term, true),
        (None, _) => open(),
    };
    let words = ["like", "path", "host", "port", "program"]
        .into_iter()
        .fold(words, |words, name| words.options(name, form.lines(name)));
    targets(words.flag("unlimited", form.has("unlimited")), form)
}

/// Adds the ids of the questions, of which there is at least one.
fn targets(words: Words, form: &Form) -> Result<Words, FieldError> {
    form.needed("id")?;
    Ok(form.all("id").fold(words, Words::value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(action: &Action, form: &str) -> String {
        (action.words)(&Form::parse(form.as_bytes())).unwrap().join(" ")
    }

    #[test]
    fn an_approval_has_the_words_of_its_fields() {
        for (form, words) in [
            ("id=conf-1", "approve --open -- conf-1"),
            ("id=conf-1&term=once", "approve --open -- conf-1"),
            ("id=conf-1&id=conf-2&term=8h", "approve --open --for=8h -- conf-1 conf-2"),
            ("id=conf-1&term=always&for=90m", "approve --open --for=90m -- conf-1"),
            ("id=conf-1&term=session&like=git+log+*", "approve --open --session --like=git log * -- conf-1"),
            (
                "id=perm-1&term=always&path=/a%0D%0A+/b+%0A",
                "approve --open --always --path=/a --path=/b -- perm-1",
            ),
            (
                "id=perm-1&host=a:443&port=80&program=git",
                "approve --open --host=a:443 --port=80 --program=git -- perm-1",
            ),
            ("id=notes&unlimited=1", "approve --open --unlimited -- notes"),
            ("id=--all&for=--x", "approve --open --for=--x -- --all"),
            ("id=conf-1&again=1&like=git+*&term=7d", "approve --for=7d --like=git * -- conf-1"),
        ] {
            assert_eq!(words_of(&APPROVE, form), words, "{form}");
        }
        assert!((APPROVE.words)(&Form::parse(b"for=8h")).is_err());
    }

    #[test]
    fn other_decisions_have_the_words_of_their_fields() {
        assert_eq!(words_of(&DENY, "id=conf-1&id=conf-2"), "approve --open --deny -- conf-1 conf-2");
        assert_eq!(words_of(&TAKE_BACK, "id=perm-1"), "approve --revoke -- perm-1");
        assert_eq!(words_of(&PREVIEW, "id=conf-1&like=a"), "approve --preview --like=a -- conf-1");
        assert_eq!(words_of(&ACCEPT, ACCEPT.example), "tools accept --hash=0123456789abcdef -- notes read");
    }
}
