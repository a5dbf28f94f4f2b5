//! `logging/setLevel` and `notifications/message`.

use crate::{
    json::{RawJson, RawObject},
    logging_level::LoggingLevel,
    rpc::Empty,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Sets the least severe level that is sent.
    control SetLevel = "logging/setLevel": SetLevelParams => Empty;
}

notices! {
    /// Sends a line of a server's log.
    LogMessage = "notifications/message": LogMessageParams;
}

/// The level to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetLevelParams {
    /// The least severe level that is sent.
    pub level: LoggingLevel,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogMessageParams {
    /// The severity of the line.
    pub level: LoggingLevel,
    /// The part of the server that wrote the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// The content of the line: any JSON value.
    pub data: RawJson,
    /// Metadata of MCP and its extensions about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_by_severity() {
        assert!(LoggingLevel::ALL.is_sorted());
        assert!(LoggingLevel::Warning > LoggingLevel::Notice);
    }

    #[test]
    fn an_unknown_level_is_reported_with_the_expectation() {
        let error = serde_json::from_str::<SetLevelParams>(r#"{"level":"loud"}"#).unwrap_err().to_string();
        assert!(error.contains(r#"unknown logging level "loud": expected one of debug, info"#), "{error}");
    }
}
