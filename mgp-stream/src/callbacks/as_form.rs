//! A callback as a form of elicitation.

use super::{CANCEL, CONFIRM, CallbackQuestion, DECLINE};
use mgp_types::{
    callback::CallbackType,
    json::{RawJson, RawObject},
    mcp::{ElicitAction, ElicitParams, ElicitResult},
};

/// The field of the form that asks for a text or a choice.
pub const FIELD: &str = "answer";

/// Returns the form that asks a callback's question. A confirmation has no field: accepting it stands for its first option.
///
/// ```
/// use mgp_stream::callbacks::{CallbackQuestion, form_of, response_of};
/// use mgp_types::{callback::CallbackType, mcp::ElicitResult};
///
/// let (kind, options) = (CallbackType::Confirmation, Some(vec!["go".to_owned(), "stop".to_owned()]));
/// let question = CallbackQuestion { kind, message: "Go on?".into(), options };
/// assert_eq!(form_of(&question).message(), "Go on?");
/// assert_eq!(response_of(&question, &ElicitResult::accept()).as_str(), r#""go""#);
/// assert_eq!(response_of(&question, &ElicitResult::decline()).as_str(), r#""decline""#);
/// ```
#[must_use]
pub fn form_of(question: &CallbackQuestion) -> ElicitParams {
    let mut field = RawObject::from_iter([("type", RawJson::string("string"))]);
    if let Some(options) = question.options.as_deref().filter(|_| question.kind == CallbackType::Selection) {
        field.insert("enum", texts(options.iter().map(String::as_str)));
    }
    let mut schema = RawObject::from_iter([("type", RawJson::string("object"))]);
    if question.kind == CallbackType::Confirmation {
        schema.insert("properties", RawJson::empty_object());
    } else {
        schema.insert("properties", RawObject::from_iter([(FIELD, field.to_json())]).to_json());
        schema.insert("required", texts([FIELD]));
    }
    ElicitParams::form(question.message.clone(), schema.to_json())
}

/// Returns the user's answer to the form of a question as the response to the callback: `decline` and `cancel` for a user who
/// declines or leaves.
#[must_use]
pub fn response_of(question: &CallbackQuestion, answer: &ElicitResult) -> RawJson {
    match answer.action {
        ElicitAction::Decline => RawJson::string(DECLINE),
        ElicitAction::Cancel => RawJson::string(CANCEL),
        ElicitAction::Accept if question.kind == CallbackType::Confirmation => {
            let first = question.options.as_ref().and_then(|options| options.first());
            RawJson::string(first.map_or(CONFIRM, String::as_str))
        }
        ElicitAction::Accept => {
            let content = answer.content.as_ref();
            content.and_then(|content| content.get(FIELD)).cloned().unwrap_or_else(|| RawJson::string(CANCEL))
        }
    }
}

/// Returns a list of texts, as JSON.
fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> RawJson {
    let list: Vec<_> = texts.into_iter().collect();
    RawJson::from_value(&list).unwrap_or_else(|_| RawJson::null())
}

#[cfg(test)]
mod tests {
    use super::super::CallbackForm;
    use super::*;

    fn question(kind: CallbackType) -> CallbackQuestion {
        let options = (kind != CallbackType::Input).then(|| vec!["yes".to_owned(), "no".to_owned()]);
        CallbackQuestion { kind, message: "?".into(), options }
    }

    #[test]
    fn the_answer_to_the_form_is_a_response_that_the_question_takes() {
        for (kind, content, response) in [
            (CallbackType::Confirmation, "{}", r#""yes""#),
            (CallbackType::Selection, r#"{"answer":"no"}"#, r#""no""#),
            (CallbackType::Input, r#"{"answer":"text"}"#, r#""text""#),
        ] {
            let question = question(kind);
            let mut answer = ElicitResult::accept();
            answer.content = Some(RawObject::parse(content).unwrap());
            assert_eq!(response_of(&question, &answer).as_str(), response);
            for (action, word) in [(ElicitAction::Decline, DECLINE), (ElicitAction::Cancel, CANCEL)] {
                assert_eq!(response_of(&question, &action.into()).to_text().as_deref(), Some(word));
            }
            question.check(&response_of(&question, &answer)).unwrap();
        }
    }

    #[test]
    fn a_callback_that_went_through_a_form_is_the_same_kind_of_callback() {
        for kind in [CallbackType::Confirmation, CallbackType::Selection, CallbackType::Input] {
            let ElicitParams::Form(form) = form_of(&question(kind)) else { panic!("a form is a form") };
            assert_eq!(CallbackForm::of(&form).unwrap().question().kind, kind);
        }
    }
}
