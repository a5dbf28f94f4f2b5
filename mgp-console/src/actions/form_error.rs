//! Errors of a command line, in words for somebody who filled in a form.

use crate::{commands::CommandError, texts::Texts};

/// The advice of a command line that could not be parsed.
const COMMAND_LINE_HELP: &str = "mgp --help";

/// Returns an error without the names of options, and with advice for a form.
pub(super) fn of_form(error: CommandError, texts: &Texts) -> CommandError {
    if &*error.kind != "usage" {
        return error;
    }
    let help = error.help.filter(|help| !help.contains(COMMAND_LINE_HELP));
    let help = help.or_else(|| Some(texts.common.correct_field.clone()));
    CommandError { message: without_options(&error.message), help, ..error }
}

/// Returns the reason in `invalid value 'x' for '--for <DURATION>': REASON`. Otherwise, takes the dashes off `'--for <DURATION>'`.
fn without_options(message: &str) -> String {
    let reason = message
        .strip_prefix("invalid value '")
        .and_then(|rest| rest.split_once("' for '"))
        .and_then(|(_, rest)| rest.split_once(">': "));
    if let Some((_, reason)) = reason {
        return reason.to_owned();
    }
    message.split('\'').map(name).collect::<Vec<_>>().join("'")
}

/// Returns the name in `--for <DURATION>`, and other texts as they are.
fn name(part: &str) -> &str {
    match part.strip_prefix("--") {
        Some(name) => name.split_once(" <").map_or(name, |(name, _)| name),
        None => part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::context;

    #[test]
    fn an_error_of_a_form_names_no_option() {
        for (message, expected) in [
            (
                r#"invalid value 'it's: --x' for '--for <DURATION>': "it's: --x" is not a duration: expected one such as 30m"#,
                r#""it's: --x" is not a duration: expected one such as 30m"#,
            ),
            (
                "the argument '--admin' cannot be used with '--scope <SCOPE>'",
                "the argument 'admin' cannot be used with 'scope'",
            ),
            ("there is a key \"x\" already", "there is a key \"x\" already"),
        ] {
            let error = CommandError {
                help: Some("run `mgp --help`, or `mgp help COMMAND`".to_owned()),
                ..CommandError::new("usage", message)
            };
            let shown = of_form(error, context().texts);
            assert_eq!(shown.message, expected);
            assert!(shown.help.is_some_and(|help| !help.contains("mgp")), "{message}");
        }
        let kept = CommandError {
            help: Some("choose another name".to_owned()),
            ..CommandError::new("usage", "taken")
        };
        assert_eq!(of_form(kept.clone(), context().texts), kept);
        let other = CommandError::new("not_found", "the value '--x'");
        assert_eq!(of_form(other.clone(), context().texts), other);
    }
}
