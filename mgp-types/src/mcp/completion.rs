//! `completion/complete`.

use crate::json::{JsonError, RawObject};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeMap};

calls! {
    /// Asks for ways to complete an argument.
    call Complete = "completion/complete": CompleteParams => CompleteResult;
}

/// The argument to complete, and its context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CompleteParams {
    /// The prompt or resource template that the argument belongs to.
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// The argument.
    pub argument: CompletionArgument,
    /// The arguments that are already filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionContext>,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// The prompt or resource template that an argument belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompletionReference {
    /// A prompt, by name.
    Prompt {
        /// The name, for programs.
        name: String,
        /// The name, for people.
        title: Option<String>,
    },
    /// A resource template, by URI.
    Resource {
        /// The template.
        uri: String,
    },
}

impl Serialize for CompletionReference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Prompt { name, title } => {
                map.serialize_entry("type", "ref/prompt")?;
                map.serialize_entry("name", name)?;
                if let Some(title) = title {
                    map.serialize_entry("title", title)?;
                }
            }
            Self::Resource { uri } => {
                map.serialize_entry("type", "ref/resource")?;
                map.serialize_entry("uri", uri)?;
            }
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut object = RawObject::deserialize(deserializer)?;
        let read = |object: &mut RawObject| match object.text("type").as_deref() {
            Some("ref/prompt") => Ok(Self::Prompt {
                name: object.take("name")?.ok_or(JsonError::Missing("name"))?,
                title: object.take("title")?,
            }),
            Some("ref/resource") => {
                Ok(Self::Resource { uri: object.take("uri")?.ok_or(JsonError::Missing("uri"))? })
            }
            found => Err(JsonError::Member {
                key: "type".into(),
                problem: format!(
                    "expected ref/prompt or ref/resource, found {:?}",
                    found.unwrap_or_default().chars().take(64).collect::<String>()
                ),
            }),
        };
        read(&mut object).map_err(serde::de::Error::custom)
    }
}

/// An argument that is being typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// The text typed so far.
    pub value: String,
}

/// The arguments that are already filled in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CompletionContext {
    /// Strings by argument name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<RawObject>,
}

/// The proposals for an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteResult {
    /// The proposals.
    pub completion: Completion,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// Proposals for an argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The best ones, at most a hundred.
    pub values: Vec<String>,
    /// The number of all proposals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// True if there are more proposals than `values` holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_references_survive_and_others_are_refused() {
        for text in [
            r#"{"type":"ref/prompt","name":"a"}"#,
            r#"{"type":"ref/prompt","name":"a","title":"A"}"#,
            r#"{"type":"ref/resource","uri":"file:///{a}"}"#,
        ] {
            let read: CompletionReference = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
        let error = serde_json::from_str::<CompletionReference>(r#"{"type":"ref/x"}"#).unwrap_err();
        assert!(
            error.to_string().contains(r#"expected ref/prompt or ref/resource, found "ref/x""#),
            "{error}"
        );
    }
}
