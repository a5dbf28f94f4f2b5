//! Which dialect of JSON Schema a schema follows.

use super::SchemaError;
use jsonschema::Draft;
use serde_json::Value;

/// Which dialect of JSON Schema a schema follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Draft-07.
    Draft07,
    /// 2020-12, which MCP takes where a schema says nothing.
    Draft202012,
}

impl Dialect {
    /// That which a schema names in `$schema`.
    ///
    /// # Errors
    /// [`SchemaError::Dialect`] where it names one that is not known here.
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

/// As much of a text of the schema as an error shows.
pub(super) fn shown(text: &str) -> String {
    super::text::cut(text, super::limits::ERROR_CHARS)
}
