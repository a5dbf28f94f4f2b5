//! `elicitation/create`: a question of a server to the user, by a form or a URL.

use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

calls! {
    /// Asks the user.
    call Elicit = "elicitation/create": ElicitParams => ElicitResult;
}

notices! {
    /// Reports that the interaction behind a URL is done.
    ElicitationComplete = "notifications/elicitation/complete": ElicitationCompleteParams;
}

/// A question to the user.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitParams {
    /// A form, which is also the default if no `mode` is given.
    Form(FormElicitation),
    /// A URL that the user opens.
    Url(UrlElicitation),
}

open_object! {
    /// A form for the user to fill in.
    pub struct FormElicitation {
        /// The mode, if it is given: `form`.
        optional mode: String = "mode",
        /// The message to the user.
        required message: String = "message",
        /// JSON Schema of the form: a flat object.
        required requested_schema: RawJson = "requestedSchema",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A URL for the user to open.
    pub struct UrlElicitation {
        /// The message to the user.
        required message: String = "message",
        /// The URL.
        required url: String = "url",
        /// The id by which the server reports that the interaction is done.
        required elicitation_id: String = "elicitationId",
        /// Metadata of MCP and its extensions about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ElicitParams {
    /// Creates a form without an explicit mode, which every revision that has elicitation can read.
    pub fn form(message: impl Into<String>, requested_schema: RawJson) -> Self {
        Self::Form(FormElicitation {
            mode: None,
            message: message.into(),
            requested_schema,
            meta: None,
            other: RawObject::new(),
        })
    }

    /// Creates a request to open a URL. The server gives each one its own id, by which it reports that the interaction is done.
    pub fn url(
        message: impl Into<String>,
        url: impl Into<String>,
        elicitation_id: impl Into<String>,
    ) -> Self {
        Self::Url(UrlElicitation {
            message: message.into(),
            url: url.into(),
            elicitation_id: elicitation_id.into(),
            meta: None,
            other: RawObject::new(),
        })
    }

    /// Returns the message to the user.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }
}

impl Serialize for ElicitParams {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.serialize(serializer),
            Self::Url(url) => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("mode", "url")?;
                url.write_members(&mut map)?;
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for ElicitParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = RawObject::deserialize(deserializer)?;
        let read = match object.text("mode").as_deref() {
            Some("url") => {
                object.remove("mode");
                UrlElicitation::from_object(object).map(Self::Url)
            }
            None | Some("form") => FormElicitation::from_object(object).map(Self::Form),
            Some(mode) => Err(JsonError::Member {
                key: "mode".into(),
                problem: format!(
                    "expected form or url, found {:?}",
                    mode.chars().take(64).collect::<String>()
                ),
            }),
        };
        read.map_err(serde::de::Error::custom)
    }
}

spelled! {
    /// The user's action.
    pub enum ElicitAction as "elicitation action" {
        /// The user answered.
        Accept = "accept",
        /// The user declined.
        Decline = "decline",
        /// The user left without a choice.
        Cancel = "cancel",
    }
}

/// The user's action and answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElicitResult {
    /// The user's action.
    pub action: ElicitAction,
    /// The form, filled in; only with `accept`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<RawObject>,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

impl ElicitResult {
    /// Returns the answer of a user who accepts. A form also needs its [`content`](Self::content).
    #[must_use]
    pub fn accept() -> Self {
        ElicitAction::Accept.into()
    }

    /// Returns the answer of a user who declines.
    #[must_use]
    pub fn decline() -> Self {
        ElicitAction::Decline.into()
    }

    /// Returns the answer of a user who closed the question without an answer.
    #[must_use]
    pub fn cancel() -> Self {
        ElicitAction::Cancel.into()
    }

    /// Adds the form, filled in.
    ///
    /// # Errors
    /// The form cannot be written as a JSON object.
    pub fn content(self, form: &impl Serialize) -> Result<Self, JsonError> {
        let content = RawObject::from_json(&RawJson::from_value(form)?)?;
        Ok(Self { content: Some(content), ..self })
    }
}

impl From<ElicitAction> for ElicitResult {
    fn from(action: ElicitAction) -> Self {
        Self { action, content: None, meta: None }
    }
}

/// The elicitation that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationCompleteParams {
    /// The elicitation's id.
    pub elicitation_id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_must_fit_its_form_and_a_form_is_an_object() {
        let accepted = ElicitResult::accept().content(&std::collections::BTreeMap::from([("name", "ann")]));
        let text = serde_json::to_string(&accepted.unwrap()).unwrap();
        assert_eq!(text, r#"{"action":"accept","content":{"name":"ann"}}"#);
        assert_eq!(serde_json::to_string(&ElicitResult::decline()).unwrap(), r#"{"action":"decline"}"#);
        assert!(ElicitResult::accept().content(&"ann").is_err());
    }

    #[test]
    fn both_modes_survive_and_others_are_refused() {
        for text in [
            r#"{"message":"a","requestedSchema":{"type":"object"}}"#,
            r#"{"mode":"form","message":"a","requestedSchema":{"type":"object"}}"#,
            r#"{"mode":"url","message":"a","url":"https://x","elicitationId":"1"}"#,
        ] {
            let read: ElicitParams = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
        let error = serde_json::from_str::<ElicitParams>(r#"{"mode":"fax","message":"a"}"#).unwrap_err();
        assert!(error.to_string().contains(r#"invalid mode: expected form or url, found "fax""#), "{error}");
    }
}
