//! `elicitation/create`: a server asks the user, by a form or a URL.

use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

calls! {
    /// Asks the user.
    call Elicit = "elicitation/create": ElicitParams => ElicitResult;
}

notices! {
    /// What the user was sent to a URL for is done.
    ElicitationComplete = "notifications/elicitation/complete": ElicitationCompleteParams;
}

/// What the user is asked.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitParams {
    /// A form; also where no `mode` is given.
    Form(FormElicitation),
    /// A URL that the user opens.
    Url(UrlElicitation),
}

open_object! {
    /// A form for the user to fill in.
    pub struct FormElicitation {
        /// The mode, where it is spelled out: `form`.
        optional mode: String = "mode",
        /// What the user is told.
        required message: String = "message",
        /// JSON Schema of the form: a flat object.
        required requested_schema: RawJson = "requestedSchema",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

open_object! {
    /// A URL for the user to open.
    pub struct UrlElicitation {
        /// What the user is told.
        required message: String = "message",
        /// The URL.
        required url: String = "url",
        /// What the server calls it by when it is done.
        required elicitation_id: String = "elicitationId",
        /// What MCP and its extensions say about the message.
        optional meta: RawObject = "_meta",
    }
}

impl ElicitParams {
    /// A form without a spelled-out mode, which every revision that has elicitation reads.
    pub fn form(message: impl Into<String>, requested_schema: RawJson) -> Self {
        Self::Form(FormElicitation {
            mode: None,
            message: message.into(),
            requested_schema,
            meta: None,
            other: RawObject::new(),
        })
    }

    /// A URL for the user to open, and what the server calls this by when it is done: an id of its own for each.
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

    /// What the user is told.
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
    /// What the user did.
    pub enum ElicitAction as "elicitation action" {
        /// Answered.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Went away without a choice.
        Cancel = "cancel",
    }
}

/// What the user did and said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ElicitResult {
    /// What the user did.
    pub action: ElicitAction,
    /// The form, filled in; only with `accept`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<RawObject>,
    /// What MCP and its extensions say about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// Which elicitation is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ElicitationCompleteParams {
    /// Its id.
    pub elicitation_id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_modes_come_out_as_they_went_in_and_others_are_refused() {
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
