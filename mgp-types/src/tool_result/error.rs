//! The error of a tool call: its type, its message, and details.

use crate::{
    error::{ErrorCode, ErrorType},
    json::{RawJson, RawObject},
    rpc::ErrorObject,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

open_object! {
    /// The error of a tool call.
    pub struct ErrorDetail {
        /// The type.
        required error_type: ErrorType = "error_type",
        /// The message, for people and models.
        required message: String = "error_message",
        /// More about the error, such as the argument that is wrong.
        lenient details: ErrorDetails = "error_details",
    }
}

/// More about an error: members for programs, or a text.
#[derive(Debug, Clone, PartialEq)]
pub enum ErrorDetails {
    /// Members for programs.
    Object(RawObject),
    /// A text.
    Text(String),
}

impl ErrorDetail {
    /// Creates an error without details.
    pub fn new(error_type: impl Into<ErrorType>, message: impl fmt::Display) -> Self {
        let message = message.to_string();
        Self { error_type: error_type.into(), message, details: None, other: RawObject::new() }
    }

    /// Sets the details.
    #[must_use]
    pub fn details(self, details: impl Into<ErrorDetails>) -> Self {
        Self { details: Some(details.into()), ..self }
    }

    /// Adds the trace of the call to the details, unless they name one, or are a text.
    pub(super) fn add_trace(&mut self, trace: &str) {
        let details = self.details.get_or_insert_with(|| ErrorDetails::Object(RawObject::new()));
        if let ErrorDetails::Object(details) = details
            && details.get("trace_id").is_none()
        {
            details.insert("trace_id", RawJson::string(trace));
        }
    }
}

/// The error of a call that was refused, or that did not reach its tool. Its details are the report in the error's data, if it has one.
impl From<&ErrorObject> for ErrorDetail {
    fn from(error: &ErrorObject) -> Self {
        let mut report = error.data.as_ref().and_then(|data| RawObject::from_json(data).ok());
        if let Some(report) = &mut report {
            // The same, for peers that speak MGP.
            report.remove("_mgp");
        }
        let of_report = || report.as_ref()?.text("error_type").and_then(|name| of_report(&name));
        let of_code = ErrorCode::from_code(error.code).map(ErrorCode::result_error_type);
        let error_type = of_code.or_else(of_report).unwrap_or(match error.code {
            -32602 => ErrorType::ValidationError,
            _ => ErrorType::ToolExecutionError,
        });
        let details = report.filter(|report| !report.is_empty()).map(ErrorDetails::Object);
        Self { details, ..Self::new(error_type, &error.message) }
    }
}

/// Returns the type that belongs to an `error_type` of the table of codes, as in reports for plain MCP peers.
fn of_report(error_type: &str) -> Option<ErrorType> {
    let code = ErrorCode::ALL.iter().find(|code| code.error_type() == error_type)?;
    Some(code.result_error_type())
}

impl From<RawObject> for ErrorDetails {
    fn from(members: RawObject) -> Self {
        Self::Object(members)
    }
}

impl From<String> for ErrorDetails {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for ErrorDetails {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Serialize for ErrorDetails {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(members) => members.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl<'de> Deserialize<'de> for ErrorDetails {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = RawJson::deserialize(deserializer)?;
        if let Some(text) = json.to_text() {
            return Ok(Self::Text(text));
        }
        RawObject::from_json(&json).map(Self::Object).map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for ErrorDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error_type, self.message)
    }
}

impl std::error::Error for ErrorDetail {}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &'static str) -> Result<ErrorDetail, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn an_error_survives_and_keeps_its_custom_type() {
        for text in [
            r#"{"error_type":"FileNotFoundError","error_message":"no x"}"#,
            r#"{"error_type":"TapeJammed","error_message":"m","error_details":{"n":1e500}}"#,
            r#"{"error_type":"TimeoutError","error_message":"m","error_details":"after 5 s"}"#,
            r#"{"error_type":"TimeoutError","error_message":"m","error_details":[1],"own":2}"#,
        ] {
            assert_eq!(serde_json::to_string(&read(text).unwrap()).unwrap(), text);
        }
        let own = read(r#"{"error_type":"TapeJammed","error_message":"m"}"#).unwrap();
        assert_eq!(own.error_type, ErrorType::Custom("TapeJammed".to_owned()));
        assert!(read(r#"{"error_type":"x"}"#).unwrap_err().to_string().contains("missing error_message"));
    }

    #[test]
    fn a_protocol_error_has_the_type_of_its_code_or_report() {
        for code in ErrorCode::ALL {
            let error = code.error("why");
            for error in [error.clone(), error.clone().with_report(), error.to_plain_mcp()] {
                let detail = ErrorDetail::from(&error);
                // Several codes share one name of the report, and differ in nothing else here.
                assert!(ErrorType::STANDARD.contains(&detail.error_type), "{code}");
                assert_eq!(detail.error_type, code.result_error_type(), "{code}");
                assert_eq!(detail.message, "why");
            }
        }
        let invalid = ErrorObject::invalid_params("x");
        assert_eq!(ErrorDetail::from(&invalid), ErrorDetail::new(ErrorType::ValidationError, "x"));
        let other = ErrorObject::internal("x");
        assert_eq!(ErrorDetail::from(&other).error_type, ErrorType::ToolExecutionError);
    }
}
