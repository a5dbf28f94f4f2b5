//! An example of a call.

use crate::json::{JsonError, RawJson, RawObject};
use serde::{Deserialize, Deserializer, Serialize};

/// An example of a call: its arguments, and its result if that is given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolExample {
    /// The purpose of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The arguments.
    pub arguments: RawObject,
    /// The result: the structured content, or any other value that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<RawJson>,
}

impl ToolExample {
    /// Creates an example with only arguments.
    #[must_use]
    pub const fn new(arguments: RawObject) -> Self {
        Self { description: None, arguments, result: None }
    }
}

/// Reads an object with the member `arguments` (also `parameters` or `input`), or only the arguments.
impl<'de> Deserialize<'de> for ToolExample {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        let object =
            RawObject::from_json(&json).map_err(|error: JsonError| serde::de::Error::custom(error))?;
        let Some(arguments) = ["arguments", "parameters", "input"].iter().find_map(|key| object.object(key))
        else {
            return Ok(Self::new(object));
        };
        Ok(Self {
            description: ["description", "title", "name"].iter().find_map(|key| object.text(key)),
            result: ["result", "output"].iter().find_map(|key| object.get(key)).cloned(),
            arguments,
        })
    }
}
