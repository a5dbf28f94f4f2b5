//! The discovery of a server's authorization server: RFC 9728, RFC 8414, OpenID Connect Discovery, and MCP 2025-03-26.

mod discover;
mod document;
mod issuer;
mod resource;
mod well_known;

pub(super) use discover::{Discovery, DiscoveryResult};
pub(super) use document::{read_json, refusal, status};
pub(super) use issuer::{ServerMetadata, same_issuer};
