//! The handshake of the era with `initialize`.

use super::{Exchange, Session};
use crate::outcome::Miss;
use mgp_types::negotiation::{Extension, MGP_VERSION};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// The extensions that the checks offer: all but callbacks, because nobody is there who could be asked.
pub(crate) fn all_extensions() -> Vec<&'static str> {
    let offered = Extension::ALL.into_iter().filter(|extension| *extension != Extension::Callbacks);
    offered.map(Extension::as_str).collect()
}

/// The time for which the answers to notifications are awaited, which must not come.
pub(crate) const QUIET: Duration = Duration::from_millis(150);

/// The answer to `initialize`.
#[derive(Debug, Clone)]
pub(crate) struct Greeting {
    pub(crate) exchange: Exchange,
    /// The result.
    pub(crate) result: Value,
}

impl Greeting {
    /// Returns the object with which the server answered the offer of MGP.
    pub(crate) fn mgp(&self) -> Option<&Value> {
        let capabilities = &self.result["capabilities"];
        [&capabilities["mgp"], &capabilities["experimental"]["mgp"]].into_iter().find(|mgp| !mgp.is_null())
    }

    /// Returns the names of the extensions that were negotiated.
    pub(crate) fn extensions(&self) -> BTreeSet<&str> {
        let names = self.mgp().and_then(|mgp| mgp["extensions"].as_array()).into_iter().flatten();
        names.filter_map(Value::as_str).collect()
    }

    /// Returns whether the server declared a capability.
    pub(crate) fn declares(&self, capability: &str) -> bool {
        self.result["capabilities"][capability].is_object()
    }
}

/// Performs the handshake.
///
/// # Errors
/// An answer that is no result.
pub(crate) async fn greet(session: &mut Session, version: &str, with_mgp: bool) -> Result<Greeting, Miss> {
    let exchange = session.request("initialize", initialize(version, with_mgp)).await;
    let result = exchange.result("a result with protocolVersion, capabilities and serverInfo")?.clone();
    session.speak(result["protocolVersion"].as_str().unwrap_or(version));
    session.notify("notifications/initialized", json!({})).await;
    session.listen(QUIET).await;
    Ok(Greeting { exchange, result })
}

/// Returns the params of `initialize`.
pub(crate) fn initialize(version: &str, with_mgp: bool) -> Value {
    let mut capabilities = json!({});
    if with_mgp {
        let mgp = json!({ "version": MGP_VERSION, "extensions": all_extensions() });
        capabilities = json!({ "mgp": mgp.clone(), "experimental": { "mgp": mgp } });
    }
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "clientInfo": { "name": "mgp-check", "version": env!("CARGO_PKG_VERSION") }
    })
}
