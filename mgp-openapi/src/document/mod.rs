//! The OpenAPI document: its text, its references, its servers and its kinds of authentication.

mod document;
mod error;
mod read;
mod reference;
mod security;
mod servers;
mod version;
mod yaml;

pub use document::Document;
pub use error::DocumentError;
pub use security::{SecurityKind, SecurityScheme};

pub(crate) use reference::{ReferenceError, References, reference_of};
pub(crate) use servers::server_urls;
