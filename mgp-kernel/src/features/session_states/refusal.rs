//! Answers with which a server rejects the token of a session: errors, and results of failed tools.

use crate::ground::answer_details::has_kernel_text;
use mgp_transport::seam::{CallRecord, Reply};
use mgp_types::{
    json::RawObject,
    mcp::CallToolResult,
    rpc::{ErrorObject, JsonRpcCode, RawResult},
    session_state::SESSION_STATE_KEY,
    tool_result::RESULT_KEY,
};

/// A server's rejection of the token of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenRefusal {
    /// The server rejected the call for its token, and ran nothing of it.
    Unrun,
    /// The server names the token in its failure, and may have run a part of the call.
    Named,
}

impl TokenRefusal {
    /// Parses the answer to a call with a token; `None` if it rejects no token, or contains another one. The call's record states whether the
    /// answer had no MCP content.
    pub(super) fn of(reply: &Reply, record: Option<&CallRecord>) -> Option<Self> {
        if let Some(error) = reply.as_error() {
            return Self::of_error(error);
        }
        reply.result().filter(|_| !reply.is_cancelled()).and_then(|result| Self::of_result(result, record))
    }

    /// Parses an error in the form of this project's server SDK.
    fn of_error(error: &ErrorObject) -> Option<Self> {
        if error.code != i64::from(JsonRpcCode::InvalidParams) {
            return None;
        }
        let data = error.data.as_ref().filter(|data| data.may_hold(SESSION_STATE_KEY));
        let reason = data.and_then(|data| RawObject::from_json(data).ok()?.get(SESSION_STATE_KEY).cloned());
        match reason {
            Some(_) => Some(Self::Unrun),
            None => (data.is_some() || names_state(&error.message)).then_some(Self::Named),
        }
    }

    /// Parses a result. A failed tool may have run a part of its work, even if it reports invalid input. Only an error of the proposals
    /// instead of a result shows that the server checked its input first.
    fn of_result(result: &RawResult, record: Option<&CallRecord>) -> Option<Self> {
        if !CallToolResult::says_error(result) {
            return None;
        }
        let result: CallToolResult = result.decode().ok()?;
        if !result.session_state().is_absent() || !names_state(&result.joined_text()) {
            return None;
        }
        let is_unrun = says_invalid_input(&result) && record.is_some_and(has_kernel_text);
        Some(if is_unrun { Self::Unrun } else { Self::Named })
    }
}

/// Returns whether a text is about the token of a session.
fn names_state(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text.contains(SESSION_STATE_KEY) || text.contains("session state token")
}

/// Returns whether the details of a failure have the proposals' code or category for invalid input.
fn says_invalid_input(result: &CallToolResult) -> bool {
    let error = result.meta.as_ref().and_then(|meta| meta.object(RESULT_KEY)?.object("error"));
    error.and_then(|error| error.object("error_details")).is_some_and(|details| {
        details.text("code").as_deref() == Some("INVALID_INPUT")
            || details.text("category").as_deref() == Some("invalid_input")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mgp_types::json::RawJson;

    #[test]
    fn a_failure_that_names_the_state_without_a_new_one_refuses_it() {
        for (result, expected) in [
            (
                r#"{"content":[{"type":"text","text":"Invalid Session State token."}],"isError":true}"#,
                Some(TokenRefusal::Named),
            ),
            (
                r#"{"content":[{"type":"text","text":"session_state: foreign"}],"isError":true}"#,
                Some(TokenRefusal::Named),
            ),
            (r#"{"content":[{"type":"text","text":"no ticket has 'session state'"}],"isError":true}"#, None),
            (r#"{"content":[{"type":"text","text":"the session state token is new"}]}"#, None),
            (
                r#"{"content":[{"type":"text","text":"old session state token"}],"isError":true,"_meta":{"session_state":"new"}}"#,
                None,
            ),
        ] {
            let result = RawJson::parse(result).unwrap();
            assert_eq!(TokenRefusal::of(&Reply::ok(result.clone()), None), expected, "{result}");
            assert_eq!(TokenRefusal::of(&Reply::cancelled(result), None), None);
        }
    }

    #[test]
    fn only_invalid_params_errors_refuse_a_token() {
        let invalid = i64::from(JsonRpcCode::InvalidParams);
        let data = |text: &'static str| RawJson::parse(text).unwrap();
        let told = ErrorObject::new(invalid, "no").with_data(data(r#"{"session_state":"foreign"}"#));
        let named = ErrorObject::new(invalid, "Invalid session state token.");
        let inside = ErrorObject::new(invalid, "no").with_data(data(r#"["session_state"]"#));
        let other = ErrorObject::new(-32000, "session_state");
        for (error, expected) in [
            (told, Some(TokenRefusal::Unrun)),
            (named, Some(TokenRefusal::Named)),
            (inside, Some(TokenRefusal::Named)),
            (other, None),
            (ErrorObject::new(invalid, "no such ticket"), None),
        ] {
            assert_eq!(TokenRefusal::of(&Reply::error(error.clone()), None), expected, "{error}");
        }
    }
}
