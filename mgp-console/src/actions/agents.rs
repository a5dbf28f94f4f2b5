//! Changes of what agents may, of keys, and of the programs that use the gateway.

use super::lifetime::lifetime;
use crate::{
    command_line::{FieldError, Words},
    form::Form,
    operator::OperatorRole,
    page::Action,
    pages::made_key,
};

/// Lets an agent use a server or a tool, or forbids it.
pub(crate) const GRANT: Action = Action {
    name: "grant",
    role: OperatorRole::Admin,
    words: |form| {
        let words = Words::of(&["access", "grant"])
            .flag("deny", is_denial(form)?)
            .option("for", lifetime(form)?.as_deref())
            .option("reason", form.one("reason"));
        rule(words, form)
    },
    answer: None,
    example: "agent=ann&server=notes&tool=read&rule=deny&for=8h&reason=a+test",
};

/// Removes a rule.
pub(crate) const REVOKE: Action = Action {
    name: "revoke",
    role: OperatorRole::Admin,
    words: |form| rule(Words::of(&["access", "revoke"]), form),
    answer: None,
    example: "agent=ann&server=notes&tool=read",
};

/// Makes a key, whose text is shown once.
pub(crate) const ADD_KEY: Action = Action {
    name: "add-key",
    role: OperatorRole::Admin,
    words: |form| {
        let scopes = form.all("scope").flat_map(str::split_whitespace);
        let words = Words::of(&["keys", "add"])
            .option("agent", form.one("agent"))
            .options("scope", scopes)
            .option("expires", lifetime(form)?.as_deref())
            .option("console", form.one("console"))
            .flag("admin", form.has("admin"));
        Ok(words.value(form.needed("name")?).finish())
    },
    answer: Some(made_key),
    example: "name=laptop&agent=ann&scope=notes+read%3A*&for=30d",
};

/// Replaces a key by another one, whose text is shown once.
pub(crate) const ROTATE_KEY: Action = Action {
    name: "rotate-key",
    role: OperatorRole::Admin,
    words: |form| {
        let words = Words::of(&["keys", "rotate"]).option("grace", form.one("grace"));
        Ok(words.value(form.needed("name")?).finish())
    },
    answer: Some(made_key),
    example: "name=laptop&grace=1h",
};

/// Revokes a key.
pub(crate) const REVOKE_KEY: Action = Action {
    name: "revoke-key",
    role: OperatorRole::Admin,
    words: |form| Ok(Words::of(&["keys", "revoke"]).value(form.needed("name")?).finish()),
    answer: None,
    example: "name=laptop",
};

/// Replaces the servers in a program's own file by the gateway.
pub(crate) const CONNECT: Action = Action {
    name: "connect-host",
    role: OperatorRole::Admin,
    words: |form| {
        let words = Words::of(&["connect"]).flag("yes", true).flag("no-wait", true);
        Ok(words.value(form.needed("host")?).finish())
    },
    answer: None,
    example: "host=cursor",
};

/// Puts the servers of a program back into its own file.
pub(crate) const DISCONNECT: Action = Action {
    name: "disconnect-host",
    role: OperatorRole::Admin,
    words: |form| Ok(Words::of(&["disconnect"]).flag("yes", true).value(form.needed("host")?).finish()),
    answer: None,
    example: "host=cursor",
};

/// The actions of the page.
pub(super) const ALL: &[&Action] =
    &[&GRANT, &REVOKE, &ADD_KEY, &ROTATE_KEY, &REVOKE_KEY, &CONNECT, &DISCONNECT];

/// Returns whether a rule forbids. The form has no default, so that nobody allows what they meant to forbid.
fn is_denial(form: &Form) -> Result<bool, FieldError> {
    match form.needed("rule")? {
        "deny" => Ok(true),
        "allow" => Ok(false),
        other => Err(FieldError::Wrong {
            name: "rule".to_owned(),
            value: other.to_owned(),
            expected: "allow or deny",
        }),
    }
}

/// Adds the subject of a rule.
fn rule(words: Words, form: &Form) -> Result<Vec<String>, FieldError> {
    let words = words.value(form.needed("agent")?).value(form.needed("server")?);
    let words = match form.one("tool") {
        Some(tool) => words.value(tool),
        None => words,
    };
    Ok(words.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_have_the_words_of_their_fields() {
        for (action, form, words) in [
            (&GRANT, "agent=a&server=s&rule=allow", "access grant -- a s"),
            (&GRANT, GRANT.example, "access grant --deny --for=8h --reason=a test -- ann notes read"),
            (&GRANT, "agent=--deny&server=s&tool=&rule=allow&term=7d", "access grant --for=7d -- --deny s"),
            (&REVOKE, REVOKE.example, "access revoke -- ann notes read"),
            (
                &ADD_KEY,
                ADD_KEY.example,
                "keys add --agent=ann --scope=notes --scope=read:* --expires=30d -- laptop",
            ),
            (&ADD_KEY, "name=x&admin=1", "keys add --admin -- x"),
            (&ADD_KEY, "name=x&console=viewer", "keys add --console=viewer -- x"),
            (&ROTATE_KEY, ROTATE_KEY.example, "keys rotate --grace=1h -- laptop"),
            (&REVOKE_KEY, "name=--x", "keys revoke -- --x"),
            (&CONNECT, CONNECT.example, "connect --yes --no-wait -- cursor"),
            (&DISCONNECT, DISCONNECT.example, "disconnect --yes -- cursor"),
        ] {
            let found = (action.words)(&Form::parse(form.as_bytes())).unwrap().join(" ");
            assert_eq!(found, words, "{form}");
        }
        for wrong in ["agent=a&rule=deny", "agent=a&server=s", "agent=a&server=s&rule=1"] {
            assert!((GRANT.words)(&Form::parse(wrong.as_bytes())).is_err(), "{wrong}");
        }
    }
}
