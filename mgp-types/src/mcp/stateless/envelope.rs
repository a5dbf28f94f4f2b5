//! The members of `_meta` in which each request of a stateless revision describes its client.

use crate::{
    json::{RawJson, RawObject, slices},
    mcp::{ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion},
    rpc::ErrorObject,
};

/// The key in a request's `_meta` under which a client names its revision.
pub const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
/// The key in a result's `_meta` under which a server names itself.
pub const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// The key in a notification's `_meta` that names the `subscriptions/listen` request that the notification belongs to.
pub const SUBSCRIPTION_ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";
/// The start of each of these keys, with its quote.
const KEY_START: &[u8] = b"\"io.modelcontextprotocol/";
/// The keys in `_meta` that are valid only for one connection.
const KEYS: [&str; 6] =
    [VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY, SERVER_INFO_KEY, SUBSCRIPTION_ID_KEY];

/// The description of its client that each request of a stateless revision carries in `_meta`.
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
    /// The client's capabilities.
    pub capabilities: ClientCapabilities,
    /// The client's name and version, as it states them. Not to be trusted, and optional.
    pub client_info: Option<Implementation>,
    /// The least severity of the log messages that the client requests; if absent, none are sent.
    pub log_level: Option<LoggingLevel>,
}

impl RequestEnvelope {
    /// Returns the revision that a request names. Only requests of a stateless revision name one.
    #[must_use]
    pub fn version_in(params: &RawObject) -> Option<RawJson> {
        EnvelopeMembers::of(params).map(|members| members.version)
    }

    /// Reads the envelope from a request's params.
    ///
    /// # Errors
    /// -32602 if a member is missing or has another form, and -32022 for a revision that is not a stateless one known here.
    pub fn read(params: &RawObject) -> Result<Self, ErrorObject> {
        let members = EnvelopeMembers::of(params);
        members.ok_or_else(|| missing(VERSION_KEY, "of an MCP revision"))?.read()
    }

    /// Writes the envelope into a request's params; the rest of `_meta` is unchanged. To write the same envelope often,
    /// keep its [`members`](Self::members).
    pub fn write(&self, params: &mut RawObject) {
        self.members().write(params);
    }

    /// Returns the envelope as it is written.
    #[must_use]
    pub fn members(&self) -> EnvelopeMembers {
        EnvelopeMembers {
            version: RawJson::string(self.version.as_str()),
            capabilities: Some(self.capabilities.0.to_json()),
            // Only strings and raw JSON, which always serialize.
            client_info: self.client_info.as_ref().and_then(|info| RawJson::from_value(info).ok()),
            log_level: self.log_level.map(|level| RawJson::string(level.as_str())),
        }
    }

    /// Removes from a method's result the members with which a server of a stateless revision describes itself and the
    /// result. A forwarder replaces them with its own, or leaves them out.
    pub fn strip_result(method: &str, result: &mut RawObject) {
        result.remove("resultType");
        result.remove("requestState");
        // In a task, these keys have another meaning.
        if !method.starts_with("tasks/") {
            for key in ["ttlMs", "cacheScope", "inputRequests"] {
                result.remove(key);
            }
        }
        Self::strip(result);
    }

    /// Removes the envelope from params that are forwarded to another peer, together with the other members of `_meta` that are valid only
    /// for one connection. A `_meta` that is then empty is removed, too.
    pub fn strip(params: &mut RawObject) {
        params.edit("_meta", |meta| KEYS.iter().filter(|key| meta.remove(key).is_some()).count() > 0);
    }
}

/// A [`RequestEnvelope`] as it is written. Most requests of a client carry the same envelope, byte for byte: a server
/// that has read it once need not read it again, and a client need not compose it again.
///
/// ```
/// use mgp_types::{json::RawObject, mcp::stateless::EnvelopeMembers};
/// let params = |id| {
///     RawObject::parse(format!(
///         r#"{{"_meta":{{"progressToken":{id},"io.modelcontextprotocol/protocolVersion":"2026-07-28",
///             "io.modelcontextprotocol/clientCapabilities":{{}}}}}}"#,
///     ))
/// };
/// assert_eq!(EnvelopeMembers::of(&params(1)?), EnvelopeMembers::of(&params(2)?));
/// assert!(EnvelopeMembers::of(&RawObject::new()).is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeMembers {
    version: RawJson,
    capabilities: Option<RawJson>,
    client_info: Option<RawJson>,
    log_level: Option<RawJson>,
}

/// The end of a `_meta`, which holds the whole envelope and nothing else, as an object. Most requests of a client end in the same bytes, and
/// differ only in the members before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeTail(RawJson);

impl EnvelopeTail {
    /// Returns the end of a request's `_meta`, or `None` if other members follow the envelope. It shares nothing with the request.
    #[must_use]
    pub fn of(params: &RawObject) -> Option<Self> {
        let meta = params.get("_meta")?.as_bytes();
        let tail = &meta[memchr::memmem::find(meta, KEY_START)?..];
        let envelope = RawJson::parse([b"{", tail].concat()).ok()?;
        let is_pure = RawObject::from_json(&envelope).ok()?.iter().all(|(key, _)| KEYS.contains(&key));
        let tail = Self(envelope);
        (is_pure && tail.is_in(params)).then_some(tail)
    }

    /// Returns whether a request has exactly this envelope.
    #[must_use]
    pub fn is_in(&self, params: &RawObject) -> bool {
        let meta = params.get("_meta").map(RawJson::as_bytes);
        let Some(start) = meta.and_then(|meta| meta.strip_suffix(&self.0.as_bytes()[1..])) else {
            return false;
        };
        // A key follows the start, in which a comma therefore follows each member, or it cannot be cut.
        let Some(keys) = slices::keys_before_key(start) else { return false };
        let is_new = |(i, key): (usize, &&[u8])| !keys[..i].contains(key);
        let is_other = |key: &&[u8]| KEYS.iter().all(|known| known.as_bytes() != *key);
        keys.iter().enumerate().all(is_new) && keys.iter().all(is_other)
    }
}

impl EnvelopeMembers {
    /// Returns the members of a request, or `None` if the request names no revision and so belongs to a revision with
    /// `initialize`.
    #[must_use]
    pub fn of(params: &RawObject) -> Option<Self> {
        // Most requests of the other revisions have members in `_meta`, too, and are not read for nothing.
        let meta = params.get("_meta").filter(|meta| meta.may_hold(VERSION_KEY))?;
        let meta = RawObject::from_json(meta).ok()?;
        Some(Self {
            version: meta.get(VERSION_KEY)?.clone(),
            capabilities: meta.get(CAPABILITIES_KEY).cloned(),
            client_info: meta.get(CLIENT_KEY).cloned(),
            log_level: meta.get(LOG_LEVEL_KEY).cloned(),
        })
    }

    /// Returns the revision that the request names, known or not, or `None` if the member is not a string.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        self.version.to_text()
    }

    /// Reads the envelope.
    ///
    /// # Errors
    /// -32602 if a member is missing or has another form, and -32022 for a revision that is not a stateless one known here.
    pub fn read(&self) -> Result<RequestEnvelope, ErrorObject> {
        let version = self.version().ok_or_else(|| {
            invalid(VERSION_KEY, &format!("expected a string, found {}", self.version.kind_without_text()))
        })?;
        let version = match version.parse::<ProtocolVersion>() {
            Ok(known) if known.is_stateless() => known,
            _ => return Err(ProtocolVersion::unsupported(&version, &ProtocolVersion::LATEST_FIRST, true)),
        };
        let capabilities =
            self.capabilities.as_ref().ok_or_else(|| missing(CAPABILITIES_KEY, "that is an object"))?;
        let capabilities = RawObject::from_json(capabilities)
            .map_err(|error| invalid(CAPABILITIES_KEY, &error.to_string()))?;
        Ok(RequestEnvelope {
            version,
            capabilities: ClientCapabilities(capabilities),
            client_info: read_member(self.client_info.as_ref(), CLIENT_KEY)?,
            log_level: read_member(self.log_level.as_ref(), LOG_LEVEL_KEY)?,
        })
    }

    /// Returns a copy that shares nothing with the request that the members were read from. Use it to keep them: a
    /// share would keep the whole request in memory.
    #[must_use]
    pub fn detached(&self) -> Self {
        Self {
            version: self.version.detached(),
            capabilities: self.capabilities.as_ref().map(RawJson::detached),
            client_info: self.client_info.as_ref().map(RawJson::detached),
            log_level: self.log_level.as_ref().map(RawJson::detached),
        }
    }

    /// Returns the members as an object.
    #[must_use]
    pub fn to_json(&self) -> RawJson {
        let mut members = RawObject::new();
        self.write_to(&mut members);
        members.to_json()
    }

    /// Writes the members into a request's params; the rest of `_meta` is unchanged.
    pub fn write(&self, params: &mut RawObject) {
        params.edit("_meta", |meta| {
            self.write_to(meta);
            true
        });
    }

    fn write_to(&self, meta: &mut RawObject) {
        meta.insert(VERSION_KEY, self.version.clone());
        for (key, value) in [
            (CAPABILITIES_KEY, &self.capabilities),
            (CLIENT_KEY, &self.client_info),
            (LOG_LEVEL_KEY, &self.log_level),
        ] {
            if let Some(value) = value {
                meta.insert(key, value.clone());
            }
        }
    }
}

fn read_member<T: serde::de::DeserializeOwned>(
    value: Option<&RawJson>,
    key: &str,
) -> Result<Option<T>, ErrorObject> {
    value.map(RawJson::decode).transpose().map_err(|error| invalid(key, &error.to_string()))
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
    fn an_envelope_survives_and_can_be_removed() {
        let params = RawObject::parse(FULL).unwrap();
        let envelope = RequestEnvelope::read(&params).unwrap();
        assert_eq!(envelope.log_level, Some(LoggingLevel::Error));
        let mut other = RawObject::parse(r#"{"name":"a","_meta":{"x":1}}"#).unwrap();
        envelope.write(&mut other);
        assert_eq!(other.to_json(), params.to_json());
        RequestEnvelope::strip(&mut other);
        assert_eq!(other.to_json().as_str(), r#"{"name":"a","_meta":{"x":1}}"#);
        let said = r#"{"a":1,"resultType":"input_required","ttlMs":1,"cacheScope":"public","inputRequests":{},"requestState":"s","_meta":{"io.modelcontextprotocol/serverInfo":{},"io.modelcontextprotocol/subscriptionId":1}}"#;
        let stripped = |method| {
            let mut said = RawObject::parse(said).unwrap();
            RequestEnvelope::strip_result(method, &mut said);
            said.to_json().to_string()
        };
        assert_eq!(stripped("tools/call"), r#"{"a":1}"#);
        assert_eq!(stripped("tasks/get"), r#"{"a":1,"ttlMs":1,"cacheScope":"public","inputRequests":{}}"#);
        assert!(
            RequestEnvelope::version_in(&params).is_some() && RequestEnvelope::version_in(&other).is_none()
        );
    }

    #[test]
    fn an_equal_end_of_meta_is_the_same_envelope() {
        let params = |meta: &str| RawObject::parse(format!(r#"{{"_meta":{meta}}}"#)).unwrap();
        let envelope = format!(r#""{VERSION_KEY}":"2026-07-28","{CAPABILITIES_KEY}":{{"roots":{{}}}}}}"#);
        let tail = EnvelopeTail::of(&params(&format!(r#"{{"x":1,{envelope}"#))).unwrap();
        let names_it = format!(r#"{{"x":["{VERSION_KEY}"],"#);
        for start in ["{", r#"{"y":[{"x":1}] , "#, r#"{"x":"\"","y":2,"#, &names_it] {
            assert!(tail.is_in(&params(&format!("{start}{envelope}"))), "{start}");
        }
        for other in [
            format!(r#"{{"x":1,"x":2,{envelope}"#),
            format!(r#"{{"{LOG_LEVEL_KEY}":"debug",{envelope}"#),
            format!(r#"{{"io.modelcontextprotocol\/logLevel":"debug",{envelope}"#),
            format!(r#"{{"x":{{{envelope}}}"#),
            format!(r#"{{"x":{{"y":1,{envelope}}}"#),
            format!(r#"{{"x\{envelope}"#),
            format!(r#"{{{},"y":1}}"#, envelope.strip_suffix('}').unwrap()),
            envelope.replace("roots", "sampling").replacen('"', r#"{""#, 1),
            r#"{"x":1}"#.to_owned(),
        ] {
            assert!(!tail.is_in(&params(&other)), "{other}");
        }
        for other in [format!(r#"{{{},"y":1}}"#, envelope.strip_suffix('}').unwrap()), "{}".to_owned()] {
            assert_eq!(EnvelopeTail::of(&params(&other)), None, "{other}");
        }
    }

    #[test]
    fn a_missing_or_wrong_member_is_named() {
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
