//! The dialects of JSON Schema.

use super::SchemaError;
use jsonschema::Draft;
use serde_json::Value;

/// A dialect of JSON Schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Draft-07.
    Draft07,
    /// 2020-12, the default in MCP for a schema without `$schema`.
    Draft202012,
}

impl Dialect {
    /// Returns the dialect that a schema names in `$schema`.
    ///
    /// # Errors
    /// [`SchemaError::Dialect`] if the schema names a dialect that is not supported.
    pub fn of(schema: &Value) -> Result<Self, SchemaError> {
        match schema.get("$schema") {
            None => Ok(Self::Draft202012),
            Some(Value::String(named)) => {
                Self::named(named).ok_or_else(|| SchemaError::Dialect(shown(named)))
            }
            Some(other) => Err(SchemaError::Dialect(shown(&other.to_string()))),
        }
    }

    pub(super) fn named(uri: &str) -> Option<Self> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let (_, plain) = uri.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
        match plain {
            "json-schema.org/draft/2020-12/schema" => Some(Self::Draft202012),
            "json-schema.org/draft-07/schema" => Some(Self::Draft07),
            _ => None,
        }
    }

    pub(super) fn draft(self) -> Draft {
        match self {
            Self::Draft07 => Draft::Draft7,
            Self::Draft202012 => Draft::Draft202012,
        }
    }
}

/// Cuts a text from the schema to the length shown in an error.
pub(super) fn shown(text: &str) -> String {
    super::text::cut(text, super::limits::ERROR_CHARS)
}
