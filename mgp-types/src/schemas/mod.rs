//! The JSON Schemas of MGP's messages, for implementations in any language.
//!
//! A schema describes sent messages: a member is required if this crate always writes it. Further members are allowed everywhere.
//!
//! ```
//! let schemas = mgp_types::schemas::mgp_schemas();
//! let ping = schemas.iter().find(|message| message.method == "mgp/health/ping").unwrap();
//! assert_eq!(ping.result.as_ref().unwrap()["required"][0], "status");
//! ```

mod known_formats;
mod messages;
mod prose;

pub use known_formats::KnownFormats;
pub use messages::{MessageSchemas, mgp_schemas};
