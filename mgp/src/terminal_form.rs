//! Asks the user at the terminal the questions of a running kernel.

use super::terminal::ask_on_stderr;
use mgp_kernel::AskHost;
use mgp_types::{
    json::{RawJson, RawObject},
    mcp::{ElicitResult, FormElicitation},
};

/// The member of the kernel's form with the choice.
const DECISION: &str = "decision";

/// Asks the user a question of the kernel, whose form has one choice. Questions of servers are left undecided.
pub(crate) async fn answer_form(asked: FormElicitation) -> ElicitResult {
    let choices = choices(&asked.requested_schema);
    if !asked.message.starts_with(AskHost::MARK) || choices.is_empty() {
        return ElicitResult::cancel();
    }
    let question = format!("{}\n[{}], [n]o, or Enter to decide later: ", asked.message, choices.join("], ["));
    let line = tokio::task::spawn_blocking(move || ask_on_stderr(&question)).await.ok().flatten();
    answer(line.as_deref().unwrap_or_default(), &choices)
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
