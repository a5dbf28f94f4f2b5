//! A form of elicitation that a callback can carry.

use super::{CANCEL, CONFIRM, CallbackQuestion, DECLINE, field::FormField};
use mgp_types::{
    callback::CallbackType,
    json::{RawJson, RawObject},
    mcp::{ElicitAction, ElicitResult, FormElicitation},
};

/// A form of elicitation that a callback can carry. It has at most one field, which takes text, a number, a boolean or one of several
/// options. Text lengths and number limits are checked. A field with a pattern or a string format is not carried.
///
/// ```
/// use mgp_stream::callbacks::CallbackForm;
/// use mgp_types::{callback::CallbackType, json::RawJson, mcp::{ElicitAction, ElicitParams}};
///
/// let schema = RawJson::parse(r#"{"type":"object","properties":{"color":{"type":"string","enum":["red","blue"]}}}"#)?;
/// let ElicitParams::Form(form) = ElicitParams::form("Which color?", schema) else { unreachable!() };
/// let form = CallbackForm::of(&form).unwrap();
/// assert_eq!(form.question().kind, CallbackType::Selection);
/// let answer = form.answer(&RawJson::string("red")).unwrap();
/// assert_eq!(answer.content.unwrap().text("color").as_deref(), Some("red"));
/// assert_eq!(form.answer(&RawJson::string("decline")).unwrap().action, ElicitAction::Decline);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CallbackForm {
    question: CallbackQuestion,
    field: Option<FormField>,
}

impl CallbackForm {
    /// Returns the form as a callback, or `None` if a callback cannot carry the form. The title and the description of the field are
    /// appended to the message.
    #[must_use]
    pub fn of(form: &FormElicitation) -> Option<Self> {
        let schema = RawObject::from_json(&form.requested_schema).ok()?;
        let properties = schema.object("properties").unwrap_or_default();
        let mut fields = properties.iter();
        let (field, rest) = (fields.next(), fields.next());
        if rest.is_some() {
            return None;
        }
        let mut message = form.message.clone();
        let Some((name, property)) = field else {
            let options = Some(vec![CONFIRM.into(), CANCEL.into()]);
            let question = CallbackQuestion { kind: CallbackType::Confirmation, message, options };
            return Some(Self { question, field: None });
        };
        let field = FormField::of(name, property)?;
        if let Some(note) = field.note() {
            message = format!("{message}\n{note}");
        }
        let options = field.options();
        let kind = if options.is_some() { CallbackType::Selection } else { CallbackType::Input };
        Some(Self { question: CallbackQuestion { kind, message, options }, field: Some(field) })
    }

    /// Returns the question of the callback.
    #[must_use]
    pub fn question(&self) -> &CallbackQuestion {
        &self.question
    }

    /// Returns the response to the callback as the answer to the form. `decline` and `cancel` mean that the user declined or closed the form,
    /// unless they are options of a selection.
    ///
    /// # Errors
    /// The field, the expectation, and the value that was found.
    pub fn answer(&self, response: &RawJson) -> Result<ElicitResult, String> {
        let response = match &self.field {
            Some(field) if field.is_boolean() && matches!(response.as_str(), "true" | "false") => {
                &RawJson::string(response.as_str())
            }
            _ => response,
        };
        self.question.check(response)?;
        let text = response.to_text();
        let is_option = self.field.is_some()
            && self.question.options.iter().flatten().any(|option| Some(option) == text.as_ref());
        match text.as_deref() {
            Some(DECLINE) if !is_option => return Ok(ElicitResult::decline()),
            Some(CANCEL) if !is_option => return Ok(ElicitResult::cancel()),
            _ => {}
        }
        let Some(field) = &self.field else {
            // A confirmation.
            let action =
                if response.as_str() == "false" { ElicitAction::Decline } else { ElicitAction::Accept };
            let content = (action == ElicitAction::Accept).then(RawObject::new);
            return Ok(ElicitResult { action, content, meta: None });
        };
        let mut content = RawObject::new();
        content.insert_named(field.name(), field.value(response)?);
        Ok(ElicitResult { action: ElicitAction::Accept, content: Some(content), meta: None })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::mcp::ElicitParams;

    fn form(properties: &str) -> Option<CallbackForm> {
        let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
        let ElicitParams::Form(form) = ElicitParams::form("?", RawJson::parse(schema).unwrap()) else {
            panic!("a form is a form")
        };
        CallbackForm::of(&form)
    }

    fn answered(properties: &str, response: &str) -> String {
        match form(properties).unwrap().answer(&RawJson::parse(response.to_owned()).unwrap()) {
            Ok(answer) => serde_json::to_string(&answer).unwrap(),
            Err(problem) => problem,
        }
    }

    #[test]
    fn a_form_of_at_most_one_field_becomes_a_callback() {
        for (properties, kind, response, answer) in [
            ("{}", CallbackType::Confirmation, r#""confirm""#, r#"{"action":"accept","content":{}}"#),
            ("{}", CallbackType::Confirmation, "true", r#"{"action":"accept","content":{}}"#),
            ("{}", CallbackType::Confirmation, "false", r#"{"action":"decline"}"#),
            ("{}", CallbackType::Confirmation, r#""decline""#, r#"{"action":"decline"}"#),
            ("{}", CallbackType::Confirmation, r#""cancel""#, r#"{"action":"cancel"}"#),
            (
                r#"{"n":{"type":"string"}}"#,
                CallbackType::Input,
                r#""Ada""#,
                r#"{"action":"accept","content":{"n":"Ada"}}"#,
            ),
            (
                r#"{"n":{"type":["string","null"]}}"#,
                CallbackType::Input,
                "7",
                r#"{"action":"accept","content":{"n":"7"}}"#,
            ),
            (
                r#"{"n":{"type":"integer"}}"#,
                CallbackType::Input,
                r#"" 7 ""#,
                r#"{"action":"accept","content":{"n":7}}"#,
            ),
            (
                r#"{"n":{"type":"number"}}"#,
                CallbackType::Input,
                "1.5",
                r#"{"action":"accept","content":{"n":1.5}}"#,
            ),
            (
                r#"{"n":{"type":"boolean"}}"#,
                CallbackType::Selection,
                r#""true""#,
                r#"{"action":"accept","content":{"n":true}}"#,
            ),
            (
                r#"{"n":{"type":"boolean"}}"#,
                CallbackType::Selection,
                "false",
                r#"{"action":"accept","content":{"n":false}}"#,
            ),
            (
                r#"{"n":{"type":"string","enum":["a","cancel"]}}"#,
                CallbackType::Selection,
                r#""cancel""#,
                r#"{"action":"accept","content":{"n":"cancel"}}"#,
            ),
            (
                r#"{"n":{"type":"string","oneOf":[{"const":"a","title":"A"}]}}"#,
                CallbackType::Selection,
                r#""decline""#,
                r#"{"action":"decline"}"#,
            ),
        ] {
            assert_eq!(form(properties).unwrap().question().kind, kind, "{properties}");
            assert_eq!(answered(properties, response), answer, "{properties} {response}");
        }
    }

    #[test]
    fn a_response_that_does_not_fit_the_field_is_refused() {
        for (properties, response, problem) in [
            (
                r#"{"n":{"type":"integer"}}"#,
                r#""seven""#,
                r#"invalid n: expected a whole number, found "seven""#,
            ),
            (
                r#"{"n":{"type":"integer","format":"uint8","minimum":0,"maximum":255}}"#,
                "256",
                r#"invalid n: expected a whole number from 0 to 255, found "256""#,
            ),
            (r#"{"n":{"type":"number","minimum":0.5}}"#, "0", "invalid n: expected a number of at least 0.5"),
            (r#"{"n":{"type":"number","maximum":1}}"#, "1.5", "invalid n: expected a number of at most 1"),
            (
                r#"{"n":{"type":"string","minLength":2,"maxLength":3}}"#,
                r#""äöüß""#,
                "invalid n: expected a text of 2 to 3 characters",
            ),
            (r#"{"n":{"type":"string","minLength":1}}"#, r#""""#, "invalid n: expected a text of at least 1"),
            (r#"{"n":{"type":"boolean"}}"#, "1", "expected one of the options"),
            (r#"{"n":{"type":"string","enum":["a"]}}"#, r#""b""#, "expected one of the options"),
            ("{}", r#""perhaps""#, "expected a boolean"),
        ] {
            let found = answered(properties, response);
            assert!(found.starts_with(problem), "{found}");
        }
        let fits = answered(r#"{"n":{"type":"string","minLength":2,"maxLength":3}}"#, r#""äöü""#);
        assert_eq!(fits, r#"{"action":"accept","content":{"n":"äöü"}}"#);
    }

    #[test]
    fn titles_become_options_and_field_texts_join_the_message() {
        for field in [
            r##""oneOf":[{"const":"#f00","title":"Red"},{"const":"#00f"}]"##,
            r##""enum":["#f00","#00f"],"enumNames":["Red","#00f"]"##,
        ] {
            let field =
                format!(r#"{{"n":{{"type":"string","title":"Color","description":"Of the wall",{field}}}}}"#);
            let question = form(&field).unwrap().question().clone();
            assert_eq!(question.message, "?\nColor: Of the wall");
            assert_eq!(question.options.unwrap(), ["Red", "#00f"]);
            assert_eq!(answered(&field, r#""Red""#), r##"{"action":"accept","content":{"n":"#f00"}}"##);
        }
        // Titles that do not tell the options apart are left out.
        let same = r#"{"n":{"type":"string","enum":["a","b"],"enumNames":["x","x"]}}"#;
        assert_eq!(form(same).unwrap().question().options.as_deref().unwrap(), ["a", "b"]);
    }

    #[test]
    fn a_form_with_several_fields_or_unchecked_rules_is_refused() {
        for properties in [
            r#"{"a":{"type":"string"},"b":{"type":"string"}}"#,
            r#"{"a":{"type":"array","items":{"enum":["x"]}}}"#,
            r#"{"a":{"type":"number","enum":["1"]}}"#,
            r#"{"a":{"type":["string","number"]}}"#,
            r#"{"a":{}}"#,
            r#"{"a":7}"#,
            r#"{"a":{"type":"string","pattern":"^x"}}"#,
            r#"{"a":{"type":"string","format":"email"}}"#,
            r#"{"a":{"type":"integer","multipleOf":2}}"#,
            r#"{"a":{"type":"string","enum":["x","y"],"enumNames":["X"]}}"#,
        ] {
            assert!(form(properties).is_none(), "{properties}");
        }
    }
}
