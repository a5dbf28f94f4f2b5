//! `logging/setLevel` and `notifications/message`.

use crate::{
    json::{RawJson, RawObject},
    rpc::Empty,
};
use serde::{Deserialize, Serialize};

calls! {
    /// Sets the least severe level that is sent.
    control SetLevel = "logging/setLevel": SetLevelParams => Empty;
}

notices! {
    /// A line of a server's log.
    LogMessage = "notifications/message": LogMessageParams;
}

spelled! {
    /// How severe a line of a log is (RFC 5424). Ordered: debug is the least.
    #[derive(PartialOrd, Ord)]
    pub enum LoggingLevel as "logging level" {
        /// For who debugs.
        Debug = "debug",
        /// Of interest.
        Info = "info",
        /// Of interest, and not usual.
        Notice = "notice",
        /// May become an error.
        Warning = "warning",
        /// An operation failed.
        Error = "error",
        /// A part failed.
        Critical = "critical",
        /// Somebody must act now.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

/// The level to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetLevelParams {
    /// The least severe level that is sent.
    pub level: LoggingLevel,
    /// What MCP and its extensions say about the message.
    #[serde(rename = "_meta", default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<RawObject>,
}

/// A line of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogMessageParams {
    /// How severe it is.
    pub level: LoggingLevel,
    /// Which part of the server wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// What it says: any JSON.
    pub data: RawJson,
    /// What MCP and its extensions say about the message.
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
    fn an_unknown_level_is_named_with_what_was_expected() {
        let error = serde_json::from_str::<SetLevelParams>(r#"{"level":"loud"}"#).unwrap_err().to_string();
        assert!(error.contains(r#"unknown logging level "loud": expected one of debug, info"#), "{error}");
    }
}
