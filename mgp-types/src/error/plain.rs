//! The translation of MGP errors for plain MCP peers.

use super::{ErrorCategory, ErrorCode};
use crate::{
    json::{RawJson, RawObject},
    mgp_member,
    rpc::{ErrorObject, JsonRpcCode},
};

impl ErrorObject {
    /// Returns the closest error of plain MCP. The message is unchanged, and a [report](Self::with_report)
    /// replaces MGP's advice.
    ///
    /// An error in the request itself (an unknown tool, arguments that do not fit, code that was refused) becomes
    /// -32602, a caller without the right becomes -32600, and a server that cannot serve the call becomes -32603. Codes
    /// that are not MGP's are unchanged.
    ///
    /// ```
    /// use mgp_types::error::ErrorCode;
    /// let error = ErrorCode::ToolNotFound.error("unknown tool: \"ad\"").to_plain_mcp();
    /// assert_eq!((error.code, error.message.as_str()), (-32602, "unknown tool: \"ad\""));
    /// assert!(error.data.unwrap().as_str().starts_with(r#"{"error_type":"ToolNotFound""#));
    /// ```
    #[must_use]
    pub fn to_plain_mcp(&self) -> Self {
        let mut plain = match ErrorCode::from_code(self.code) {
            Some(code) => Self { code: nearest(code).into(), ..self.clone().with_report() },
            None => self.clone(),
        };
        if let Some(mut data) = plain.data.as_ref().filter(|data| data.may_hold("mgp")).and_then(object) {
            mgp_member::strip(&mut data);
            plain.data = (!data.is_empty()).then(|| data.to_json());
        }
        plain
    }
}

fn object(data: &RawJson) -> Option<RawObject> {
    RawObject::from_json(data).ok()
}

const fn nearest(code: ErrorCode) -> JsonRpcCode {
    match (code, code.category()) {
        (ErrorCode::ValidationBlocked | ErrorCode::CodeSafetyViolation, _)
        | (_, ErrorCategory::Validation) => JsonRpcCode::InvalidParams,
        (_, ErrorCategory::Security) => JsonRpcCode::InvalidRequest,
        (_, ErrorCategory::Lifecycle | ErrorCategory::Resource | ErrorCategory::External) => {
            JsonRpcCode::InternalError
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mgp_code_becomes_one_of_json_rpc() {
        for code in ErrorCode::ALL {
            let plain = code.error("why").to_plain_mcp();
            assert!((-32603..=-32600).contains(&plain.code), "{code}: {}", plain.code);
            let data = plain.data.unwrap();
            assert!(plain.message == "why" && !data.as_str().contains("_mgp"), "{data}");
        }
    }

    #[test]
    fn other_codes_and_other_data_stay() {
        let error =
            ErrorObject::new(-32042_i64, "open this").with_data(RawJson::parse(r#"{"n":1e500}"#).unwrap());
        assert_eq!(error.to_plain_mcp(), error);
        for mgp in [r#"{"a":1,"_mgp":{}}"#, r#"{"a":1,"_meta":{"mgp":{}}}"#] {
            let error = ErrorObject::new(77_i64, "own").with_data(RawJson::parse(mgp).unwrap());
            assert_eq!(error.to_plain_mcp().data.unwrap().as_str(), r#"{"a":1}"#);
        }
    }
}
