//! Members for which `null` and absence differ.

use super::RawJson;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member that may be absent, be `null`, or hold a value; each state is written back as it was read.
///
/// Use it with `#[serde(default, skip_serializing_if = "Nullable::is_absent")]`.
///
/// ```
/// use mgp_types::json::Nullable;
/// #[derive(serde::Serialize, serde::Deserialize)]
/// struct Row {
///     #[serde(default, skip_serializing_if = "Nullable::is_absent")]
///     expires_at: Nullable<String>,
/// }
/// for text in [r#"{}"#, r#"{"expires_at":null}"#, r#"{"expires_at":"2026-03-01T00:00:00Z"}"#] {
///     let row: Row = serde_json::from_str(text)?;
///     assert_eq!(serde_json::to_string(&row)?, text);
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Nullable<T> {
    /// The object does not have the member.
    #[default]
    Absent,
    /// The member is `null`.
    Null,
    /// The member holds a value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns `true` if the object does not have the member.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Returns the value, if there is one.
    #[must_use]
    pub const fn get(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }

    /// Converts the member into its value, if there is one.
    #[must_use]
    pub fn into_option(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Absent | Self::Null => None,
        }
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    /// Converts `None` to `null`.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T: Serialize> Serialize for Nullable<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Nullable<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Nullable<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        <Option<T>>::schema_name()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Option<T>>::json_schema(generator)
    }
}

/// Reads raw JSON in which `null` is a value: plain `Option` would read it as absence.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}
