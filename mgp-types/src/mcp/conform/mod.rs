//! Makes what a server lists valid by MCP's published schema, so that one odd definition costs a host nothing but that definition.
//!
//! SDKs of hosts check a whole list at once and refuse all of it for one wrong member. Here, a member whose meaning is certain is mended, another
//! one is left out, and a definition that lacks what it must have is invalid as a whole. A valid definition stays the server's own text.

mod definitions;
mod mend;
mod references;
mod schema;
mod shape;
#[cfg(test)]
mod tests;
mod timestamp;

pub use definitions::{conform_prompt, conform_resource, conform_resource_template, conform_tool};
pub use mend::{Conformity, Mend, Mends, Remedy};
