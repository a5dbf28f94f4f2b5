//! Completes results with the members that every result of a stateless revision has.

use super::SERVER_INFO_KEY;
use crate::{
    json::{RawJson, RawObject},
    mcp::{CacheHint, Implementation, ResultType},
};

/// The completion of results with the members that every result of a stateless revision has: `resultType`, the server's name
/// and version, and the cache hint.
#[derive(Debug, Clone)]
pub struct Completion {
    /// The members to put at the end of a result that has no `_meta`.
    meta: Vec<u8>,
    server_info: RawJson,
}

impl Completion {
    /// Creates the completion for the results of a server.
    #[must_use]
    pub fn new(server: &Implementation) -> Self {
        // Only strings, which always serialize.
        let server_info = RawJson::from_value(server).unwrap_or_else(|_| RawJson::empty_object());
        let meta = format!(r#""_meta":{{"{SERVER_INFO_KEY}":{server_info}}}"#).into_bytes();
        Self { meta, server_info }
    }

    /// Adds the members that a result does not have yet. The hint is only added to an answer, not to a round of input.
    #[must_use]
    pub fn complete(&self, result: &RawJson, hint: Option<CacheHint>) -> RawJson {
        let says = |key: &str| result.may_hold(key);
        if says("resultType") || says("_meta") || says("ttlMs") || says("cacheScope") || !result.is_object() {
            return self.complete_by_member(result, hint);
        }
        // None of the keys occurs in the text, so the members are appended without parsing the result.
        let text = result.as_bytes();
        let rest = text[1..].trim_ascii_start();
        let mut out = Vec::with_capacity(text.len() + self.meta.len() + 80);
        out.extend_from_slice(br#"{"resultType":"complete","#);
        if let Some(hint) = hint {
            let (ttl, scope) = (millis(hint), hint.scope);
            out.extend_from_slice(format!(r#""ttlMs":{ttl},"cacheScope":"{scope}","#).as_bytes());
        }
        out.extend_from_slice(&self.meta);
        if rest != b"}" {
            out.push(b',');
        }
        out.extend_from_slice(rest);
        RawJson::from_checked(out.into())
    }

    fn complete_by_member(&self, result: &RawJson, hint: Option<CacheHint>) -> RawJson {
        let Ok(mut object) = RawObject::from_json(result) else { return result.clone() };
        if object.get("resultType").is_none() {
            object.insert("resultType", RawJson::string(ResultType::Complete.as_str()));
        }
        let is_answer = object.get("resultType").is_some_and(|kind| kind.as_str() == r#""complete""#);
        if let Some(hint) = hint.filter(|_| is_answer) {
            if object.get("ttlMs").is_none() {
                object.insert("ttlMs", number(millis(hint)));
            }
            if object.get("cacheScope").is_none() {
                object.insert("cacheScope", RawJson::string(hint.scope.as_str()));
            }
        }
        let mut meta = object.object("_meta").unwrap_or_default();
        if meta.get(SERVER_INFO_KEY).is_none() {
            meta.insert(SERVER_INFO_KEY, self.server_info.clone());
            object.insert("_meta", meta.to_json());
        }
        object.to_json()
    }
}

fn millis(hint: CacheHint) -> u64 {
    u64::try_from(hint.ttl.as_millis()).unwrap_or(u64::MAX)
}

fn number(number: u64) -> RawJson {
    RawJson::from_checked(number.to_string().into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn complete(text: &str, hint: Option<CacheHint>) -> String {
        let completion = Completion::new(&Implementation::new("s", "1"));
        completion.complete(&RawJson::parse(text.to_owned()).unwrap(), hint).to_string()
    }

    const INFO: &str = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;

    #[test]
    fn missing_members_of_a_result_are_added() {
        let hint = Some(CacheHint::public(Duration::from_secs(2)));
        assert_eq!(complete("{ }", None), format!(r#"{{"resultType":"complete",{INFO}}}"#));
        assert_eq!(
            complete(r#"{"n":1e500}"#, hint),
            format!(r#"{{"resultType":"complete","ttlMs":2000,"cacheScope":"public",{INFO},"n":1e500}}"#)
        );
    }

    #[test]
    fn existing_members_of_a_result_stay() {
        let hint = Some(CacheHint::NONE);
        let own = r#"{"ttlMs":5,"cacheScope":"public","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":1}}"#;
        assert_eq!(complete(own, hint), own);
        let asks = complete(r#"{"resultType":"input_required"}"#, hint);
        assert!(!asks.contains("ttlMs") && asks.contains("serverInfo"), "{asks}");
        let nested = complete(r#"{"content":[{"_meta":{}}]}"#, hint);
        for key in [r#""resultType":"complete""#, r#""ttlMs":0"#, r#""cacheScope":"private""#, INFO] {
            assert!(nested.contains(key), "{nested}");
        }
    }
}
