//! A kernel's attestation of the origin of a result.

use super::Confidence;
use crate::{
    json::{RawJson, RawObject},
    mcp::CallToolResult,
    tool_security::DefinitionHash,
};
use std::fmt;

/// The member of a call's `_meta` by which a host asks the kernel for an attestation: `true`.
pub const ATTEST_KEY: &str = "dev.cloto/attest";

/// The member of a result's `_meta` that holds a kernel's attestation. A kernel removes it from servers' answers, so that it is always the
/// kernel's.
pub const ATTESTATION_KEY: &str = "dev.cloto/attestation";

open_object! {
    /// A kernel's attestation of the origin of a result: the server that answered, the definition of the called tool, and the hash of the
    /// result.
    ///
    /// It does not prove that the result is true; for the server's own sources see [`Provenance`](super::Provenance).
    pub struct Attestation {
        /// The server and the tool, as `SERVER/TOOL`.
        required source: String = "source",
        /// The server's id.
        required server_id: String = "server_id",
        /// The tool's name at its server.
        required tool: String = "tool",
        /// The version that the server states.
        optional version: String = "version",
        /// The hash of the tool's definition.
        required definition: String = "definition_hash",
        /// The trace of the call in the audit trail.
        optional trace: String = "trace_id",
        /// The time at which the kernel got the result, in RFC 3339.
        required retrieved_at: String = "retrieved_at",
        /// The SHA-256 of the canonical form of [`attested_part`]: the members in the order of their keys, each string with the same escapes,
        /// and no white space.
        required sha256: String = "sha256",
        /// Always `exact`: the kernel changed nothing.
        required confidence: Confidence = "confidence",
    }
}

/// The parts of an attestation.
#[derive(Debug, Clone, Copy)]
pub struct ResultOrigin<'a> {
    /// The server's id.
    pub server_id: &'a str,
    /// The tool's name at its server.
    pub tool: &'a str,
    /// The version that the server states.
    pub version: Option<&'a str>,
    /// The hash of the tool's definition.
    pub definition: DefinitionHash,
    /// The trace of the call.
    pub trace: Option<&'a str>,
}

impl Attestation {
    /// Creates an attestation of a result with this hash, in hexadecimal digits, that was received at this time.
    #[must_use]
    pub fn new(origin: ResultOrigin<'_>, retrieved_at: impl fmt::Display, sha256: impl Into<String>) -> Self {
        let ResultOrigin { server_id, tool, version, definition, trace } = origin;
        Self {
            source: format!("{server_id}/{tool}"),
            server_id: server_id.to_owned(),
            tool: tool.to_owned(),
            version: version.map(str::to_owned),
            definition: definition.to_string(),
            trace: trace.map(str::to_owned),
            retrieved_at: retrieved_at.to_string(),
            sha256: sha256.into(),
            confidence: Confidence::Exact,
            other: RawObject::new(),
        }
    }

    /// Returns the attestation in a result, if one was requested.
    #[must_use]
    pub fn of(result: &CallToolResult) -> Option<Self> {
        let meta = result.meta.as_ref()?;
        meta.object(ATTESTATION_KEY).and_then(|attestation| Self::from_object(attestation).ok())
    }

    /// Puts the attestation into a result.
    pub fn put(&self, result: &mut RawObject) {
        // Strings always serialize.
        if let Ok(json) = RawJson::from_value(self) {
            result.edit("_meta", |meta| {
                meta.insert(ATTESTATION_KEY, json);
                true
            });
        }
    }

    /// Removes an attestation forged by a server from a result, and from the result in the report on a task. A `_meta` that holds a key twice
    /// is removed, because another reader could find an attestation in it.
    pub fn remove(result: &mut RawObject) {
        let may_hold = |object: &RawObject, key: &str| {
            object.get(key).is_some_and(|value| value.may_hold(ATTESTATION_KEY))
        };
        if may_hold(result, "_meta") {
            result.edit("_meta", |meta| {
                meta.remove(ATTESTATION_KEY);
                true
            });
        }
        if may_hold(result, "result") {
            result.edit("result", |inner| {
                Self::remove(inner);
                true
            });
        }
    }
}

/// Returns the part of a result that an attestation covers: `content`, `structuredContent` and `isError`, as far as they are present. Returns
/// `None` without the first two, because the result is then not a tool's answer.
#[must_use]
pub fn attested_part(result: &RawObject) -> Option<RawJson> {
    if result.get("content").is_none() && result.get("structuredContent").is_none() {
        return None;
    }
    let members = ["content", "structuredContent", "isError"];
    let part: RawObject = members.iter().filter_map(|key| Some((key, result.get(key)?.clone()))).collect();
    Some(part.to_json())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attestation_survives_and_a_server_s_own_is_removed() {
        let attested = ResultOrigin {
            server_id: "s",
            tool: "t",
            version: Some("1.2.3"),
            definition: DefinitionHash::new([7; 32]),
            trace: None,
        };
        let attestation = Attestation::new(attested, "2026-03-10T14:22:00Z", "ab");
        for text in [r#"{"content":[]}"#, r#"{"content":[],"_meta":{"x":1}}"#] {
            let mut result = RawObject::parse(text).unwrap();
            attestation.put(&mut result);
            let read: CallToolResult = result.to_json().decode().unwrap();
            assert_eq!(Attestation::of(&read), Some(attestation.clone()));
            let mut task = RawObject::new();
            task.insert("result", result.to_json());
            Attestation::remove(&mut result);
            assert_eq!(result.to_json().as_str(), text);
            Attestation::remove(&mut task);
            assert_eq!(task.get("result").unwrap().as_str(), text);
        }
        for forged in [
            r#"{"content":[],"_meta":{"dev.cloto/attestation":{},"dev.cloto/attestation":{}}}"#,
            r#"{"content":[],"_meta":{"dev.cloto\/attestatio\u006e":{}}}"#,
        ] {
            let mut result = RawObject::parse(forged).unwrap();
            Attestation::remove(&mut result);
            assert_eq!(result.to_json().as_str(), r#"{"content":[]}"#);
        }
    }

    #[test]
    fn the_hash_covers_content_but_not_metadata() {
        let part = |text: &'static str| attested_part(&RawObject::parse(text).unwrap());
        let whole = part(r#"{"_meta":{"a":1},"isError":true,"content":[1],"_mgp":{}}"#).unwrap();
        assert_eq!(whole.as_str(), r#"{"content":[1],"isError":true}"#);
        assert_eq!(part(r#"{"resultType":"input_required"}"#), None);
    }
}
