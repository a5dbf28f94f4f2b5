//! What every request of a stateless revision says of its client, in `_meta`.

use crate::{
    json::{RawJson, RawObject},
    mcp::{ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion},
    rpc::ErrorObject,
};

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
/// The key in a result's `_meta` under which a server says who it is.
pub const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// The key in a notification's `_meta` that names the `subscriptions/listen` request which it belongs to.
pub const SUBSCRIPTION_ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";
/// What stands in `_meta` for one connection alone.
const KEYS: [&str; 6] =
    [VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY, SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY];

/// What every request of a stateless revision says of its client, in `_meta`.
///
/// ```
/// use mgp_types::{json::RawObject, mcp::stateless::RequestEnvelope};
/// let params = RawObject::parse(
///     r#"{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
///         "io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}"#,
/// )?;
/// let envelope = RequestEnvelope::read(&params)?;
/// assert!(envelope.capabilities.sampling() && envelope.log_level.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RequestEnvelope {
    /// The revision that the request speaks.
    pub version: ProtocolVersion,
    /// What the client can do.
    pub capabilities: ClientCapabilities,
    /// Who the client says it is. Not to be trusted, and not to be required.
    pub client_info: Option<Implementation>,
    /// From which level on the client wants log messages of this request; none where absent.
    pub log_level: Option<LoggingLevel>,
}

impl RequestEnvelope {
    /// The revision that a request names, where it names one: such a request is one of a stateless revision.
    #[must_use]
    pub fn version_in(params: &RawObject) -> Option<RawJson> {
        // Looked for as text first: few requests have a large `_meta`, most have none.
        params.get("_meta").filter(|meta| meta.may_hold(VERSION_KEY))?;
        params.object("_meta")?.remove(VERSION_KEY)
    }

    /// Reads it from a request's params.
    ///
    /// # Errors
    /// -32602 where a member is missing or has another form, and -32022 for a revision that is not a stateless one known here.
    pub fn read(params: &RawObject) -> Result<Self, ErrorObject> {
        let mut meta = params.object("_meta").ok_or_else(|| missing(VERSION_KEY, "of an MCP revision"))?;
        let version = meta.remove(VERSION_KEY).ok_or_else(|| missing(VERSION_KEY, "of an MCP revision"))?;
        let version = version
            .to_text()
            .ok_or_else(|| invalid(VERSION_KEY, &format!("expected a string, found {}", version.kind())))?;
        let version = match version.parse::<ProtocolVersion>() {
            Ok(known) if known.is_stateless() => known,
            _ => return Err(ProtocolVersion::unsupported(&version, &ProtocolVersion::LATEST_FIRST, true)),
        };
        let capabilities =
            meta.remove(CAPABILITIES_KEY).ok_or_else(|| missing(CAPABILITIES_KEY, "that is an object"))?;
        let capabilities = RawObject::from_json(&capabilities)
            .map_err(|error| invalid(CAPABILITIES_KEY, &error.to_string()))?;
        Ok(Self {
            version,
            capabilities: ClientCapabilities(capabilities),
            client_info: read_member(&mut meta, CLIENT_KEY)?,
            log_level: read_member(&mut meta, LOG_LEVEL_KEY)?,
        })
    }

    /// Writes it into a request's params; what else stands in `_meta` stays.
    pub fn write(&self, params: &mut RawObject) {
        let mut meta = params.object("_meta").unwrap_or_default();
        meta.insert(VERSION_KEY, RawJson::from(self.version.as_str()));
        meta.insert(CAPABILITIES_KEY, self.capabilities.0.to_json());
        // Both are made of strings and raw JSON only, so writing cannot fail.
        if let Some(Ok(info)) = self.client_info.as_ref().map(RawJson::from_value) {
            meta.insert(CLIENT_KEY, info);
        }
        if let Some(level) = self.log_level {
            meta.insert(LOG_LEVEL_KEY, RawJson::from(level.as_str()));
        }
        params.insert("_meta", meta.to_json());
    }

    /// Takes out of a method's result what a server of a stateless revision says of itself and of the result: whoever forwards the
    /// result says it anew, or not at all.
    #[must_use]
    pub fn strip_result(method: &str, result: &RawJson) -> RawJson {
        let Ok(mut object) = RawObject::from_json(result) else { return result.clone() };
        object.remove("resultType");
        object.remove("requestState");
        // Of a task these say other things.
        if !method.starts_with("tasks/") {
            for key in ["ttlMs", "cacheScope", "inputRequests"] {
                object.remove(key);
            }
        }
        Self::strip(&mut object);
        object.to_json()
    }

    /// Takes it out of what is forwarded to another peer, with all else in `_meta` that holds for one connection alone. A `_meta`
    /// that held nothing else goes too.
    pub fn strip(params: &mut RawObject) {
        let Some(mut meta) = params.object("_meta") else { return };
        if KEYS.iter().filter(|key| meta.remove(key).is_some()).count() == 0 {
            return;
        }
        if meta.is_empty() {
            params.remove("_meta");
        } else {
            params.insert("_meta", meta.to_json());
        }
    }
}

fn read_member<T: serde::de::DeserializeOwned>(
    meta: &mut RawObject,
    key: &str,
) -> Result<Option<T>, ErrorObject> {
    let Some(json) = meta.remove(key) else { return Ok(None) };
    json.decode().map(Some).map_err(|error| invalid(key, &error.to_string()))
}

fn missing(key: &str, expected: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!(
        "invalid params: missing _meta[{key:?}]: expected a value {expected}"
    ))
}

fn invalid(key: &str, problem: &str) -> ErrorObject {
    ErrorObject::invalid_params(format!("invalid params: _meta[{key:?}]: {problem}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"{"name":"a","_meta":{"x":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"roots":{}},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/logLevel":"error"}}"#;

    fn error(meta: &str) -> ErrorObject {
        RequestEnvelope::read(&RawObject::parse(format!(r#"{{"_meta":{meta}}}"#)).unwrap()).unwrap_err()
    }

    #[test]
    fn what_is_read_is_written_again_and_can_be_taken_out() {
        let params = RawObject::parse(FULL).unwrap();
        let envelope = RequestEnvelope::read(&params).unwrap();
        assert_eq!(envelope.log_level, Some(LoggingLevel::Error));
        let mut other = RawObject::parse(r#"{"name":"a","_meta":{"x":1}}"#).unwrap();
        envelope.write(&mut other);
        assert_eq!(other.to_json(), params.to_json());
        RequestEnvelope::strip(&mut other);
        assert_eq!(other.to_json().as_str(), r#"{"name":"a","_meta":{"x":1}}"#);
        let said = r#"{"a":1,"resultType":"input_required","ttlMs":1,"cacheScope":"public","inputRequests":{},"requestState":"s","_meta":{"io.modelcontextprotocol/serverInfo":{},"io.modelcontextprotocol/subscriptionId":1}}"#;
        let said = RawJson::parse(said.to_owned()).unwrap();
        assert_eq!(RequestEnvelope::strip_result("tools/call", &said).as_str(), r#"{"a":1}"#);
        let task = RequestEnvelope::strip_result("tasks/get", &said);
        assert!(
            task.may_hold("ttlMs") && task.may_hold("inputRequests") && !task.may_hold("resultType"),
            "{task}"
        );
        assert!(
            RequestEnvelope::version_in(&params).is_some() && RequestEnvelope::version_in(&other).is_none()
        );
    }

    #[test]
    fn a_member_that_is_missing_or_wrong_is_named() {
        let version = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
        let capabilities = r#""io.modelcontextprotocol/clientCapabilities":{}"#;
        for (meta, code, named) in [
            ("{}".to_owned(), -32602, VERSION_KEY),
            (format!("{{{capabilities}}}"), -32602, VERSION_KEY),
            (format!("{{{version}}}"), -32602, CAPABILITIES_KEY),
            (
                format!(r#"{{{version},"io.modelcontextprotocol/clientCapabilities":7}}"#),
                -32602,
                CAPABILITIES_KEY,
            ),
            (format!(r#"{{{version},{capabilities},"{CLIENT_KEY}":7}}"#), -32602, CLIENT_KEY),
            (format!(r#"{{{version},{capabilities},"{LOG_LEVEL_KEY}":"loud"}}"#), -32602, LOG_LEVEL_KEY),
        ] {
            let error = error(&meta);
            assert!(error.code == code && error.message.contains(named), "{meta}: {error}");
        }
        let unknown = error(&format!(r#"{{"{VERSION_KEY}":"v9",{capabilities}}}"#));
        assert_eq!(unknown.code, -32022);
        let data = unknown.data.unwrap();
        assert!(data.as_str().starts_with(r#"{"supported":["2026-07-28","2025-11-25","#), "{data}");
        assert!(data.as_str().ends_with(r#","requested":"v9"}"#), "{data}");
    }
}
