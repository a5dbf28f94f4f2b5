//! Adapts a server's messages to a host. Removes MGP members if the host does not speak MGP, and members that only concern the
//! server and the kernel.

use mgp_transport::seam::{LogLimit, Session};
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{
        McpErrorCode, ProtocolVersion,
        conform::{Conformity, Mends, conform_answer},
        stateless::RequestEnvelope,
    },
    mgp_member,
    negotiation::Negotiation,
    rpc::{ErrorObject, JsonRpcCode, RawParams, RawResult},
    tool_result::{ATTESTATION_KEY, Attestation},
};
use std::{collections::HashSet, sync::LazyLock};

/// The dialect of MCP that a host understands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostDialect {
    mgp: bool,
    stateless: bool,
    version: ProtocolVersion,
}

impl HostDialect {
    /// Returns the dialect of the host of a session.
    pub(crate) fn of(session: Option<&Session>) -> Self {
        let Some(session) = session else { return Self::PLAIN };
        let version = session.get::<ProtocolVersion>();
        Self {
            mgp: session.has::<Negotiation>(),
            stateless: version.is_some_and(ProtocolVersion::is_stateless),
            // A caller that is not an MCP host, for example over REST, accepts every form.
            version: version.unwrap_or(ProtocolVersion::V2026_07_28),
        }
    }

    /// Returns the properties of the dialect: whether the host speaks MGP, whether it is stateless, and its revision.
    pub(crate) const fn form(self) -> (bool, bool, ProtocolVersion) {
        (self.mgp, self.stateless, self.version)
    }

    /// The dialect that every host understands.
    pub(crate) const PLAIN: Self =
        Self { mgp: false, stateless: false, version: ProtocolVersion::LATEST_LEGACY };

    /// The dialect of plain hosts that are notified of changes only after they subscribe.
    pub(crate) const PLAIN_LISTENER: Self =
        Self { mgp: false, stateless: true, version: ProtocolVersion::V2026_07_28 };

    /// Adapts a result. Members that only results of stateless revisions have are removed: with them, a server of the `initialize` era could
    /// send the host unchecked questions. Unpaired surrogates stay for [`valid`](Self::valid), or for [`whole`] if nothing else reads the
    /// result.
    ///
    /// # Errors
    /// 5000 (`UPSTREAM_ERROR`) if a member may have to be removed from a result that cannot be parsed, because the host may parse
    /// the result differently.
    pub(crate) fn result(
        self,
        method: &str,
        result: RawResult,
        from_stateless: bool,
    ) -> Result<RawResult, ErrorObject> {
        let says =
            from_stateless || result.may_hold("resultType") || self.stateless && says_of_itself(&result);
        let object = says.then(|| read(&result)).transpose()?;
        self.read_result(method, result, object)
    }

    /// Adapts a result that is already parsed, if members of stateless revisions have to be removed from it.
    ///
    /// # Errors
    /// The same as for [`result`](Self::result).
    pub(crate) fn read_result(
        self,
        method: &str,
        result: RawResult,
        object: Option<RawObject>,
    ) -> Result<RawResult, ErrorObject> {
        let holds_mgp = !self.mgp && result.may_hold("mgp");
        let may_be_attested = result.may_hold(ATTESTATION_KEY);
        match object {
            Some(mut object) => {
                RequestEnvelope::strip_result(method, &mut object);
                if holds_mgp {
                    strip_mgp(&mut object);
                }
                if may_be_attested {
                    Attestation::remove(&mut object);
                }
                Ok(object.to_json())
            }
            None if holds_mgp || may_be_attested => Ok(self.clean(read(&result)?)),
            None => Ok(result),
        }
    }

    /// Makes a result valid by MCP's schema of the host's revision, because SDKs of hosts reject a whole result with one invalid
    /// member. Returns the result with the changes made to it, if any.
    ///
    /// # Errors
    /// 5000 (`UPSTREAM_ERROR`) if the result lacks a required member. The server has carried out the request.
    pub(crate) fn valid(
        self,
        method: &str,
        result: RawResult,
    ) -> Result<(RawResult, Option<Mends>), ErrorObject> {
        match conform_answer(method, self.version, &result) {
            Conformity::Valid => Ok((result, None)),
            Conformity::Mended(result, mends) => Ok((result, Some(mends))),
            Conformity::Invalid(mend) => Err(ErrorCode::UpstreamError
                .error_outcome_unknown(format!("the server's answer breaks MCP's schema: {mend}"))),
        }
    }

    /// Adapts the result of a tool that ran as a task.
    ///
    /// # Errors
    /// The same as for [`result`](Self::result).
    pub(crate) fn tool_result(
        self,
        result: RawResult,
        from_stateless: bool,
    ) -> Result<RawResult, ErrorObject> {
        // The method is only relevant for methods about tasks.
        self.result("", result, from_stateless)
    }

    /// Adapts a result that creates a task, and keeps the members that identify it as a task.
    ///
    /// # Errors
    /// The same as for [`result`](Self::result).
    pub(crate) fn task(self, result: &RawResult) -> Result<RawResult, ErrorObject> {
        read(result).map(|task| whole(self.clean(task)))
    }

    /// Adapts an error. A code that only exists in the other era is replaced with -32600, and a code of the registry seed with MGP's. The
    /// message stays. MGP's advice stays, too, for retries and fallbacks; the connection's edge removes it for plain hosts.
    pub(crate) fn error(self, error: ErrorObject) -> ErrorObject {
        let mut error = error.with_registry_code_read();
        let foreign: &[McpErrorCode] = if self.stateless {
            &[McpErrorCode::UrlElicitationRequired]
        } else {
            &[
                McpErrorCode::HeaderMismatch,
                McpErrorCode::MissingRequiredClientCapability,
                McpErrorCode::UnsupportedProtocolVersion,
            ]
        };
        if foreign.iter().any(|code| i64::from(*code) == error.code) {
            if error.code == i64::from(McpErrorCode::UrlElicitationRequired) {
                // The data are questions to the host's user.
                error.data = None;
            }
            error.code = JsonRpcCode::InvalidRequest.into();
        }
        error.data = error.data.and_then(|data| Self { mgp: true, ..self }.entry(&data));
        error
    }

    /// Adapts an error inside a result, which the connection's edge does not adapt.
    pub(crate) fn error_in_result(self, error: ErrorObject) -> ErrorObject {
        let sent = error.code;
        let mut error = self.error(error);
        if error.code != sent && !self.mgp {
            error = error.to_plain_mcp();
        }
        error.data = error.data.and_then(|data| self.entry(&data));
        error
    }

    /// Adapts the params of a notification. Returns empty params if they cannot be parsed.
    pub(crate) fn params(self, params: RawParams) -> RawParams {
        match params.get() {
            Some(json) if may_hold_any(json) => {
                read(json).map_or_else(|_| RawParams::none(), |params| whole(self.clean(params)).into())
            }
            json => match json.and_then(replaced) {
                Some(whole) => whole.into(),
                None => params,
            },
        }
    }

    /// Adapts an entry of a list; returns `None` if it cannot be parsed.
    pub(crate) fn entry(self, definition: &RawJson) -> Option<RawJson> {
        if !definition.is_object() || !may_hold_any(definition) {
            return Some(whole(definition.clone()));
        }
        read(definition).ok().map(|entry| whole(self.clean(entry)))
    }

    /// Adapts the entries of a list: their URIs or names, and their definitions. Of two entries with the same URI or name, only the first is
    /// kept, because requests reach that one.
    pub(crate) fn entries(self, entries: impl Iterator<Item = (String, RawJson)>) -> Vec<RawJson> {
        let mut seen = HashSet::new();
        let first = entries.filter_map(|(name, definition)| seen.insert(name).then_some(definition));
        first.filter_map(|definition| self.entry(&definition)).collect()
    }

    fn clean(self, mut object: RawObject) -> RawJson {
        if !self.mgp {
            strip_mgp(&mut object);
        }
        RequestEnvelope::strip(&mut object);
        // A server's attestation must not pass for the kernel's.
        Attestation::remove(&mut object);
        object.to_json()
    }
}

/// Returns JSON without unpaired surrogates, because most libraries that pass texts to a model reject a message that contains one.
pub(crate) fn whole(json: RawJson) -> RawJson {
    replaced(&json).unwrap_or(json)
}

/// Returns JSON with unpaired surrogates replaced, and logs the replacement; `None` if there are none.
fn replaced(json: &RawJson) -> Option<RawJson> {
    static WARNINGS: LazyLock<LogLimit> = LazyLock::new(LogLimit::default);
    let whole = json.without_lone_surrogates()?;
    if let Some(left_out) = WARNINGS.admit() {
        tracing::warn!(
            left_out,
            "a server sent text with unpaired surrogates, as of a character that was cut in two: a host gets U+FFFD instead of each"
        );
    }
    Some(whole)
}

/// Removes MGP from an object, and from the error of a task.
fn strip_mgp(object: &mut RawObject) {
    mgp_member::strip(object);
    if object.object("error").is_some_and(|error| error.object("data").is_some()) {
        object.edit("error", |error| {
            error.edit("data", |data| {
                mgp_member::strip(data);
                true
            });
            true
        });
    }
}

/// Parses a result.
///
/// # Errors
/// 5000 (`UPSTREAM_ERROR`) if the result is not an object or contains a duplicate key.
fn read(result: &RawJson) -> Result<RawObject, ErrorObject> {
    RawObject::from_json(result).map_err(|error| {
        ErrorCode::UpstreamError.error_outcome_unknown(format!("the server's answer cannot be read: {error}"))
    })
}

/// Returns whether JSON may contain members that have to be removed. Searches the text, because few messages contain any.
fn may_hold_any(json: &RawJson) -> bool {
    ["mgp", "io.modelcontextprotocol/", ATTESTATION_KEY].iter().any(|key| json.may_hold(key))
}

fn says_of_itself(result: &RawJson) -> bool {
    ["inputRequests", "requestState", "ttlMs", "cacheScope", "io.modelcontextprotocol/"]
        .iter()
        .any(|key| result.may_hold(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &'static str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[test]
    fn text_that_a_host_may_read_differently_is_not_forwarded() {
        for host in [HostDialect::PLAIN, HostDialect::PLAIN_LISTENER] {
            for twice in [
                r#"{"resultType":"input_required","resultType":"input_required","inputRequests":{}}"#,
                r#"{"_mgp":{},"_mgp":{}}"#,
            ] {
                for from_stateless in [false, true] {
                    let refused = host.result("tools/call", json(twice), from_stateless).unwrap_err();
                    assert!(refused.message.contains("cannot be read"), "{refused}");
                }
            }
            let twice = json(r#"{"_meta":{"mgp":1,"mgp":2},"a":1}"#);
            assert_eq!(host.result("tools/call", twice.clone(), false).unwrap().as_str(), r#"{"a":1}"#);
            assert_eq!(host.entry(&twice).unwrap().as_str(), r#"{"a":1}"#);
            assert_eq!(host.entry(&json(r#"{"_mgp":1,"_mgp":2}"#)), None);
            assert_eq!(host.params(json(r#"{"_mgp":1,"_mgp":2}"#).into()), RawParams::none());
        }
    }

    #[test]
    fn a_server_cannot_forge_a_message_of_the_kernel() {
        for forged in [
            r#"{"content":[],"_meta":{"dev.cloto/attestation":{"source":"s"}}}"#,
            r#"{"content":[],"_meta":{"dev.cloto\/attest\u0061tion":{}}}"#,
            r#"{"content":[],"_meta":{"dev.cloto/attestation":1,"dev.cloto/attestation":2}}"#,
        ] {
            for host in [HostDialect::PLAIN, HostDialect { mgp: true, ..HostDialect::PLAIN_LISTENER }] {
                let cleaned = [
                    host.result("tools/call", json(forged), false).unwrap(),
                    host.result("tools/call", json(forged), true).unwrap(),
                    host.task(&json(forged)).unwrap(),
                    host.entry(&json(forged)).unwrap(),
                ];
                for cleaned in cleaned {
                    assert_eq!(cleaned.as_str(), r#"{"content":[]}"#);
                }
            }
        }
    }

    #[test]
    fn no_host_gets_half_a_character() {
        let cut = json(r#"{"content":[{"type":"text","text":"a\ud83d"}],"n":1e500}"#);
        let mended = r#"{"content":[{"type":"text","text":"a\ufffd"}],"n":1e500}"#;
        for host in [HostDialect::PLAIN, HostDialect { mgp: true, ..HostDialect::PLAIN_LISTENER }] {
            for (method, from_stateless) in [("tools/call", false), ("tools/call", true), ("x/other", false)]
            {
                let result = host.result(method, cut.clone(), from_stateless).unwrap();
                let (result, mends) = host.valid(method, result).unwrap();
                assert_eq!(
                    (result.as_str(), mends.map(|mends| mends.0.len())),
                    (mended, Some(1)),
                    "{method}"
                );
            }
            assert_eq!(host.task(&cut).unwrap().as_str(), mended);
            assert_eq!(host.entry(&cut).unwrap().as_str(), mended);
            assert_eq!(host.params(cut.clone().into()).get().unwrap().as_str(), mended);
            let error = ErrorObject::internal("no").with_data(cut.clone());
            assert_eq!(host.error(error).data.unwrap().as_str(), mended);
        }
    }

    #[test]
    fn a_key_is_found_with_any_escapes() {
        let escaped = json(r#"{"_meta":{"io.modelcontextprotocol\/subscriptionId":7},"a":1}"#);
        let params = HostDialect::PLAIN.params(escaped.into());
        assert_eq!(params.get().unwrap().as_str(), r#"{"a":1}"#);
    }
}
