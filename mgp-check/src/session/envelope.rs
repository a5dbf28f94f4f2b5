//! The members of `_meta` in each request of the stateless revision, which carry the same data as `initialize`.

use mgp_types::{
    json::RawObject,
    mcp::{ClientCapabilities, Implementation, ProtocolVersion, stateless::RequestEnvelope},
};
use serde_json::{Map, Value};

/// The members that each request carries.
#[derive(Debug, Clone)]
pub(crate) struct Envelope(Map<String, Value>);

impl Envelope {
    /// Returns the envelope of a client with these capabilities.
    pub(crate) fn new(capabilities: &Value) -> Self {
        let mut params = RawObject::new();
        RequestEnvelope {
            version: ProtocolVersion::V2026_07_28,
            capabilities: ClientCapabilities(RawObject::parse(capabilities.to_string()).unwrap_or_default()),
            client_info: Some(Implementation::new("mgp-check", env!("CARGO_PKG_VERSION"))),
            log_level: None,
        }
        .write(&mut params);
        let mut params: Value = serde_json::from_str(params.to_json().as_str()).unwrap_or_default();
        match params["_meta"].take() {
            Value::Object(members) => Self(members),
            _ => Self(Map::new()),
        }
    }

    /// Writes the members into the params of a request. Existing members are kept.
    pub(crate) fn write(&self, params: &mut Value) {
        let Some(params) = params.as_object_mut() else { return };
        let meta = params.entry("_meta").or_insert_with(|| Value::Object(Map::new()));
        if let Some(meta) = meta.as_object_mut() {
            for (key, value) in &self.0 {
                meta.entry(key).or_insert_with(|| value.clone());
            }
        }
    }
}
