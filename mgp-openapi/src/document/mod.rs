//! The OpenAPI document: its text, its references, its servers and its kinds of authentication.

mod error;
mod read;
mod reference;
mod security;
mod servers;
mod tree;
mod version;
mod yaml;

pub use error::DocumentError;
pub use security::{SecurityKind, SecurityScheme};
pub use tree::Document;

pub(crate) use reference::{ReferenceError, References, reference_of};
pub(crate) use servers::server_urls;
