//! JSON Schemas that arguments and structured content are checked against.
//!
//! A server checks the arguments of a call before its tool's function runs; a client checks the structured content of a result. Feature
//! `json-schema`.
//!
//! | | |
//! |---|---|
//! | dialects | 2020-12, the default without `$schema`, and draft-07 |
//! | `$ref` | only within the document; nothing is ever fetched |
//! | `format`, `contentEncoding`, `contentMediaType` | annotations, not checked |
//! | `pattern` | in linear time: no look-around, no back-references |
//! | numbers | compared as 64-bit integers and floats; one past the range of a float is refused |
//! | an object with a key twice | refused: two readers could interpret it differently |
//!
//! [`schema_examples`] generates values that fit a schema.
//!
//! Everything has a [bound](limits): the size of a schema, the cost of checking a value, the length of an error.
//!
//! ```
//! use mgp_types::{json::RawJson, json_schema::CompiledSchema};
//! use serde_json::json;
//!
//! let schema = CompiledSchema::compile(&json!({"type": "object", "properties": {"n": {"type": "integer"}}}))?;
//! assert!(schema.check(&RawJson::parse(r#"{"n":7}"#)?).is_ok());
//! let mismatch = schema.check(&RawJson::parse(r#"{"n":"seven"}"#)?).unwrap_err();
//! assert_eq!(mismatch.to_string(), r#"/n: "seven" is not of type "integer""#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod allowed;
mod check;
mod compile;
mod dialect;
mod error;
mod examples;
mod keywords;
pub mod limits;
mod meter;
mod node;
mod read;
mod references;
mod survey;
#[cfg(test)]
mod tests;
mod text;
mod weigh;

pub use check::Mismatch;
pub use compile::CompiledSchema;
pub use dialect::Dialect;
pub use error::SchemaError;
pub use examples::{MAX_SCHEMA_EXAMPLES, schema_examples};
