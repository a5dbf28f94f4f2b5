//! The targets, one file each. A target takes arbitrary bytes, and panics if its rule does not hold for them.

mod challenge;
mod code_safety;
mod config;
mod conform;
mod frames;
mod initialize;
mod json_rpc;
mod jws;
mod network_restricted;
mod oauth_metadata;
mod param_headers;
mod public_registry;
mod readonly;
mod request_state;
mod sandbox;
mod sse;
mod stateless;
mod uri_templates;

/// A target's name, which is that of its folder in `fuzz/corpus/`, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    ("challenge", challenge::run),
    ("code_safety", code_safety::run),
    ("config", config::run),
    ("conform", conform::run),
    ("frames", frames::run),
    ("initialize", initialize::run),
    ("json_rpc", json_rpc::run),
    ("jws", jws::run),
    ("network_restricted", network_restricted::run),
    ("oauth_metadata", oauth_metadata::run),
    ("param_headers", param_headers::run),
    ("public_registry", public_registry::run),
    ("readonly", readonly::run),
    ("request_state", request_state::run),
    ("sandbox", sandbox::run),
    ("sse", sse::run),
    ("stateless", stateless::run),
    ("uri_templates", uri_templates::run),
];
