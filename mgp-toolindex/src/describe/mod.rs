//! Documents about tools, generated from their definitions: pure functions from tools to text and JSON.
//!
//! | function | document |
//! |---|---|
//! | [`specification`] | one tool in Markdown, in eight parts |
//! | [`catalogue`] | all tools with tags and versions |
//! | [`manifest`] | the proposals' service manifest |
//! | [`schemas`] | the JSON Schemas, with examples |

mod catalogue;
mod description;
mod fields;
mod manifest;
mod markdown;
mod references;
mod schemas;
mod specification;
#[cfg(test)]
mod tests;

pub use catalogue::catalogue;
pub use description::ToolDescription;
pub use manifest::{ManifestServer, manifest};
pub use schemas::schemas;
pub use specification::specification;
