//! The JSON Schema of `mgp.toml`, and its keys as rows of tables, both from the types of the configuration (feature `schema`).
//!
//! The schema that `schemars` derives carries four extensions, which are not published:
//!
//! - `x-order`: the names of a table's keys, in the order of the struct;
//! - `x-also`: other names that are read, each with the name of the key or value;
//! - `x-type`: the words for the type of a value;
//! - `x-optional`: `true` for an `Option`, which is absent by default.

mod derived;
mod keys;
mod publish;

#[cfg(test)]
mod tests;

pub use keys::{ConfigKey, config_keys};
pub use publish::config_schema;

#[cfg(test)]
pub(super) use tests::fits;
