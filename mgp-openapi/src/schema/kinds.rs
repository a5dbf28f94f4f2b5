//! The kinds of values that a schema allows at its top.

use crate::document::References;
use serde_json::Value;
use std::fmt;

/// The most schemas that are read to find the kinds of one.
const MAX_STEPS: usize = 64;

/// A kind of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    String,
    Array,
    Object,
}

const ALL: [Kind; 7] =
    [Kind::Null, Kind::Boolean, Kind::Integer, Kind::Number, Kind::String, Kind::Array, Kind::Object];

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds(u8);

impl Kind {
    /// Returns the kind with the name that `type` has for it, whatever its case.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(name))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl Kinds {
    pub(crate) const ANY: Self = Self(0x7f);
    const NONE: Self = Self(0);

    pub(crate) fn one(kind: Kind) -> Self {
        Self(kind.bit())
    }

    /// Returns the kinds that a schema of a document allows. Parts that cannot be read allow every kind.
    pub(crate) fn of(schema: &Value, references: References<'_>) -> Self {
        let mut steps = MAX_STEPS;
        Self::read(schema, references, &mut steps)
    }

    pub(crate) fn has(self, kind: Kind) -> bool {
        self.0 & kind.bit() != 0 || kind == Kind::Integer && self.0 & Kind::Number.bit() != 0
    }

    /// Returns the names of the kinds. An integer is a number.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let has_number = self.0 & Kind::Number.bit() != 0;
        let kinds = ALL.into_iter().filter(|kind| self.0 & kind.bit() != 0);
        kinds.filter(|kind| !(has_number && *kind == Kind::Integer)).map(Kind::name).collect()
    }

    fn and(self, other: Self) -> Self {
        // An integer is a number.
        let widened =
            |kinds: Self| if kinds.has(Kind::Number) { kinds.0 | Kind::Integer.bit() } else { kinds.0 };
        Self(widened(self) & widened(other))
    }

    fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn read(schema: &Value, references: References<'_>, steps: &mut usize) -> Self {
        let Some(left) = steps.checked_sub(1) else { return Self::ANY };
        *steps = left;
        let Ok(schema) = references.follow(schema) else { return Self::ANY };
        let mut kinds = Self::declared(schema);
        let parts = |name: &str| schema.get(name).and_then(Value::as_array).filter(|parts| !parts.is_empty());
        for part in parts("allOf").into_iter().flatten() {
            kinds = kinds.and(Self::read(part, references, steps));
        }
        for choice in ["oneOf", "anyOf"].into_iter().filter_map(parts) {
            let mut any = Self::NONE;
            for part in choice {
                any = any.or(Self::read(part, references, steps));
            }
            kinds = kinds.and(any);
        }
        if is_nullable(schema) {
            kinds = kinds.or(Self::one(Kind::Null));
        }
        // A schema that contradicts itself is a fault of the document, not of the caller.
        if kinds == Self::NONE { Self::ANY } else { kinds }
    }

    fn declared(schema: &Value) -> Self {
        let named = |name: &Value| name.as_str().and_then(Kind::parse);
        match schema.get("type") {
            Some(Value::String(name)) if name == "file" => Self::one(Kind::String),
            Some(name @ Value::String(_)) => named(name).map_or(Self::ANY, Self::one),
            Some(Value::Array(names)) => {
                let kinds = names.iter().map(|name| named(name).map_or(Self::ANY, Self::one));
                kinds.reduce(Self::or).unwrap_or(Self::ANY)
            }
            _ if schema.get("properties").is_some() => Self::one(Kind::Object).or(Self::one(Kind::Null)),
            _ => Self::ANY,
        }
    }
}

impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ANY {
            return f.write_str("any value");
        }
        for (at, name) in self.names().into_iter().enumerate() {
            let article = match name {
                "null" => "",
                "integer" | "array" | "object" => "an ",
                _ => "a ",
            };
            f.write_str(if at > 0 { " or " } else { "" })?;
            f.write_str(article)?;
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// Returns whether a schema allows null with a keyword of OpenAPI 3.0.
pub(super) fn is_nullable(schema: &Value) -> bool {
    ["nullable", "x-nullable"].iter().any(|name| schema.get(name) == Some(&Value::Bool(true)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_kinds_of_a_schema_are_those_of_its_parts() {
        let cases = [
            (json!({"type": "integer"}), "an integer"),
            (json!({"type": ["string", "null"]}), "null or a string"),
            (json!({"type": "string", "nullable": true}), "null or a string"),
            (json!({"$ref": "#/x"}), "a boolean"),
            (json!({"oneOf": [{"type": "number"}, {"$ref": "#/x"}]}), "a boolean or a number"),
            (json!({"allOf": [{"type": "integer"}, {"type": "number"}]}), "an integer"),
            (json!({"allOf": [{"type": "string"}, {"type": "array"}]}), "any value"),
            (json!({"$ref": "#/loop"}), "any value"),
            (json!({"anyOf": []}), "any value"),
            (json!({"type": "file"}), "a string"),
            (json!(true), "any value"),
        ];
        for (schema, expected) in cases {
            let root = json!({"x": {"type": "boolean"}, "loop": {"anyOf": [{"$ref": "#/loop"}, {"$ref": "#/loop"}]}});
            assert_eq!(Kinds::of(&schema, References::new(&root)).to_string(), expected, "{schema}");
        }
    }
}
