//! A callback as a form of elicitation.

use super::{CANCEL, CONFIRM, CallbackQuestion, DECLINE};
use mgp_types::{
    callback::CallbackType,
    json::{RawJson, RawObject},
    mcp::{ElicitAction, ElicitParams, ElicitResult},
};

/// The name of the form field that asks for text or a choice.
pub const FIELD: &str = "answer";

/// Returns the form that asks a callback's question. A confirmation with no options other than `confirm`, `decline` and `cancel` has no
/// field: accepting the form means `confirm`.
///
/// ```
/// use mgp_stream::callbacks::{CallbackQuestion, form_of, response_of};
/// use mgp_types::{callback::CallbackType, json::RawObject, mcp::ElicitResult};
///
/// let question = CallbackQuestion { kind: CallbackType::Confirmation, message: "Go on?".into(), options: None };
/// assert_eq!(form_of(&question).message(), "Go on?");
/// assert_eq!(response_of(&question, &ElicitResult::accept())?.as_str(), r#""confirm""#);
/// assert_eq!(response_of(&question, &ElicitResult::decline())?.as_str(), r#""decline""#);
///
/// let question = CallbackQuestion { options: Some(vec!["keep".into(), "delete".into()]), ..question };
/// let mut answer = ElicitResult::accept();
/// answer.content = Some(RawObject::parse(r#"{"answer":"delete"}"#)?);
/// assert_eq!(response_of(&question, &answer)?.as_str(), r#""delete""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn form_of(question: &CallbackQuestion) -> ElicitParams {
    let mut schema = RawObject::from_iter([("type", RawJson::string("object"))]);
    if has_field(question) {
        let mut field = RawObject::from_iter([("type", RawJson::string("string"))]);
        if let Some(options) = question.options.as_deref().filter(|_| question.kind != CallbackType::Input) {
            field.insert("enum", texts(options.iter().map(String::as_str)));
        }
        schema.insert("properties", RawObject::from_iter([(FIELD, field.to_json())]).to_json());
        schema.insert("required", texts([FIELD]));
    } else {
        schema.insert("properties", RawJson::empty_object());
    }
    ElicitParams::form(question.message.clone(), schema.to_json())
}

/// Converts the user's answer to a question's form into the response to the callback. A user who declines or closes the form yields `decline`
/// or `cancel`.
///
/// # Errors
/// The expectation and the kind of value that was found, if the content does not answer the question.
pub fn response_of(question: &CallbackQuestion, answer: &ElicitResult) -> Result<RawJson, String> {
    let response = match answer.action {
        ElicitAction::Decline => return Ok(RawJson::string(DECLINE)),
        ElicitAction::Cancel => return Ok(RawJson::string(CANCEL)),
        ElicitAction::Accept if !has_field(question) => return Ok(RawJson::string(CONFIRM)),
        ElicitAction::Accept => answer.content.as_ref().and_then(|content| content.get(FIELD)).cloned(),
    };
    let response = response.ok_or_else(|| format!("expected the field {FIELD}, found none"))?;
    question.check(&response)?;
    Ok(response)
}

/// Returns whether a question's form has a field. A confirmation needs none if accepting, declining and closing the form cover all of its
/// options.
fn has_field(question: &CallbackQuestion) -> bool {
    let is_action = |option: &String| [CONFIRM, DECLINE, CANCEL].contains(&option.as_str());
    question.kind != CallbackType::Confirmation || !question.options.iter().flatten().all(is_action)
}

/// Returns a list of strings as JSON.
fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> RawJson {
    let list: Vec<_> = texts.into_iter().collect();
    RawJson::from_value(&list).unwrap_or_else(|_| RawJson::null())
}

#[cfg(test)]
mod tests {
    use super::super::CallbackForm;
    use super::*;

    fn question(kind: CallbackType, options: &[&str]) -> CallbackQuestion {
        let options = (!options.is_empty()).then(|| options.iter().copied().map(str::to_owned).collect());
        CallbackQuestion { kind, message: "?".into(), options }
    }

    fn accepted(question: &CallbackQuestion, content: &'static str) -> Result<String, String> {
        let mut answer = ElicitResult::accept();
        answer.content = Some(RawObject::parse(content).unwrap());
        response_of(question, &answer).map(|response| response.as_str().to_owned())
    }

    #[test]
    fn a_form_s_answer_becomes_a_valid_response() {
        for (kind, options, content, response) in [
            (CallbackType::Confirmation, &[][..], "{}", r#""confirm""#),
            (CallbackType::Confirmation, &["cancel", "confirm"], "{}", r#""confirm""#),
            (CallbackType::Confirmation, &["cancel", "delete"], r#"{"answer":"delete"}"#, r#""delete""#),
            (CallbackType::Selection, &["yes", "no"], r#"{"answer":"no"}"#, r#""no""#),
            (CallbackType::Input, &[], r#"{"answer":"text"}"#, r#""text""#),
        ] {
            let question = question(kind, options);
            assert_eq!(accepted(&question, content).as_deref(), Ok(response));
            for (action, word) in [(ElicitAction::Decline, DECLINE), (ElicitAction::Cancel, CANCEL)] {
                assert_eq!(response_of(&question, &action.into()).unwrap().to_text().as_deref(), Some(word));
            }
        }
    }

    #[test]
    fn an_answer_that_does_not_fit_the_question_is_refused() {
        for (kind, options, content, problem) in [
            (
                CallbackType::Confirmation,
                &["keep", "delete"][..],
                "{}",
                "expected the field answer, found none",
            ),
            (CallbackType::Confirmation, &["keep"], r#"{"answer":"all"}"#, "expected a boolean"),
            (CallbackType::Selection, &["a"], r#"{"answer":"b"}"#, "expected one of the options"),
            (CallbackType::Input, &[], r#"{"answer":{}}"#, "expected a text"),
        ] {
            let found = accepted(&question(kind, options), content).unwrap_err();
            assert!(found.starts_with(problem), "{found}");
        }
    }

    #[test]
    fn a_callback_survives_the_way_through_a_form() {
        for (kind, options) in [
            (CallbackType::Confirmation, &[][..]),
            (CallbackType::Selection, &["yes", "no"]),
            (CallbackType::Input, &[]),
        ] {
            let ElicitParams::Form(form) = form_of(&question(kind, options)) else {
                panic!("a form is a form")
            };
            assert_eq!(CallbackForm::of(&form).unwrap().question().kind, kind);
        }
    }
}
