//! Makes servers' definitions and answers valid by MCP's published schema, so that one odd part costs a host only that part.
//!
//! SDKs of hosts check a whole list or answer at once and refuse all of it for one wrong member. Here, a member whose meaning is certain is
//! mended, and any other wrong member is left out. A definition or an answer that lacks a required member is invalid as a whole. Valid text
//! is left unchanged.

mod answer_shapes;
mod answers;
mod base64;
mod compilable;
mod definitions;
mod keywords;
mod mend;
mod pattern;
mod scan;
mod schema;
mod shape;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_answers;
#[cfg(test)]
#[cfg(feature = "json-schema")]
mod tests_of_odd_values;
mod timestamp;
mod uri;

pub use answers::conform_answer;
pub use definitions::{conform_prompt, conform_resource, conform_resource_template, conform_tool};
pub use mend::{Conformity, Mend, Mends, Remedy};
