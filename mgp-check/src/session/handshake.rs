//! The handshake: `initialize`, or `server/discover` of a server that only has the stateless revision.

use super::{Answer, Envelope, Exchange, Session};
use crate::outcome::Miss;
use mgp_types::{
    mcp::{ProtocolVersion, stateless::SERVER_INFO_KEY},
    negotiation::{Extension, MGP_VERSION},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// The extensions that the checks offer: all except callbacks, because there is nobody to ask.
pub(crate) fn all_extensions() -> Vec<&'static str> {
    let offered = Extension::ALL.into_iter().filter(|extension| *extension != Extension::Callbacks);
    offered.map(Extension::as_str).collect()
}

/// The time to wait for answers to notifications, which must not arrive.
pub(crate) const QUIET: Duration = Duration::from_millis(150);

/// The answer to the handshake.
#[derive(Debug, Clone)]
pub(crate) struct Greeting {
    pub(crate) exchange: Exchange,
    /// The result, in the form of that of `initialize`.
    pub(crate) result: Value,
    /// True if the session uses the stateless revision.
    pub(crate) is_stateless: bool,
}

impl Greeting {
    /// Returns the object in the server's answer to the offer of MGP.
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
/// Returns the failure if the answer is not a result.
pub(crate) async fn greet(session: &mut Session, version: &str, with_mgp: bool) -> Result<Greeting, Miss> {
    if session.is_stateless {
        return discover(session, with_mgp).await;
    }
    let exchange = session.request("initialize", initialize(version, with_mgp)).await;
    // Over HTTP, a server may refuse it by a status only.
    let is_answered = matches!(exchange.answer, Answer::Result(_));
    if !is_answered && let Ok(greeting) = discover(session, with_mgp).await {
        return Ok(greeting);
    }
    let result = exchange.result("a result with protocolVersion, capabilities and serverInfo")?.clone();
    session.speak(result["protocolVersion"].as_str().unwrap_or(version));
    session.notify("notifications/initialized", json!({})).await;
    session.listen(QUIET).await;
    Ok(Greeting { exchange, result, is_stateless: false })
}

/// Asks a server to describe itself, by the method of the stateless revision.
async fn discover(session: &mut Session, with_mgp: bool) -> Result<Greeting, Miss> {
    let version = ProtocolVersion::V2026_07_28.as_str();
    session.speak(version);
    session.describe_client(Envelope::new(&capabilities(with_mgp)));
    let exchange = session.request("server/discover", json!({})).await;
    let result = exchange.result("a result with supportedVersions and capabilities")?;
    let is_spoken = |named: &Value| named.as_array().is_some_and(|all| all.contains(&json!(version)));
    let result = json!({
        "protocolVersion": is_spoken(&result["supportedVersions"]).then_some(version),
        "capabilities": result["capabilities"],
        "serverInfo": result["_meta"][SERVER_INFO_KEY],
    });
    session.listen(QUIET).await;
    Ok(Greeting { exchange, result, is_stateless: true })
}

/// Returns the params of `initialize`.
pub(crate) fn initialize(version: &str, with_mgp: bool) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities(with_mgp),
        "clientInfo": { "name": "mgp-check", "version": env!("CARGO_PKG_VERSION") }
    })
}

/// Returns the capabilities of the client.
fn capabilities(with_mgp: bool) -> Value {
    if !with_mgp {
        return json!({});
    }
    let mgp = json!({ "version": MGP_VERSION, "extensions": all_extensions() });
    json!({ "mgp": mgp.clone(), "experimental": { "mgp": mgp } })
}
