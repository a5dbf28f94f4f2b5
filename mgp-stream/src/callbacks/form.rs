//! A form of elicitation that a callback can carry.

use super::{CANCEL, CONFIRM, CallbackQuestion, DECLINE};
use mgp_types::{
    callback::CallbackType,
    json::{RawJson, RawObject},
    mcp::{ElicitAction, ElicitResult, FormElicitation},
};
use serde::Deserialize;

/// A form of elicitation that a callback can carry: one with no field or one, which takes a text, a number, a boolean or one of some
/// options.
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
    field: Option<(String, FieldType)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldType {
    Text,
    Number,
    Integer,
    Boolean,
}

impl CallbackForm {
    /// Returns the form as a callback, or `None` if a callback cannot carry the form.
    #[must_use]
    pub fn of(form: &FormElicitation) -> Option<Self> {
        let schema = RawObject::from_json(&form.requested_schema).ok()?;
        let properties = schema.object("properties").unwrap_or_default();
        let mut fields = properties.iter();
        let (field, rest) = (fields.next(), fields.next());
        if rest.is_some() {
            return None;
        }
        let message = form.message.clone();
        let Some((name, property)) = field else {
            let options = Some(vec![CONFIRM.into(), CANCEL.into()]);
            let question = CallbackQuestion { kind: CallbackType::Confirmation, message, options };
            return Some(Self { question, field: None });
        };
        let (kind, options) = property.decode::<Property>().ok()?.field()?;
        let callback = if options.is_some() { CallbackType::Selection } else { CallbackType::Input };
        let question = CallbackQuestion { kind: callback, message, options };
        Some(Self { question, field: Some((name.to_owned(), kind)) })
    }

    /// Returns the question of the callback.
    #[must_use]
    pub fn question(&self) -> &CallbackQuestion {
        &self.question
    }

    /// Returns the response to the callback as the answer to the form. `decline` and `cancel` stand for a user who declines or
    /// leaves, unless they are among the options of a selection.
    ///
    /// # Errors
    /// The field, the expectation, and the value that was found.
    pub fn answer(&self, response: &RawJson) -> Result<ElicitResult, String> {
        let text = response.to_text();
        let text = text.as_deref();
        let is_option = self.field.is_some()
            && self.question.options.iter().flatten().any(|option| Some(option.as_str()) == text);
        match text {
            Some(DECLINE) if !is_option => return Ok(ElicitResult::decline()),
            Some(CANCEL) if !is_option => return Ok(ElicitResult::cancel()),
            _ => {}
        }
        let Some((name, kind)) = &self.field else {
            // Of a confirmation.
            let action =
                if response.as_str() == "false" { ElicitAction::Decline } else { ElicitAction::Accept };
            let content = (action == ElicitAction::Accept).then(RawObject::new);
            return Ok(ElicitResult { action, content, meta: None });
        };
        // A user types numbers as text.
        let plain = text.map_or_else(|| response.as_str(), str::trim);
        let (value, expected) = match kind {
            FieldType::Text => {
                (Some(text.map_or_else(|| RawJson::string(response.as_str()), RawJson::string)), "a text")
            }
            FieldType::Number => (parsed::<f64>(plain), "a number"),
            FieldType::Integer => (parsed::<i64>(plain), "a whole number"),
            FieldType::Boolean => (parsed::<bool>(plain), "true or false"),
        };
        let value = value.ok_or_else(|| {
            format!(
                "invalid {name}: expected {expected}, found {:?}",
                plain.chars().take(64).collect::<String>()
            )
        })?;
        let mut content = RawObject::new();
        content.insert_named(name, value);
        Ok(ElicitResult { action: ElicitAction::Accept, content: Some(content), meta: None })
    }
}

/// Returns a text as JSON, if it is JSON of the type.
fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Option<RawJson> {
    let json = RawJson::parse(text.to_owned()).ok()?;
    json.decode::<T>().is_ok().then_some(json)
}

/// The members of a field's schema that a callback can carry.
#[derive(Debug, Deserialize)]
struct Property {
    #[serde(rename = "type")]
    kind: Option<TypeNames>,
    #[serde(rename = "enum")]
    options: Option<Vec<Option<String>>>,
    #[serde(rename = "oneOf")]
    titled: Option<Vec<TitledOption>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TypeNames {
    One(String),
    /// An optional field may be null.
    Several(Vec<String>),
}

#[derive(Debug, Deserialize)]
struct TitledOption {
    #[serde(rename = "const")]
    value: String,
}

impl Property {
    /// Returns the type of the field and the options to choose from.
    fn field(self) -> Option<(FieldType, Option<Vec<String>>)> {
        let titled = self.titled.map(|all| all.into_iter().map(|option| option.value).collect::<Vec<_>>());
        let options = self.options.map(|all| all.into_iter().flatten().collect()).or(titled);
        let kind = match self.kind {
            Some(TypeNames::One(kind)) => Some(kind),
            Some(TypeNames::Several(kinds)) => {
                let mut kinds = kinds.into_iter().filter(|kind| kind != "null");
                let first = kinds.next();
                if kinds.next().is_some() {
                    return None;
                }
                first
            }
            None => options.as_ref().map(|_| "string".to_owned()),
        };
        match (kind?.as_str(), options) {
            ("string", options) => Some((FieldType::Text, options)),
            ("number", None) => Some((FieldType::Number, None)),
            ("integer", None) => Some((FieldType::Integer, None)),
            ("boolean", None) => Some((FieldType::Boolean, Some(vec!["true".into(), "false".into()]))),
            _ => None,
        }
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
    fn a_form_of_one_field_or_none_becomes_a_callback_and_its_response_the_answer() {
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
        let problem = answered(r#"{"n":{"type":"integer"}}"#, r#""seven""#);
        assert_eq!(problem, r#"invalid n: expected a whole number, found "seven""#);
    }

    #[test]
    fn a_form_of_several_fields_or_of_lists_is_not_carried() {
        for properties in [
            r#"{"a":{"type":"string"},"b":{"type":"string"}}"#,
            r#"{"a":{"type":"array","items":{"enum":["x"]}}}"#,
            r#"{"a":{"type":"number","enum":["1"]}}"#,
            r#"{"a":{"type":["string","number"]}}"#,
            r#"{"a":{}}"#,
            r#"{"a":7}"#,
        ] {
            assert!(form(properties).is_none(), "{properties}");
        }
    }
}
