//! What a host gets of what a server says: nothing of MGP where it speaks none, and nothing that holds between the server and the
//! kernel alone.

use mgp_transport::seam::Session;
use mgp_types::{
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
    pub(crate) fn result(self, method: &str, result: RawResult, from_stateless: bool) -> RawResult {
        let says =
            from_stateless || result.may_hold("resultType") || self.stateless && says_of_itself(&result);
        let object = if says { RawObject::from_json(&result).ok() } else { None };
        self.read_result(method, result, object)
    }

    /// A result that is taken apart already, where it is to be cleaned of what only results of stateless revisions say.
    pub(super) fn read_result(self, method: &str, result: RawResult, object: Option<RawObject>) -> RawResult {
        let holds_mgp = !self.mgp && result.may_hold("mgp");
        match object {
            Some(mut object) => {
                RequestEnvelope::strip_result(method, &mut object);
                if holds_mgp {
                    mgp_member::strip(&mut object);
                }
                object.to_json()
            }
            None if holds_mgp => self.object(&result),
            None => result,
        }
    }

    /// The result of a tool that ran as a task.
    pub(crate) fn tool_result(self, result: RawResult, from_stateless: bool) -> RawResult {
        // Only of methods about tasks it matters which one it was.
        self.result("", result, from_stateless)
    }

    /// A task, which its host must see to be one.
    pub(crate) fn task(self, result: &RawResult) -> RawResult {
        self.object(result)
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
        error.data = error.data.map(|data| self.entry(&data));
        error
    }

    /// The params of a notification.
    pub(crate) fn params(self, params: RawParams) -> RawParams {
        match params.get() {
            Some(json) if may_hold_any(json) => self.object(json).into(),
            _ => params,
        }
    }

    /// An entry of a list, or the data of an error.
    pub(crate) fn entry(self, definition: &RawJson) -> RawJson {
        if may_hold_any(definition) { self.object(definition) } else { definition.clone() }
    }

    fn object(self, json: &RawJson) -> RawJson {
        let Ok(mut object) = RawObject::from_json(json) else { return json.clone() };
        if !self.mgp {
            mgp_member::strip(&mut object);
        }
        RequestEnvelope::strip(&mut object);
        object.to_json()
    }
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
