//! An error that a tool may fail with.

use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize};

/// An error that a tool may fail with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaredError {
    /// The type of the error, such as `ValidationError`, by which programs tell errors apart.
    pub error_type: String,
    /// The condition under which the tool fails with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The form of the error's details, as text or as a JSON Schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<RawJson>,
}

impl DeclaredError {
    /// Creates a declaration of an error of a type.
    pub fn new(error_type: impl Into<String>, when: impl Into<String>) -> Self {
        Self { error_type: error_type.into(), when: Some(when.into()), details: None }
    }
}

/// Reads an object, or only the type as a text.
impl<'de> Deserialize<'de> for DeclaredError {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        let read = || {
            if let Some(error_type) = json.to_text() {
                return Ok(Self { error_type, when: None, details: None });
            }
            let object = RawObject::from_json(&json)?;
            let text = |keys: [&str; 3]| keys.into_iter().find_map(|key| object.text(key));
            Ok(Self {
                error_type: text(["error_type", "type", "code"]).ok_or(JsonError::Missing("error_type"))?,
                when: text(["when", "description", "message"]),
                details: object.get("details").cloned(),
            })
        };
        read().map_err(|error: JsonError| serde::de::Error::custom(error))
    }
}
