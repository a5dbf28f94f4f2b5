//! Asks the user at the terminal the questions of a running kernel and of its servers.

use super::{
    output::{continued, note},
    terminal::ask_on_stderr,
};
use mgp_kernel::AskHost;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{ElicitResult, FormElicitation},
};

/// The member of the kernel's form with the choice.
const DECISION: &str = "decision";

/// Asks the user a question of the kernel, whose form has one choice, or a server's question for yes or no. Other forms of servers are
/// left undecided, with a note.
pub(crate) async fn answer_form(asked: FormElicitation) -> ElicitResult {
    let choices = choices(&asked.requested_schema);
    let by_kernel = asked.message.starts_with(AskHost::MARK);
    let question = if by_kernel && !choices.is_empty() {
        format!("{}\n[{}], [n]o, or Enter to decide later: ", asked.message, choices.join("], ["))
    } else if !by_kernel && has_no_fields(&asked.requested_schema) {
        format!("{}\n[y]es, [n]o, or Enter to give no answer: ", continued(&asked.message))
    } else {
        note(&format!("not answered, because this command shows no forms with fields: {}", asked.message));
        return ElicitResult::cancel();
    };
    let line = tokio::task::spawn_blocking(move || ask_on_stderr(&question)).await.ok().flatten();
    let line = line.unwrap_or_default();
    if by_kernel { answer(&line, &choices) } else { confirmation(&line) }
}

/// Returns whether a form has no fields: it asks for yes or no.
fn has_no_fields(schema: &RawJson) -> bool {
    RawObject::from_json(schema)
        .is_ok_and(|schema| schema.object("properties").is_none_or(|properties| properties.is_empty()))
}

/// Parses the answer to a form without fields.
fn confirmation(line: &str) -> ElicitResult {
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => {
            ElicitResult::accept().content(&serde_json::json!({})).unwrap_or_else(|_| ElicitResult::cancel())
        }
        "n" | "no" => ElicitResult::decline(),
        _ => ElicitResult::cancel(),
    }
}

/// Returns the values that the form offers.
fn choices(schema: &RawJson) -> Vec<String> {
    let property = || RawObject::from_json(schema).ok()?.object("properties")?.object(DECISION);
    property().and_then(|property| property.decode::<Vec<String>>("enum").ok()?).unwrap_or_default()
}

/// Parses the answer: a choice, its first letter, or yes for the first choice.
fn answer(line: &str, choices: &[String]) -> ElicitResult {
    let line = line.trim().to_lowercase();
    let chosen = match line.as_str() {
        "" => None,
        "n" | "no" => return ElicitResult::decline(),
        "y" | "yes" => choices.first(),
        line => choices.iter().find(|choice| *choice == line || choice.get(..1) == Some(line)),
    };
    let accepted = chosen
        .and_then(|choice| ElicitResult::accept().content(&serde_json::json!({ DECISION: choice })).ok());
    accepted.unwrap_or_else(ElicitResult::cancel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::mcp::ElicitAction;

    #[test]
    fn a_form_without_fields_takes_yes_or_no() {
        let has_none = |schema: &'static str| has_no_fields(&RawJson::parse(schema).unwrap());
        assert!(has_none(r#"{"type":"object","properties":{}}"#) && has_none(r#"{"type":"object"}"#));
        assert!(!has_none(r#"{"type":"object","properties":{"a":{"type":"string"}}}"#) && !has_none("[]"));
        for (line, action) in [
            ("y\n", ElicitAction::Accept),
            (" YES ", ElicitAction::Accept),
            ("n", ElicitAction::Decline),
            ("", ElicitAction::Cancel),
            ("yep", ElicitAction::Cancel),
        ] {
            assert_eq!(confirmation(line).action, action, "{line}");
        }
    }

    #[test]
    fn only_a_choice_of_the_form_is_an_answer() {
        let schema =
            r#"{"type":"object","properties":{"decision":{"type":"string","enum":["once","8h","always"]}}}"#;
        let choices = choices(&RawJson::parse(schema.to_owned()).unwrap());
        assert_eq!(choices, ["once", "8h", "always"]);
        let read = |line| {
            let ElicitResult { action, content, .. } = answer(line, &choices);
            (action, content.and_then(|content| content.text(DECISION)))
        };
        for (line, choice) in [("y\n", "once"), ("o", "once"), (" 8H \n", "8h"), ("always", "always")] {
            assert_eq!(read(line), (ElicitAction::Accept, Some(choice.to_owned())), "{line}");
        }
        assert_eq!(read("no\n"), (ElicitAction::Decline, None));
        for line in ["", "\n", "maybe", "on"] {
            assert_eq!(read(line), (ElicitAction::Cancel, None), "{line}");
        }
    }
}
