//! The error of a schema that values cannot be checked against.

/// The error returned for a schema that values cannot be checked against.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// The schema is neither an object nor a boolean.
    #[error("expected an object or a boolean, found {0}")]
    NotASchema(&'static str),
    /// The schema follows a dialect that is not supported.
    #[error(
        "unknown $schema {0:?}: expected \"https://json-schema.org/draft/2020-12/schema\" or \"http://json-schema.org/draft-07/schema#\""
    )]
    Dialect(String),
    /// A part of the schema follows another dialect than the whole.
    #[error("$schema {0:?} of a part: expected the dialect of the whole schema")]
    MixedDialects(String),
    /// A reference leads out of the schema.
    #[error(
        "{keyword} {reference:?} leads out of the schema: expected a place within it; nothing is fetched"
    )]
    Outside {
        /// The keyword: `$ref` or `$dynamicRef`.
        keyword: &'static str,
        /// The text of the reference.
        reference: String,
    },
    /// A reference leads back to its own schema, for the same value, so that a check would not end.
    #[error("{keyword} {reference:?} leads back to itself without going down into the value")]
    Endless {
        /// The keyword: `$ref` or `$dynamicRef`.
        keyword: &'static str,
        /// The text of the reference.
        reference: String,
    },
    /// The schema exceeds one of the [bounds](super::limits).
    #[error("too large: {what}: expected at most {limit}")]
    TooLarge {
        /// A description of the quantity that is bounded.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// The schema breaks the rules of its dialect, or holds a regular expression that cannot be matched in linear time.
    #[error("{0}")]
    Invalid(String),
}
