//! A schema, compiled to check values against.

use super::{
    Dialect, SchemaError, dialect::shown, keywords::says_nothing, limits::PATTERN_BYTES, node::MeteredKind,
    survey::Survey, weigh::heaviest,
};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;
use std::{borrow::Cow, fmt, sync::Arc};

/// A schema, compiled to check values against. Clones share it.
#[derive(Clone)]
pub struct CompiledSchema(pub(super) Kind);

#[derive(Clone)]
pub(super) enum Kind {
    /// Every value fits.
    Anything,
    /// Every object fits.
    Object,
    /// Each value is checked by the validator.
    Some {
        validator: Arc<Validator<MeteredKind>>,
        /// The cost of each member or item of a value, in steps.
        price: u64,
    },
}

impl CompiledSchema {
    /// Compiles a schema. Nothing but the schema itself is read: no reference is fetched.
    ///
    /// # Errors
    /// [`SchemaError`].
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        if !schema.is_object() && !schema.is_boolean() {
            return Err(SchemaError::NotASchema(kind(schema)));
        }
        let dialect = Dialect::of(schema)?;
        if says_nothing(schema, false) {
            return Ok(Self(Kind::Anything));
        }
        if says_nothing(schema, true) {
            return Ok(Self(Kind::Object));
        }
        let applied = heaviest(Survey::of(schema, dialect)?, dialect)?;
        let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES).dfa_size_limit(PATTERN_BYTES);
        let validator = jsonschema::options_for::<MeteredKind>()
            .offline()
            .with_draft(dialect.draft())
            .should_validate_formats(false)
            .without_content_media_type_support("application/json")
            .without_content_encoding_support("base64")
            .with_pattern_options(patterns)
            .build(&without_dialect(schema))
            .map_err(|error| SchemaError::Invalid(told(&error)))?;
        // The cost of the schemas that apply to a part is charged with the part.
        Ok(Self(Kind::Some { validator: Arc::new(validator), price: 1 + applied / 64 }))
    }

    /// Returns `true` if every value fits, or every object: checking against such a schema costs nothing.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        !matches!(self.0, Kind::Some { .. })
    }
}

/// Returns the schema without its `$schema`, which was read before.
fn without_dialect(schema: &Value) -> Cow<'_, Value> {
    match schema {
        Value::Object(members) if members.contains_key("$schema") => {
            let mut members = members.clone();
            members.remove("$schema");
            Cow::Owned(Value::Object(members))
        }
        _ => Cow::Borrowed(schema),
    }
}

/// Describes the problem with a schema, and its place.
fn told(error: &jsonschema::ValidationError<'_>) -> String {
    let value = super::text::cut_json(error.instance());
    let at = error.instance_path().as_str();
    let problem = super::text::cut_display(&error.masked_with(value), super::limits::ERROR_CHARS);
    match at {
        "" => problem,
        at => format!("{}: {problem}", shown(at)),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

impl fmt::Debug for CompiledSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledSchema").field("trivial", &self.is_trivial()).finish_non_exhaustive()
    }
}
