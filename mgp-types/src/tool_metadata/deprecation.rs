//! The deprecation of a tool.

use crate::json::RawJson;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The statement that a tool is deprecated, with the reason if one is given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Deprecation {
    /// The reason, or the tool to use instead.
    pub reason: Option<String>,
}

impl Deprecation {
    /// Reads the statement: `true`, or a text such as the reason. Any other value means that the tool is not deprecated.
    #[must_use]
    pub fn read(value: &RawJson) -> Option<Self> {
        if value.as_str() == "true" {
            return Some(Self::default());
        }
        let reason = value.to_text().filter(|reason| !reason.is_empty())?;
        Some(Self { reason: Some(reason) })
    }
}

impl Serialize for Deprecation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.reason {
            Some(reason) => serializer.serialize_str(reason),
            None => serializer.serialize_bool(true),
        }
    }
}

impl<'de> Deserialize<'de> for Deprecation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        Self::read(&json).ok_or_else(|| serde::de::Error::custom("expected true, or the reason as a text"))
    }
}
