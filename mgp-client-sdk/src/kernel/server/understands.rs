//! What a host gets of what a server says: nothing of MGP where it speaks none, and nothing that holds between the server and the
//! kernel alone.

use mgp_transport::seam::Session;
use mgp_types::{
    error::ErrorCode,
    json::{RawJson, RawObject},
    mcp::{McpErrorCode, ProtocolVersion, stateless::RequestEnvelope},
    mgp_member,
    negotiation::Negotiated,
    rpc::{ErrorObject, JsonRpcCode, RawParams, RawResult},
};

/// What a host understands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Understands {
    mgp: bool,
    stateless: bool,
}

impl Understands {
    /// What the host of a session does.
    pub(crate) fn of(session: &Session) -> Self {
        let version = session.get::<ProtocolVersion>();
        Self {
            mgp: session.has::<Negotiated>(),
            stateless: version.is_some_and(ProtocolVersion::is_stateless),
        }
    }

    /// What every host does.
    pub(crate) const PLAIN: Self = Self { mgp: false, stateless: false };

    /// What every host of a stateless revision does.
    pub(crate) const PLAIN_STATELESS: Self = Self { mgp: false, stateless: true };

    /// A result. What only results of stateless revisions say of themselves is taken out whoever said it: a server with
    /// `initialize` could ask the host by it, past all that its questions pass.
    ///
    /// # Errors
    /// 5002 (`UPSTREAM_ERROR`) where something may have to be taken out of a result that cannot be taken apart: its host may read it in
    /// another way.
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

    /// A result that is taken apart already, where it is to be cleaned of what only results of stateless revisions say.
    ///
    /// # Errors
    /// As those of [`result`](Self::result).
    pub(super) fn read_result(
        self,
        method: &str,
        result: RawResult,
        object: Option<RawObject>,
    ) -> Result<RawResult, ErrorObject> {
        let holds_mgp = !self.mgp && result.may_hold("mgp");
        match object {
            Some(mut object) => {
                RequestEnvelope::strip_result(method, &mut object);
                if holds_mgp {
                    mgp_member::strip(&mut object);
                }
                Ok(object.to_json())
            }
            None if holds_mgp => Ok(self.clean(read(&result)?)),
            None => Ok(result),
        }
    }

    /// The result of a tool that ran as a task.
    ///
    /// # Errors
    /// As those of [`result`](Self::result).
    pub(crate) fn tool_result(
        self,
        result: RawResult,
        from_stateless: bool,
    ) -> Result<RawResult, ErrorObject> {
        // Only of methods about tasks it matters which one it was.
        self.result("", result, from_stateless)
    }

    /// A task, which its host must see to be one.
    ///
    /// # Errors
    /// As those of [`result`](Self::result).
    pub(crate) fn task(self, result: &RawResult) -> Result<RawResult, ErrorObject> {
        read(result).map(|task| self.clean(task))
    }

    /// An error. A code that only the other era has is said in words.
    pub(crate) fn error(self, mut error: ErrorObject) -> ErrorObject {
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
                // What its user would be asked.
                error.data = None;
            }
            error.code = JsonRpcCode::InvalidRequest.into();
        }
        error.data = error.data.and_then(|data| self.entry(&data));
        error
    }

    /// The params of a notification; none where they cannot be taken apart.
    pub(crate) fn params(self, params: RawParams) -> RawParams {
        match params.get() {
            Some(json) if may_hold_any(json) => {
                read(json).map_or_else(|_| RawParams::none(), |params| self.clean(params).into())
            }
            _ => params,
        }
    }

    /// An entry of a list, or the data of an error; `None` where it cannot be taken apart.
    pub(crate) fn entry(self, definition: &RawJson) -> Option<RawJson> {
        if !definition.is_object() || !may_hold_any(definition) {
            return Some(definition.clone());
        }
        read(definition).ok().map(|entry| self.clean(entry))
    }

    fn clean(self, mut object: RawObject) -> RawJson {
        if !self.mgp {
            mgp_member::strip(&mut object);
        }
        RequestEnvelope::strip(&mut object);
        object.to_json()
    }
}

/// Takes a result apart.
///
/// # Errors
/// 5002 (`UPSTREAM_ERROR`), where it is no object or holds a key twice.
pub(super) fn read(result: &RawJson) -> Result<RawObject, ErrorObject> {
    RawObject::from_json(result).map_err(|error| {
        ErrorCode::UpstreamError.error_outcome_unknown(format!("the server's answer cannot be read: {error}"))
    })
}

/// Looked for as text, because few hold any of it.
fn may_hold_any(json: &RawJson) -> bool {
    json.may_hold("mgp") || json.may_hold("io.modelcontextprotocol/")
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
    fn what_its_host_may_read_in_another_way_is_not_forwarded() {
        for host in [Understands::PLAIN, Understands::PLAIN_STATELESS] {
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
    fn a_key_is_found_however_it_is_written() {
        let escaped = json(r#"{"_meta":{"io.modelcontextprotocol\/subscriptionId":7},"a":1}"#);
        let params = Understands::PLAIN.params(escaped.into());
        assert_eq!(params.get().unwrap().as_str(), r#"{"a":1}"#);
    }
}
