//! A tool's hints about its effects, as MCP defines them.

use crate::json::RawJson;
use serde::{Deserialize, Deserializer, Serialize, de::DeserializeOwned};

/// A server's hints about a tool's effects. A member that does not have the expected form counts as absent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolAnnotations {
    /// The name, for people.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// True if the tool changes nothing.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// True if the tool may destroy existing data.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// True if repeating a call has no further effect.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// True if the tool reaches things outside its server.
    #[serde(default, deserialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

/// Reads a value. A value of another form is read as `None`, so that it does not hide the other members.
fn readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Ok(RawJson::deserialize(deserializer)?.decode::<Option<T>>().ok().flatten())
}
